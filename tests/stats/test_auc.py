"`auc`: against SciPy and plain loops over repeated sentences; what is refused"

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb.stats.correlation import auc, resampled_auc
from gecmetrics_nb.stats.significance import bootstrap_weights


@pytest.mark.parametrize("seed", range(5))
def test_auc_by_scipy_and_by_repeating_sentences(seed):
    "Of each of twelve sentences one to six pairs; gaps that differ, that are often equal, and that are so but for rounding"
    rng = np.random.default_rng(seed)
    sentences = np.repeat(np.arange(12), rng.integers(1, 7, size=12))
    outcome, gaps = rng.choice([-1, 1], size=len(sentences)), rng.normal(size=len(sentences))
    gaps = np.array([gaps, gaps.round(), rng.integers(2, size=len(gaps)) - rng.uniform(-1e-13, 1e-13, size=len(gaps))])

    def by_scipy(gap, outcome):
        gap = gap.round(6) # nearer is a tie
        more, less = gap[outcome > 0], gap[outcome < 0]
        return stats.mannwhitneyu(more, less).statistic / (len(more) * len(less)) if len(more) and len(less) else np.nan

    assert auc(gaps, outcome) == pytest.approx([by_scipy(gap, outcome) for gap in gaps])
    weights = [*next(bootstrap_weights(12, 20, seed)), np.eye(12, dtype=int)[sentences[0]]]
    repeated = [np.repeat(np.arange(len(outcome)), w[sentences]) for w in weights]
    expected = [[by_scipy(gap[rows], outcome[rows]) for rows in repeated] for gap in gaps]
    assert resampled_auc(gaps, outcome, sentences, weights) == pytest.approx(np.array(expected), nan_ok=True)
    assert resampled_auc(gaps[0], outcome, sentences, weights) == pytest.approx(expected[0], nan_ok=True)


@pytest.mark.parametrize("arguments, says", [
    (([.1, .2, .3], [1, -1]), "3 gaps, 2 outcomes"),
    (([.1, np.nan], [1, -1]), "1 gaps are nan"),
    (([.1, .2], [1, 1]), "give pairs of both kinds"),
])
def test_pairs_that_do_not_fit_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says): auc(*arguments)
