"Every lesson runs top to bottom in a fresh process and says what is committed"
import ast

import nbformat
import pytest

from notebooks import figures, readme, run
from places import ROOT, corpora, needs_corpora, notebooks
from outputs import difference, shown

LESSONS = notebooks()
NEEDS = {"io/02_readers": ["pyarrow"], "core/03_inputs": ["narwhals", "pandas"], "io/04_batch": ["pyarrow"], "adapters/04_huggingface": ["evaluate"]} # packages that a lesson runs and `make test` does not install


def marks(path):
    name = path.relative_to(ROOT / "nbs").with_suffix("").as_posix()
    large = [pytest.mark.needs(*NEEDS[name])] if name in NEEDS else []
    return large + ([pytest.mark.corpora] if needs_corpora(path) else [])


@pytest.mark.parametrize("path", [pytest.param(p, marks=marks(p), id=str(p.relative_to(ROOT / "nbs"))) for p in LESSONS])
def test_lesson(path):
    if needs_corpora(path) and not corpora(): pytest.skip("no real corpora: GECNB_DATA=folder make test-corpora")
    committed, fresh = ({c.id: shown(c) for c in nb.cells if c.cell_type == "code"} for nb in (nbformat.read(path, 4), run(path)))
    assert not [o for cell in fresh.values() for o in cell if isinstance(o, str) and "Traceback" in o]
    changes = {i: difference(committed[i], fresh[i]) for i in committed}
    assert not {i: change for i, change in changes.items() if change}


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_committed_notebooks_are_clean(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.execution_count is None and not c.metadata for c in code)
    assert not [o.evalue for c in code for o in c.outputs if o.output_type == "error"]
    title, _, description = notebook.cells[0].source.partition("\n\n")
    assert title.startswith("# ") and description.startswith("> ") and "\n" not in title + description, "nbdev leaves out what else stands in the first cell"


def test_readme_is_the_index():
    assert (ROOT / "README.md").read_text(encoding="utf-8") == readme()
    for name, text in figures().items(): assert (ROOT / "nbs" / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_imports_have_cells_of_their_own(path):
    "nbdev runs every cell with an import when it makes the site: what else stands there would run without the cells above"
    code = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code" and not c.source.startswith("#| export")]
    kinds = {source: {isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(source).body} for source in code if "import" in source}
    assert not [source for source, found in kinds.items() if found == {True, False}]
