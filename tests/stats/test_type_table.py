"A table of systems and types of errors: F by counting, intervals of compare_systems, shares of nothing"
from collections import Counter
from random import Random

import numpy as np
import pytest

from gecmetrics_nb import ERRANT, EditCorpus, compare_systems, parse_m2
from gecmetrics_nb.metrics.error_types import ErrorTypes
from gecmetrics_nb.stats.type_table import frequent_categories, type_table

KINDS = ["M:DET", "R:DET", "R:PREP", "U:VERB:SVA"]
EDIT = "A {} {}|||{}|||{}|||REQUIRED|||-NONE-|||0"


def made(seed, sentences=40):
    "Of each sentence of four words, the types of edits by their places"
    rng = Random(seed)
    return [{k: rng.choice(KINDS) for k in range(4) if rng.random() < .4} for _ in range(sentences)]


def as_m2(sentences):
    noop = [EDIT.format(-1, -1, "noop", "-NONE-")]
    rows = [[EDIT.format(k, k + 1, kind, "x") for k, kind in edits.items()] for edits in sentences]
    return parse_m2([line for each in rows for line in ("S a b c d", *(each or noop), "")])


GOLD, OUTPUTS = made(0), {"A": made(1), "B": made(2)}
CORPUS = EditCorpus(as_m2(GOLD), {name: as_m2(edits) for name, edits in OUTPUTS.items()})
TYPES = ErrorTypes(CORPUS)


def f_of(name, *categories):
    places = [[{k for k, kind in edits.items() if kind[2:] in categories} for edits in side]
              for side in (OUTPUTS[name], GOLD)]
    tp, ours, theirs = (sum(map(len, sets)) for sets in (map(set.intersection, *places), *places))
    return 1.25 * tp / (ours + .25 * theirs)


def test_values_by_counting_and_intervals_by_comparing():
    table = type_table(TYPES, ["DET", "PREP,DET"], draws=100, seed=2)
    expected = [[f_of(name, "DET"), f_of(name, "PREP", "DET")] for name in "AB"]
    assert table.values == pytest.approx(np.array(expected), abs=5e-5)
    for s, kind in enumerate(table.selectors):
        found = compare_systems(ERRANT(types=kind), CORPUS, test="bootstrap", draws=100, seed=2)
        assert np.allclose(table.intervals[:, s], found.intervals, atol=.0001) # its F is rounded
    first = 100 * np.array([table.values[1, 0], *table.intervals[1, 0]])
    cell = "{:.1f} ({:.1f} to {:.1f})".format(*first)
    assert [*table.rows()][1][:2] == ["B", cell] and f"B  {cell}" in repr(table)
    assert "type_only, x 100|mode:cs|beta:0.5|sentences:40|bootstrap|draws:100|seed:2|confidence:95 %" in repr(table)
    for wrong in {"selectors": []}, {"selectors": ["QQ"]}, {"measure": "F"}, {"draws": 0}, {"confidence": 1}:
        with pytest.raises(ValueError): type_table(TYPES, **wrong)


def test_the_most_frequent_categories_of_the_annotators_stand_first():
    counted = Counter(kind[2:] for edits in GOLD for kind in edits.values()).most_common()
    names = [name for name, _ in counted]
    assert frequent_categories(TYPES) == names == [*type_table(TYPES, draws=2).selectors]
    assert frequent_categories(TYPES, 2) == names[:2]


def test_a_share_of_nothing_has_no_number():
    touched = [{0: "R:DET"}, {}]
    one = EditCorpus(as_m2(touched[:1]), {"A": as_m2(touched[:1])})
    table = type_table(ErrorTypes(one), ["DET"], "overcorrection", draws=9)
    assert np.isnan(table.values).all() and np.isnan(table.intervals).all() and "none" in repr(table)
    some = EditCorpus(as_m2(touched * 3), {"A": as_m2(touched * 3)}) # of six sentences three are touched
    table = type_table(ErrorTypes(some), ["DET"], "success", draws=500)
    assert table.intervals.tolist() == [[[1, 1]]] # where no sentence of the type is drawn, there is no share
    missed = ErrorTypes(EditCorpus(as_m2(touched), {"A": as_m2([{}, {}])}))
    for measure in "overall", "type", "type_only", "detection": # nor an F
        assert type_table(missed, ["DET"], measure, draws=50).intervals.tolist() == [[[0, 0]]], measure
    other = EditCorpus(as_m2(touched), {"A": as_m2(touched), "B": as_m2([{0: "M:DET"}, {}])})
    table = type_table(ErrorTypes(other), ["M:DET"], draws=50) # which A never makes, and nobody wants
    assert np.isnan(table.values[0]).all() and np.isnan(table.intervals[0]).all() and table.intervals[1].tolist() == [[0, 0]]
