"""Build the site in _docs: nbdev's processing of the notebooks, pages for the API,
Quarto where it is installed, else smalldocs and what makes its pages stand alone"""
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
import inspect
import json
import re
import shutil
import subprocess
import sys
import tempfile

from docs_api import api_name, defined, dotted, modules, public, write_api
from docs_lessons import even_columns, polish_notebook
from docs_pages import drop_numbers, polish_page, polish_quarto, polish_script
from docs_search import write_index
from docs_styles import slim_assets
from example_report import example_report
from live import add_live
from places import ROOT, SETTINGS, read, write

PROCESS = r"""
import sys
sys.path.insert(0, sys.argv[1])
from docs import StandIn, signature_as_written
from fastcore import docments
from nbdev.serve import proc_nbs
docments.signature = signature_as_written
sys.modules["matplotlib_inline"] = None # nothing is drawn here, and it takes a stand-in for Matplotlib
sys.meta_path.append(StandIn("nbs"))
proc_nbs("nbs", n_workers=0, force=True, skip_file_re=r"(^[_.])|(\.py$)")
"""
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)


def signature_as_written(call, **settings):
    "A signature with the types that are loaded; those that mypy alone reads stay words"
    try: return inspect.signature(call, **settings)
    except NameError: return inspect.signature(call)


class Absent(ModuleType):
    "A module in which every name is found"
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return None


class StandIn:
    """nbdev runs the imports of a lesson before it looks up what the lesson documents:
    packages for its examples alone need not be there"""

    def __init__(self, folder):
        cells = (c for path in Path(folder).rglob("*.ipynb") for c in json.loads(read(path))["cells"])
        sources = ("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        imported = {root for source in sources for root in IMPORTED.findall(source)}
        self.roots = {root for root in imported if not find_spec(root)}

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name.partition(".")[0] in self.roots else None

    def create_module(self, spec): return Absent(spec.name)

    def exec_module(self, module): pass


EXAMPLE = "example-report.html" # a page that is no lesson, and has a style of its own


def prepare(work):
    "The folder that a renderer reads, below this one: lessons as nbdev and we make them, pages of the API"
    left_out = shutil.ignore_patterns(".*", "__pycache__", "_*.yml")
    for name in "nbs", "gecmetrics_nb": shutil.copytree(ROOT / name, work / name, ignore=left_out)
    for name in "settings.ini", "pyproject.toml": shutil.copy(ROOT / name, work)
    settings = read(ROOT / "nbs" / "_quarto.yml") # there alone Quarto stops, and says what to run
    write(work / "nbs" / "_quarto.yml", re.sub(r"(?m)^  pre-render: .*\n", "", settings))
    for path in (work / "nbs").rglob("*.ipynb"): write(path, shown_alike(read(path)))
    process = [sys.executable, "-c", PROCESS, str(ROOT / "tools")] # nbdev remembers its first folder
    subprocess.run(process, cwd=work, check=True)
    cache, definitions = work / "_proc", defined_in(work)
    for path in cache.rglob("*.ipynb"):
        polish_notebook(path, path.relative_to(cache).with_suffix("").as_posix(), definitions)
    write_api(work, cache)
    for path in cache.rglob("*.qmd"): write(path, even_columns(read(path)))
    write(cache / EXAMPLE, example_report())
    return cache


def shown_alike(notebook):
    """A lesson shows what is internal as it shows what is public: for nbdev `exporti` becomes `export`,
    and `exports` if the cell also says `echo: true`"""
    text = notebook.replace(r'"#| exporti\n",', r'"#| export\n",')
    return re.sub(r'"#\| export\\n",(\s+)"#\| echo: true\\n",', r'"#| exports\\n",', text)


def defined_in(work):
    "By lesson, since two modules may use one name: {lesson: {name: (object, its page of the API or None, its file)}}"
    found = {}
    for module, lesson in modules(work):
        page, path, api = f"{api_name(dotted(module, work))}.qmd", module.relative_to(work).as_posix(), public(dotted(module, work))
        found[lesson] = {name: (symbol, page if name in api else None, path) for name, symbol in defined(dotted(module, work)).items()}
    return found


def renderer(cache):
    "The command that renders a prepared folder: Quarto where it is installed, else smalldocs"
    quarto = shutil.which("quarto")
    if quarto: return [quarto, "render", str(cache), "--no-execute"]
    return [str(Path(sys.executable).parent / "smalldocs"), "render", str(cache), "--quiet"]


COLOURED = re.compile(r"\x1b\[[\d;]*m")
PROGRESS = re.compile(r"\s*(\[ *\d+/\d+\]|Output created)") # of Quarto


def render(cache, destination, strict=False):
    "The site made of a prepared folder, moved to its destination; returns the pages. If strict, a warning ends it"
    command = renderer(cache)
    done = subprocess.run(command, capture_output=True, text=True)
    said = [line for line in COLOURED.sub("", done.stderr).split("\n") if line.strip() and not PROGRESS.match(line)]
    if said: print(*said, sep="\n", file=sys.stderr)
    if done.returncode: raise SystemExit(f"{Path(command[0]).name} failed with status {done.returncode}")
    warned = [line for line in said if re.search(r"\b(WARN(ING)?|ERROR)\b", line)]
    if strict and warned: raise SystemExit(f"{Path(command[0]).name} warned {len(warned)} times")
    site = cache / "_docs"
    pages = sorted(page for page in site.rglob("*.html") if page.name != EXAMPLE) # which has all it needs
    if shutil.which("quarto"): polish_quarto(site)
    else:
        for page in pages: polish_page(page)
        polish_script(site)
        write_index(site, ("404.html", EXAMPLE))
        slim_assets(site)
        drop_numbers(site)
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    shutil.rmtree(destination, ignore_errors=True)
    shutil.move(str(site), destination)
    return names


def build(destination, strict=False):
    "Build the site in this folder, from a copy of the sources; returns the pages"
    with tempfile.TemporaryDirectory() as work:
        return render(prepare(Path(work).resolve()), Path(destination).resolve(), strict)


def main():
    if sys.version_info < (3, 11) and not shutil.which("quarto"):
        raise SystemExit("tools/docs.py: smalldocs, which renders the pages, needs Python 3.11 or newer; "
                         "or install Quarto")
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_docs" # another folder is for a check: a warning ends it
    print(f"{len(build(site, strict=len(sys.argv) > 1))} pages in {site.name}")
    said = add_live(site, SETTINGS["version"])
    if said: print(said)


if __name__ == "__main__": main()
