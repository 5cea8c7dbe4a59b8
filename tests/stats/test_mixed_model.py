"The mixed model of a study beside the analysis of variance, which is the same where each judge has each sentence"
import numpy as np
import pytest

from gecmetrics_nb.lessons.union import mixed_model
from gecmetrics_nb.stats.significance import variance_components


def test_a_full_table_has_the_parts_of_the_analysis_of_variance():
    rng = np.random.default_rng(1)
    table = .1 + rng.normal(size=(200, 1)) * .5 + rng.normal(size=8) * .3 + rng.normal(size=(200, 8))
    mean, error, parts = mixed_model(table.ravel(), *np.indices(table.shape).reshape(2, -1))
    by_judge = table.mean(axis=0)[:, None] # as if each judge were a reference, and the mean of scores a difference
    covariances = np.cov(table.T, ddof=1)[..., None] / 200
    sentences, judges, both = variance_components(by_judge, covariances)[:, 0]
    assert parts == pytest.approx([200 * sentences, judges, 200 * both], rel=.001)
    assert mean == pytest.approx(table.mean()) and error**2 == pytest.approx(sentences + (judges + both) / 8, rel=.001)


def test_without_scatter_between_judges_and_sentences_it_is_the_plain_mean():
    values, rng = np.random.default_rng(2).normal(size=600), np.random.default_rng(3)
    values -= values.mean() - 1
    mean, error, (sentences, judges, left) = mixed_model(values, rng.integers(40, size=600), rng.integers(3, size=600))
    assert max(sentences, judges) < .05 * left
    assert mean == pytest.approx(1, abs=.03) and error == pytest.approx(values.std(ddof=1) / 600**.5, rel=.3)
