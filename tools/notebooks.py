"What the tools and the tests do with notebooks: run them, dress them for Jupyter"
from concurrent.futures import ProcessPoolExecutor
from html import escape
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
import os
import re
import sys

import nbformat

from outputs import keep
from places import ROOT, corpora, needs_corpora
from shell import run_cells

# Lessons that tests ran, for `make sync` after them
RAN = Path(os.environ["GECNB_RAN"]) if "GECNB_RAN" in os.environ else None


def run(path, save=False):
    "A notebook with its outputs: `save` writes those that say something new, and takes what a test has left in GECNB_RAN"
    ran = RAN and RAN / path.relative_to(ROOT)
    notebook = (_as_it_was_run(path, ran) if save and ran else None) or _executed(path)
    if save:
        keep(nbformat.read(path, 4), notebook)
        nbformat.write(notebook, path)
    elif ran:
        ran.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, ran)
    return notebook


def _as_it_was_run(path, ran):
    "The notebook that a test left; None if there is none, or one of other cells"
    if not ran.exists(): return None
    cells = lambda notebook: [(c.id, c.cell_type, c.source) for c in notebook.cells]
    notebook = nbformat.read(ran, 4)
    return notebook if cells(notebook) == cells(nbformat.read(path, 4)) else None


def _executed(path):
    "A notebook run top to bottom in a fresh process, which has IPython's shell and imports what it needs itself"
    environment = {k: v for k, v in os.environ.items() if k != "GECNB_DATA"}
    named = needs_corpora(path)
    if named and (folder := corpora(named)): environment["GECNB_DATA"] = str(folder)
    with ProcessPoolExecutor(1, _fresh()) as pool:
        notebook = nbformat.reads(pool.submit(_run_here, path, environment).result(), 4)
    errors = [(cell, o) for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "error"]
    for cell, error in errors: raise RuntimeError(f"{path}, cell {cell.id}:\n" + "\n".join(error.traceback))
    return notebook


def _fresh():
    "Processes are copies of one that has loaded IPython, pyplot and nbdev: they start in 0.1 s, a kernel takes over 1; else each loads them"
    if "forkserver" not in get_all_start_methods(): return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["shell", "matplotlib.pyplot", "nbdev.showdoc"])
    return context


def _run_here(path, environment):
    "Run a notebook in this process, without corpora its other cells; returns its text, with outputs up to the first error"
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    notebook = nbformat.read(path, 4)
    run_cells([c for c in notebook.cells if "GECNB_DATA" in environment or "#| corpora" not in c.source.split("\n")])
    return nbformat.writes(notebook)


CAPTION = re.compile(r'^#\| fig-alt: "?(.*?)"?\n', re.MULTILINE)
OPENED = re.compile(r"(<svg\b[^>]*>)(?:\s*<title>.*?</title>)?", re.DOTALL)


def titled(svg, source):
    "A figure whose title says what its cell says that it shows: what reads SVG aloud reads that, also in a notebook or a file"
    alt = "".join(CAPTION.findall(source)[:1]).replace('\\"', '"')
    return OPENED.sub(lambda m: f"{m[1]}\n <title>{escape(alt, quote=False)}</title>", svg, count=1)


FOLDED = re.compile(r"^#\| (?:code-fold: true|echo: false)$", re.MULTILINE)


def dress(path):
    "Write what a notebook needs where there is no site: cells are folded as they are there, figures say what they show"
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        if cell.cell_type != "code": continue
        cell.metadata.pop("jupyter", None)
        if FOLDED.search(cell.source): cell.metadata["jupyter"] = {"source_hidden": True}
        drawn = (o.data for o in cell.outputs if "image/svg+xml" in o.get("data", {}))
        for data in drawn: data["image/svg+xml"] = titled(data["image/svg+xml"], cell.source)
    nbformat.write(notebook, path)
