"The edit lattice against m2scorer, and where there is much to cut"
from random import Random
import gzip
import json
import os
import subprocess
import sys

import pytest
import slow_m2

from gecmetrics_nb.alignment.edit_lattice import (MAX_VERTICES, Arcs, EditSequences, GoldEdit, Lattice, ManyArcs, TooLarge,
                                                  arcs_of, best_edit_sequence, check_lengths, lattices, set_weights)
from gecmetrics_nb.metrics.i_measure import IMeasure, _check_size
from gecmetrics_nb.metrics.m2 import M2

RELEASES = {"3.2": "release32", "2016-04": "later"} # and their names in the golden file


def numbered(*texts):
    numbers = {word: k for k, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
    return tuple([numbers[word] for word in text] for text in texts)


@pytest.fixture(scope="module")
def fuzz(shared):
    with gzip.open(shared / "golden/m2/fuzz-2000.jsonl.gz", "rt", encoding="utf-8") as file: return [json.loads(line) for line in file]


@pytest.mark.parametrize("kind,every", [(Arcs, 1), (ManyArcs, 4)])
def test_official_paths(fuzz, kind, every):
    "Edits and number of arcs of both releases for two annotators: 8,000 of 8,000"
    fuzz, equal = fuzz[::every], 0
    for case, (_, lattice) in zip(fuzz, sorted(lattices([numbered(c["s"], c["h"]) for c in fuzz])), strict=True):
        arcs = kind(lattice, case["mu"])
        for release, key in RELEASES.items():
            sequences = EditSequences(arcs, case["s"], case["h"], release)
            for gold, (path, _, size) in zip(case["golds"], case[key], strict=True):
                weights = set_weights(sequences, [GoldEdit(a, b, old, tuple(new)) for a, b, old, new in gold])
                edits = best_edit_sequence(sequences, weights)
                equal += [list(edit) for edit in edits] == path and arcs.size == size
    assert equal == 8000 // every


def test_the_slow_program_answers_as_the_official_one(fuzz):
    "Those of the 8,000 paths with texts of few words; without the corpora it takes the place of the golden file"
    small, equal = [case for case in fuzz if len(case["s"]) * len(case["h"]) <= 40], 0
    for case in small:
        for release, key in RELEASES.items():
            for gold, (path, _, size) in zip(case["golds"], case[key], strict=True):
                edits, arcs = slow_m2.edits_for(gold, case["s"], case["h"], case["mu"], release)
                equal += [list(edit[:4]) for edit in edits] == path and arcs == size
    assert equal == 4 * len(small) > 5000


def found(kind, source, hypothesis, gold, most=2, *release):
    "Edits and number of arcs"
    [(_, lattice)] = lattices([numbered(source, hypothesis)])
    arcs = kind(lattice, most)
    sequences = EditSequences(arcs, source, hypothesis, *release)
    weights = set_weights(sequences, [GoldEdit(start, end, old, tuple(new)) for start, end, old, new in gold])
    return [tuple(edit) for edit in best_edit_sequence(sequences, weights)], arcs.size


@pytest.mark.parametrize("kind", [Arcs, ManyArcs])
def test_random_paths(kind):
    "600 small cases with the wishes of an annotator, alternatives and repetitions among them, against the slow program"
    random = Random(3)
    for case in range(600):
        source, hypothesis = (random.choices("abc", k=random.randint(0, 6)) for _ in range(2))
        gold = []
        for _ in range(random.randint(0, 4)):
            start = random.randint(0, len(source))
            end = min(len(source), start + random.randint(0, 2))
            words = [" ".join(random.choices("abc", k=random.randint(0, 2))) for _ in range(random.randint(1, 2))]
            gold.append((start, end, " ".join(source[start:end]), words))
        most, release = random.randint(0, 3), random.choice([(), *zip(RELEASES)]) # without one it is 3.2
        edits, arcs = slow_m2.edits_for(gold, source, hypothesis, most, *release)
        assert found(kind, source, hypothesis, gold, most, *release) == ([edit[:4] for edit in edits], arcs), case


def test_blocks_of_tables_make_no_difference(fuzz, monkeypatch):
    pairs = [numbered(c["s"], c["h"]) for c in fuzz[:200]]
    together = dict(lattices(pairs))
    monkeypatch.setattr("gecmetrics_nb.alignment.edit_lattice.BATCH_CELLS", 1)
    assert dict(lattices(pairs)) == together and len(together) == 200


def test_few_and_many_arcs(monkeypatch):
    "Twelve points with an edge to each later one have 66 arcs: as many as dictionaries may hold, and one more"
    dense = Lattice([0, *[1] * 11], [0] * 12, [(u, v, 1, False) for u in range(12) for v in range(u + 1, 12)])
    for most, kind in (66, Arcs), (65, ManyArcs):
        monkeypatch.setattr("gecmetrics_nb.alignment.edit_lattice.MAX_DICT_ARCS", most)
        assert type(arcs_of(dense, 2)) is kind
    apart = lambda points: Lattice([1] * points, [0] * points, [])
    assert arcs_of(apart(MAX_VERTICES), 2).size == 0
    with pytest.raises(TooLarge, match="14,001 points.*14,000 at most"): arcs_of(apart(MAX_VERTICES + 1), 2)


def test_long_lines_have_the_same_paths_in_dictionaries_and_in_arrays():
    "Of 1,500 words, one in ten of them changed, left out or doubled, of which the annotator wants the first ten changes"
    random = Random(5)
    source = [f"w{random.randrange(300)}" for _ in range(1500)]
    some = [random.random() < .1 for _ in source]
    hypothesis = [new for word, is_changed in zip(source, some, strict=True) for new in (random.choice([[], ["x"], [word, word]]) if is_changed else [word])]
    gold = [(k, k + 1, source[k], ["x"]) for k in range(1500) if some[k]][:10]
    ours, others = found(Arcs, source, hypothesis, gold), found(ManyArcs, source, hypothesis, gold)
    assert ours == others and len(ours[0]) > 100


def test_the_limits_are_those_of_the_help():
    "Words of texts of equal length: the last that are aligned, and the first that are not"
    for metric, most, check in (M2, 2895, check_lengths), (IMeasure, 446, lambda n, m: _check_size(0, [0] * n, [0] * m, [[0] * n])):
        check(most, most)
        with pytest.raises(ValueError, match=f"{most + 1:,} words"): check(most + 1, most + 1)
        [said] = [int(word.replace(",", "")) for word in metric.limits.split() if word[0].isdigit()]
        assert abs(said - most) < .02 * most and metric.limits in metric.__doc__
    for n, m in (2047, 4095), (200, 29_800): # as many cells of a table as may be, as many words
        check_lengths(n, m)
        with pytest.raises(TooLarge, match=f"{m + 1:,}"): check_lengths(n, m + 1)


def test_an_output_that_stutters(shared, write):
    "The output that took m2scorer more than five hours (nusnlp/m2scorer issue 8): 1 GB at most"
    with open(shared / "data/conll14/official-2014.combined.m2", encoding="utf-8") as file:
        source = [line[2:].strip() for line in file if line.startswith("S ")][332]
    hypothesis = ("As it is a genetic risk , the patient force might have a high chance of carrying the risk , hence the need to inform their relatives is important . "
                  "Hence , you are suffering from a genetic disease that the genetic trait might be passed on to your next generation if you have a child . "
                  "Hence , there is no legal obligation to disclose to their family members , there is no legal obligation . "
                  + "Hence , there is no legal obligation . " * 16 + "Hence , there")
    write({"g.m2": [f"S {source}", "A 15 18|||X|||the risk , hence the|||REQUIRED|||-NONE-|||0"], "A": [hypothesis]})
    words = [sys.executable, "-m", "gecmetrics_nb", "m2", "-g", "g.m2", "-o", "A", "--format", "json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as job:
        totals = json.loads(job.stdout.read())["scores"][0]["totals"]
        _, _, usage = os.wait4(job.pid, 0)
    assert totals["correct"] == totals["gold"] == [1]
    assert sys.platform != "linux" or usage.ru_maxrss < 1e6 # kilobytes, of more than ten million arcs
