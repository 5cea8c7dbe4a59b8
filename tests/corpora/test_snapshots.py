"What tools/snapshots.py makes of the texts is what the package carries"
import numpy as np
import pytest

from gecmetrics_nb.corpora.conll14 import stored_arrays
from gecmetrics_nb.reproduce.tables import find_source
import snapshots

ELSEWHERE = {"conll14_gold.npz", "conll14_pays.npz"} # test_gold_counts and test_pays count the same texts


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
