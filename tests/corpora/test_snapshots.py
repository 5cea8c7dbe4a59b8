"What tools/snapshots.py makes of the texts is what the package carries"
from types import SimpleNamespace

import numpy as np
import pytest

from gecmetrics_nb import M2
from gecmetrics_nb.core import score_corpus
from gecmetrics_nb.corpora import gold_counts
from gecmetrics_nb.corpora.conll14 import stored_arrays
from gecmetrics_nb.corpora.gold_counts import GOLD_SNAPSHOT, GOLD_STORED, stored_changed, stored_errant, stored_gold_counts
from gecmetrics_nb.reproduce.tables import find_source
import snapshots

ELSEWHERE = {"conll14_gold.npz", "conll14_pays.npz"} # below, and in test_pays, the same texts are counted


def assert_same_arrays(new, path):
    "Names, types and numbers"
    old = stored_arrays(path)
    assert sorted(new) == sorted(old)
    same = lambda name: new[name].dtype == old[name].dtype and np.array_equal(new[name], old[name])
    assert not [name for name in old if not same(name)]


def test_every_file_of_the_package_has_its_function():
    assert {path.name for path in snapshots.FOLDER.glob("*.npz")} == set(snapshots.SNAPSHOTS)


@pytest.mark.parametrize("name", sorted(set(snapshots.SNAPSHOTS) - ELSEWHERE))
def test_arrays_are_those_of_the_text(name, shared, monkeypatch):
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    assert_same_arrays(snapshots.SNAPSHOTS[name](find_source("text")), snapshots.FOLDER / name)


# Counts against gold edits

@pytest.mark.parametrize("name", GOLD_STORED)
def test_counts_against_gold_are_those_of_the_text(name, shared, monkeypatch):
    "Every fourth system where published tables come out with the counts of all, else each"
    step = 4 if name in ("m2", "m2-alternatives", "m2-seeda", "i-measure") else 1
    metric, gold, outputs, systems = GOLD_STORED[name]
    stored = stored_gold_counts(name)
    monkeypatch.setitem(GOLD_STORED, name, (metric, gold, outputs, systems[::step]))
    counts = gold_counts.count_gold(name, find=lambda entry: shared / "data" / entry)
    assert np.array_equal(counts.statistics[counts.rows], stored.statistics[stored.rows][::step])
    assert np.array_equal(counts.present, stored.present) and counts.counting == stored.counting


def test_gold_counts_are_written_as_they_are_read(shared, monkeypatch):
    monkeypatch.setattr(gold_counts, "count_gold", lambda name, find: stored_gold_counts(name))
    arrays = snapshots.gold(SimpleNamespace(path=lambda entry: shared / "data" / entry))
    assert_same_arrays(arrays, GOLD_SNAPSHOT)
    stored = stored_errant()
    assert (stored.statistics[stored.rows][..., 0, :] == arrays["errant"].T[:, :, None]).all() and stored.present.shape == (1312, 2)
    for found, name in zip(stored_changed(), ("errant_changed", "errant_wanted"), strict=True): assert (found == arrays[name]).all()


def test_counts_of_another_release_are_refused():
    with pytest.raises(ValueError, match="release 2016-04"):
        score_corpus(M2(release="2016-04"), [stored_gold_counts("m2")])
