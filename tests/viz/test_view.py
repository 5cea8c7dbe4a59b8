"One sentence under all metrics: regions by another way, text that stays text, and plots that draw where they are told"
from collections import Counter
from dataclasses import replace
from functools import cache
from html import unescape
from importlib.util import find_spec
import json
import random
import re

import pytest

from gecmetrics_nb.lessons import pictures
from gecmetrics_nb.viz import plot
from gecmetrics_nb import BLEU, GLEU, GREEN, GoogleGLEU
from gecmetrics_nb.viz.sentence import SIDES, ScoredSentence, explore, occurrence_regions, sentence_view


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


def test_a_text_too_long_to_align_reads_from_left_to_right(monkeypatch):
    monkeypatch.setattr("gecmetrics_nb.viz.sentence.ALIGNED", 3)
    assert repr(ScoredSentence("b a c", "b a c", "a b a d").view()).splitlines()[2] == "hypothesis a/TK  b/TK  a/OI  d/OI"


def test_text_stays_text():
    evil = '<script>alert(1)</script> "><img src=x onerror=alert(1)> & \' &lt;b&gt;'
    html = ScoredSentence(evil, evil + " a", "b " + evil)._repr_html_()
    assert set(re.findall(r"<(\w+)", html)) == {"div", "b", "span", "br", "table", "thead", "tbody", "tr", "th", "td"}
    words = unescape(re.sub(r"<[^>]+>", " ", html)).split()
    for word in evil.split(): assert word in words


def test_a_brief_sentence_has_what_it_shows():
    "Bars for the metrics that are asked for, or none and the words alone; the script is told so"
    sentence = ScoredSentence("He go .", "He goes .", "He goes .", order=2)
    told = lambda shown: json.loads(unescape(re.search('data-explore="([^"]*)"', shown._repr_html_())[1]))
    texts = {"source": "He go .", "reference": "He goes .", "hypothesis": "He goes .", "order": 2}
    assert told(sentence) == told(replace(sentence, brief="scores")) == texts | {"metrics": list(sentence.scores)}
    two, words = replace(sentence, brief="scores", metrics=["BLEU", "METEOR"]), replace(sentence, brief="regions")
    assert two.scores == {name: sentence.scores[name] for name in ("BLEU", "METEOR")} and told(two) == texts | {"metrics": [*two.scores]}
    assert re.findall(">(BLEU|METEOR|GREEN[^<]*|GLEU[^<]*)<", two._repr_html_()) == ["BLEU", "METEOR"]
    assert told(words) == texts and sentence.view()._repr_html_() in words._repr_html_() and "<table" not in words._repr_html_()
    assert re.findall('data-brief="(.*?)"', "".join(shown._repr_html_() for shown in (sentence, two, words))) == ["scores", "regions"]
    rooms = [re.findall('style="(--.*?)"', replace(two, source=text)._repr_html_()) for text in ("a " * 13, "a")]
    assert rooms == [["--metrics: 2"], ["--metrics: 2; --short: 1"]] # what nbs/styles.css keeps free on a phone
    for wrong in {"brief": "words"}, {"metrics": ["GLEU"]}:
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is '.*': use one of"): replace(sentence, **wrong)


def test_bad_input_is_named():
    pytest.importorskip("ipywidgets")
    with pytest.raises(TypeError, match="source is list"): explore(["a"], "b", "c")
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


@pytest.mark.parametrize("order", [0, 1001, 2.5, "3", True])
def test_an_order_that_no_metric_takes_is_refused(order):
    with pytest.raises(ValueError, match="order is "): ScoredSentence("a b c", "a b d", "a b c", order=order)
    if find_spec("ipywidgets"):
        with pytest.raises(ValueError, match="order is "): explore("a", "b", "c", order=order)
    if order == 1001: return # a picture has no largest order
    for call in (lambda: ScoredSentence("a", "b", "c").view(order), lambda: sentence_view(["a"], ["b"], ["c"], order)):
        with pytest.raises(ValueError, match="order is "): call()


NAMED = {"GLEU, code": GLEU(), "GLEU, paper": GLEU(variant="paper"), "GLEU, 2015": GLEU(variant="2015"), "Google-GLEU": GoogleGLEU(),
         "BLEU": BLEU(), **{f"GREEN, beta {beta}": GREEN(beta=beta) for beta in (.5, 1, 2)}}


def test_scores_are_what_their_names_say_and_one_that_is_refused_leaves_the_others():
    "A long line of few words: METEOR's place says why"
    words = random.Random(0).choices(range(6), k=1000)
    source, reference, hypothesis = (" ".join(map(str, random.Random(seed).sample(words, 900))) for seed in range(3))
    sentence = ScoredSentence(source, reference, hypothesis)
    assert [name for name, score in sentence.scores.items() if score is None] == list(sentence.refusals) == ["METEOR"]
    why = sentence.refusals["METEOR"]
    assert why.startswith("the search was given up after") and why.endswith("shorten the line or raise the limit")
    assert why in repr(sentence) and why in sentence._repr_html_()
    score = lambda metric: metric.sentence_scores(sources=[source], references=[[reference]], hypotheses=[hypothesis])[0]
    assert {name: score(metric) for name, metric in NAMED.items()} | {"METEOR": None} == sentence.scores
    short = ScoredSentence("", "a b c d", "b a c x")
    assert short.scores["METEOR"] == pytest.approx(.75 * (1 - .5)) and short.refusals == {} # 3 matches of 4 words, in 3 chunks


def test_a_view_of_a_long_line_is_not_quadratic():
    "100,000 equal words: every pair of them would take hours"
    words = ["the"] * 100_000
    rows = sentence_view(words, words[1:], words[2:]).rows
    assert Counter(region for _, region in rows["source"]) == {"TK": 99_998, "OD": 1, "TD": 1}


DRAWINGS = {
    "venn": lambda ax: plot.venn(dict.fromkeys(plot.REGION_PLACES, 3), ax=ax),
    "rank_slopes": lambda ax: plot.rank_slopes(["A", "B"], [[1, 2], [2, 1], [1, 1]], ["x", "y", "z"], ax=ax),
    "sentence_regions": lambda ax: plot.sentence_regions(sentence_view(["a"], ["a", "b"], ["c"]).rows, ax=ax),
    "metric_against_human": lambda ax: plot.metric_against_human(["A", "B", "C"], [1, 2, 3], [3, 1, 2], ax=ax),
    "place_bars": lambda ax: plot.place_bars(["A", "B"], [2, 1], [[1, 2], [1, 1]], ax=ax),
    "ngram_ribbon": lambda ax: pictures.ngram_ribbon(["a", "b"], [[1, -1], [0]], ["1 - 1", "0"], ["0"], ax=ax),
    "place_rows": lambda ax: pictures.place_rows(["A", "B"], [[1, 2], [2, 1]], ["x", "y"], "B", ax=ax),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_plots_draw_on_the_axes_they_are_given(name):
    plt = pytest.importorskip("matplotlib.pyplot")
    fig, (left, right) = plt.subplots(1, 2)
    assert DRAWINGS[name](right) is right and not left.has_data()
    assert DRAWINGS[name](None).figure is not fig
    plt.close("all")


def test_what_no_lesson_draws():
    plt = pytest.importorskip("matplotlib.pyplot")
    for number, shown in (float("nan"), []), (.26, ["0.3"]): assert [t.get_text() for t in plot.heat_map(["A"], ["X"], [[number]], digits=1).texts] == shown
    with pytest.raises(ValueError, match="verdicts"): pictures.ngram_ribbon(["a"], [["wrong"]], [""])
    plt.close("all")
