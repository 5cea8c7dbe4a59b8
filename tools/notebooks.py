"What the tools and the tests do with notebooks: run them, dress them for Jupyter, turn the index into README.md"
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
import os
import re
import sys

import nbformat

from outputs import keep
from places import ROOT, SITE, corpora, needs_corpora
from shell import run_cells
from svg import caption_of, titled

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
    if needs_corpora(path): environment["GECNB_DATA"] = str(corpora())
    with ProcessPoolExecutor(1, _fresh()) as pool:
        notebook = nbformat.reads(pool.submit(_run_here, path, environment).result(), 4)
    errors = [(cell, o) for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "error"]
    for cell, error in errors: raise RuntimeError(f"{path}, cell {cell.id}:\n" + "\n".join(error.traceback))
    return notebook


def _fresh():
    "Processes are copies of one that has loaded IPython and pyplot, if they can be: they start in 0.1 s, a kernel in 1"
    if "forkserver" not in get_all_start_methods(): return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["shell", "matplotlib.pyplot"])
    return context


def _run_here(path, environment):
    "Run a notebook in this process; returns its text, with outputs up to the first error"
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    notebook = nbformat.read(path, 4)
    run_cells(notebook.cells)
    return nbformat.writes(notebook)


FOLDED = re.compile(r"^#\| (?:code-fold: true|echo: false)$", re.MULTILINE)


def dress(path):
    "Write what a notebook needs where there is no site: cells are folded as they are there, figures say what they show"
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        if cell.cell_type != "code": continue
        cell.metadata.pop("jupyter", None)
        if FOLDED.search(cell.source): cell.metadata["jupyter"] = {"source_hidden": True}
        drawn = (o.data for o in cell.outputs if "image/svg+xml" in o.get("data", {}))
        for data in drawn: data["image/svg+xml"] = titled(data["image/svg+xml"], caption_of(cell.source)[0])
    nbformat.write(notebook, path)


def figures():
    "The SVG figures of the index: {path below nbs: text}"
    cells = [c for c in nbformat.read(ROOT / "nbs" / "index.ipynb", 4).cells if c.cell_type == "code"]
    pictures = [o.data["image/svg+xml"] for c in cells for o in c.outputs if "image/svg+xml" in o.get("data", {})]
    return {f"images/index-{i}.svg": text for i, text in enumerate(pictures, 1)}


def readme():
    "README.md: the index notebook as Markdown, with its figures as files and its links from the root"
    parts, pictures = [], iter(figures())
    for cell in nbformat.read(ROOT / "nbs" / "index.ipynb", 4).cells:
        if cell.cell_type == "markdown": parts.append(_from_root(cell.source))
        else: parts += [*_code(cell), *filter(None, (_output(o, pictures, cell.source) for o in cell.outputs))]
    parts.insert(1, f"[The site]({SITE}) has all pages, and examples that you can change.") # where no page needs a link to itself
    return "<!-- Written from nbs/index.ipynb by `make sync`; edit that. -->\n\n" + "\n\n".join(parts) + "\n"


def _from_root(markdown): return re.sub(r"\]\((?!https?:)", "](nbs/", markdown)


def _code(cell):
    return [] if cell.source.startswith("#| echo: false") else [f"```python\n{cell.source}\n```"]


def _output(output, pictures, source):
    if "image/svg+xml" in output.get("data", {}):
        return f"![{caption_of(source)[0]}](nbs/{next(pictures)})"
    if any("data-explore" in shown for shown in output.get("data", {}).values()): return "" # which a page alone can show
    if "text/markdown" in output.get("data", {}): return _from_root(output.data["text/markdown"])
    text = output.text if output.output_type == "stream" else output.data["text/plain"]
    return "\n".join("    " + line for line in text.rstrip().split("\n"))
