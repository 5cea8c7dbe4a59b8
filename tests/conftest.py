"What the tests share: the folder of real corpora and golden outputs, which is beside the project or absent"
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
import os
import signal
import sys
import traceback

from hypothesis import HealthCheck, settings
import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from places import SHARED

if "PYTEST_XDIST_WORKER" in os.environ: os.environ.setdefault("OPENBLAS_NUM_THREADS", "1") # each processor has a worker: a fourth less time
IN_A_PAGE = sys.platform == "emscripten" # where all takes longer, and there are no processes
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow], # both fail on a busy machine
                          max_examples=20 if IN_A_PAGE else 100)
settings.load_profile("no clock")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN: # in the background of a shell: what tests start would ignore Ctrl-C, too
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    if SHARED.is_dir(): return f"real corpora and golden outputs: {SHARED.resolve()}"
    return f"NO REAL CORPORA at {SHARED}: the tests that compare with them ARE SKIPPED"


@pytest.hookimpl(tryfirst=True) # before -m chooses
def pytest_collection_modifyitems(items):
    "What reads the real corpora or the site is marked; an id with an address in it is another in each process, and xdist stops"
    for item in items:
        if "shared" in item.fixturenames: item.add_marker("corpora")
        if "site" in item.fixturenames: item.add_marker("pages")
    moving = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if moving: raise pytest.UsageError(f"{moving[0]}: give the parameter an id")


def pytest_runtest_setup(item):
    absent = {package for mark in item.iter_markers("needs") for package in mark.args if not find_spec(package)}
    if absent: pytest.skip(f"no {', '.join(sorted(absent))}: make test-adapters")


@pytest.fixture(scope="session", autouse=IN_A_PAGE)
def no_processes():
    "The Python of a page has none: what starts one is skipped there"
    def refuse(*args, **settings): pytest.skip("no processes in a page")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subprocess.Popen.__init__", refuse)
        patch.setattr("gecmetrics_nb.core.parallel.require_extra", refuse)
        yield


COPIES: list = [] # where this process was copied by our code


def note_copy():
    "The line of ours that asks for a copy, unless another package does"
    for frame in reversed(traceback.extract_stack()[:-1]):
        if "site-packages" in frame.filename: return
        if Path(frame.filename).is_relative_to(ROOT): return COPIES.append(f"{frame.filename}, line {frame.lineno}")


if hasattr(os, "register_at_fork"): os.register_at_fork(before=note_copy)


@pytest.fixture(autouse=True)
def no_copies():
    "A copy has one of the threads of its process and the locks of all; Python 3.12 warns of it, in a way that cannot be made an error"
    COPIES.clear()
    yield
    assert not COPIES, "a process that may have threads was copied"


class Ran(NamedTuple):
    "What a run of gecnb leaves"
    status: int
    out: str
    err: str


@pytest.fixture
def gecnb(capsys):
    "Run gecnb with a line, or with a list of words"
    from gecmetrics_nb.cli.parser import main

    def run(line):
        words = line.split() if isinstance(line, str) else list(map(str, line))
        capsys.readouterr()
        try: status = main(words)
        except SystemExit as end: status = end.code
        return Ran(status, *capsys.readouterr())
    return run


@pytest.fixture
def printed(gecnb):
    "Run gecnb, which must succeed: what it prints"
    def run(line):
        done = gecnb(line)
        assert done.status == 0, done.err
        return done.out
    return run


@pytest.fixture
def refused(gecnb, tmp_path):
    "Run gecnb, which must refuse with one line and write nothing: that line"
    def contents(): return {path: path.is_dir() or path.read_bytes() for path in tmp_path.rglob("*")}

    def run(line):
        before = contents()
        status, out, err = gecnb(line)
        assert (status, out, err.count("\n")) == (2, "", 1), (line, out, err)
        assert contents() == before, line
        return err
    return run


@pytest.fixture
def write(tmp_path, monkeypatch):
    "Write files into the current folder, which is empty before: {name: text, or its lines}"
    monkeypatch.chdir(tmp_path)

    def write(texts):
        for name, text in texts.items():
            whole = text if isinstance(text, str) else "".join(f"{line}\n" for line in text)
            (tmp_path / name).write_text(whole, encoding="utf-8")
    return write


@pytest.fixture
def offline(tmp_path, monkeypatch):
    "No corpora, no network, no waiting between tries"
    places = {"GECNB_DATA": tmp_path / "nothing", "XDG_CACHE_HOME": tmp_path / "cache", "GECNB_MIRROR": "http://127.0.0.1:9/{name}"}
    for name, value in places.items(): monkeypatch.setenv(name, str(value))
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    from browser import CHROMIUM, Browser
    if not CHROMIUM: pytest.skip("PAGES ARE NOT OPENED: no chromium on this machine")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def shared():
    if not SHARED.is_dir(): pytest.skip("no real corpora: GECNB_SHARED=folder make test")
    return SHARED


@pytest.fixture(scope="session")
def golden(shared):
    "Read a golden file: {system: score} from two columns"
    def read(name):
        lines = (shared / "golden/conll14" / name).read_text(encoding="utf-8").split("\n")
        return {system: float(value) for system, value in (line.split("\t") for line in lines if "\t" in line)}
    return read


@pytest.fixture(scope="session")
def conll14(shared):
    "The thirteen outputs and REF0 against NUCLEA and NUCLEB, read from the files"
    from gecmetrics_nb.corpora.conll14 import CONLL14
    from gecmetrics_nb.core.corpus import Corpus
    from gecmetrics_nb.io.files import read_lines
    data = shared / "data"
    references = [read_lines(data / "grammaticality-metrics/references" / n) for n in ("NUCLEA", "NUCLEB")]
    outputs = [read_lines(data / "conll14/official_submissions" / n) for n in CONLL14]
    return Corpus(outputs[-1], references, [*outputs, references[0]], system_names=(*CONLL14, "REF0"))
