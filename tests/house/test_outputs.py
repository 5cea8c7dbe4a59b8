"The comparison of outputs: what may differ between machines is no difference, and any change that a reader sees is one"
import re

import pytest

from outputs import difference, keep, picture, text
import notebooks

import nbformat

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning") # Matplotlib's own


@pytest.mark.parametrize("old,new", [
    ("error=0.013519979942372966", "error=0.013519979942372973"), ("[0.1, 0.2]  done", "[0.09999999999999999, 0.2] done"),
    ("total 0.0000", "total -0.0000"), ("\u22120.5", "-0.5"), ("p 1e-05, 1,234.5", "p 9.999999999e-06, 1234.5")])
def test_last_digits_are_no_difference(old, new): assert text(old, new) is None and text(new, old) is None


@pytest.mark.parametrize("old,new", [
    ("GLEU 70.39", "GLEU 70.40"), ("0.123456", "0.123457"), ("12345678", "12345679"), ("1,628 passed", "1,629 passed"),
    ("0.1 0.2", "0.1"), ("0.5", "-0.5"), ("1", "1.0"), ("nan", "0.5"), ("INPUT is last", "INPUT is first"),
    ("a  0.5\n", "a 0.5\n"), ("v:0.1.0", "v:0.1.1"),
    ('<td>43.0</td><td style="color: red">', '<td>43.0</td><td style="color: blue">')])
def test_one_number_or_one_word_is_a_difference(old, new): assert text(old, new) and text(new, old)


def stream(words): return nbformat.v4.new_output("stream", text=words)


def test_kinds_and_counts_of_outputs():
    assert difference(["a"], ["a"]) is None
    assert difference(["a"], ["a", "b"]) == "1 outputs, now 2"
    assert difference(["a"], [{"text/plain": "a"}]) == "another kind of output"
    assert difference([{"text/plain": "a"}], [{"text/plain": "a", "text/html": "a"}])
    kind = "application/vnd.jupyter.widget-view+json"
    widget = lambda name, **more: [{kind: {"model_id": name, "version_major": 2, **more}}]
    assert difference(widget("1f"), widget("2e")) is None
    assert difference(widget("1f"), widget("1f", version_minor=1))


def test_what_says_the_same_keeps_its_committed_form():
    def notebook(*words):
        cells = [nbformat.v4.new_code_cell("1", id=f"cell-{i}", outputs=[stream(w)]) for i, w in enumerate(words)]
        return nbformat.v4.new_notebook(cells=cells)
    old, new = notebook("0.1000000000000001", "0.25"), notebook("0.1", "0.26", "more")
    keep(old, new)
    assert [c.outputs[0].text for c in new.cells] == ["0.1000000000000001", "0.26", "more"]


# ---- pictures

def drawn(values=(1, 2, 3), points=(1, 4, 9), title="Doing nothing wins", colour="#0072b2", hatch=None, **style):
    "A picture as the lessons draw them"
    matplotlib = pytest.importorskip("matplotlib")
    import io
    import matplotlib.pyplot as plt
    settings = {"svg.fonttype": "none", "svg.hashsalt": "x", "font.sans-serif": ["DejaVu Sans"], **style}
    with matplotlib.rc_context(settings):
        fig, axes = plt.subplots(1, 2, figsize=(6, 3))
        axes[0].bar(range(len(values)), values, color=colour, hatch=hatch)
        axes[0].set(title=title, xlabel="order", ylim=(0, 4), xlim=(-1, 3))
        axes[1].plot(points, marker="o", label="points, $n$")
        axes[1].fill_between(range(len(points)), points, alpha=.2)
        axes[1].text(1, 4, "a note", rotation=30)
        axes[1].set(ylim=(0, 10), xlim=(0, 2))
        axes[1].legend(loc="upper left")
        file = io.StringIO()
        fig.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
        plt.close(fig)
    return file.getvalue()


@pytest.fixture(scope="module")
def committed(): return drawn()


def test_ids_version_font_and_edge_are_no_difference(committed):
    other = drawn(**{"svg.hashsalt": "y", "axes.labelsize": 10}).replace("Matplotlib v", "Matplotlib v99.")
    assert other != committed and picture(committed, committed) is picture(committed, other) is None
    wider = drawn(title="Doing nothing wins", **{"axes.labelpad": 5.0}) # the edge of the picture moves
    assert picture(committed, wider) is None
    size = r"(?:font-size: |font: )(\d+)px(?:; font-family: | )[^;\"]+" # new form or that of Matplotlib 3.8
    fonts = re.sub(size, r"font: \1px 'Verdana'", committed)
    assert fonts != committed and picture(committed, fonts) is None
    nearly = re.sub(r"(\d+\.\d\d)\d+", r"\1", committed) # coordinates to a hundredth of a point
    assert nearly != committed and picture(committed, nearly) is None


@pytest.mark.parametrize("change", [
    {"title": "Doing nothing won"}, {"colour": "#d55e00"}, {"hatch": "//"}, {"values": (1, 2)},
    {"points": (1, 4.05, 9)}, {"font.size": 11}, {"lines.linewidth": 2.5}],
    ids=str)
def test_what_a_reader_sees_is_a_difference(committed, change):
    other = drawn(**change)
    assert picture(committed, other) and picture(other, committed)


def test_what_a_test_ran_is_not_run_again_unless_it_changed(tmp_path, monkeypatch):
    path = tmp_path / "nbs" / "lesson.ipynb"
    path.parent.mkdir()
    def lesson(source, *said):
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one", outputs=list(map(stream, said)))])
    fresh = iter(["first", "second"])
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setattr(notebooks, "RAN", tmp_path / "ran")
    source = lambda path: nbformat.read(path, 4).cells[0].source
    monkeypatch.setattr(notebooks, "_executed", lambda path: lesson(source(path), next(fresh)))
    output = lambda notebook: notebook.cells[0].outputs[0].text
    nbformat.write(lesson("print(1)"), path)
    assert output(notebooks.run(path)) == "first"            # a test runs it
    assert output(notebooks.run(path, save=True)) == "first" # make sync takes that
    assert output(nbformat.read(path, 4)) == "first"
    nbformat.write(lesson("print(2)"), path)
    assert output(notebooks.run(path, save=True)) == "second"
