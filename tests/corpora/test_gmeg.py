"GMEG: texts and judgments are those of the files; tau and r have the figures of another program"
from collections import Counter
from dataclasses import replace
from itertools import combinations
import csv

import numpy as np
import pytest

from gecmetrics_nb import GREEN, METEOR
from gecmetrics_nb.corpora import gmeg, test_set as named_set
from gecmetrics_nb.corpora.judgments import GMEG

# pairs of unequal change
SETS = {"gmeg-fce-test": 11_335, "gmeg-wiki-test": 11_700, "gmeg-fce-dev": 11_504, "gmeg-wiki-dev": 11_889}
TAU = {GREEN(beta=2): [.329, .242, .333, .286], GREEN(beta=2, references="union"): [.406, .277, .388, .306]}
R = {GREEN(beta=2): [.951, .391, .967, .292], GREEN(beta=2, references="union"): [.943, .413, .956, .336]}


@pytest.fixture(autouse=True)
def folder(shared, monkeypatch):
    "Of GMEG, beside the other corpora"
    if not (shared / "gmeg").is_dir(): pytest.skip("no GMEG among the real corpora")
    monkeypatch.setenv("GECNB_DATA", str(shared))
    return shared / "gmeg"


def lines_of(folder, name, file):
    "A text of a set, without our readers"
    _, domain, part = name.split("-")
    return (folder / part / domain / file).read_text(encoding="utf-8").split("\n")[:-1]


def ratings_of(folder, name):
    "A row a sentence: {system: rating as it is written}"
    _, domain, part = name.split("-")
    text = (folder / part / f"{domain}-segment-scores.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def decided(name, folder):
    "[(sentence, two systems, 1 or -1: which is better, words more that the first changes)], from the files"
    rows = ratings_of(folder, name)
    source = lines_of(folder, name, "source")
    outputs = {system: lines_of(folder, name, system) for system in GMEG}
    def change(d, system):
        old, new = Counter(source[d].split()), Counter(outputs[system][d].split())
        return sum(((old - new) + (new - old)).values())
    pairs = ((d, a, b) for d, row in enumerate(rows) for a, b in combinations(GMEG, 2) if row[a] and row[b])
    better = lambda d, a, b: np.sign(float(rows[d][a]) - float(rows[d][b]))
    return [(d, a, b, better(d, a, b), change(d, a) - change(d, b)) for d, a, b in pairs if better(d, a, b)]


@pytest.mark.parametrize("name", SETS)
def test_texts_and_judgments_are_those_of_the_files(name, folder):
    corpus, judged = gmeg(name)
    assert list(corpus.sources) == lines_of(folder, name, "source") == named_set(name).sources
    assert corpus.on == name
    assert [list(r) for r in corpus.references] == [lines_of(folder, name, f"ref{k}") for k in range(4)]
    assert corpus.system_names == judged.systems == GMEG
    assert [list(texts) for texts in corpus.systems] == [lines_of(folder, name, system) for system in GMEG]
    pairs = decided(name, folder)
    assert sum(more != 0 for *_, more in pairs) == SETS[name]
    won = judged.where(judged.outcome != 0)
    theirs = {(d, GMEG.index(a), GMEG.index(b)): outcome for d, a, b, outcome, _ in pairs}
    ours = dict(zip(zip(won.sentences, *won.pairs.T, strict=True), won.outcome, strict=True))
    assert ours == theirs
    texts = corpus.systems
    assert not [d for d, a, b in ours if texts[a][d] == texts[b][d]], "equal texts have equal ratings"


@pytest.mark.parametrize("k, name", list(enumerate(SETS)))
def test_all_pairs_and_whole_systems(k, name, folder):
    "Kendall's tau gains by the union, Pearson's r over outputs does not"
    corpus, pairs = gmeg(name)[0], decided(name, folder)
    rows, outcome = ratings_of(folder, name), np.array([one[3] for one in pairs])
    people = [np.mean([float(row[system]) for row in rows if row[system]]) for system in GMEG]
    at, first, second = np.array([(d, GMEG.index(a), GMEG.index(b)) for d, a, b, _, _ in pairs]).T
    for metric in TAU:
        sentences = np.array([*metric.sentence_scores(corpus).values()])
        tau = (np.sign((sentences[first, at] - sentences[second, at]).round(12)) * outcome).mean()
        scores = list(metric.corpus_score(corpus).values())
        assert (round(tau, 3), round(np.corrcoef(scores, people)[0, 1], 3)) == (TAU[metric][k], R[metric][k])


@pytest.mark.parametrize("name", ["gmeg-wiki-test", "gmeg-wiki-dev"])
def test_meteor_aligns_an_output_that_repeats_a_phrase_to_the_end_of_a_line(name, folder):
    corpus, _ = gmeg(name)
    marian = corpus.systems[GMEG.index("marian")]
    [score] = METEOR().corpus_score(replace(corpus, systems=[marian], system_names=["marian"], warn=False)).values()
    assert 0 < score < 1
