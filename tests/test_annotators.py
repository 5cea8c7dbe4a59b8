"Sums over the sentences against each of twenty files of references: those of the text, and what GLEU makes of them"
from itertools import combinations

import numpy as np
import pytest

from gecmetrics_nb.annotators import COUNTED, EIGHT, TEN, TWENTY, count_reference_totals, reference_totals, write_reference_totals
from gecmetrics_nb.corpus import Corpus
from gecmetrics_nb.data import CONLL14, stored_counts
from gecmetrics_nb.files import read_lines
from gecmetrics_nb.metric import collect, score_corpus
from gecmetrics_nb.metrics.gleu import GLEU
import slow


def test_stored_sums_are_those_of_the_text(shared, tmp_path):
    find = lambda name: shared / "data" / name
    counted = count_reference_totals(find)
    write_reference_totals(tmp_path / "sums.npz", find)
    with np.load(tmp_path / "sums.npz") as written:
        for name in COUNTED: assert (reference_totals(name) == counted[name]).all() and (written[name] == counted[name]).all()


def test_eighteen_sets_are_in_twenty_files(shared):
    texts = {name: read_lines(shared / "data/grammaticality-metrics/references" / name) for name in TWENTY}
    differ = {pair: sum(a != b for a, b in zip(*map(texts.get, pair), strict=True)) for pair in combinations(TWENTY, 2)}
    assert {pair: n for pair, n in differ.items() if n < 100} == {("BN3", "NUCLEB"): 0, ("BN7", "NUCLEA"): 6}
    assert len(TEN) + len(EIGHT) == 18 and set(texts) == set(TWENTY)


def test_the_sums_of_one_system_in_plain_python(shared):
    "GLEU of AMU against one reference by slow.py"
    read = lambda name: read_lines(shared / "data" / name)
    source, amu, reference = (read(f"conll14/official_submissions/{name}") for name in ("INPUT", "AMU", "../../grammaticality-metrics/references/BN4"))
    theirs = slow.gleu(source, amu, [reference], [0] * len(source))
    assert GLEU().score(reference_totals("gleu")[CONLL14.index("AMU"), TWENTY.index("BN4")]) == pytest.approx(theirs, abs=1e-12)


def test_the_two_of_the_shared_task_are_those_of_the_snapshot():
    "Means of sums, against 500 draws of the counts of each sentence"
    task = [TWENTY.index("NUCLEA"), TWENTY.index("NUCLEB")]
    mean = GLEU().score(reference_totals()[:, task].mean(axis=1))
    statistics, present = collect(GLEU(), [stored_counts()])
    assert (statistics[:13].sum(axis=1) == reference_totals()[:, task]).all() and present.all()
    drawn = score_corpus(GLEU(), [stored_counts()])[:13]
    for value, score in zip(mean, drawn, strict=True): assert value == pytest.approx(float(score), abs=4 * score.standard_error)


def test_the_mean_of_sums_is_the_sum_of_means():
    sources, references, outputs = slow.corpus(3, sentences=30, references=3, systems=2, blanks=False)
    statistics, _ = collect(GLEU(order=2), GLEU(order=2).count(Corpus(sources, references, outputs)))
    assert statistics.sum(axis=1)[:, [0, 2]].mean(axis=1) == pytest.approx(statistics[:, :, [0, 2]].mean(axis=2).sum(axis=1))


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="name is 'bleu': use one of gleu, green"): reference_totals("bleu")
