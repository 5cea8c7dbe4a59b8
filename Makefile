# make reproduce       set up with NumPy alone, and print the published tables beside ours
# make test            set up, and run all tests but those of large packages; what compares with real corpora finds them in
#                      ../shared or GECNB_SHARED=folder, or is skipped
# make lint            types and likely mistakes, by mypy and ruff in versions that are pinned, in .venv-lint
# make quick           the tests for the loop of one change: engine, formulas, metrics, house rules
# make test-adapters   the tests that need large packages (pyarrow, Ray, Torch, TRL, ...), in .venv-adapters
# make release-check   build the wheel and the source archive, check them, and try them in bare environments
# make figures         paper/figure1.svg, .pdf and .tsv, and those of three more figures for a paper
# make portable        the tests and the lessons as other machines run them
# make lab | docs | preview | bench | costs | sync | clean
# Each target makes what it needs in .venv and leaves the working tree as it was.

PYTHON   ?= python3
VENV     ?= .venv
ADAPTERS ?= .venv-adapters
BENCH    ?= .venv-bench
LINTER   ?= .venv-lint
NOX      ?= .venv-portable
BIN      := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE # what is used is compiled once, at its first import

# $(call install,FOLDER) PACKAGES: into the environment in FOLDER, which is made if it is not there
ifeq ($(shell command -v uv 2>/dev/null),)
create  = $(PYTHON) -m venv $(1)
packing = $(1)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile
else # in an eighth of the time
create  = uv venv --quiet --python $(PYTHON) $(1)
packing = uv pip install --quiet --python $(1)/bin/python
endif
define install
test -x $(1)/bin/python || $(create)
$(packing)
endef

.PHONY: reproduce test quick lint test-adapters release-check portable lab docs preview figures bench costs sync clean

reproduce: $(VENV)/core
	$(BIN)/gecnb reproduce gleu-readme/corpus
	$(BIN)/gecnb reproduce

test: $(VENV)/test
	$(BIN)/python -m pytest -n auto --dist loadgroup

QUICK := $(addprefix core/test_,text engine signature) $(addprefix metrics/test_,gleu family meteor) house/test_house
quick: $(VENV)/test
	$(BIN)/python -m pytest -n auto -m "not slow and not needs" $(QUICK:%=tests/%.py)

lab: $(VENV)/lab
	$(BIN)/jupyter trust nbs/*.ipynb nbs/*/*.ipynb >/dev/null # else Jupyter shows no figure before it is drawn again
	cd nbs && $(abspath $(BIN))/jupyter lab index.ipynb

# nbdev-docs, where there is Quarto; GECNB_PYODIDE=folder with the files of tools/live.py, else they are downloaded once, else no page has Run
docs: $(VENV)/lessons
	@command -v quarto >/dev/null || { echo "make docs needs Quarto 1.6 or newer: pip install quarto-cli, which fetches it"; exit 1; }
	rm -rf _proc # in which nbdev prepares again what changed in nbs, and not what tools/ would do otherwise
	PATH="$(abspath $(BIN)):$$PATH" nbdev-docs

preview: docs
	$(BIN)/python -m http.server --directory _docs --bind 127.0.0.1 8000

# After editing notebooks: export the modules, run the lessons (NAMES="nbs/metrics/05_green.ipynb ...", else all), clean, write README.md
sync: $(VENV)/lessons
	$(BIN)/python tools/sync.py $(NAMES)

# Each notebook of paper writes a figure beside it and the numbers behind it; make sync NAMES="paper/*.ipynb" keeps what they show
figures: $(VENV)/lessons
	$(BIN)/nbdev-test paper

release-check: $(NOX)/ready
	$(NOX)/bin/nox --session release

# CORNERS="oldest no-avx2" for some of them; nox --list names all. GECNB_PYODIDE=folder for the corner "pyodide"
portable: $(NOX)/ready
	$(NOX)/bin/nox $(if $(CORNERS),--session $(CORNERS))

$(NOX)/ready:
	$(call install,$(NOX)) "nox>=2025.11"
	touch $@

clean:
	rm -rf $(VENV) $(ADAPTERS) $(BENCH) $(LINTER) $(NOX) _docs _proc build dist *.egg-info


# Each extra of settings.ini that .venv can have; the larger ones contain the smaller
$(VENV)/core: settings.ini setup.py
	$(call install,$(VENV)) -e .
	touch $@

$(VENV)/test $(VENV)/lessons $(VENV)/lab: $(VENV)/core
	$(call install,$(VENV)) -e ".[$(@F)]"
	touch $@


# Packages that are too large for .venv. With PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu Torch comes without CUDA
TORCH ?= torch==2.13.0

test-adapters: $(ADAPTERS)/ready
	$(ADAPTERS)/bin/python -m pytest -n auto --dist loadfile -m needs # what imports Torch is in one file

$(ADAPTERS)/ready: settings.ini setup.py
	$(call install,$(ADAPTERS)) -e ".[adapters,verl]" $(TORCH)
	touch $@


# mypy, ruff and NumPy, whose types mypy reads, in the versions of settings.ini: Python 3.11 or newer
lint: $(LINTER)/ready
	$(LINTER)/bin/ruff check --no-cache gecmetrics_nb tests tools noxfile.py
	$(LINTER)/bin/mypy --cache-dir $(LINTER)/mypy
	$(LINTER)/bin/python -m pytest -q -p no:cacheprovider --noconftest tests/house/test_user_types.py

$(LINTER)/ready: settings.ini setup.py
	$(call install,$(LINTER)) -e ".[lint]"
	touch $@


# The programs that we are timed against, and ours as a user has it
bench: $(BENCH)/ready
	$(call install,$(BENCH)) --compile --no-deps --force-reinstall .
	$(BENCH)/bin/python tools/bench.py races start processes

# What each metric costs as corpora grow, for the page "What scales how": half an hour of one processor
costs: $(BENCH)/ready
	$(call install,$(BENCH)) --compile --no-deps --force-reinstall .
	$(BENCH)/bin/python tools/bench.py sentences words references systems draws

$(BENCH)/ready: settings.ini setup.py
	$(call install,$(BENCH)) ".[data,jobs]" gleu==1.1.0 "nltk>=3.10" sacrebleu errant==3.0.2
	touch $@
