"METEOR against choices counted by hand, published examples and NLTK"
from collections import Counter
from itertools import combinations
from math import comb, prod
import random
import sys

import numpy as np
import pytest

from gecmetrics_nb.alignment.search import TooManyAlignments, align, chunks, most_adjacent_links, split_by_ambiguity
from gecmetrics_nb.alignment.batched import count_alignments
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.metrics.meteor import METEOR, meteor_links, meteor_parts
from gecmetrics_nb.core.metric import score_sentences
from slow import crossed, runs
import slow


@pytest.mark.parametrize("reference,hypothesis,score", [ # brute force over all one-to-one alignments, from another program
    ("the cat", "the the the the", .227273), ("the cat sat", "the cat sat the cat sat", .892256), ("the the cat", "the cat", .646552),
    ("a x b", "a b", .344828), ("the cat sat on the mat", "on the mat sat the cat", .5), ("a a", "a a b a", .852273),
    ("the cat sat on the mat", "the cat sat on the mat", .9977), ("the cat sat on the mat", "the cat was sat on the mat", .9654)])
def test_known_scores(reference, hypothesis, score):
    ours = METEOR().corpus_score(sources=[reference], hypotheses=[hypothesis], references=[[reference]])
    assert float(ours) == pytest.approx(score, abs=5e-5 if score in (.9977, .9654) else 5e-7)


def test_where_nothing_matches_there_is_no_penalty():
    "Not even where 0 chunks of 0 links are raised to the power of 0"
    assert [float(part) for part in meteor_parts([[0, 0, 2, 3]], beta=0)] == [0, 0, 0, 0]


def test_the_second_round_knows_the_first():
    pytest.importorskip("nltk")
    for fewest in "crossings", "chunks":
        metric = METEOR(stems=True, fewest=fewest)
        one = metric.statistics(sources=["x"], hypotheses=["liked x likes cats"], references=[["like cats"]])
        two = metric.statistics(sources=["x"], hypotheses=["likes cats x liked"], references=[["like cats"]])
        assert one[0, 0, 0].tolist() == two[0, 0, 0].tolist() == [2, 1, 4, 2]
    texts = dict(sources=["x"], hypotheses=["the US cats"], references=[["THE us Cats"]])
    assert METEOR(stems=True).statistics(**texts)[0, 0, 0, 0] == 0


def by_choices(h, r, most=300):
    "Links, crossings and chunks by all choices of occurrences, words paired in order; None where they are too many"
    here, there = ({w: [k for k, t in enumerate(side) if t == w] for w in side} for side in (h, r))
    shared = [(here[w], there[w]) for w in here if w in there]
    if prod(comb(max(len(a), len(b)), min(len(a), len(b))) for a, b in shared) > most: return None
    alignments = [[]]
    for a, b in shared:
        n = min(len(a), len(b))
        alignments = [links + list(zip(x, y, strict=True)) for links in alignments for x in combinations(a, n) for y in combinations(b, n)]
    return len(alignments[0]), *min((crossed(links), runs(links)) for links in alignments)


def by_formula(links, pieces, h, r):
    if not links: return 0.0
    precision, recall = links / h, links / r
    return 10 * precision * recall / (recall + 9 * precision) * (1 - .5 * (pieces / links) ** 3)


@pytest.mark.slow
def test_sentences_of_conll14_equal_the_definition(conll14):
    "Every line of AMU and of REF0 whose words leave at most 300 choices, against both annotators"
    names = conll14.system_names.index("AMU"), conll14.system_names.index("REF0")
    ours = score_sentences(METEOR(), METEOR().count(conll14))
    compared = 0
    for system in names:
        for d, text in enumerate(conll14.systems[system]):
            scores = []
            for column in conll14.references:
                h, r = text.split(), column[d].split()
                found = by_choices(h, r)
                scores.append(None if found is None else by_formula(*found[::2], len(h), len(r)))
            if None in scores: continue
            compared += 1
            assert ours[system, d] == pytest.approx(max(scores), abs=1e-12), (system, d)
    assert compared > 2300


@pytest.mark.slow
def test_what_many_alignments_says_of_conll14(conll14):
    "Different pairs of the thirteen outputs and the references, those without a choice, and those that are left to the search"
    outputs = Corpus(None, conll14.references, conll14.systems[:13])
    blocks = list(count_alignments(outputs))
    certain = 0
    for block in blocks:
        for u, r in np.ndindex(block.unsettled.shape):
            here, there = (Counter(text.split()) for text in block.pair(u, r)[1:])
            certain += all(here[w] == there[w] for w in here.keys() & there.keys())
    assert (sum(block.unsettled.size for block in blocks), certain) == (14_870, 7_656)
    assert sum(block.unsettled.sum() for block in blocks) == 200


def test_statistics_of_a_corpus_equal_pair_by_pair():
    "Several references, some missing, equal hypotheses; in lower case, by characters and by an own unit"
    sources, references, systems = slow.corpus(3, references=3, sentences=600, longest=12)
    references[1] = [None if d % 3 else text for d, text in enumerate(references[1])]
    systems = [*systems, systems[0], sources]
    units = {"word": str.split, "char": lambda line: list(line.rstrip()), "own": None}
    own = lambda line: line.lower().split("e")
    for unit, cut in units.items():
        metric = METEOR(unit=own if cut is None else unit, lowercase=unit == "word")
        table = metric.statistics(hypotheses=systems[0], references=references)
        for d, row in enumerate(table):
            for r, (links, pieces, h, t) in enumerate(row[:, 0].tolist()):
                if references[r][d] is None: assert (links, pieces, h, t) == (0, 0, 0, 0); continue
                texts = [text.lower() if unit == "word" else text for text in (systems[0][d], references[r][d])]
                left, right = map(cut or own, texts)
                drawn = align(left, right)
                assert (links, pieces, h, t) == (len(drawn), runs(drawn), len(left), len(right)), (unit, d, r)


def test_long_lines_are_counted_as_short_ones_are(monkeypatch):
    "The unambiguous links that a link crosses, one link at a time and all at once"
    texts = slow.corpus(5, references=2, sentences=300, longest=25)
    count = lambda: METEOR().statistics(hypotheses=texts[2][0], references=texts[1])
    expected = count()
    one_by_one = lambda numbers, rows, columns: np.concatenate([numbers(slice(k, k + 1)) for k in range(rows)])
    monkeypatch.setattr(sys.modules["gecmetrics_nb.alignment.batched"], "by_parts", one_by_one)
    assert (count() == expected).all()


def edited(line, rng):
    "A tenth of the words replaced, put in or left out"
    line = list(line)
    for _ in range(len(line) // 10):
        place = rng.randrange(len(line))
        line[place:place + rng.randint(0, 1)] = [rng.choice(line)] * rng.randint(0, 1)
    return line


@pytest.mark.slow
@pytest.mark.parametrize("fewest", ["crossings", "chunks"])
@pytest.mark.parametrize("words,vocabulary", [(1000, 10), (3000, 2), (10_000, 2), (10_000, 100), (10_000, 5000), (30_000, 20_000)])
def test_a_search_ends(words, vocabulary, fewest):
    "With a score, or with an error when its limit of work is reached"
    rng = random.Random(words + vocabulary)
    line = rng.choices(range(vocabulary), k=words)
    for other in rng.choices(range(vocabulary), k=words), edited(line, rng):
        try: assert 0 <= METEOR(fewest=fewest).sentence_scores(hypotheses=[" ".join(map(str, line))], references=[[" ".join(map(str, other))]])[0] <= 1
        except TooManyAlignments as error: assert "sentence 1: " in str(error) and "raise the limit" in str(error)


def test_fewest_chunks_of_what_is_repeated(monkeypatch):
    "One word, and phrases, many times; what is too long is refused by name"
    assert most_adjacent_links(["the"] * 20, ["the"] * 10) == 9
    metric = METEOR(fewest="chunks")
    texts = dict(hypotheses=["the " * 20, "I like to " * 12], references=[["the " * 10, "I like to eat"]])
    assert metric.statistics(**texts)[:, 0, 0].tolist() == [[10, 1, 20, 10], [3, 1, 36, 4]]
    rng = random.Random(0)
    line, other = (" ".join(rng.choice("ab") for _ in range(400)) for _ in range(2))
    monkeypatch.setattr("gecmetrics_nb.core.counts.BATCH", 1) # a sentence
    with pytest.raises(TooManyAlignments, match="sentence 2: the search was given up"):
        metric.corpus_score(hypotheses=["a", line], references=[["a", other]])


@pytest.mark.parametrize("fewest", ["crossings", "chunks"])
def test_stems_are_sought_wherever_they_add_a_link(fewest):
    "The second stage is left out only where it draws no link: against both stages of every pair, and against bags of words"
    stem = pytest.importorskip("nltk.stem.porter").PorterStemmer().stem
    rng, words = random.Random(7), "like likes liked cat cats the a".split()
    texts = [[" ".join(rng.choice(words) for _ in range(rng.randint(0, 7))) for _ in range(200)] for _ in range(2)]
    table = METEOR(stems=True, fewest=fewest).statistics(hypotheses=texts[0], references=texts[1:])[:, 0, 0]
    added = 0
    for h, r, row in zip(*(map(str.split, side) for side in texts), table.tolist(), strict=True):
        links = meteor_links(h, r, fewest, stems=True)
        assert row == [len(links), runs(links), len(h), len(r)], (h, r)
        added += len(links) > len(align(h, r))
        one, other = Counter(h), Counter(r)
        left = Counter(map(stem, (one - other).elements())) & Counter(map(stem, (other - one).elements()))
        assert len(links) == sum((one & other).values()) + sum(left.values()), (h, r)
    assert 20 < added < 180


def test_words_that_are_very_often_there(monkeypatch):
    "From either side, against every choice of places; and repeated too often to list the choices"
    monkeypatch.setattr(sys.modules["gecmetrics_nb.alignment.search"], "links_in_reach", lambda words, alone, weight: np.ones(len(alone), bool))
    rng, done = random.Random(8), 0
    for _ in range(400):
        h, r = ([rng.choice("abc") for _ in range(rng.randint(3, 11))] for _ in range(2))
        expected = by_choices(h, r, 1000)
        if len(split_by_ambiguity(tuple(h), tuple(r))[1]) < 2 or expected is None: continue
        for links in align(h, r), align(r, h): assert (len(links), crossed(links), runs(links)) == expected
        done += 1
    assert done > 150
    monkeypatch.undo()
    both = "the a " * 10
    for one, other in ("the " * 500, "the " * 400), (3 * both, 2 * both), ("a b c d " * 15, "a b c d " * 10), (both + "the " * 10, both + "a " * 10):
        links = align(one.split(), other.split())
        most = sum((Counter(one.split()) & Counter(other.split())).values())
        assert (len(links), crossed(links), runs(links)) == (most, 0, 1)


@pytest.mark.slow
def test_no_sentence_of_conll14_is_refused_by_either_rule(conll14):
    "All thirteen outputs, both annotators; the chunks are METEOR's"
    outputs = Corpus(None, conll14.references, conll14.systems[:13])
    for fewest in "crossings", "chunks":
        first = 0
        for block in METEOR(fewest=fewest).count(outputs):
            for d in range(block.rows.shape[1]):
                texts = dict(zip(block.rows[:, d], (system[first + d] for system in outputs.systems), strict=True)) # each once
                for row, text in texts.items():
                    for r, column in enumerate(outputs.references):
                        links = align(text.split(), column[first + d].split(), fewest)
                        assert block.statistics[row, r, 0, :2].tolist() == [len(links), chunks(links)]
            first += block.rows.shape[1]
        assert first == 1312
