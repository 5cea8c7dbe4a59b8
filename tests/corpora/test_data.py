"Downloads over a real HTTP server on loopback: whole, broken, wrong, and tried again"
from types import SimpleNamespace
import hashlib

import pytest

from gecmetrics_nb.corpora import registry as registry_module
from gecmetrics_nb.corpora.registry import Entry, fetch, registry
from browser import served, stopped

pooch = pytest.importorskip("pooch")
CONTENT = b"He goes home .\n" * 1000
NAME = "demo/HYP"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in "GECNB_DATA", "GECNB_MIRROR": monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("time.sleep", lambda seconds: None) # between tries


@pytest.fixture
def server(tmp_path):
    "start(answers) -> address of a server on loopback that runs until the test ends"
    running = []
    def start(answers):
        running.append(served(tmp_path, do_GET=answers))
        return f"http://127.0.0.1:{running[-1].server_port}/{{name}}"
    yield start
    for each in running: stopped(each)


@pytest.fixture
def registered(monkeypatch):
    entry = Entry(NAME, hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "who/what", "c0ffee", "HYP", "none stated")
    monkeypatch.setattr(registry_module, "registry", lambda: {NAME: entry})


def answers(*given):
    "A server's do_GET: one answer after the other, the last one for ever: (bytes, announced length) or a status"
    def do_get(self):
        answer = given[min(do_get.requests, len(given) - 1)]
        do_get.requests += 1
        if isinstance(answer, int): return self.send_error(answer)
        body, length = answer
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)
    do_get.requests = 0
    return do_get


WHOLE, BROKEN, WRONG = (CONTENT, len(CONTENT)), (CONTENT[:100], len(CONTENT)), (b"<html>", 6)


def test_download_then_cache(server, registered, tmp_path):
    good = answers(WHOLE)
    mirror = server(good)
    path = fetch(NAME, mirror=mirror, cache=tmp_path)
    assert path.read_bytes() == CONTENT and path == fetch(NAME, mirror=mirror, cache=tmp_path) and good.requests == 1


@pytest.mark.parametrize("first", [BROKEN, WRONG, 503])
def test_a_second_try(first, server, registered, tmp_path):
    flaky = answers(first, WHOLE)
    assert fetch(NAME, mirror=server(flaky), cache=tmp_path).read_bytes() == CONTENT and flaky.requests == 2


@pytest.mark.parametrize("answer,error,message", [
    (WRONG, ValueError, "http.*/demo/HYP is not the registered demo/HYP: the checksum differs; nothing was kept"), (BROKEN, (ValueError, OSError), NAME),
    (404, OSError, "GECNB_DATA"), (503, OSError, "^demo/HYP could not be downloaded from http.*/demo/HYP: ")])
def test_nothing_is_kept_of_a_bad_download(answer, error, message, server, registered, tmp_path):
    bad = answers(answer)
    with pytest.raises(error, match=message): fetch(NAME, mirror=server(bad), cache=tmp_path)
    assert bad.requests == 3 and not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_download_stops_at_the_registered_size(server, registered, tmp_path, monkeypatch):
    "Of a file without end no more is taken than a block beyond it"
    taken = []
    def counted(write, flush): return SimpleNamespace(write=lambda data: (taken.append(len(data)), write(data)), flush=flush)
    monkeypatch.setattr(registry_module, "SimpleNamespace", counted)
    mirror = server(answers((CONTENT * 1000, len(CONTENT) * 1000)))
    with pytest.raises(ValueError, match="nothing was kept"): fetch(NAME, mirror=mirror, cache=tmp_path)
    assert sum(taken) < 3 * (len(CONTENT) + 2000) and not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_spoilt_cache_is_fetched_again(server, registered, tmp_path):
    mirror = server(answers(WHOLE))
    fetch(NAME, mirror=mirror, cache=tmp_path).write_bytes(b"spoilt")
    assert fetch(NAME, mirror=mirror, cache=tmp_path).read_bytes() == CONTENT


def test_folder_before_cache_before_network(server, registered, tmp_path, monkeypatch):
    (tmp_path / "folder/demo").mkdir(parents=True)
    (tmp_path / "folder" / NAME).write_bytes(CONTENT)
    monkeypatch.setenv("GECNB_DATA", str(tmp_path / "folder"))
    assert fetch(NAME) == tmp_path / "folder" / NAME
    (tmp_path / "folder" / NAME).write_bytes(b"another")
    with pytest.raises(ValueError, match="not the registered demo/HYP.*not 7"): fetch(NAME)
    (tmp_path / "folder" / NAME).unlink()
    monkeypatch.setenv("GECNB_MIRROR", server(answers(WHOLE)))
    assert fetch(NAME, cache=tmp_path / "cache").is_relative_to(tmp_path / "cache")


@pytest.mark.parametrize("template", [
    "http://x/{foo}", "http://x/{", "http://x/{name}{", "http://x/{name.__class__}", "http://x/{name[0]}", "http://x/{name!r}",
    "http://x/{name:>99999999}", "http://x/{{name}}", "http://x/{0}{name}", "http://x/", "file:///x/{name}", "{name}", " "])
def test_a_mirror_is_an_address_with_fields_of_a_file(template, registered, tmp_path, monkeypatch):
    "And its name says whether the argument or the variable is to be changed"
    with pytest.raises(ValueError, match=r"^mirror is '.*: give an address such as") as refused:
        fetch(NAME, mirror=template, cache=tmp_path)
    monkeypatch.setenv("GECNB_MIRROR", template)
    with pytest.raises(ValueError) as by_variable: fetch(NAME, cache=tmp_path)
    assert str(by_variable.value) == str(refused.value).replace("mirror", "GECNB_MIRROR", 1)
    with pytest.raises(TypeError, match="mirror is int"): fetch(NAME, mirror=5, cache=tmp_path)


def test_all_fields_of_a_mirror(registered, monkeypatch):
    asked = []
    monkeypatch.setattr(registry_module, "_download", lambda entry, address, cache: asked.append(address))
    fetch(NAME, mirror="https://h/{repository}/{commit}/{path}?of={name}")
    assert asked == ["https://h/who/what/c0ffee/HYP?of=demo/HYP"]


def test_registry_is_that_of_the_files(shared):
    folders = {"data": shared / "data", "gmeg": shared} # where names of their files begin
    lists = {name: shared / name / "MANIFEST.tsv" for name in folders if (shared / name).is_dir()}
    rows = {name: path.read_text(encoding="utf-8").strip().split("\n")[1:] for name, path in lists.items()}
    known = [e for e in registry().values() if not e.name.startswith("example/")] # which is in the package
    entries = [e for e in known if "gmeg" in lists or not e.name.startswith("gmeg/")]
    told = [line.split("\t") for lines in rows.values() for line in lines]
    fields = "name sha256 bytes repository commit path".split()
    assert [row[:6] for row in told] == [[str(getattr(entry, field)) for field in fields] for entry in entries]
    for entry in entries:
        folder = folders["gmeg" if entry.name.startswith("gmeg/") else "data"]
        assert hashlib.sha256((folder / entry.name).read_bytes()).hexdigest() == entry.sha256
        assert entry.address.startswith("https://raw.githubusercontent.com/") and entry.commit in entry.address


def test_a_cache_that_cannot_be_is_named_not_the_network(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="cannot be kept in .*file.*XDG_CACHE_HOME"):
        fetch(next(iter(registry())), mirror="http://127.0.0.1:9/{name}", cache=tmp_path / "file" / "cache")
