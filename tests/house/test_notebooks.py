"Every lesson runs top to bottom in a fresh process and says what is committed"
from functools import cache
from xml.etree import ElementTree
import ast

import nbformat
import pytest

from notebooks import run
from readme import figures, readme
from places import ROOT, needs_corpora, notebooks
from outputs import difference, shown
from svg import LETTERS

LESSONS = notebooks()
NEEDS = { # packages that a lesson uses and `make test` does not install
    "io/02_readers": ["pyarrow"], "core/02_corpus": ["narwhals", "pandas"], "io/04_batch": ["pyarrow"],
    "adapters/04_huggingface": ["evaluate"]}


def lesson(path):
    name = path.relative_to(ROOT / "nbs").with_suffix("").as_posix()
    marks = [pytest.mark.needs(*NEEDS[name])] if name in NEEDS else []
    return pytest.param(path, marks=[*marks, *[pytest.mark.corpora] * bool(needs_corpora(path))], id=name)


@cache
def committed(path): return nbformat.read(path, 4)


def code_of(notebook): return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", list(map(lesson, LESSONS)))
def test_lesson(path):
    before, fresh = ({cell.id: shown(cell) for cell in code_of(nb)} for nb in (committed(path), run(path)))
    assert not [o for cell in fresh.values() for o in cell if isinstance(o, str) and "Traceback" in o]
    changes = {i: difference(before[i], fresh[i]) for i in before}
    assert not {i: change for i, change in changes.items() if change}


HIDDEN = {"jupyter": {"source_hidden": True}} # make sync writes it


def is_folded(cell): return bool({"#| code-fold: true", "#| echo: false"} & set(cell.source.split("\n")))


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_committed_notebooks_are_clean(path):
    notebook = committed(path)
    nbformat.validate(notebook)
    code = code_of(notebook)
    assert all(c.execution_count is None and c.metadata == (HIDDEN if is_folded(c) else {}) for c in code)
    assert not [o.evalue for c in code for o in c.outputs if o.output_type == "error"]
    title, _, description = notebook.cells[0].source.partition("\n\n")
    assert title.startswith("# ") and description.startswith("> "), "where nbdev reads them"
    description, _, more = description.partition("\n\n")
    assert "\n" not in title + description + more, "nbdev leaves out what else is in the first cell"
    assert not more or more.startswith("- aliases: ["), "where a page was before"


def figures_of(notebook):
    "(what a cell says that its figures show, the SVG of one) of all figures"
    for cell in code_of(notebook):
        said = [line.removeprefix("#| fig-alt: ") for line in cell.source.split("\n") if line.startswith("#| fig-alt: ")]
        for output in cell.outputs:
            svg = output.get("data", {}).get("image/svg+xml")
            if svg: yield [words.strip('"').replace('\\"', '"') for words in said], svg


def test_figures_say_what_they_show_and_no_letter_is_below_seven_points():
    "In their SVG, which is all that there is of them without the site"
    drawn = [(path.stem, *figure) for path in LESSONS for figure in figures_of(committed(path))]
    for lesson, said, svg in drawn:
        title = ElementTree.fromstring(svg).findtext("{http://www.w3.org/2000/svg}title")
        assert len(title or "") > 10 and said in ([], [title]), lesson
        assert min(map(float, LETTERS.findall(svg)), default=7) >= 7, lesson
    assert len(drawn) > 70 and sum(bool(LETTERS.findall(svg)) for *_, svg in drawn) > 50


def test_readme_is_the_index():
    assert (ROOT / "README.md").read_text(encoding="utf-8") == readme()
    for name, text in figures().items(): assert (ROOT / "nbs" / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_imports_have_cells_of_their_own(path):
    "nbdev runs every cell with an import when it makes the site: what else is there would run without the cells above"
    for cell in code_of(committed(path)):
        if "import" not in cell.source or cell.source.startswith("#| export"): continue
        kinds = {isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(cell.source).body}
        assert len(kinds) < 2, cell.source
