"House rules: dependency direction, what may import what, what may not be called, sizes, and that the modules are the notebooks'"
from graphlib import CycleError, TopologicalSorter
import ast
import re
import subprocess
import sys

import pytest

import gecmetrics_nb
from places import ROOT, SETTINGS, SITE, notebooks

LIBRARY = ROOT / "gecmetrics_nb"
ROOMS = ["core", "io", "alignment", "metrics", "stats", "corpora", "reproduce", "viz", "adapters", "cli"] # each imports from those before it
MODULES = sorted(p for p in LIBRARY.rglob("*.py") if p.name not in ("__init__.py", "_modidx.py"))


def name_of(path): return ".".join(path.relative_to(LIBRARY).with_suffix("").parts)


def room_of(name): return name.partition(".")[0]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import): yield from (a.name for a in node.names)
        if isinstance(node, ast.ImportFrom):
            package = ("gecmetrics_nb", *path.relative_to(LIBRARY).parent.parts)
            above = package[:len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            inside = LIBRARY.joinpath(*base.split(".")[1:])
            yield from {f"{base}.{a.name}" if (inside / f"{a.name}.py").exists() else base for a in node.names}


def ours(path):
    "Modules of the library that a module imports, wherever in it"
    names = {m.removeprefix("gecmetrics_nb.") for m in imports(path) if m.startswith("gecmetrics_nb.")}
    return names - {"_version", "_lazy", "reproduce.papers"}


def test_rooms_import_from_rooms_before_them():
    back = [f"{name_of(path)} imports {other}" for path in MODULES if room_of(name_of(path)) in ROOMS for other in ours(path)
            if ROOMS.index(room_of(other)) > ROOMS.index(room_of(name_of(path)))]
    assert not back
    alone = {name_of(path) for path in MODULES if room_of(name_of(path)) not in ROOMS}
    assert alone == {"lesson", "lessons.pays", "lessons.people", "lessons.pictures", "lessons.ranks", "lessons._site", "__main__", "_lazy", "_version"} and not ours(LIBRARY / "lesson.py")


def test_no_circle_of_imports():
    TopologicalSorter({name_of(path): ours(path) for path in MODULES}).prepare() # CycleError names the modules


def test_only_the_plots_import_matplotlib():
    assert {name_of(path) for path in MODULES if any(m.startswith("matplotlib") for m in imports(path))} == {"viz.plot"}


def test_a_wrong_direction_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "LIBRARY", tmp_path)
    for name, text in ("core/low", "from ..io import high"), ("io/high", "def f(): from gecmetrics_nb.core.low import x"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    paths = [tmp_path / "core/low.py", tmp_path / "io/high.py"]
    monkeypatch.setattr(sys.modules[__name__], "MODULES", paths)
    with pytest.raises(CycleError): test_no_circle_of_imports()
    with pytest.raises(AssertionError, match="core.low imports io.high"): test_rooms_import_from_rooms_before_them()


@pytest.mark.parametrize("code,absent", [("import gecmetrics_nb", ["numpy"]), ("import gecmetrics_nb.cli.parser, gecmetrics_nb.cli.errant", ["numpy", "dataclasses"]), ("from gecmetrics_nb import *; from gecmetrics_nb.reproduce import tables; from gecmetrics_nb.stats import human, correlation", [])])
def test_importing_loads_numpy_alone_and_only_when_needed(code, absent):
    others = ["matplotlib", "scipy", "nltk", "pooch", "tqdm", "trueskill", "pandas", "sacrebleu", "gleu"]
    done = subprocess.run([sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "gecmetrics_nb" in loaded and not loaded & {*others, *absent}
    assert absent or "numpy" in loaded


FORBIDDEN = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "pickle", "marshal", "shelve", "dill", "joblib", "yaml", "tarfile", "zipfile", "subprocess",
             "shutil.unpack_archive", "urllib.request", "tempfile.mktemp"}


def calls(path):
    "What is called by name in a module, the modules that it imports, and `name=` for keywords of calls"
    yield from imports(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)
            yield from (f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_data_is_never_run(path):
    "No pickle, no eval, no shell, no archive is unpacked; arrays are loaded without objects, addresses are https"
    used = set(calls(path))
    if name_of(path) == "core.parallel": used -= {w for w in used if w.startswith(("pickle", "subprocess"))} # it talks to itself
    assert not {w for w in used for f in FORBIDDEN if w == f or w.startswith(f + ".")}
    assert not {w for w in used if w in ("shell=True", "allow_pickle=True", "verify=False")}
    assert "http://" not in path.read_text(encoding="utf-8")


def test_forbidden_calls_are_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "LIBRARY", tmp_path)
    (tmp_path / "bad.py").write_text("import pickle, os.path\nfrom os import path\nos.system('x')\nrun('x', shell=True)\neval('1')\n")
    assert {"pickle", "os.system", "shell=True", "eval"} <= set(calls(tmp_path / "bad.py"))


def test_no_dependency_with_known_holes():
    "Holes have been found in older releases of NLTK: models unpickled, archives unpacked outside their folder"
    from configparser import ConfigParser
    settings = ConfigParser(delimiters=["="])
    settings.read(ROOT / "settings.ini", encoding="utf-8")
    needed = [r for k, v in settings["DEFAULT"].items() if k.endswith("requirements") for r in v.split()]
    assert {r for r in needed if r.startswith("nltk")} == {"nltk>=3.10"}


def test_imports_are_seen(): assert {"gecmetrics_nb.core.ngrams", "gecmetrics_nb.core.units", "numpy"} <= set(imports(LIBRARY / "core" / "counts.py"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_are_documented(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"): continue
        assert ast.get_docstring(node) or "overload" in map(ast.unparse, node.decorator_list), node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_say_what_they_return(path):
    "By an annotation, from which the pages of the API are made; an overloaded one by its overloads"
    functions = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef): functions.append(node)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"): functions += [f for f in node.body if isinstance(f, ast.FunctionDef)]
    assert not [f"{f.name}, line {f.lineno}" for f in functions if not f.name.startswith("_") and not f.returns]


def test_every_module_is_a_notebook(tmp_path):
    from nbdev.export import nb_export
    for room in ROOMS: (tmp_path / "gecmetrics_nb" / room).mkdir(parents=True)
    for folder in "reproduce/papers", "lessons": (tmp_path / "gecmetrics_nb" / folder).mkdir()
    for path in notebooks(): nb_export(path, lib_path=tmp_path / "gecmetrics_nb")
    for path in MODULES:
        if path.name.startswith("_"): continue
        strip = lambda text: [line for line in text.split("\n") if not line.startswith(("# %% ", "# AUTOGENERATED"))]
        made = (tmp_path / "gecmetrics_nb" / path.relative_to(LIBRARY)).read_text(encoding="utf-8")
        assert strip(made) == strip(path.read_text(encoding="utf-8")), f"{name_of(path)} is out of step with its notebook: make sync"


def tracked(): return [ROOT / f for f in subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n") if f]


def test_no_file_is_large():
    assert not [f for f in tracked() if f.exists() and f.stat().st_size > 1_000_000]


def test_the_address_is_that_of_the_settings():
    "settings.ini says where the project lives; what repeats it says the same"
    address = re.compile(rf"https://(?:github\.com/[\w-]+|[\w-]+\.github\.io)/{SETTINGS['repo']}\b")
    written = {(f.name, found) for f in tracked() if f.suffix in (".py", ".md", ".yml", ".toml", ".cff", ".ipynb") for found in address.findall(f.read_text(encoding="utf-8"))}
    assert {"_quarto.yml", "pyproject.toml", "CITATION.cff"} <= {name for name, _ in written}
    assert not {(name, found) for name, found in written if found not in (SETTINGS["git_url"], SITE)}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key in "version", "title": assert f"\n{key}: {SETTINGS[key]}" in citation, key
    assert f"left: {SETTINGS['repo']} {SETTINGS['version']}, " in (ROOT / "nbs/_quarto.yml").read_text(encoding="utf-8") # the footer
    cite = (ROOT / "nbs/about/01_cite.ipynb").read_text(encoding="utf-8")
    assert set(re.findall(r"gecmetrics_nb (\d[\d.]*\d)|version = \{(.*?)\}|\|v:(\d[\d.]*\d)", cite)) == {(SETTINGS["version"], "", ""), ("", SETTINGS["version"], ""), ("", "", SETTINGS["version"])}


def test_what_a_test_needs_is_installed_or_marked():
    "A test that is skipped for want of a large package has the mark `needs`, by which `make test-adapters` finds it"
    here = {"nltk", "sacrebleu", "gleu", "pooch", "tqdm", "ipywidgets", "matplotlib", "smalldocs", "gecmetrics_nb"}
    for path in (ROOT / "tests").rglob("test_*.py"):
        asked = re.findall(r'importorskip\("(\w+)', path.read_text(encoding="utf-8"))
        assert set(asked) <= here, path.name


def test_no_path_of_one_machine():
    for f in tracked():
        if f.exists() and f.suffix in (".py", ".ipynb", ".md", ".yml", ".ini", ".toml", ""):
            text = f.read_text(encoding="utf-8")
            assert not [w for w in ("/" + "root/", "/" + "work/", "/" + "tmp/", "/" + "home/") if w in text], f


def test_rooms_and_their_names_are_there_without_an_import():
    code = "import gecmetrics_nb as g; print(*dir(g)); rooms = {n for n in dir(g) if n.islower() and hasattr(getattr(g, n), '__path__')}; " \
           "print(*rooms); [getattr(getattr(g, n), name) for n in rooms for name in dir(getattr(g, n))]; io = 1; from gecmetrics_nb import *; print(io)"
    listed, rooms, untouched = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert set(rooms.split()) == set(ROOMS) - {"cli", "lessons"} and {"GLEU", "__version__", *rooms.split()} <= set(listed.split()) and untouched == "1"


def test_there_is_one_version():
    assert gecmetrics_nb.__version__ == SETTINGS["version"]


def public_names():
    "(module, name) of what the modules export for all: `#| export` and `#| exports`, not `#| exporti`"
    lists = re.compile(r"^__all__ = (\[.*?\])", re.MULTILINE | re.DOTALL)
    return [(name_of(path), name) for path in MODULES for found in lists.findall(path.read_text(encoding="utf-8")) for name in ast.literal_eval(found)]


def test_few_names_are_public():
    assert 300 < len(public_names()) <= 400


def test_what_the_packages_offer_is_public():
    offered = re.compile(r"(\S+) as \1\b")
    public, missing = set(public_names()), []
    for face in LIBRARY.glob("**/__init__.py"):
        for line in re.findall(r"^    from \.\S.*", face.read_text(encoding="utf-8"), re.MULTILINE):
            module = ".".join([*face.parent.relative_to(LIBRARY).parts, line.split()[1][1:]])
            missing += [(module, name) for name in offered.findall(line) if not name.startswith("_") and (module, name) not in public]
    assert not missing and ("metrics.bleu", "BLEU") in public


def test_every_metric_is_a_name_of_the_package():
    from gecmetrics_nb.metrics.registry import ALL, class_of
    assert {class_of(name).__name__ for name in ALL} <= set(gecmetrics_nb.__all__)
