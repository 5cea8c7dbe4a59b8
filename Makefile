# make reproduce   set up, and print the published tables beside ours
# make test        set up, and run all tests
# make lab | docs | preview | bench | sync | portable | clean
# Each target makes what it needs in .venv and leaves the working tree as it was.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: reproduce test lab docs preview bench sync portable clean

reproduce: $(VENV)/core
	$(BIN)/gecnb reproduce gleu-readme/corpus
	$(BIN)/gecnb reproduce

test: $(VENV)/dev
	$(BIN)/python -m pytest -n auto

lab: $(VENV)/dev
	cd nbs && ../$(BIN)/jupyter lab

docs: $(VENV)/dev
	$(BIN)/python tools/docs.py

preview: docs
	$(BIN)/python -m http.server --directory _docs --bind 127.0.0.1 8000


# The programs that we are timed against have an environment of their own, and ours is installed there as a user has it
BENCH := .venv-bench

bench: $(BENCH)/ready
	$(BENCH)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --force-reinstall .
	$(BENCH)/bin/python tools/bench.py

$(BENCH)/ready: settings.ini setup.py
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip --disable-pip-version-check --quiet install ".[data]" gleu==1.1.0 "nltk>=3.10" sacrebleu bleuscore rouge-score-rs
	touch $@

# After editing a notebook: export the modules, run all notebooks, clean them, write README.md
sync: $(VENV)/dev
	$(BIN)/python tools/sync.py

# The tests and the lessons as other machines run them: `make portable CORNERS="oldest no-avx2"`, all without CORNERS
portable:
	$(PYTHON) tools/portable.py $(CORNERS)

clean:
	rm -rf $(VENV) _docs _proc build *.egg-info

$(VENV)/core: settings.ini setup.py
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -e .
	touch $@

$(VENV)/dev: $(VENV)/core
	$(PIP) install -e ".[dev]"
	touch $@
