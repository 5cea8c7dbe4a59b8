"The counts against gold edits in the package: equal to those of the text, and enough for the scores"
from types import SimpleNamespace

import numpy as np
import pytest

from gecmetrics_nb.corpora import gold_counts
from gecmetrics_nb.corpora.gold_counts import GOLD_SNAPSHOT, GOLD_STORED, count_gold
from gecmetrics_nb.corpora.gold_counts import stored_changed, stored_errant, stored_gold_counts
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.metrics.m2 import M2
from test_snapshots import assert_same_arrays
import snapshots


@pytest.mark.parametrize("name", GOLD_STORED)
def test_the_snapshot_is_that_of_the_text(name, shared, monkeypatch):
    "Every fourth system where published tables come out with the counts of all, else each"
    step = 4 if name in ("m2", "m2-alternatives", "m2-seeda", "i-measure") else 1
    metric, gold, outputs, systems = GOLD_STORED[name]
    stored = stored_gold_counts(name)
    monkeypatch.setitem(GOLD_STORED, name, (metric, gold, outputs, systems[::step]))
    counts = count_gold(name, find=lambda entry: shared / "data" / entry)
    assert np.array_equal(counts.statistics[counts.rows], stored.statistics[stored.rows][::step])
    assert np.array_equal(counts.present, stored.present) and counts.counting == stored.counting


def test_a_snapshot_is_written_as_it_is_read(shared, monkeypatch):
    monkeypatch.setattr(gold_counts, "count_gold", lambda name, find: stored_gold_counts(name))
    assert_same_arrays(snapshots.gold(SimpleNamespace(path=lambda entry: shared / "data" / entry)), GOLD_SNAPSHOT)


def test_errant_is_that_of_the_files(shared):
    find = lambda entry: shared / "data" / entry
    assert (stored_errant() == snapshots.count_errant(find)).all()
    assert all(np.array_equal(*pair) for pair in zip(stored_changed(), snapshots.count_changed(find), strict=True))


def test_refused():
    with pytest.raises(ValueError, match="release 2016-04"):
        score_corpus(M2(release="2016-04"), [stored_gold_counts("m2")])
