"The counts against gold edits in the package: equal to those of the text, and enough for the scores"
from types import SimpleNamespace

import numpy as np
import pytest

from gecmetrics_nb.corpora import gold_counts
from gecmetrics_nb.corpora.conll14 import CONLL14, stored_counts
from gecmetrics_nb.corpora.gold_counts import GOLD_SNAPSHOT, GOLD_STORED, count_gold
from gecmetrics_nb.corpora.gold_counts import stored_changed, stored_errant, stored_gold_counts
from gecmetrics_nb.corpora.judgments import stored_judgments
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


def test_shapes_and_bounds():
    "Correct is at most proposed, and at most gold; an annotator who is not there has nothing"
    assert GOLD_SNAPSHOT.stat().st_size < 250_000
    for name in "m2", "m2-alternatives", "m2-seeda":
        counts = stored_gold_counts(name)
        statistics = counts.statistics[counts.rows][..., 0, :]
        assert statistics.shape[:2] == (len(GOLD_STORED[name][3]), 1312) and counts.present[:, 0].all()
        correct, proposed, gold = np.moveaxis(statistics, -1, 0)
        assert (correct <= np.minimum(proposed, gold)).all() and not statistics[:, ~counts.present].any()
        assert (gold == gold[:1]).all()
    lines, chunks, hypothesis, reference = np.moveaxis(stored_gold_counts("meteor").statistics, -1, 0)
    assert (chunks <= lines).all() and (lines <= np.minimum(hypothesis, reference)).all()
    assert not stored_errant()[CONLL14.index("INPUT"), :, :2].any()


def test_lengths_are_those_of_the_counts_of_words():
    "METEOR's lengths against those of the region counts, output by output"
    judged = np.unique(stored_judgments("seeda-edit").sentences)
    for name, words, rows in ("meteor", "word", slice(None)), ("meteor-seeda", "seeda", judged):
        counts, meteor = stored_counts(words), stored_gold_counts(name)
        H, D = meteor.rows.shape
        hypothesis = counts.hypothesis[counts.rows[:H, rows]][..., 0, 0] # (H, D)
        assert (meteor.statistics[meteor.rows][:, :, 0, 0, 2] == hypothesis).all()
        assert (meteor.statistics[meteor.rows][..., 0, 3] == counts.reference_lengths[rows]).all()


def test_refused():
    with pytest.raises(ValueError, match="release 2016-04"):
        score_corpus(M2(release="2016-04"), [stored_gold_counts("m2")])
