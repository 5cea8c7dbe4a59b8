"Every lesson runs top to bottom in a fresh process and says what is committed"
from xml.etree import ElementTree
import ast

import nbformat
import pytest

from notebooks import dress, run
from readme import figures, readme
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


HIDDEN = {"jupyter": {"source_hidden": True}} # make sync writes it


def is_folded(cell): return bool({"#| code-fold: true", "#| echo: false"} & set(cell.source.split("\n")))


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_committed_notebooks_are_clean(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.execution_count is None and c.metadata == (HIDDEN if is_folded(c) else {}) for c in code)
    assert not [o.evalue for c in code for o in c.outputs if o.output_type == "error"]
    title, _, description = notebook.cells[0].source.partition("\n\n")
    assert title.startswith("# ") and description.startswith("> ") and "\n" not in title + description, "nbdev leaves out what else stands in the first cell"


def titles(notebook):
    "(what a cell says that its figures show, the title of one) of all figures"
    for cell in notebook.cells:
        drawn = [o.data["image/svg+xml"] for o in cell.get("outputs", []) if "image/svg+xml" in o.get("data", {})]
        said = [line.removeprefix("#| fig-alt: ") for line in cell.source.split("\n") if line.startswith("#| fig-alt: ")]
        for svg in drawn: yield *said, ElementTree.fromstring(svg).findtext("{http://www.w3.org/2000/svg}title")


def test_figures_say_what_they_show():
    "In their SVG, which is all that there is of them without the site"
    found = {path.stem: list(titles(nbformat.read(path, 4))) for path in LESSONS}
    assert sum(map(len, found.values())) > 70 and all(len(words or "") > 10 for pairs in found.values() for *_, words in pairs)
    wrong = {name: said for name, pairs in found.items() for *said, words in pairs if said and said[0].strip('"').replace('\\"', '"') != words}
    assert not wrong


def test_a_notebook_is_dressed_by_its_directives_alone(tmp_path):
    "Not by what was folded or written before"
    figure = '<svg xmlns="http://www.w3.org/2000/svg" height="1pt">\n <title>Old</title>\n <text>x</text></svg>'
    shown = lambda: [nbformat.v4.new_output("display_data", {"image/svg+xml": figure})]
    sources = "#| code-fold: true\n1", "#| code-fold: show\n1", "#| echo: false\n1", "1", '#| fig-alt: "A < \\"b\\""\nplot()', "plot()"
    cells = [nbformat.v4.new_code_cell(source, metadata={"jupyter": {"source_hidden": i % 2 == 1}}) for i, source in enumerate(sources)]
    for cell in cells[4:]: cell.outputs = shown()
    path = tmp_path / "a.ipynb"
    for _ in range(2): # the second changes nothing
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        dress(path)
        notebook = nbformat.read(path, 4)
        cells = notebook.cells
        assert [cell.metadata for cell in cells] == [HIDDEN, {}, HIDDEN, {}, {}, {}]
        assert [words for *_, words in titles(notebook)] == ['A < "b"', "x"]


def test_readme_is_the_index():
    assert (ROOT / "README.md").read_text(encoding="utf-8") == readme()
    for name, text in figures().items(): assert (ROOT / "nbs" / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_imports_have_cells_of_their_own(path):
    "nbdev runs every cell with an import when it makes the site: what else stands there would run without the cells above"
    code = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code" and not c.source.startswith("#| export")]
    kinds = {source: {isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(source).body} for source in code if "import" in source}
    assert not [source for source, found in kinds.items() if found == {True, False}]
