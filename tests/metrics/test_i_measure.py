"I-measure against the released scores of Chollampatt and Ng 2018, and by brute force; what it refuses"
from functools import cache
from itertools import combinations, product
from random import Random
import gzip

import numpy as np
import pytest

from gecmetrics_nb.io.m2 import parse_m2
from gecmetrics_nb.metrics import i_measure
from gecmetrics_nb.metrics.i_measure import IMeasure, alignment_counts, candidates_of, clusters, treebank, with_mixing, without_mixing
from gecmetrics_nb.metrics.m2 import GoldCorpus, read_gold
from gecmetrics_nb.core.metric import score_corpus, score_sentences
from gecmetrics_nb.io.files import read_lines

SCORES = "data/conll14/c18-1231/scores"


@pytest.fixture(scope="module")
def gold(shared): return read_gold(shared / "data/conll14/official-2014.combined.m2")


def released(path):
    with gzip.open(path, "rt", encoding="utf-8") as file: return [line.split() for line in file]


def test_chollampatt_and_ng(shared, gold):
    "13 of 13 corpus scores and 17,056 of 17,056 sentence scores"
    systems = {row[3]: float(row[-1]) for row in released(shared / SCORES / "system_scores_metrics/imeasure.txt.gz")}
    sentences = released(shared / SCORES / "sentence_scores_metrics/imeasure.txt.gz")
    texts = {name: read_lines(shared / "data/conll14/official_submissions" / name) for name in systems}
    metric = IMeasure()
    parts = list(metric.count(GoldCorpus(gold, texts.values(), tuple(texts))))
    corpus, each = score_corpus(metric, parts), dict(zip(texts, score_sentences(metric, parts), strict=True))
    assert {name: round(score.percent, 2) for name, score in zip(texts, corpus, strict=True)} == systems and len(systems) == 13
    assert sum(round(100 * each[name][int(d)], 2) == float(value) for *_, name, d, value in sentences) == len(sentences) == 17_056


def test_mixing_is_bounded(gold):
    "The sentence with 17,179,869,184 combinations is refused by its number; small ones are mixed"
    metric = IMeasure(candidates="mix")
    with pytest.raises(ValueError, match='^sentence 333: 17,179,869,184 combinations of the annotators\' edits, 4,096 at most; use candidates="nomix"'):
        candidates_of(metric, gold, 332)
    with pytest.raises(ValueError, match="^sentence 333: "): candidates_of(metric, gold.part(330, 340), 2)
    nomix, most = IMeasure(), 0
    for d in range(300):
        mixed = set(candidates_of(metric, gold, d))
        assert set(candidates_of(nomix, gold, d)) <= mixed
        most = max(most, len(mixed))
    assert most > 50


def test_clusters():
    "Edits that overlap are alternatives, edits apart are not; what all annotators have cannot be left out"
    a, b, c = (0, 2, ("x",)), (1, 3, ("y",)), (4, 5, ("z",))
    assert clusters({0: (a,), 1: (b, c)}) == [[(a,), (b,)], [(), (c,)]]
    assert clusters({0: (c,), 1: (c,)}) == [[(c,)]]
    touching = (1, 3, ("y",)), (0, 1, ("x",)), (3, 4, ("z",)) # but no word is in two of them
    assert clusters({0: touching, 1: ()}) == [[(edit,), ()] for edit in touching]
    first, second = (4, 4, (";",)), (4, 4, ("It",)) # two at one place are one alternative
    assert clusters({0: (first, second), 1: ()}) == [[(first, second), ()]]
    assert with_mixing("a b c d e".split(), {0: (a,), 1: (b, c)}) == [tuple(t.split()) for t in ("x c d e", "x c d z", "a y d e", "a y d z")]
    assert without_mixing("a b".split(), {0: ((0, 2, ()),), 1: ()}) == [("a", "b")] # nobody deletes the whole sentence
    changes = tuple((2 * k, 2 * k + 1, ("x",)) for k in range(13)) # apart, each made or not
    assert len(with_mixing(("a",) * 26, {0: changes[:12], 1: ()})) == 4096
    with pytest.raises(ValueError, match="8,192 combinations"): with_mixing(("a",) * 26, {0: changes, 1: ()})


def test_treebank_without_nltk(gold, monkeypatch):
    "All corrections of CoNLL-2014 and most random texts are cut as NLTK cuts them, without it; others ask for it"
    from nltk.tokenize import NLTKWordTokenizer
    cut, random = NLTKWordTokenizer().tokenize, Random(0)
    corrections = {text for found in gold.edits for wants in found.values() for want in wants for text in want.alternatives}
    words = "the a-b A1 cannot can not , . ; : ? ! gonna wanna it 's n't -- - x-y-z 3 well. 'tis more'n U.S. e.g. " \
            "he/she .Early a.b known,the 1,000 x.1 a,1 1.5 Forests'sview o'clock it's d'ye don't c.,d 'll is 're ' ' 3."
    words = words.split()
    texts = corrections | {" ".join(random.choices(words, k=random.randint(1, 5))) for _ in range(2000)}
    texts |= {"".join(random.choices("aAsdmlt0 .,'-/:;!n", k=random.randint(1, 9))) for _ in range(6000)}
    assert [text for text in texts if treebank(text) != cut(text)] == []
    monkeypatch.setitem(__import__("sys").modules, "nltk.tokenize", None)
    plain = 0
    for text in texts:
        try: plain += treebank(text) == cut(text)
        except ImportError as error: assert "gecmetrics_nb[stem]" in str(error)
    assert 1500 < plain < len(texts)
    assert all(isinstance(treebank(text), list) for text in corrections)


def slow_columns(*texts):
    "The cheapest alignment of three texts by its definition, from the end: of equally cheap last columns the first in the order of the paper's program"
    moves = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]

    @cache
    def cheapest(*ends):
        if not any(ends): return 0, ()
        found = []
        for move in moves:
            if any(taken > end for taken, end in zip(move, ends, strict=True)): continue
            words = [text[end - 1] if taken else None for text, taken, end in zip(texts, move, ends, strict=True)]
            cost = sum(0 if a == b else 2 if None in (a, b) else 3 for a, b in combinations(words, 2))
            before, columns = cheapest(*(end - taken for end, taken in zip(ends, move, strict=True)))
            found.append((before + cost, (*columns, tuple(words))))
        return min(found, key=lambda whole: whole[0])

    return cheapest(*map(len, texts))[1]


def test_counts_equal_the_definition():
    "600 random triples of few words, where ties abound; among them sources that are left alone or are right"
    random = Random(0)
    some_words = lambda: tuple(random.choices(range(random.randint(1, 4)), k=random.randint(0, 6)))
    triples = [(some_words(), some_words(), some_words()) for _ in range(400)]
    triples += [(s, s, r) for s, _, r in triples[:100]] + [(s, h, s) for s, h, _ in triples[:100]]
    for triple, counted in zip(triples, alignment_counts(triples), strict=True):
        columns = slow_columns(*triple)
        right = sum(h == r != s for s, h, r in columns)
        alone = sum(s == h == r for s, h, r in columns)
        both = sum(s != h != r != s for s, h, r in columns)
        spoiled = both + sum(s == r != h for s, h, r in columns)
        missed = both + sum(s == h != r for s, h, r in columns)
        assert counted.tolist() == [right, alone, spoiled, missed, both], triple


def test_bands_and_batches_make_no_difference(monkeypatch):
    "Texts that are alike, at different lengths, found within any band: none, a narrow one, all"
    random, counts = Random(2), []
    def changed(text): return tuple(w for word in text for w in random.choice([[word]] * 6 + [[], [9], [word, word]]))
    sources = [tuple(random.choices(range(6), k=random.randint(0, 25))) for _ in range(300)]
    triples = [(s, changed(s), changed(s)) for s in sources] + [(s, s, changed(s)) for s in sources[:50]]
    triples += [tuple(tuple(random.choices(range(3), k=random.randint(0, 12))) for _ in range(3)) for _ in range(300)]
    halves = [(tuple(range(u)), tuple(range(u, 2 * u))) for u in range(1, 20)] # the farthest from the diagonal for their cost
    triples += [order for u, v in halves for order in ((u + v, v + u, v + u), (v + u, u + v, v + u), (v + u, v + u, u + v))]
    for band, size in (0, i_measure.BATCH_BYTES), (3, 1), (8, i_measure.BATCH_BYTES), (1000, i_measure.BATCH_BYTES):
        for name, value in ("FIRST_BAND", band), ("BATCH_BYTES", size): monkeypatch.setattr(i_measure, name, value)
        counts.append(alignment_counts(triples))
    assert all((found == counts[-1]).all() for found in counts) and counts[-1].sum() > 10_000


def test_the_bytes_of_a_table_are_told_before_it_is_filled():
    for sizes, band in ((3, 5, 4), 2), ((6, 2, 1), 30):
        moves = i_measure.plane_moves(np.zeros((3, 2 * sum(sizes) + 2, 1), np.int32), sizes, band)
        assert moves.nbytes == i_measure.table_bytes(sizes, band)


def test_long_texts_in_wider_integers():
    "The costs of three texts of 300 words, nothing in common, would not fit into 16 bits"
    n = 300
    [counts] = alignment_counts([(tuple(range(n)), tuple(range(n, 2 * n)), tuple(range(2 * n, 3 * n)))])
    assert counts.tolist() == [0, 0, n, n, n]
    short = (1, 2, 3), (2, 3, 3), (1, 3, 4) # before and after words that all three have
    once, long = alignment_counts([short, tuple((*words, *range(9, n + 9), *words) for words in short)])
    assert long.tolist() == (2 * once + [0, n, 0, 0, 0]).tolist()


def counts_of(hypothesis, m2):
    "TP, TN, FP, FN, FPN of the hypothesis and of the source, against the reference that is best"
    found = IMeasure().statistics(hypotheses=[hypothesis], gold=parse_m2(m2.split("\n"))).ravel().tolist()
    return found[:5], found[5:]


def test_detection_decides_where_nothing_is_corrected():
    """*He go* became *She went*; one annotator wants *He go home*, one *They go*. With both nothing is right: W 0, I -1, accuracy 0.
    The second saw an error where the system saw one (W .5 for detection, 0 with the first), and is taken"""
    m2 = "S He go\nA 2 2|||M|||home|||REQUIRED|||-NONE-|||0\nA 0 1|||R|||They|||REQUIRED|||-NONE-|||1"
    assert counts_of("She went", m2) == ([0, 0, 2, 1, 1], [0, 1, 0, 1, 0])
    assert counts_of("She went", m2.split("\n")[0] + "\n" + m2.split("\n")[1]) == ([0, 0, 2, 1, 0], [0, 2, 0, 1, 0])


def test_what_detection_counts():
    "All columns of up to three different words: in detection it is right to change what the reference changes, whatever becomes of it"
    columns = [c for c in product(range(3), repeat=3)]
    detected = {(True, True): "TN", (False, True): "FP", (True, False): "FN", (False, False): "TP"} # is it the source's word in the hypothesis, the reference?
    for column in columns:
        source, hypothesis, reference = column
        expected = [name == detected[hypothesis == source, reference == source] for name in i_measure.COUNTS]
        assert i_measure._detection(i_measure.column_classes(*np.array(column)).astype(int)).tolist() == expected, column
