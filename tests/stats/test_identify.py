"Which setting made a number? Scores made one by one, invented tables; published numbers are searched for on a page of their own"
from dataclasses import replace

import numpy as np
import pytest

from gecmetrics_nb import BLEU, CLEME, GLEU, Corpus, EditCorpus, parse_m2
from gecmetrics_nb.core.aggregation import SentenceMean
from gecmetrics_nb.lessons.where import ngram_tables
from gecmetrics_nb.metrics.m2 import M2, GoldCorpus
from gecmetrics_nb.metrics.registry import class_of, plain_names
from gecmetrics_nb.reproduce.tables import find_source
from gecmetrics_nb.stats.identify import (Known, References, SettingTable, identify, joined, match, orders, reference_sets, settings_of_class,
                                          try_class, try_settings)
import slow

SOURCES, REFERENCES, OUTPUTS = slow.corpus(3, sentences=40, systems=2, blanks=False)
CORPUS = Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=("A", "B"))


@pytest.fixture(scope="module")
def small(): return try_settings(CORPUS)


def test_each_score_is_that_of_its_metric(small):
    "By the way a user takes, with references picked from the corpus; a line has all that decides"
    sets = reference_sets(len(REFERENCES))
    rng = np.random.default_rng(0)
    for row in rng.choice(len(small), 150, replace=False):
        metric, per, measure, references, line = small.settings[row]
        texts = {"sources": SOURCES, "references": [REFERENCES[r] for r in sets[references].columns]}
        if metric.__class__.__name__ in ("BLEU", "GoogleGLEU", "METEOR"): del texts["sources"]
        way = {"corpus": None, "mean": SentenceMean}[per]
        for output, score in zip(OUTPUTS, small.scores[row], strict=True):
            found = metric.corpus_score(hypotheses=output, **texts, way=way)
            assert float(found) == pytest.approx(score) and found.signature == line


def test_no_setting_is_left_out(small):
    "Each is scored against all references, each alone, and pairs; METEOR against all alone"
    several, alone = ({kind: len(settings_of_class(class_of(kind), many, ("word",))) for kind in plain_names()} for many in (True, False))
    sets = reference_sets(len(REFERENCES))
    expected = sum(n for s in sets.values() for kind, n in (several if len(s.columns) > 1 else alone).items() if kind != "meteor") + several["meteor"]
    words = [setting for setting in small.settings if getattr(setting.metric, "unit", "word") == "word"]
    assert small.left_out == () and len(words) == expected
    chars = {(type(s.metric).__name__, s.references) for s in small.settings if getattr(s.metric, "unit", "") == "char"}
    assert chars == {(name, "reference 1 and 2") for name in ("GLEU", "GREEN", "GoogleGLEU", "BLEU")}
    own = try_settings(CORPUS, sets={"one": References((0,))})
    assert {getattr(setting.metric, "unit", "word") for setting in own.settings} == {"word", "char"}
    assert [len(reference_sets(R)) for R in (4, 5)] == [2**4 - 1, 1 + 5] # all sets of four; of five all, and each alone


def test_settings_are_the_product_without_repetition():
    "Of GLEU with drawn references; the lesson has BLEU's by hand"
    settings = settings_of_class(BLEU, True)
    assert len({(m.smoothing, m.effective_order, m.order, per) for m, per in settings}) == len(settings)
    drawn = [m for m, per in settings_of_class(GLEU, True) if per == "corpus" and m.reference_choice == "sample" and m.order == 4]
    assert {(m.variant, m.brevity_kind, m.stream) for m in drawn} == {
        (v, b, s) for v in ("code", "paper") for b in ("standard", "inverted", "none") for s in ("python2", "python3")}
    assert len(drawn) == 12 and all(m.iterations == 500 for m in drawn)


def test_percent_and_parts_of_one_digits_and_draws(small):
    row = next(k for k, s in enumerate(small.settings) if s.metric == GLEU(variant="paper") and s.per == "corpus")
    a, b = small.scores[row]
    for numbers in {"A": f"{100 * a:.2f}", "B": f"{100 * b:.2f}"}, {"A": f"{a:.4f}", "B": f"{b:.4f}"}:
        found = match(small, numbers)
        assert found.answers[0].settings[0] == small.settings[row] and found.answers[0].scores["A"] in (a, 100 * a)
        assert all(answer.difference <= .5 * 10**-len(numbers["A"].split(".")[1]) + 1e-9 for answer in found.answers if answer.exact)
    _, centres, errors = small.numbers
    error = 100 * errors[row]
    near, far = ({name: f"{x + times * e:.4f}" for name, x, e in zip("AB", 100 * centres[row], error, strict=True)} for times in (2.9, 3.1))
    is_there = lambda numbers: any(s == small.settings[row] for answer in match(small, numbers).answers for s in answer.settings)
    assert error.min() > 0 and is_there(near) and not is_there(far)
    assert not any(answer.exact for answer in match(small, near).answers if small.settings[row] in answer.settings)


def test_numbers_decide_one_by_one():
    "Four settings whose scores are written out: B's number excludes two, A's one more, C's none"
    setting = settings_of_class(BLEU, False)
    named = [try_class(BLEU, ("A",), lambda m: list(m.count(Corpus(None, [["a"]], [["a"]], system_names=("A",))))).settings[k] for k in range(4)]
    scores = np.array([[.1, .5, .3], [.1, .6, .3], [.1, .6, .3], [.2, .5, .3]])
    table = SettingTable(("A", "B", "C"), named, np.stack([scores, scores, 0 * scores]))
    found = match(table, {"A": "10.0", "B": "50.0", "C": "30.0"})
    assert found.decided == [("A", 3), ("B", 1)] or found.decided == [("B", 2), ("A", 1)]
    assert [answer.settings for answer in found.answers] == [[named[0]]] and len(setting) > 3
    assert ["more, which" in repr(replace(found, answers=found.answers * many)) for many in (10, 11)] == [False, True]
    assert [repr(replace(found, answers=found.answers * many)).split(" to")[0] for many in (1, 2)] == ["1 answer", "2 answers"]
    assert all(part in repr(found) for part in ("A 10.0", "B 50.0", "C 30.0")) and "within three" not in repr(found)
    found = match(table, {"A": "10.0", "B": "60.0"})
    assert [answer.settings for answer in found.answers] == [named[1:3]], "equal settings are one answer"
    [answer] = found.to_dict()["answers"]
    assert answer["settings"] == 2 and [same["setting"] for same in answer["same"]] == [str(named[2])]
    assert not match(table, {"A": "10.1"}).answers and match(table, {"A": "10.0"}).answers, "half a unit of the last digit"
    assert match(table, {"A": "100"}).tried == 4 # the largest that is taken
    found = match(table, {"A": ".1", "B": ".55"})
    assert not found.answers and [a.difference for a in found.nearest] == pytest.approx([.05, .05, .1]) and found.tried == 4 > found.different
    two = SettingTable(("A",), named[:2], np.array([[[.02], [.98]], [[.02], [.98]], [[0], [0]]]))
    assert [answer.settings for answer in match(two, {"A": "1.000"}).nearest] == [[named[0]], [named[1]]], "in per cent, as the nearest"
    [kind, every] = orders(table, "A", "B")
    assert kind[:4] == ("BLEU", 0, 4, 0) == ("BLEU", *every[1:4]) and not kind.rare
    assert orders(table, "B", "C")[0][1:4] == (4, 0, 0) and orders(table, "A", "A")[0][1:4] == (0, 0, 4)


@pytest.mark.parametrize("printed,said", [
    ({}, "empty"), ({"A": "nan"}, "nan"), ({"A": ""}, "''"), ({"A": "100.1"}, "100.1"),
    ({"A": "0e999999"}, "100"), ({"C": "1"}, "a number of 'C', of which there is no output: there are A, B")])
def test_what_cannot_be_is_refused(printed, said):
    with pytest.raises(ValueError, match=said): identify(CORPUS, printed=printed)
    with pytest.raises(TypeError, match="printed is list"): identify(CORPUS, printed=[*printed])
    with pytest.raises(TypeError, match="corpus is None"): identify(printed=printed)


def test_beside_a_score_of_chunks_are_the_numbers_of_one_right_and_one_wrong_and_two_unchanged():
    edits = [f"A {span}|||X|||x|||REQUIRED|||-NONE-|||0" for span in ("1 2", "3 4")]
    gold, found = (parse_m2(["S a b c d", *edits[:n]]) for n in (1, 2))
    table = try_settings(EditCorpus(gold, {"A": found}))
    shown = {s.measure: score for s, [score] in zip(table.settings, table.scores, strict=True) if s.metric == CLEME()}
    assert shown == {"": pytest.approx(1.25 * .5 / (.25 * .5 + 1), abs=5e-5), "P": .5, "R": 1, "accuracy": .75}


def test_a_missing_reference_leaves_its_set_out():
    part = Corpus(["a b", "a c"], [["a b", "a d"], ["a b", None]], [["a b", "a c"]], system_names=("A",))
    assert {s.references for s in try_settings(part).settings} == {"reference 1 and 2", "reference 1"}


def test_gold_edits(shared):
    gold = GoldCorpus(shared / "data/conll14/official-2014.combined.m2",
                      [(shared / f"data/conll14/official_submissions/{name}").read_text().split("\n")[:-1] for name in ("AMU", "CAMB")], ("AMU", "CAMB"))
    found = identify(gold, printed={"AMU": "0.3501", "CAMB": "0.3733"})
    assert found.answers[0].settings[0].metric == M2() and len(found.answers) == 1
    assert [s.measure for s in identify(gold, printed={"AMU": "41.62", "CAMB": "39.71"}).answers[0].settings][0] == "P"


# The counts that the package carries, of thirteen outputs and more
@pytest.fixture(scope="module")
def conll14_tried(): return joined(ngram_tables(find_source("snapshot"), drawn=Known()))


@pytest.mark.xdist_group("conll14 in all settings")
def test_invented_tables_are_seldom_matched_and_chance_says_how_seldom(shared, conll14_tried):
    "Scores of a setting moved by 1.5 points each, as by a setting that was not tried, with two decimals"
    table, rng = conll14_tried.of(["AMU", "CAMB"]), np.random.default_rng(0)
    for digits, most, draws in (2, .01, 4000), (1, 1, 1000):
        moved = 100 * table.scores[rng.integers(len(table), size=draws)] + rng.normal(0, 1.5, (draws, 2))
        results = [match(table, {name: f"{x:.{digits}f}" for name, x in zip(table.systems, row, strict=True)}) for row in moved.tolist()]
        matched, chance = (np.mean([f(result) for result in results]) for f in (lambda r: len(r.answers), lambda r: r.chance))
        assert np.mean([bool(result.answers) for result in results]) <= most
        assert chance / 2 <= matched <= 2 * chance, digits
