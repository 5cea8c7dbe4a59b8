"Intervals and tests against plain Python, exact enumeration and sacrebleu; what they find on CoNLL-2014; the command compare"
from dataclasses import replace
from itertools import combinations, product
import json
import random
import re

import numpy as np
import pytest

from gecmetrics_nb import (BLEU, CLEME, CLEME2, GLEU, GREEN, METEOR, Corpus, EditCorpus, GoogleGLEU, IMeasure, compare_systems,
                           parse_m2, rank_systems)
from gecmetrics_nb.stats import significance
from gecmetrics_nb.stats.comparison import ComparisonTable
from gecmetrics_nb.metrics.registry import METRICS, metric_named
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.corpora.gold_counts import stored_gold_counts
from gecmetrics_nb.core.formulas import ranking
from gecmetrics_nb.stats.significance import (bootstrap_scores, bootstrap_weights, compare_scores,
                                              exchange_masks, holm, holm_pairs, interval, p_value,
                                              randomisation_p, rank_ranges)
from gecmetrics_nb.core.metric import collect, score_corpus, score_sentences
import slow

EVERY = [GLEU(), GLEU(variant="paper", brevity="inverted"), GLEU(references="expected"), GLEU(references="max"), GLEU(references="mean"),
         GLEU(variant="2015", weight=.1), GoogleGLEU(), BLEU(), GREEN(), GREEN(beta=2, references="union"), METEOR(), METEOR(aggregate=True)]
NAMES = ["first", "second", "third"]


def texts(seed, sentences=40, missing=False, systems=3):
    sources, references, outputs = slow.corpus(seed, sentences=sentences, systems=systems, blanks=False, longest=14)
    if missing: references[1] = [None if d % 3 == 0 else r for d, r in enumerate(references[1])]
    return Corpus(sources, references, outputs, system_names=NAMES[:systems])


def sampled(corpus, chosen):
    "The corpus of the chosen sentences, written out"
    take = lambda column: [column[d] for d in chosen]
    return Corpus(take(corpus.sources), map(take, corpus.references), map(take, corpus.systems))


RESAMPLED = [(m, missing) for m in EVERY for missing in (False, True)
             if m != GLEU(references="expected") and not (missing and m == GLEU(references="mean"))] # no set of references is whole


@pytest.mark.parametrize("metric,missing", RESAMPLED, ids=repr)
def test_a_resample_scores_as_its_text_written_out(metric, missing):
    corpus = texts(1, missing=missing)
    statistics, present = collect(metric, metric.count(corpus))
    ours, means = (bootstrap_scores(*metric.aggregation(per).suffstats(statistics, present), draws=8, seed=3) for per in ("corpus", "mean"))
    by_sentence = score_sentences(metric, metric.count(corpus))
    sampling = getattr(metric, "reference_choice", "") == "sample"
    for chosen, scores, mean in zip(np.random.default_rng(3).integers(40, size=(8, 40)), ours, means, strict=True):
        assert mean.tolist() == pytest.approx(by_sentence[:, chosen].mean(axis=1).tolist(), abs=1e-12)
        if not sampling: theirs = [float(s) for s in score_corpus(metric, metric.count(sampled(corpus, chosen)))]
        else: # without sampling noise and curvature: the score at the mean of the references
            theirs = [metric.score((np.where(present[chosen][..., None, None], s[chosen], 0).sum(axis=1)
                                    / present[chosen].sum(axis=1)[:, None, None]).sum(axis=0)) for s in statistics]
        assert scores.tolist() == pytest.approx(theirs, abs=1e-12)


def plain_gleu(pairs, hypotheses, order=4):
    "GLEU of (source, reference) pairs, by slow.py"
    return slow.gleu([s for s, _ in pairs], hypotheses, [[r for _, r in pairs]], [0] * len(pairs), order=order)


def test_both_tests_in_plain_python():
    corpus = texts(5, sentences=60, systems=2)
    pairs, (A, B) = list(zip(corpus.sources, corpus.references[0], strict=True)), corpus.systems
    found = {}
    for test in significance.TESTS:
        one = Corpus(corpus.sources, corpus.references[:1], corpus.systems)
        found[test] = compare_systems(GLEU(order=2), GLEU(order=2).count(one), ["A", "B"], test=test, draws=200, seed=9)
    observed = plain_gleu(pairs, B, 2) - plain_gleu(pairs, A, 2)
    beyond, scores = 0, []
    for chosen in np.random.default_rng(9).integers(60, size=(200, 60)).tolist():
        a, b = (plain_gleu([pairs[d] for d in chosen], [X[d] for d in chosen], 2) for X in (A, B))
        beyond += abs((b - a) - observed) >= abs(observed) - 1e-12
        scores.append(a)
    assert found["bootstrap"].p[1] == (1 + beyond) / 201
    scores.sort()
    low = scores[4] + (199 * .025 - 4) * (scores[5] - scores[4])
    assert found["bootstrap"].intervals[0, 0] == pytest.approx(low, abs=1e-12)
    beyond = 0
    for swap in (np.random.default_rng(9).random((200, 60)) < .5).tolist():
        a, b = ([y if s else x for x, y, s in zip(X, Y, swap, strict=True)] for X, Y in ((A, B), (B, A)))
        beyond += abs(plain_gleu(pairs, b, 2) - plain_gleu(pairs, a, 2)) >= abs(observed) - 1e-12
    assert found["randomisation"].p[1] == (1 + beyond) / 201
    assert found["randomisation"].differences[1] == pytest.approx(observed, abs=1e-12)


@pytest.mark.parametrize("test", significance.TESTS)
@pytest.mark.parametrize("k", [0, 1, 4, 9, 12])
def test_few_sentences_that_differ_exchange_in_all_ways(k, test):
    "p of GLEU in plain Python, over all sets of the sentences that differ; the others only add to the sums"
    corpus = texts(3, sentences=30, systems=2)
    A = list(corpus.references[0])
    B = [s if d < k else a for d, (s, a) in enumerate(zip(corpus.systems[1], A, strict=True))]
    one = Corpus(corpus.sources, corpus.references[:1], [A, B], system_names=["A", "B"])
    found = compare_systems(GLEU(order=2), one, test=test, draws=50)
    differ = [d for d in range(30) if A[d].split() != B[d].split()]
    assert found.differ.tolist() == [0, len(differ)] and found.ways[1] == "exact" and "|exact:1" in found.test_signature
    pairs, seen = list(zip(corpus.sources, corpus.references[0], strict=True)), []
    for size in range(len(differ) + 1):
        for swap in combinations(differ, size):
            a, b = ([Y[d] if d in swap else X[d] for d in range(30)] for X, Y in ((A, B), (B, A)))
            seen.append(abs(plain_gleu(pairs, a, 2) - plain_gleu(pairs, b, 2)))
    assert found.p[1] == sum(x >= seen[0] - 1e-12 for x in seen) / len(seen) >= 2 / 2**len(differ) * (k > 0)
    assert "* p <= 0.05 by all exchanges, two-sided" in repr(ComparisonTable(("GLEU",), (found,)))
    assert "Fewer than 20 sentences differ from A (B " in repr(found) and "Fewer than 20 sentences differ" in repr(ComparisonTable(("GLEU",), (found,)))


def of_equal_gains(k, sentences=400):
    "Sentence scores of two systems; the second gains as much in each of the first k sentences"
    scores = np.full((2, sentences), .5)
    scores[1, :k] = .7
    return compare_scores(scores, ["A", "B"], "judge")


def test_equal_gains_are_no_surer_than_their_number():
    "k gains of one size are as likely as k heads; the jackknife alone says .045 for four"
    for k in range(1, 20):
        low, high = (2 / 2**k,) * 2 if k <= 12 else (1 / 10_001, 2 / 2**k + 4 * np.sqrt(2 / 2**k / 10_000) + 1e-4)
        assert low - 1e-9 <= of_equal_gains(k).p[1] <= high + 1e-9 and of_equal_gains(k).warnings
    few, more = of_equal_gains(19), of_equal_gains(20)
    assert few.ways[1] == "randomisation" and more.ways[1] == "jackknife" and not more.warnings
    assert "draws:10000|seed:0" in few.test_signature and "draws" not in more.test_signature
    alike = of_equal_gains(30, 30) # the same gain everywhere: the jackknife's error is 0
    assert alike.ways[1] == "randomisation" and alike.p[1] == pytest.approx(1 / 10_001) and np.isnan([*alike.gaps, *alike.intervals]).all()
    assert "±" not in repr(ComparisonTable(("judge",), (alike,))) and "<0.0001" not in repr(alike)


def test_near_its_kink_the_i_measure_is_resampled():
    "UFC has +.17: its interval, p and differences are the bootstrap's; those of CAMB are not"
    counts, names = stored_gold_counts("i-measure"), ("UFC", "CAMB", "AMU")
    parts = [replace(counts, rows=counts.rows[[CONLL14.index(name) for name in names]])]
    found, drawn = (compare_systems(IMeasure(), parts, names, baseline="AMU", test=test) for test in ("jackknife", "bootstrap"))
    assert found.ways == ("bootstrap", "jackknife", "jackknife") and "|bootstrap:1|draws:10000|seed:0" in found.test_signature
    assert found.intervals[0].tolist() == drawn.intervals[0].tolist() and found.gaps[0].tolist() == drawn.gaps[0].tolist()
    assert found.p[0] == drawn.p[0] and found.gaps[1].tolist() != drawn.gaps[1].tolist()
    near = compare_systems(IMeasure(), parts, names, baseline="UFC") # now every difference is near it
    assert near.ways == ("bootstrap",) * 3 and near.intervals[1].tolist() == found.intervals[1].tolist()
    assert set(compare_systems(IMeasure(), parts, names, per="mean").ways) == {"jackknife"}


@pytest.mark.parametrize("test", significance.TESTS)
def test_each_pair_is_tested_as_against_a_baseline(test):
    corpus = texts(7, sentences=60, systems=3)
    metric = GLEU(references="max")
    found = rank_systems(metric, corpus, test=test, draws=99, seed=4, confidence=.6)
    for name, row in zip(found.names, found.p, strict=True):
        alone = compare_systems(metric, corpus, baseline=name, test=test, draws=99, seed=4, confidence=.6)
        by_name = dict(zip(alone.names, zip(alone.p, alone.values, map(tuple, alone.intervals), strict=True), strict=True))
        assert [1 if n == name else by_name[n][0] for n in found.names] == row.tolist()
        assert [by_name[n][1] for n in found.names] == found.values.tolist() == sorted(found.values, reverse=True)
        assert [by_name[n][2] for n in found.names] == list(map(tuple, found.intervals))
    assert (found.p == found.p.T).all() and found.signature == alone.signature


@pytest.mark.parametrize("test", significance.TESTS)
def test_places_of_systems_that_seldom_differ_are_exchanged_as_in_a_comparison(test):
    "B is better than A in k sentences and never worse, so p is 2 of 2**k exchanges; C shares no sentence with them"
    wrong, right = ["a b c"] * 40, ["a b d"] * 40
    for k in 1, 3, 6, 9:
        corpus = Corpus(wrong, [right], [wrong, right[:k] + wrong[k:], ["x"] * 40], system_names=list("ABC"))
        ranks = rank_systems(GREEN(order=1), corpus, test=test, draws=999)
        assert ranks.names[:2] == ("B", "A") and ranks.p[0, 1] == ranks.p[1, 0] == pytest.approx(2 / 2**k)
        assert ranks.ways.count("exact") == 1 and "|exact:1|" in ranks.test_signature
        assert ranks.places[:2].tolist() == ([[1, 1], [2, 2]] if 2 / 2**k <= .05 else [[1, 2]] * 2)


def test_places_by_counting_who_is_surely_better():
    "Every table of three p-values, corrected on the three pairs"
    scores, pairs = [.5, .9, .7], list(combinations(range(3), 2))
    for raw in product([.001, .02, .03, .05, .5], repeat=3): # .05 differs, too
        p = np.full((3, 3), np.nan) # the diagonal plays no part
        for (i, j), value in zip(pairs, raw, strict=True): p[i, j] = p[j, i] = value
        corrected = holm_pairs(p)
        for (i, j), value in zip(pairs, holm(raw), strict=True): assert corrected[i, j] == corrected[j, i] == pytest.approx(value)
        sure = lambda i, j, c=corrected: scores[i] > scores[j] and c[i, j] <= .05
        expected = [[1 + sum(sure(j, i) for j in range(3)), 3 - sum(sure(i, j) for j in range(3))] for i in range(3)]
        assert rank_ranges(scores, corrected).tolist() == expected


@pytest.mark.parametrize("given, said", [
    ({"names": ["A"]}, "one system, A"),
    ({"draws": 10, "confidence": .75}, "draws is 10: of 3 pairs none could have a p of 0.25 or less; make at least 11 draws"),
    ({"draws": 10, "confidence": 1 - 3e-6}, "make at least 999999 draws"),
    ({"names": [f"S{i}" for i in range(400)]}, "rank fewer systems: 1,595,999 draws are more than 1,000,000")])
def test_a_ranking_that_can_say_nothing_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        rank_systems(GREEN(order=2), texts(1), **{"test": "bootstrap", **given})


def test_a_comparison_without_stars_for_want_of_draws_says_so():
    "The smallest p of 38 draws is 1/39; times two comparisons it is above .05, of 39 draws it is .05"
    said = {draws: compare_systems(GREEN(order=1), texts(1), test="bootstrap", draws=draws).warnings for draws in (38, 39)}
    assert said[38][0] == "By 38 draws no p, corrected for 2 comparisons, can be 0.05 or less: make at least 39." and said[38][1:] == said[39]


@pytest.mark.parametrize("confidence, least", [(.8, 9), (.9, 19), (.95, 39), (.99, 199)])
def test_the_draws_that_are_asked_for_are_enough(confidence, least):
    "2 / (1 + draws) is at most 1 - confidence, which floats have below .1 for .9"
    given = {"test": "bootstrap", "confidence": confidence}
    said = {draws: compare_systems(GREEN(order=1), texts(1), draws=draws, **given).warnings for draws in (least - 1, least)}
    assert said[least - 1][0].endswith(f"make at least {least}.") and said[least - 1][1:] == said[least]
    two = replace(texts(1), systems=texts(1).systems[:2], system_names=NAMES[:2]) # one pair
    assert rank_systems(GREEN(order=1), two, draws=(least - 1) // 2, **given).places.shape == (2, 2)
    scores = np.stack([np.zeros(400), np.ones(400) - .001 * np.arange(400)])
    assert compare_scores(scores, ["A", "B"], "judge", draws=(least - 1) // 2, **given).stars.tolist() == [False, True]


@pytest.mark.parametrize("call", [
    lambda: holm_pairs([[1, .2], [.3, 1]]), lambda: holm_pairs([[1, .2, .3], [.2, 1, .3]]),
    lambda: rank_ranges([1, np.nan], np.ones((2, 2))), lambda: ranking([1, np.nan]),
    lambda: holm([.5, 1.2]), lambda: holm([-.1])])
def test_what_cannot_be_ranked_is_refused(call):
    with pytest.raises(ValueError): call()


def test_bleu_by_sacrebleu():
    sacrebleu = pytest.importorskip("sacrebleu")
    from sacrebleu.significance import PairedTest, _compute_p_value
    sources, references, _ = slow.corpus(8, sentences=150, blanks=False, longest=20)
    rng = random.Random(2)
    def output(wrong): # the first reference, with some words replaced
        return [" ".join(rng.choice(slow.WORDS) if rng.random() < wrong else w for w in r.split()) for r in references[0]]
    outputs = [output(.3), output(.32), output(.36), output(.3)]
    names, metric = [f"system {h}" for h in range(4)], BLEU()
    parts, scores = list(metric.count(Corpus(sources, references, outputs))), {}
    for kind, draws in ("ar", 5000), ("bs", 3000):
        theirs = sacrebleu.metrics.BLEU(tokenize="none", smooth_method="none", force=True)
        _, results = PairedTest(list(zip(names, outputs, strict=True)), {"BLEU": theirs}, references, test_type=kind, n_samples=draws)()
        scores[kind] = results["BLEU"]
    assert min(s.p_value for s in scores["ar"][1:]) < .05 < .3 < max(s.p_value for s in scores["ar"][1:])
    ours = compare_systems(metric, parts, names, test="randomisation", draws=5000)
    assert (100 * ours.values).tolist() == pytest.approx([s.score for s in scores["ar"]], abs=1e-9)
    for p, s in zip(ours.p[1:], scores["ar"][1:], strict=True): assert p == pytest.approx(s.p_value, abs=6 * np.sqrt(s.p_value * (1 - s.p_value) / 5000) + 1e-3)
    resampled = bootstrap_scores(*metric.aggregation().suffstats(*collect(metric, parts)), 3000, 0)
    for h, s in list(enumerate(scores["bs"]))[1:]:
        folded = np.abs(resampled[:, h] - resampled[:, 0])
        p = _compute_p_value(100 * (folded - folded.mean()), abs(scores["bs"][0].score - s.score))
        assert p == pytest.approx(s.p_value, abs=6 * np.sqrt(s.p_value * (1 - s.p_value) / 3000) + 1e-3)
        low, high = 100 * interval(resampled)[h]
        assert (high - low) / 2 == pytest.approx(s.ci, rel=.08)
        assert 100 * resampled[:, h].mean() == pytest.approx(s.mean, abs=.15)


def test_blocks_change_nothing(monkeypatch):
    whole = [np.concatenate(list(make(7, 50, 3))) for make in (bootstrap_weights, exchange_masks)]
    monkeypatch.setattr(significance, "BLOCK", 20)
    blocks = [list(make(7, 50, 3)) for make in (bootstrap_weights, exchange_masks)]
    assert max(map(len, blocks[0])) == 2 and all((np.concatenate(b) == w).all() for b, w in zip(blocks, whole, strict=True))
    assert (whole[0].sum(axis=1) == 7).all()


@pytest.mark.parametrize("seed", range(10))
def test_holm_is_the_closed_test(seed):
    rng = np.random.default_rng(seed)
    p = rng.choice(rng.random(4), 6) ** 3
    sets = [s for size in range(1, 7) for s in combinations(range(6), size)]
    closed = [max(min(1, len(s) * min(p[i] for i in s)) for s in sets if k in s) for k in range(6)]
    assert holm(p).tolist() == pytest.approx(closed, abs=1e-15)
    assert holm([]).tolist() == [] and holm([.3]).tolist() == [.3]


def test_a_last_bit_changes_no_p():
    "A difference is as large as the observed one up to what rounding makes, on both sides"
    observed = .1 + .2
    chance = np.array([.3, -.3, np.nextafter(.3, 0), np.nextafter(observed, 1), .29])
    assert p_value(chance, observed) == p_value(chance, .3) == 5 / 6


def test_a_corpus_brings_the_names():
    corpus, metric = texts(1), GREEN()
    counted = compare_systems(metric, metric.count(corpus), NAMES, draws=20)
    assert compare_systems(metric, corpus, draws=20).to_dict() == counted.to_dict() and counted.names == tuple(NAMES)
    with pytest.raises(ValueError, match="names is None"): compare_systems(metric, metric.count(corpus))
    with pytest.raises(ValueError, match="count with this metric"):
        compare_systems([metric, GREEN(order=3)], metric.count(corpus), ["A", "B"])


def test_cells_of_a_comparison_and_of_ranks():
    "Scores times 100 with two digits; in ranks what is gained over the next one; settings below"
    corpus = texts(5)
    best = [*corpus.systems[0][:1], *corpus.references[0][1:]]
    corpus = replace(corpus, systems=[best, *corpus.systems[1:]])
    found, ranks = (of(GREEN(order=2), corpus, test="bootstrap", draws=199) for of in (compare_systems, rank_systems))
    two = lambda *numbers: " to ".join(f"{100 * number:.2f}" for number in numbers)
    columns = found.names, found.values, found.intervals
    rows = [[name, two(value), two(*ends)] for name, value, ends in zip(*columns, strict=True)]
    rows[0] += ["baseline", *[""] * 5]
    for h in 1, 2:
        rows[h] += [f"{100 * found.differences[h]:+.2f}", two(*found.gaps[h]), two(found.detectable[h]),
                    f"{found.differ[h]:.0f}", f"{found.p[h]:.4f}", f"{found.holm[h]:.4f}"]
    assert [*found.rows()] == rows
    rows = [[name, place, two(value), two(*ends)] for name, place, value, ends in
            zip(ranks.names, ("1", "2 to 3", "2 to 3"), ranks.values, ranks.intervals, strict=True)]
    for h in 0, 1: rows[h] += [two(ranks.values[h] - ranks.values[h + 1]), *(f"{p:.4f}" for p in ranks.next_p[:, h])]
    assert [*ranks.rows()] == [*rows[:2], [*rows[2], "", "", ""]]
    assert "|two-sided|places:holm:3|p:holm:2|" in ranks.test_signature
    for each in found, ranks: assert each.signature in repr(each) and each.test_signature in repr(each)


def test_scores_beyond_1_are_printed_as_they_are():
    for most, cell, said in (1, "75.00", False), (5, "3.75", True):
        part = compare_scores(most * np.array([[.5, 1.], [1, .25]]), ["A", "B"], "judge")
        text = ComparisonTable(("judge",), (part,)).to_text()
        assert [*part.rows()][0][1] == cell and cell in text
        assert ("judge is printed as it is, not times 100." in text) == said


def test_one_system_alone_has_an_interval():
    found = compare_systems(GREEN(), GREEN().count(texts(1, systems=1)), ["only"], draws=50)
    assert np.isnan(found.p).all() and found.intervals[0, 0] < found.intervals[0, 1]
    assert "baseline" in repr(found) and "holm" not in found.test_signature # there is no other to compare it with


@pytest.mark.parametrize("metric", EVERY, ids=repr)
def test_one_sentence_has_no_interval(metric):
    "Whatever the references, drawn or not: there is nothing to resample"
    corpus = Corpus(["a b c d e"], [["a b c d f"], ["a b c g h i"]], [["a b c d f"], ["a b c d g"]])
    alone = compare_systems(metric, metric.count(corpus), NAMES[:2])
    assert np.isnan(alone.intervals).all() and alone.p[1] == 1 and "nan" not in repr(alone)
    drawn = compare_systems(metric, metric.count(corpus), NAMES[:2], test="bootstrap", draws=20)
    assert np.isnan([*drawn.intervals, *drawn.gaps]).all() and drawn.p[1] == 1 and (drawn.values > 0).any()


@pytest.fixture
def compared(write, printed):
    "What JSON has of a comparison of two systems, A and a_b&c|d"
    corpus = texts(11, systems=2)
    write(dict(zip(("S", "R0", "R1", "A", "a_b&c|d"), (corpus.sources, *corpus.references, *corpus.systems), strict=True)))
    return lambda more: json.loads(printed(f"compare {FILES} --no-input --test bootstrap --format json {more}"))


FILES = "-s S -r R0 R1 -o A a_b&c|d"


def test_scores_are_those_of_the_other_commands(compared, printed):
    "And the settings of the test stand beside them, in one form for every metric"
    data = compared(f"--metrics {' '.join(METRICS)} -i 50 --seed 3")
    assert data["scale"] == "0-1" and [m["name"] for m in data["metrics"]] == list(METRICS)
    for metric in data["metrics"]:
        assert [metric[key] for key in ("baseline", "draws", "seed", "test")] == ["A", 50, 3, "bootstrap"]
        first, second = metric["systems"]
        assert first["p"] is first["p_holm"] is None and 0 < second["p"] <= second["p_holm"] <= 1
        assert second["difference"] == second["value"] - first["value"]
        assert (first["standard_error"] is None) == (metric["name"] not in ("gleu", "gleu-paper"))
    programs = {"gleu-paper": "gleu --variant paper", "gleu-2015": "gleu --variant 2015"}
    for metric in data["metrics"]:
        shown = printed(f"{programs.get(metric['name'], metric['name'])} {FILES} --format json")
        theirs = [record["value"] for record in json.loads(shown)["scores"]]
        assert [s["value"] for s in metric["systems"]] == pytest.approx(theirs, abs=1e-12)


def test_metrics_side_by_side_do_not_disturb_each_other(compared):
    "Counts are shared, but only between metrics that count alike"
    names = ["bleu", "gleu-2015", "bleu:order=2", "gleu:order=2", "gleu", "green", "green:unit=char", "meteor", "google-gleu:order=1"]
    together = compared(f"--metrics {' '.join(names)} -i 20")["metrics"]
    alone = [compared(f"--metrics {name} -i 20")["metrics"][0] for name in names]
    assert together == alone and len({m["systems"][1]["value"] for m in alone}) >= len(names) - 1


def test_what_a_page_would_read_as_code_is_escaped():
    corpus = replace(texts(1), system_names=("<b>&", "B", "C"))
    for found in compare_systems([GREEN()], corpus, note="<i>"), rank_systems(GREEN(), corpus, note="<i>"):
        assert "&lt;b&gt;&amp;" in found._repr_html_() and not re.search("<b>|<i>", found._repr_html_())


def test_pieces_of_a_corpus_are_compared_as_the_whole():
    corpus, metrics = texts(11, systems=2), [metric_named(name) for name in ("gleu", "mgreen", "meteor")]
    def piece(a, b):
        cut = [[lines[a:b] for lines in columns] for columns in (corpus.references, corpus.systems)]
        return Corpus(corpus.sources[a:b], *cut, system_names=corpus.system_names, before=a)
    cut = [piece(a, b) for a, b in ((0, 7), (7, 8), (8, None))]
    assert compare_systems(metrics, iter(cut)).to_dict() == compare_systems(metrics, corpus).to_dict()


TWO = Corpus(["a b c", "d e"], [["a b d", "d f"]], [["a b d", "d e"], ["a b c", "d f"]])
CALLS = [lambda *given, **more: compare_systems(*given, **{"draws": 5, **more}), lambda *given, **more: rank_systems(*given, **{"draws": 5, "confidence": .5, **more})]


@pytest.mark.parametrize("call", CALLS, ids=["compare", "rank"])
@pytest.mark.parametrize("given", [{"names": ["a", "a"]}, {"seed": -1}, {"draws": 1_000_001}, {"jobs": 0}, {"confidence": 1}], ids=str)
def test_settings_are_checked_before_anything_is_counted(call, given, monkeypatch):
    with pytest.raises(ValueError, match="two systems are named 'A'"): call(GREEN(order=1), replace(TWO, system_names=("A", "A")))
    monkeypatch.setattr(GREEN, "count", lambda *_: pytest.fail("counted"))
    with pytest.raises((ValueError, TypeError)): call(GREEN(order=1), TWO, **given)


@pytest.mark.parametrize("untested, error, said", [
    ("A", TypeError, "untested is one string; give a list of names"), (["C"], ValueError, "untested 'C' is none of the systems: use one of A, B"),
    ([None], ValueError, "untested None is none of the systems"), (None, TypeError, "untested is NoneType; give a list")])
def test_untested_is_a_list_of_systems(untested, error, said):
    for call in lambda **how: compare_systems(GREEN(order=1), TWO, ["A", "B"], **how), lambda **how: compare_scores(np.eye(2), ["A", "B"], "judge", **how):
        with pytest.raises(error, match=said): call(untested=untested)
        for names in ["B"], {"B"}: assert np.isnan(call(untested=names).p).all()


@pytest.mark.parametrize("names", [[], ["A"], list("ABC")])
def test_each_system_has_a_name(names):
    with pytest.raises(ValueError, match=f"{len(names)} names for 2 systems; give one a system"): compare_scores(np.eye(2), names, "judge")


@pytest.mark.parametrize("scores", [np.zeros((0, 3)), np.zeros((2, 0)), [[1, np.inf], [0, 1]]], ids=str)
def test_scores_are_numbers(scores):
    with pytest.raises(ValueError, match="scores .* has no number, or an infinite one"): compare_scores(scores, ["A", "B"][:len(scores)], "judge")


@pytest.mark.parametrize("test, passes", [("bootstrap", 1), ("randomisation", 2)])
def test_progress_sees_every_draw_and_changes_nothing(test, passes):
    corpus, seen = texts(1), {}
    def progress(parts, unit, total, size):
        done = 0
        for part in parts:
            done += size(part)
            yield part
        seen.setdefault(unit, []).append((done, total))
    metric = GLEU(iterations=3)
    found = compare_systems(metric, corpus, test=test, draws=50, progress=progress)
    assert found.to_dict() == compare_systems(metric, corpus, test=test, draws=50).to_dict()
    assert seen == {"draw": [(50, 50)] * passes, "sentence": [(40, None), (40, 40)]} # counted, then drawn


def test_small_integers_are_resampled_as_large_ones():
    "Differences of unsigned counts are below 0, and 8 bits hold no sum"
    counts = np.random.default_rng(4).integers(0, 200, (3, 40, 2))
    ratio = lambda sums: sums[..., 0] / sums.sum(axis=-1)
    for kind in np.uint8, np.uint64, np.int16:
        assert np.array_equal(randomisation_p(counts.astype(kind), ratio, 1, 200, 0), randomisation_p(counts, ratio, 1, 200, 0))
        assert np.array_equal(bootstrap_scores(counts.astype(kind), ratio, 50, 0), bootstrap_scores(counts, ratio, 50, 0))


def test_what_has_no_score_has_no_p():
    "One nan among eight sentences, among thirty, for the baseline or another; and of resamples only those with a score count"
    rng = np.random.default_rng(0)
    for sentences, test in (8, "jackknife"), (15, "jackknife"), (30, "bootstrap"), (30, "randomisation"):
        for system in 0, 1:
            scores = rng.random((2, sentences))
            scores[system, 2] = np.nan
            part = compare_scores(scores, ["A", "B"], "judge", test=test, draws=99)
            assert np.isnan(part.p[1]) and not part.stars.any()
    assert p_value(np.array([.1, np.nan, .3]), np.array(.2)) == 2 / 3 and np.isnan(p_value(np.ones(3), np.array(np.nan)))


def test_a_score_that_needs_one_sentence_is_tested_by_exchanges():
    "Without the only sentence that the gold changes CLEME has no weights by length, and the jackknife no error"
    edit = "A 0 1|||X|||{}|||REQUIRED|||-NONE-|||0".format
    file = lambda words: parse_m2([line for word in words for line in ("S a b", *([edit(word)] if word else []), "")])
    gold, right, wrong = file(["c", *[""] * 29]), file(["c", *[""] * 29]), file(["", *["d"] * 25, *[""] * 4])
    for metric in CLEME(), CLEME2(weights="length"):
        part = compare_systems(metric, EditCorpus(gold, {"A": right, "B": wrong}))
        assert part.ways[1] == "randomisation" and part.p[1] < .01


def test_pieces_have_the_same_systems_in_the_same_order():
    corpus = texts(1)
    turned = Corpus(corpus.sources, corpus.references, corpus.systems[::-1], system_names=NAMES[::-1])
    with pytest.raises(ValueError, match="a piece has the systems third, second, first, the first one first, second, third"):
        compare_systems(GREEN(), [corpus, turned])
