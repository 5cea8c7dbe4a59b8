"House rules: what may import what, what is public, one version, and that the modules are the notebooks'"
from graphlib import TopologicalSorter
import ast
import re
import subprocess
import sys

import pytest

import gecmetrics_nb
from places import ROOT, SETTINGS, SITE, notebooks, read

LIBRARY = ROOT / "gecmetrics_nb"
# Each room imports from those before it
ROOMS = ["core", "io", "alignment", "metrics", "stats", "corpora", "reproduce", "viz", "adapters", "cli"]
MODULES = sorted(p for p in LIBRARY.rglob("*.py") if p.name not in ("__init__.py", "_modidx.py"))


def name_of(path): return ".".join(path.relative_to(LIBRARY).with_suffix("").parts)


def tree_of(path): return ast.parse(read(path))


def room_of(name): return name.partition(".")[0]


def imports(path):
    for node in ast.walk(tree_of(path)):
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
    inside = [path for path in MODULES if room_of(name_of(path)) in ROOMS]
    floor = lambda name: ROOMS.index(room_of(name))
    back = [(name_of(path), other) for path in inside for other in ours(path) if floor(other) > floor(name_of(path))]
    assert not [f"{name} imports {other}" for name, other in back]
    alone = {room_of(name_of(path)) for path in MODULES if path not in inside}
    assert alone <= {"lesson", "lessons", "__main__", "_lazy", "_version"} and not ours(LIBRARY / "lesson.py")


def test_no_circle_of_imports():
    TopologicalSorter({name_of(path): ours(path) for path in MODULES}).prepare() # CycleError names the modules


def said(code):
    "What a fresh Python prints"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_importing_loads_numpy_alone():
    "Of packages; without any room but the command line, not even that: tests/cli/test_cli.py"
    rooms = "reproduce.tables", "stats.human", "adapters.nltk", "adapters.torchmetrics", "adapters.rewards"
    loaded = said(f"""
import sys
before = set(sys.modules)
from gecmetrics_nb import *
for name in {rooms}: __import__("gecmetrics_nb." + name)
print(*{{name.partition(".")[0] for name in set(sys.modules) - before}} - set(sys.stdlib_module_names))""")
    assert {*loaded.split()} == {"gecmetrics_nb", "numpy"}


def test_arrays_hold_no_objects_and_addresses_are_safe():
    "What else would run data is refused by ruff: make lint"
    assert not [name_of(path) for path in MODULES if re.search(r"allow_pickle=True|http://", read(path))]


OF_THE_HOUSE = {"docs", "test", "lessons", "adapters", "lab", "verl", "lint"} # extras of those who work on it


def test_every_extra_is_named_by_an_error_and_no_other():
    named = re.compile(r"""require_extra\([^,\n]+, "(\w+)"|'gecmetrics_nb\[(\w+)\]'""")
    text = "".join(read(path) for path in LIBRARY.rglob("*.py"))
    offered = {key.removesuffix("_requirements") for key in SETTINGS if key.endswith("_requirements")}
    assert {first or second for first, second in named.findall(text)} == offered - OF_THE_HOUSE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_functions_say_what_they_do_and_return(path):
    "By a docstring and an annotation, from which the pages of the API are made; an overloaded one by its overloads"
    for node in tree_of(path).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"): continue
        assert ast.get_docstring(node) or "overload" in map(ast.unparse, node.decorator_list), node.name
        for function in [node] if isinstance(node, ast.FunctionDef) else node.body:
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"): continue
            assert function.returns, f"{function.name}, line {function.lineno}"


def test_every_module_is_a_notebook(tmp_path):
    from nbdev.export import nb_export
    from gecmetrics_nb.lessons._export import Modules
    for folder in (*ROOMS, "reproduce/papers", "lessons"): (tmp_path / "gecmetrics_nb" / folder).mkdir(parents=True)
    class Here(Modules): folder = tmp_path / "gecmetrics_nb"
    for path in notebooks(): nb_export(path, lib_path=Here.folder, procs=[Here])
    strip = lambda text: [line for line in text.split("\n") if not line.startswith(("# %% ", "# AUTOGENERATED"))]
    for path in MODULES:
        if path.name.startswith("_"): continue
        made = (tmp_path / "gecmetrics_nb" / path.relative_to(LIBRARY)).read_text(encoding="utf-8")
        assert strip(made) == strip(read(path)), f"{name_of(path)} is out of step with its notebook: make sync"


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    return [path for name in listed.splitlines() if (path := ROOT / name).exists()]


def test_the_address_is_that_of_the_settings():
    "settings.ini says where the project lives; what repeats it says the same"
    address = re.compile(rf"https://(?:github\.com/[\w-]+|[\w-]+\.github\.io)/{SETTINGS['repo']}\b")
    texts = {f: read(f) for f in tracked() if f.suffix in (".py", ".md", ".yml", ".toml", ".cff", ".ipynb")}
    written = {(f.name, url) for f, text in texts.items() for url in address.findall(text)}
    assert {"_quarto.yml", "pyproject.toml", "CITATION.cff"} <= {name for name, _ in written}
    assert not {(name, url) for name, url in written if url not in (SETTINGS["git_url"], SITE)}


def test_there_is_one_version():
    version = SETTINGS["version"]
    assert gecmetrics_nb.__version__ == version
    for key in "version", "title": assert f"\n{key}: {SETTINGS[key]}" in read(ROOT / "CITATION.cff"), key
    assert f"left: {SETTINGS['repo']} {version}, " in read(ROOT / "nbs/_quarto.yml") # the footer
    cited = re.findall(r"(?:gecmetrics_nb |version = \{|\|v:)(\d[\d.]*\d)", read(ROOT / "nbs/about/01_cite.ipynb"))
    assert len(cited) > 2 and {*cited} == {version}


def test_what_a_test_needs_is_installed_or_marked():
    "A test that is skipped for want of a large package has the mark `needs`, by which `make test-adapters` finds it"
    here = {"nltk", "scipy", "sacrebleu", "gleu", "pooch", "tqdm", "ipywidgets", "matplotlib", "gecmetrics_nb"}
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert set(re.findall(r'importorskip\("(\w+)', read(path))) <= here, path.name


def test_no_path_of_one_machine():
    folders = [f"/{name}/" for name in ("root", "work", "tmp", "home")]
    for f in tracked():
        if f.suffix in (".py", ".ipynb", ".md", ".yml", ".ini", ".toml", ""):
            assert not [folder for folder in folders if folder in read(f)], f


def test_rooms_and_their_names_are_there_without_an_import():
    listed, rooms, untouched = said('''
import gecmetrics_nb as g
rooms = {n for n in dir(g) if n.islower() and hasattr(getattr(g, n), "__path__")}
print(*dir(g))
print(*rooms)
for room in rooms:
    for name in dir(getattr(g, room)): getattr(getattr(g, room), name)
io = 1
from gecmetrics_nb import *
print(io)''').splitlines()
    assert {*rooms.split()} == {*ROOMS} - {"cli"} and untouched == "1"
    assert {"GLEU", "__version__", *rooms.split()} <= {*listed.split()}


def public_names():
    "(module, name) of what the modules export for all: `#| export` and `#| exports`, not `#| exporti`"
    lists = re.compile(r"^__all__ = (\[.*?\])", re.MULTILINE | re.DOTALL)
    exported = [(name_of(path), text) for path in MODULES for text in lists.findall(read(path))]
    return [(module, name) for module, text in exported for name in ast.literal_eval(text)]


def test_few_names_are_public():
    assert 300 < len(public_names()) <= 400


def test_what_the_packages_offer_is_public():
    "And no module beside has its name, which would take its place as soon as anything imports it"
    offered = re.compile(r"(\S+) as \1\b")
    public, missing, taken = set(public_names()), [], []
    for face in LIBRARY.glob("**/__init__.py"):
        for line in re.findall(r"^    from \.\S.*", read(face), re.MULTILINE):
            module = ".".join([*face.parent.relative_to(LIBRARY).parts, line.split()[1][1:]])
            names = {(module, name) for name in offered.findall(line) if not name.startswith("_")}
            missing += names - public
            taken += [name for _, name in names if (face.parent / f"{name}.py").exists()]
    assert not missing and not taken and ("metrics.bleu", "BLEU") in public


def test_every_metric_is_a_name_of_the_package():
    from gecmetrics_nb.metrics.registry import ALL, class_of
    assert {class_of(name).__name__ for name in ALL} <= set(gecmetrics_nb.__all__)
