"Components of variance of a difference over sentences and references, by plain loops, by analysis of variance and by likelihood"
from itertools import combinations
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb.stats.significance import by_reference, component_intervals, variance_components


def ratio(sums): return sums[..., 0] / sums[..., 1]


def addends(seed, systems=3, sentences=12, references=4):
    "Invented sums of a ratio (H, D, R, 2), with a part of each kind"
    random = np.random.default_rng(seed)
    shape = systems, sentences, references
    parts = [random.normal(size=[n if i in axes else 1 for i, n in enumerate(shape)]) for axes in ((0, 1), (0, 2), (0, 1, 2))]
    return np.stack(np.broadcast_arrays(sum(parts), random.integers(1, 5, size=(1, sentences, 1))), axis=-1).astype(float)


def slow_components(table):
    "[(sentences, references, both)] of each pair of systems, from leaving out each sentence, one number at a time"
    H, D, R, _ = table.shape
    def difference(i, j, r, without=None):
        sums = [[sum(table[h, d, r, k] for d in range(D) if d != without) for k in (0, 1)] for h in (i, j)]
        return sums[0][0] / sums[0][1] - sums[1][0] / sums[1][1]
    found = []
    for i, j in combinations(range(H), 2):
        left = [[difference(i, j, r, d) for d in range(D)] for r in range(R)]
        centred = [[x - sum(row) / D for x in row] for row in left]
        cov = {(r, q): (D - 1) / D * sum(a * b for a, b in zip(centred[r], centred[q], strict=True)) for r in range(R) for q in range(R)}
        shared = sum(cov[r, q] for r in range(R) for q in range(R) if r != q) / (R * (R - 1))
        both = sum(cov[r, r] for r in range(R)) / R - shared
        d = [difference(i, j, r) for r in range(R)]
        between = sum((x - sum(d) / R)**2 for x in d) / (R - 1)
        found.append([max(0, shared), max(0, between - both), max(0, both)])
    return found


@pytest.mark.parametrize("seed", range(4))
def test_components_by_leaving_out_one_sentence_at_a_time(seed):
    table = addends(seed)
    assert variance_components(*by_reference(table, ratio)).T == pytest.approx(np.array(slow_components(table)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_components_of_a_mean_are_those_of_the_analysis_of_variance(seed):
    "Expected mean squares of sentences x references, one observation a cell (Searle et al. 1992, chapter 4)"
    table = addends(seed, systems=2)
    table[..., 1] = 1 # the ratio is a mean of sentence scores
    x, (D, R) = table[0, :, :, 0] - table[1, :, :, 0], (12, 4)
    rows, columns, whole = x.mean(axis=1), x.mean(axis=0), x.mean()
    of_rows, of_columns = (R * ((rows - whole)**2).sum() / (D - 1), D * ((columns - whole)**2).sum() / (R - 1))
    rest = ((x - rows[:, None] - columns + whole)**2).sum() / ((D - 1) * (R - 1))
    expected = np.maximum([(of_rows - rest) / R / D, (of_columns - rest) / D, rest / D], 0)
    assert variance_components(*by_reference(table, ratio))[:, 0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_an_interval_leaves_out_each_reference():
    differences, covariances = by_reference(addends(7, systems=4, references=5), ratio)
    def middle(kept): return np.median(variance_components(differences[kept], covariances[kept][:, kept]), axis=1)**.5
    without = [middle([r for r in range(5) if r != left]) for left in range(5)]
    for k, row in enumerate(component_intervals(differences, covariances, confidence=.9)):
        logs = [log(each[k]) for each in without]
        error = sqrt(4 / 5 * sum((x - sum(logs) / 5)**2 for x in logs))
        value = middle([0, 1, 2, 3, 4])[k]
        reach = stats.t.ppf(.95, 4) * error
        ends = [value * exp(-reach), value * exp(reach)] if k else [np.nan, np.nan] # none for the sentences
        assert row == pytest.approx([value, *ends], rel=1e-6, nan_ok=True)


def test_a_part_that_is_not_there_is_0():
    random = np.random.default_rng(1)
    table = np.ones((3, 12, 4, 2))
    table[..., 0] = random.normal(size=(3, 12, 1)) + random.normal(size=(3, 1, 4))
    (_, own, both), low, high = component_intervals(*by_reference(table, ratio)).T
    assert 0 < low[1] < own < high[1] and both == pytest.approx(0, abs=1e-6)


def test_a_part_of_0_has_no_interval():
    "Without each reference in turn the median pair has a part, with all of them none"
    table = np.ones((3, 6, 4, 2))
    table[..., 0] = np.random.default_rng(969).normal(size=(3, 6, 4))
    _, (own, *ends), (both, low, high) = component_intervals(*by_reference(table, ratio))
    assert own == 0 and np.isnan(ends).all() and 0 < low < both < high


@pytest.mark.parametrize("function,references,said", [(variance_components, 1, "has 1 row: give a row a reference, two or more"),
                                                      (component_intervals, 2, "has 2 rows: .* needs three or more")])
def test_too_few_references_are_refused(function, references, said):
    with pytest.raises(ValueError, match=said): function(*by_reference(addends(0, references=references), ratio))
