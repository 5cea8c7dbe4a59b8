"One sentence under all metrics: regions by another way, text that stays text, and plots that draw where they are told"
from collections import Counter
from functools import cache
from html import unescape
from importlib.util import find_spec
from math import exp, prod
import random
import re
import sys

import pytest

from gecmetrics_nb.lessons import pictures
from gecmetrics_nb.viz import plot
from gecmetrics_nb.viz.sentence import SIDES, ScoredSentence, explore, occurrence_regions, sentence_metrics, sentence_view
import slow


def sentences(count, alphabet="abc<&\"", longest=7):
    draw = random.Random(7)
    for _ in range(count): yield [" ".join(draw.choices(alphabet, k=draw.randrange(longest))) for _ in range(3)]


def test_occurrences_are_the_regions_that_metrics_count():
    "Every n-gram where it stands, against sums of minima from the engine"
    for texts in sentences(400):
        sentence = ScoredSentence(*texts, order=3)
        for n in 1, 2, 3:
            rows = sentence.view(n).rows
            seen = {role: [region for _, region in row] for role, row in rows.items()}
            for role, names in SIDES.items():
                assert len(seen[role]) == max(len(getattr(sentence, role).split()) - n + 1, 0)
                for name in names: assert seen[role].count(name) == sentence.regions[name][n - 1], (texts, n, role, name)


def slow_links(one, other):
    "Equal words linked without crossings, as many as possible: at the end first, then from left to right, a link before none, skipping the other's word before one's"
    same = 0
    while same < min(len(one), len(other)) and one[-1 - same] == other[-1 - same]: same += 1
    n, m = len(one) - same, len(other) - same
    @cache
    def best(i, j): # number of links, then minus the steps, as they are preferred
        if i == n or j == m: return 0, ()
        ways = [(best(i + 1, j + 1)[0] + 1, ((i, j), *best(i + 1, j + 1)[1]))] if one[i] == other[j] else []
        return max([*ways, best(i, j + 1), best(i + 1, j)], key=lambda way: way[0])
    return {**dict(best(0, 0)[1]), **{n + k: m + k for k in range(same)}}


def test_of_equal_ngrams_those_that_were_kept_come_first():
    "By an alignment in plain Python: where an n-gram was kept, no equal one has an earlier region"
    others = {"source": ("hypothesis", "reference"), "reference": ("source", "hypothesis"), "hypothesis": ("source", "reference")}
    decided = 0
    for texts in sentences(300, "abc"):
        tokens = dict(zip(("source", "reference", "hypothesis"), map(str.split, texts), strict=True))
        pairs = {(a, b): slow_links(tokens[a], tokens[b]) for a, b in (("source", "reference"), ("source", "hypothesis"), ("reference", "hypothesis"))}
        pairs |= {(b, a): {j: i for i, j in links.items()} for (a, b), links in pairs.items()}
        for n in 1, 2:
            for role, row in occurrence_regions(tokens, n).items():
                kept = lambda i, other: all(pairs[role, other].get(i + k, -9) == pairs[role, other].get(i, -99) + k for k in range(n))
                for gram in {gram for gram, _ in row}:
                    equal = [(*(not kept(i, other) for other in others[role]), i, SIDES[role].index(region)) for i, (g, region) in enumerate(row) if g == gram]
                    assert [region for *_, region in sorted(equal)] == sorted(region for *_, region in equal), (texts, role, gram)
                    decided += [region for *_, region in sorted(equal)] != [region for *_, region in equal]
    assert decided > 50 # reading from left to right would draw these otherwise


@pytest.mark.parametrize("texts,hypothesis", [
    (["cats and dogs"] * 2 + ["and cats and dogs"], "OI TK TK TK"), (["cats and dogs"] * 2 + ["cats and dogs and"], "TK TK TK OI"),
    (["the the cat", "the cat", "the the cat"], "UD TK TK"), (["the cat", "the the cat", "the the cat"], "TI TK TK"),
    (["go to school", "go to the school", "to go to the school"], "OI TK TK TI TK")])
def test_a_word_that_stands_twice(texts, hypothesis):
    assert [region for _, region in ScoredSentence(*texts).view().rows["hypothesis"]] == hypothesis.split()


def test_a_text_too_long_to_align_reads_from_left_to_right(monkeypatch):
    monkeypatch.setattr("gecmetrics_nb.viz.sentence.ALIGNED", 3)
    assert [region for _, region in ScoredSentence("b a c", "b a c", "a b a d").view().rows["hypothesis"]] == ["TK", "TK", "OI", "OI"]


def ratio(part, whole, empty): return part / whole if whole else empty


def by_hand(name, texts, order):
    "The sentence score that the name promises, from Counters"
    source, reference, hypothesis = texts
    counters = [tuple(slow.grams(text, n + 1) for text in texts) for n in range(order)]
    if name in ("GLEU, code", "GLEU, paper"): return slow.gleu([source], [hypothesis], [[reference]], [0], name.split()[1], order, "standard")
    if name == "GLEU, 2015": return slow.gleu_2015([source], [hypothesis], [[reference]], "2015", 0, order)
    matches, lengths = [sum((r & h).values()) for _, r, h in counters], [sum(h.values()) for *_, h in counters]
    if name == "Google-GLEU": return ratio(sum(matches), max(sum(lengths), sum(sum(r.values()) for _, r, _ in counters)), 0)
    if name == "BLEU":
        brevity = exp(min(0, 1 - slow.size(reference) / slow.size(hypothesis))) if hypothesis else 0
        return brevity * prod(ratio(m, h, 0) for m, h in zip(matches, lengths, strict=True)) ** (1 / order)
    beta = float(re.fullmatch(r"GREEN, beta ([\d.]+)", name)[1])
    precision = recall = 1.0
    for s, r, h in counters:
        right = sum((s & r & h).values()) + sum((s - (r | h)).values()) + sum(((r & h) - s).values())
        wrong = sum(((s & r) - h).values()) + sum((h - (s | r)).values())
        missed = sum(((s & h) - r).values()) + sum((r - (s | h)).values())
        precision *= ratio(right, right + wrong, 1) ** (1 / order)
        recall *= ratio(right, right + missed, 0) ** (1 / order)
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall, 0)


def test_scores_are_what_their_names_say():
    "Against definitions with Counter; METEOR, whose name has no setting, against its formula where no word occurs twice"
    assert [name for name in sentence_metrics(2) if "GREEN" in name] == ["GREEN, beta 0.5", "GREEN, beta 1", "GREEN, beta 2"]
    for texts in sentences(60):
        scores = ScoredSentence(*texts, order=2).scores
        for name in scores.keys() - {"METEOR"}: assert scores[name] == pytest.approx(by_hand(name, texts, 2), abs=1e-12), (name, texts)
    # a b c d against b a c x: 3 matches of 4 words each, in 3 chunks
    assert ScoredSentence("", "a b c d", "b a c x").scores["METEOR"] == pytest.approx(.75 * (1 - .5))


def test_text_stays_text():
    evil = '<script>alert(1)</script> "><img src=x onerror=alert(1)> & \' &lt;b&gt;'
    html = ScoredSentence(evil, evil + " a", "b " + evil)._repr_html_()
    assert set(re.findall(r"<(\w+)", html)) == {"div", "b", "span", "br", "table", "thead", "tbody", "tr", "th", "td"}
    words = unescape(re.sub(r"<[^>]+>", " ", html)).split()
    for word in evil.split(): assert word in words


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="hypothesis is list"): ScoredSentence("a", "b", ["c"])
    pytest.importorskip("ipywidgets")
    with pytest.raises(TypeError, match="source is list"): explore(["a"], "b", "c")
    with pytest.raises(ValueError, match="order is 0"): ScoredSentence("a", "b", "c", order=0)
    with pytest.raises(TypeError, match=r"reference is a string; .* reference.split\(\)"): sentence_view(["a"], "b", ["c"])


def test_explorer_follows_every_change():
    pytest.importorskip("ipywidgets")
    box = explore("a b", "a c", "a b", order=2)
    *fields, shown = box.children
    assert shown.value == ScoredSentence("a b", "a c", "a b", 2)._repr_html_()
    for field, value in zip(fields, ("x y", "x <z>", "x", 3), strict=True): field.value = value
    assert shown.value == ScoredSentence("x y", "x <z>", "x", 3)._repr_html_()
    fields[1].value, fields[2].value = "the " * 2000, "the " * 1000
    assert "too many ways to align" in shown.value and "GLEU, code" in shown.value # a message, not a traceback, beside the other scores


@pytest.mark.parametrize("order", [0, -1, 1001, 10**9, 2.5, "3", True, None])
def test_an_order_that_no_metric_takes_is_refused(order):
    with pytest.raises(ValueError, match="order is "): ScoredSentence("a b c", "a b d", "a b c", order=order)
    if find_spec("ipywidgets"):
        with pytest.raises(ValueError, match="order is "): explore("a", "b", "c", order=order)
    if order in (1001, 10**9): return # a picture has no largest order
    for call in (lambda: ScoredSentence("a", "b", "c").view(order), lambda: sentence_view(["a"], ["b"], ["c"], order)):
        with pytest.raises(ValueError, match="order is "): call()


def test_what_one_metric_refuses_leaves_the_others():
    "A long line of few words: METEOR's place says why, the eight others are those of the metrics"
    words = random.Random(0).choices(range(10), k=1000)
    texts = [" ".join(map(str, random.Random(seed).sample(words, 900))) for seed in range(3)]
    sentence = ScoredSentence(*texts)
    assert [name for name, score in sentence.scores.items() if score is None] == list(sentence.refusals) == ["METEOR"]
    why = sentence.refusals["METEOR"]
    assert why.startswith("the search was given up after") and why.endswith("shorten the line or raise the limit")
    assert f"METEOR            {why}" in repr(sentence).splitlines()[-1]
    assert re.search(rf'>METEOR</td><td [^>]*></td><td style="text-align: left">{why}</td></tr></tbody>', sentence._repr_html_())
    given = dict(sources=texts[:1], references=[texts[1:2]], hypotheses=texts[2:])
    others = {name: metric.sentence_scores(**given)[0] for name, metric in sentence_metrics(4).items() if name != "METEOR"}
    assert len(others) == 8 and others == {name: score for name, score in sentence.scores.items() if name != "METEOR"}
    assert ScoredSentence("a", "b", "c").refusals == {}


def test_a_view_of_a_long_line_is_not_quadratic():
    "100,000 equal words: every pair of them would take hours"
    words = ["the"] * 100_000
    rows = sentence_view(words, words[1:], words[2:]).rows
    assert Counter(region for _, region in rows["source"]) == {"TK": 99_998, "OD": 1, "TD": 1}


@pytest.mark.parametrize("missing, call, extra", [("ipywidgets", lambda: explore(), "explore"), ("matplotlib.pyplot", lambda: plot.venn(dict.fromkeys(plot.REGION_PLACES, 1)), "plot")])
def test_a_missing_package_is_named(monkeypatch, missing, call, extra):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=rf"gecmetrics_nb\[{extra}\]"): call()


REGIONS = {"TK": [6, 1], "TD": [1, 0], "TI": [1, 2], "OD": [1, 1], "OI": [0, 3], "UD": [2, 2], "UI": [1, 1]}
DRAWINGS = {
    "venn": lambda ax: plot.venn(dict.fromkeys(plot.REGION_PLACES, 3), ax=ax),
    "ngram_bars": lambda ax: pictures.ngram_bars(REGIONS, ax=ax),
    "rank_slopes": lambda ax: plot.rank_slopes(["A", "B"], [[1, 2], [2, 1], [1, 1]], ["x", "y", "z"], ax=ax),
    "sentence_regions": lambda ax: plot.sentence_regions(sentence_view(["a"], ["a", "b"], ["c"]).rows, ax=ax),
    "metric_against_human": lambda ax: plot.metric_against_human(["A", "B", "C"], [1, 2, 3], [3, 1, 2], ax=ax),
    "place_bars": lambda ax: plot.place_bars(["A", "B"], [2, 1], [[1, 2], [1, 1]], ax=ax),
    "ngram_ribbon": lambda ax: pictures.ngram_ribbon(["a", "b"], [[1, -1], [0]], ["1 - 1", "0"], ["0"], ax=ax),
    "venn_signs": lambda ax: pictures.venn_signs({"TK": "+", "UD": "\u2212", "OI": ""}, ax=ax),
    "place_rows": lambda ax: pictures.place_rows(["A", "B"], [[1, 2], [2, 1]], ["x", "y"], "B", ax=ax),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_plots_draw_on_the_axes_they_are_given(name):
    plt = pytest.importorskip("matplotlib.pyplot")
    fig, (left, right) = plt.subplots(1, 2)
    assert DRAWINGS[name](right) is right and not left.has_data()
    assert DRAWINGS[name](None).figure is not fig
    plt.close("all")


def test_a_drawn_sentence_has_its_words_and_regions():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = plot.sentence_regions(sentence_view(["a", "b"], ["a", "c"], ["a", "b"]).rows)
    said = sorted(t.get_text() for t in ax.texts)
    assert said == sorted("source a TK b UD reference a TK c UI hypothesis a TK b UD".split())
    assert [line.get_linestyle() for line in ax.lines] == [":"] * 3 # under what was missed, and nowhere else
    plt.close("all")


def test_a_ribbon_has_a_box_an_ngram_and_its_sign():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = pictures.ngram_ribbon(["a", "b", "c"], [[1, -1, 0], [0, 1]], ["first", "second"], ["below"])
    assert [round(box.get_x() + box.get_width() / 2, 9) for box in ax.patches] == [.5, 1.5, 2.5, 1, 2] # between its parts
    assert sorted(t.get_text() for t in ax.texts) == sorted(["a", "b", "c", "1", "2", "first", "second", "below", "+", "\u2212", "", "", "+"])
    ax = pictures.ngram_ribbon(["a", "b", "c", "d"], [["kept", "corrected", "missed", "spoiled"], [None, 0, 1]], ["", ""])
    assert [(box.get_alpha() > 0, sign.get_text()) for box, sign in zip(ax.patches, [t for t in ax.texts if t.get_ha() == "center"], strict=True)] == [
        (True, "="), (True, "+"), (True, "\u25cb"), (True, "\u00d7"), (False, ""), (True, ""), (True, "+")]
    with pytest.raises(ValueError, match="verdicts"): pictures.ngram_ribbon(["a"], [["wrong"]], [""])
    plt.close("all")


def test_bars_are_shares_of_all_n_grams():
    plt = pytest.importorskip("matplotlib.pyplot")
    bars = {b.get_label(): [p.get_width() for p in b] for b in pictures.ngram_bars(REGIONS).containers}
    shares = {"kept": (6 / 12, .1), "corrected": (2 / 12, .2), "missed": (3 / 12, .3), "spoiled": (1 / 12, .4)}
    assert bars == {verdict: pytest.approx([100 * x for x in pair]) for verdict, pair in shares.items()}
    empty = pictures.ngram_bars(dict.fromkeys(plot.REGION_PLACES, [0]))
    assert all(p.get_width() == 0 for p in empty.patches)
    plt.close("all")


def test_places_are_drawn_with_the_best_on_top():
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = plot.place_bars(["A", "B", "C"], [3, 1, 2], [[2, 3], [1, 2], [1, 3]])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["B", "C", "A"] and ax.yaxis_inverted()
    assert [line.get_xdata().tolist() for line in ax.lines[::2]] == [[1, 2], [1, 3], [2, 3]]
    assert [list(line.get_xdata()) for line in ax.lines[1::2]] == [[1], [2], [3]]
    plt.close("all")
    with pytest.raises(ValueError, match="2 names, places \\(3,\\)"): plot.place_bars(["A", "B"], [1, 2, 3], [[1, 1]] * 2)
