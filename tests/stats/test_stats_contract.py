"What stays when the inside of stats is rewritten: values, gaps, p and places of systems, coefficients and wins, beside SciPy and counting"
from inspect import signature

from scipy import stats
import numpy as np
import pytest

from gecmetrics_nb import GREEN, Corpus, compare_systems, parse_m2, rank_systems
from gecmetrics_nb.stats.attribution import attribute
from gecmetrics_nb.stats.comparison import ComparisonTable
from gecmetrics_nb.stats.correlation import (ScoreTable, pairwise_williams, pearson, percentile_interval, resampled_auc,
                                             spearman, window)
from gecmetrics_nb.stats.human import (expected_wins, from_rankings, outcomes_by_sentence, parse_rankings, parse_ratings,
                                       resampled_wins, wins)
from gecmetrics_nb.stats.identify import orders, try_settings
from gecmetrics_nb.stats.meta_evaluation import SentenceTable, correlate, parse_sentence_scores
from gecmetrics_nb.stats.significance import holm_pairs, interval
import slow

SOURCES, REFERENCES, OUTPUTS = slow.corpus(2, sentences=90, systems=3, blanks=False)
CORPUS, METRIC = Corpus(SOURCES, REFERENCES, [OUTPUTS[0], OUTPUTS[1], OUTPUTS[0]], system_names=("A", "B", "C")), GREEN(order=1)


@pytest.mark.parametrize("test", ["jackknife", "bootstrap", "randomisation"])
def test_systems_are_compared_with_the_first(test):
    found, scores = compare_systems(METRIC, CORPUS, test=test, draws=200), METRIC.corpus_score(CORPUS)
    assert found.names == ("A", "B", "C") and found.values.tolist() == list(map(float, scores.values()))
    assert found.differences.tolist() == pytest.approx((found.values - found.values[0]).tolist()) and found.differ[2] == 0
    assert np.isnan(found.p[0]) and 0 < found.p[1] <= found.holm[1] <= 1 and found.p[2] == found.holm[2] == 1
    assert found.intervals.shape == (3, 2) and (found.intervals[:, 0] < found.values).all() and (found.values < found.intervals[:, 1]).all()
    assert found.signature == scores["A"].signature and test in found.test_signature and found.to_dict()["systems"][1]["p"] == found.p[1]


@pytest.mark.parametrize("first, last", [(0, 90), (11, 13)])
def test_means_are_compared_by_students_test(first, last):
    "Two sentences have one degree of freedom; where so few differ, p is of exchanges"
    corpus = CORPUS.part(first, last)
    found, scores = compare_systems(METRIC, corpus, per="mean"), METRIC.sentence_scores(corpus)
    theirs = stats.ttest_rel(scores["B"], scores["A"])
    if last == 90: assert found.p[1] == pytest.approx(theirs.pvalue, abs=1e-10)
    assert found.gaps[1].tolist() == pytest.approx(list(theirs.confidence_interval(.95)), abs=1e-10)


def test_ranks_hold_every_system_once():
    found = rank_systems(METRIC, CORPUS, draws=200)
    assert sorted(found.names) == ["A", "B", "C"] and len(found.ways) == 3 and (np.diff(found.values) <= 0).all() and (found.p == found.p.T).all()
    sure = (found.values[:, None] > found.values) & (holm_pairs(found.p) <= .05) # one is better than another
    assert found.places.tolist() == [[1 + sure[:, h].sum(), 3 - sure[h].sum()] for h in range(3)] and not sure.all(where=~np.eye(3, dtype=bool))


def test_coefficients_wins_and_worths():
    x, y = np.random.default_rng(0).normal(size=(2, 6))
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic) and spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    found = correlate(ScoreTable("m", tuple("ABCDEF"), {"G": x}), ScoreTable("h", tuple("ABCDEF"), {"people": y}))
    assert {c.name: pytest.approx(c.value) for c in found.coefficients} == {"r": pearson(x, y), "rho": spearman(x, y)}
    judged = from_rankings([(0, "j", [(["A"], 1), (["B"], 2), (["C"], 2)]), (1, "j", [(["B"], 1), (["A"], 2)])])
    assert wins(judged).tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]] and expected_wins(wins(judged)).tolist() == [.75, .25, 0]
    worths = attribute(METRIC, Corpus(["a b"], [["a c"]], [["a c"]], system_names=["A"]))
    assert worths.total == pytest.approx(worths.score - worths.source - worths.gap) and [len(edits) for edits in worths.changes] == [1]


@pytest.mark.parametrize("given,named", [({"baseline": "Z"}, "Z"), ({"draws": 0}, "draws"), ({"seed": -1}, "seed"), ({"confidence": 95}, "confidence"), ({"test": "t"}, "test")])
def test_what_cannot_be_is_refused_by_name(given, named):
    with pytest.raises(ValueError, match=named): compare_systems(METRIC, CORPUS, **{"test": "bootstrap", **given})


PAIR = [(["A"], 1), (["B"], 2)]
JUDGED = from_rankings([(0, "j", PAIR)])
NUMBERED = SentenceTable("mine", ("A", "B"), ("0", "1"), {"G": np.array([[1, 2], [3, 5]])})
EDITS = parse_m2(["S a", "A 0 1|||X|||c|||REQUIRED|||-NONE-|||0"])


@pytest.mark.parametrize("call,error,said", [
    (lambda: parse_ratings(["A", "x" * 200_000], "f"), ValueError, "f: not CSV: field larger than"),
    (lambda: parse_rankings(b"<x/>"), TypeError, "text is bytes: give the text of an XML file"),
    (lambda: wins([[0, 1], [0, 0]]), TypeError, "judgments is list: give Judgments"),
    (lambda: attribute(METRIC, Corpus(["a"], [["a"]], [["b"]]), edits=EDITS), ValueError, "sentence 1: the edits make"),
    (lambda: window([1, 2, 3], [1, 2, 3], 5), ValueError, "a window of 5 systems out of 3: give a size"),
    (lambda: parse_sentence_scores(["system,sentence", "A,1"], "f"), ValueError, "f: no scores; give system"),
    (lambda: correlate(3, JUDGED), TypeError, "scores is int: give a ScoreTable"),
    (lambda: correlate(NUMBERED, JUDGED), ValueError, "mine has a sentence 0: beside judgments"),
    (lambda: percentile_interval([]), ValueError, r"values has the shape \(0,\): give at least one resample"),
    (lambda: interval(np.ones((0, 2))), ValueError, r"scores has the shape \(0, 2\): give a row a resample"),
    (lambda: resampled_auc([1, 2], [1, -1], [0, 3], np.ones((1, 3))), ValueError, "sentences 0 to 3, but weights of 3"),
    (lambda: orders(try_settings(CORPUS.part(0, 9)), "A", "Z"), ValueError, "there is no output of 'Z'"),
    (lambda: try_settings(CORPUS, Corpus(["a"], [["a"]], [["a"]])), ValueError, "corpora have other systems"),
    (lambda: resampled_auc([1, 2], [1, 0], [0, 1], np.ones((1, 2))), ValueError, "1 outcomes are neither"),
    (lambda: from_rankings([(0, "j")]), TypeError, r"rankings holds \(0, 'j'\); give a list"),
    (lambda: resampled_wins(from_rankings([])), ValueError, "judgments is empty: there is nothing to draw"),
    (lambda: pairwise_williams([1, 2, 3, 5], [1, 2, 3, 5]), ValueError, "scores has 1 axes; give 2 axes"),
    (lambda: outcomes_by_sentence(from_rankings([(d, "j", PAIR) for d in (1, 5)]), 3), ValueError, "judgments of sentences 1 to 5"),
    (lambda: from_rankings([], systems=[]), ValueError, "systems is empty: give names, or None for all"),
    (lambda: ComparisonTable((), ()), ValueError, "metrics is empty; give at least one")])
def test_what_is_not_asked_for_is_refused(call, error, said):
    with pytest.raises(error, match=f"^{said}"): call()


@pytest.mark.parametrize("draws", [compare_systems, rank_systems, correlate, resampled_wins])
def test_whatever_draws_has_the_seed_0(draws): assert signature(draws).parameters["seed"].default == 0
