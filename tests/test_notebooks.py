"Every lesson runs top to bottom in a fresh kernel and shows what is committed"
import nbformat
import pytest

from notebooks import ROOT, corpora, figures, needs_corpora, notebooks, outputs, readme, run

LESSONS = notebooks()


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: str(p.relative_to(ROOT / "nbs")))
def test_lesson(path):
    if needs_corpora(path) and not corpora(): pytest.skip("needs the real corpora; set GECNB_DATA or GECNB_SHARED")
    committed, fresh = outputs(nbformat.read(path, 4)), outputs(run(path))
    assert not [o for cell in fresh.values() for o in cell if isinstance(o, str) and "Traceback" in o]
    assert fresh == committed


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_committed_notebooks_are_clean(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert all(c.execution_count is None and not c.metadata for c in code)
    assert not [o.evalue for c in code for o in c.outputs if o.output_type == "error"]
    assert notebook.cells[0].source.startswith("# ")


def test_readme_is_the_index():
    assert (ROOT / "README.md").read_text(encoding="utf-8") == readme()
    for name, text in figures().items(): assert (ROOT / "nbs" / name).read_text(encoding="utf-8") == text
