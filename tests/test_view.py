"One sentence under all metrics: regions by another way, text that stays text, and plots that draw where they are told"
from html import unescape
import random
import re
import subprocess
import sys

import pytest

from gecmetrics_nb import plot
from gecmetrics_nb.view import Comparison, explore, sentence_metrics


def sentences(count, alphabet="abc<&\"", longest=7):
    draw = random.Random(7)
    for _ in range(count): yield [" ".join(draw.choices(alphabet, k=draw.randrange(longest))) for _ in range(3)]


def test_occurrences_are_the_regions_that_metrics_count():
    "Every n-gram where it stands, against sums of minima from the engine"
    for texts in sentences(400):
        comparison = Comparison(*texts, order=3)
        for n in 1, 2, 3:
            rows = comparison.view(n).rows
            seen = {role: [region for _, region in row] for role, row in rows.items()}
            for role, names in plot.SIDES.items():
                assert len(seen[role]) == max(len(getattr(comparison, role).split()) - n + 1, 0)
                for name in names: assert seen[role].count(name) == comparison.regions[name][n - 1], (texts, n, role, name)


def test_scores_are_those_of_the_metrics():
    assert {name: metric.order for name, metric in sentence_metrics(2).items()} == dict.fromkeys(sentence_metrics(2), 2) | {"METEOR": 1}
    for source, reference, hypothesis in sentences(40):
        scores = Comparison(source, reference, hypothesis, order=2).scores
        for name, metric in sentence_metrics(2).items():
            assert scores[name] == metric.sentence_scores(sources=[source], hypotheses=[hypothesis], references=[[reference]])[0]


def test_text_stays_text():
    evil = '<script>alert(1)</script> "><img src=x onerror=alert(1)> & \' &lt;b&gt;'
    html = Comparison(evil, evil + " a", "b " + evil)._repr_html_()
    assert set(re.findall(r"<(\w+)", html)) == {"div", "b", "span", "br", "table", "thead", "tbody", "tr", "th", "td"}
    words = unescape(re.sub(r"<[^>]+>", " ", html)).split()
    for word in evil.split(): assert word in words


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="hypothesis is list"): Comparison("a", "b", ["c"])
    with pytest.raises(ValueError, match="order is 0"): Comparison("a", "b", "c", order=0)
    with pytest.raises(TypeError, match=r"reference is a string; .* reference.split\(\)"): plot.sentence_view(["a"], "b", ["c"])


def test_explorer_follows_every_change():
    pytest.importorskip("ipywidgets")
    box = explore("a b", "a c", "a b", order=2)
    *fields, shown = box.children
    assert shown.value == Comparison("a b", "a c", "a b", 2)._repr_html_()
    for field, value in zip(fields, ("x y", "x <z>", "x", 3)): field.value = value
    assert shown.value == Comparison("x y", "x <z>", "x", 3)._repr_html_()
    fields[1].value = fields[2].value = " ".join(["the"] * 500)
    fields[2].value = " ".join(["the"] * 400)
    assert "too many ways to align" in shown.value # a message, not a traceback


@pytest.mark.parametrize("missing, call, extra", [("ipywidgets", lambda: explore(), "explore"), ("matplotlib.pyplot", lambda: plot.venn({}), "plot")])
def test_a_missing_package_is_named(monkeypatch, missing, call, extra):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"gecmetrics_nb\[{extra}\]"): call()


def test_a_comparison_needs_numpy_alone():
    code = "import sys; sys.modules.update(dict.fromkeys(['matplotlib', 'ipywidgets', 'scipy', 'nltk'])); from gecmetrics_nb.view import Comparison; print(len(Comparison('a', 'b', 'c')._repr_html_()))"
    assert int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) > 500


REGIONS = {"TK": [6, 1], "TD": [1, 0], "TI": [1, 2], "OD": [1, 1], "OI": [0, 3], "UD": [2, 2], "UI": [1, 1]}
DRAWINGS = {
    "venn": lambda ax: plot.venn(dict.fromkeys(plot.VENN_PLACES, 3), ax=ax),
    "ngram_bars": lambda ax: plot.ngram_bars(REGIONS, ax=ax),
    "rank_slopes": lambda ax: plot.rank_slopes(["A", "B"], [[1, 2], [2, 1], [1, 1]], ["x", "y", "z"], ax=ax),
    "metric_against_human": lambda ax: plot.metric_against_human(["A", "B", "C"], [1, 2, 3], [3, 1, 2], ax=ax),
    "alignment": lambda ax: plot.alignment(["a"], ["a", "b"], [(0, 0)], ax=ax),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_plots_draw_on_the_axes_they_are_given(name):
    plt = pytest.importorskip("matplotlib.pyplot")
    fig, (left, right) = plt.subplots(1, 2)
    assert DRAWINGS[name](right) is right and not left.has_data()
    assert DRAWINGS[name](None).figure is not fig
    plt.close("all")


def test_bars_are_shares_of_all_n_grams():
    plt = pytest.importorskip("matplotlib.pyplot")
    bars = {b.get_label(): [p.get_width() for p in b] for b in plot.ngram_bars(REGIONS).containers}
    shares = {"kept": (6 / 12, .1), "corrected": (2 / 12, .2), "missed": (3 / 12, .3), "invented": (1 / 12, .4)}
    assert bars == {verdict: pytest.approx([100 * x for x in pair]) for verdict, pair in shares.items()}
    empty = plot.ngram_bars(dict.fromkeys(plot.VENN_PLACES, [0]))
    assert all(p.get_width() == 0 for p in empty.patches)
    plt.close("all")
