"Regions, n-grams and the way there, against Counter and against what must not matter"
from dataclasses import replace
from itertools import product

from hypothesis import given, strategies as st
import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GoogleGLEU, GREEN, METEOR, Corpus
from gecmetrics_nb.core import counts as engine, token_ids as ids
from gecmetrics_nb.stats import correlation
from gecmetrics_nb.core.formulas import best_reference, brevity_penalty, geometric_mean, nearest_length
from gecmetrics_nb.core.formulas import ranking, ratio
from gecmetrics_nb.core.metric import collect, score_corpus, score_sentences
from gecmetrics_nb.core.regions import REGIONS, region_counts
from gecmetrics_nb.core.token_ids import dense, token_ids
from gecmetrics_nb.core.counts import count_batches, merge
from gecmetrics_nb.corpora.conll14 import stored_counts, unpacked
import slow
import snapshots

line = st.lists(st.sampled_from(["a", "b", "c", "\u00e9"]), max_size=8).map(" ".join)
triples = st.lists(st.tuples(line, line, line), min_size=1, max_size=6)


IN_TEXTS = ["111", "100", "011", "110", "001", "101", "010"] # source, reference, hypothesis of TK, TD, ...


def by_hand(s, r, h):
    "The nine regions of one n-gram and its two differences, from what happened to each occurrence"
    each = ["".join(str(int(k < times)) for times in (s, r, h)) for k in range(max(s, r, h))]
    return [*map(each.count, IN_TEXTS), min(s, h) if r == 0 else 0, min(r, h) if s == 0 else 0,
            min(h, max(r - s, 0)), min(h, max(s - r, 0))]


def test_regions_of_one_ngram_are_those_of_its_occurrences():
    for times in product(range(4), repeat=3):
        assert list(region_counts(*times).items()) == list(zip(REGIONS, by_hand(*times)[:7], strict=False))


@given(triples, st.sampled_from(["word", "char"]), st.integers(1, 5), st.booleans())
def test_regions_equal_counter(texts, unit, order, differences):
    sources, references, hypotheses = zip(*texts, strict=True)
    corpus = Corpus(sources, [references], [hypotheses])
    counts = merge(count_batches(corpus, order, unit, differences=differences))
    for d, (s, r, h) in enumerate(texts):
        row = counts.rows[0, d]
        for n in range(order):
            S, R, H = (slow.grams(t, n + 1, unit) for t in (s, r, h))
            expected = np.sum([by_hand(S[g], R[g], H[g]) for g in S | R | H] or [[0] * 11], axis=0)
            assert counts.regions[row, 0, n].tolist() == expected[:len(counts.columns)].tolist()
            assert (counts.reference[row, 0, n], counts.hypothesis[row, 0, n]) == (R.total(), H.total())


@pytest.mark.parametrize("chunk", [1, 60, 500, 10**9])
def test_cutting_the_corpus_differently_changes_nothing(chunk, monkeypatch):
    sources, references, systems = slow.corpus(1, sentences=60, references=3, systems=3)
    references[1][::4] = [None] * 15
    corpus, metrics = Corpus(sources, references, systems), [GLEU(iterations=30), GLEU(references="max"), GLEU(variant="2015")]
    whole = [[s.value for s in score_corpus(m, m.count(corpus))] for m in metrics]
    monkeypatch.setattr(engine, "BATCH", chunk)
    assert [[s.value for s in score_corpus(m, m.count(corpus))] for m in metrics] == whole


def test_a_missing_reference_counts_like_an_empty_one():
    sources, references, systems = slow.corpus(4, references=2)
    missing, empty = ([references[0], [x] * 40] for x in (None, ""))
    one, two = (merge(count_batches(Corpus(sources, r, systems), 3)) for r in (missing, empty))
    assert (one.regions[one.rows] == two.regions[two.rows]).all()
    assert not one.present[:, 1].any() and two.present.all()


def test_a_source_without_any_word():
    metric = GLEU()
    assert metric.sentence_scores(sources=["", "a"], hypotheses=["", ""], references=[["", "a"]]).tolist() == [1, 0]
    statistics, _ = collect(metric, metric.count(Corpus(["", " "], [["", "\t"]], [["", "\r"]])))
    assert statistics.sum() == 0


@pytest.mark.parametrize("others,says", [
    (dict(unit="char"), "unit"), (dict(order=3), "order"), (dict(union=True), "union"), (dict(differences=True), "differences"),
    (dict(sources=None), "sources"), (dict(systems=2), "systems"), (dict(references=2), "references"),
    (dict(order=3, unit="char"), "unit, order")])
def test_what_was_counted_otherwise_is_not_merged(others, says):
    def part(order=2, unit="word", union=False, differences=False, sources=("a b",), systems=1, references=1):
        return list(count_batches(Corpus(sources, [["a c"]] * references, [["a d"]] * systems), order, unit, union, differences))
    with pytest.raises(ValueError, match=f"^parts differ in {says}: give parts"): merge(part() + part(**others))
    with pytest.raises(ValueError, match="^parts is empty"): merge([])
    assert len(merge(part() + part()).present) == 2



def test_sentences_far_apart_share_no_ngram():
    "Where the last character is U+FFFF, the keys of a character in sentences 0 and 65,536 differ by 2**32, which indices may not hold"
    empty = [""] * 65_535
    counts = merge(count_batches(Corpus(["\uffff", *empty, ""], [["a", *empty, "b"]], [["b", *empty, "a"]]), 1, "char"))
    assert counts["TI"].sum() == 0 and counts["UI"].sum() == counts["OI"].sum() == 2


def check_dense(keys, size):
    ids, largest = dense(keys, size)
    numbers = {k: i for k, i in zip(keys.tolist(), ids.tolist(), strict=True)}
    assert [numbers[k] for k in keys.tolist()] == ids.tolist() and ids.dtype == np.intp
    assert numbers.pop(0, 0) == 0 and sorted(numbers.values()) == list(range(1, largest + 1))


@pytest.mark.parametrize("mix", [0, 1, 1 << 63])
def test_keys_that_meet_in_one_cell_are_told_apart(mix, monkeypatch):
    monkeypatch.setattr(ids, "MIX", np.uint64(mix))
    rng = np.random.default_rng(0)
    for kind in np.int64, np.uint64: check_dense(rng.integers(0, 40, 3000).astype(kind) * kind(10**9), 1 << 64)
    check_dense(rng.integers(0, 2**64 - 1, 3000, np.uint64), 1 << 64)


words = st.text(st.sampled_from("aab\x00\x1c\x85\u3000\u00e9\ud800\U0001f600  \n"), max_size=30) | st.tuples(st.integers(1, ids.LONGEST_WORD + 9), st.sampled_from("xab")).map(lambda w: "x" * w[0] + w[1]) | st.text(max_size=20)


@given(st.lists(st.lists(words, max_size=4).map(" ".join), max_size=8))
def test_words_are_numbered_as_a_dictionary_would(texts):
    numbers, lengths = token_ids(texts, str.split)
    tokens = [t.split() for t in texts]
    assert lengths.tolist() == [len(t) for t in tokens]
    names = dict(zip(sum(tokens, []), numbers.tolist(), strict=True))
    assert [names[w] for w in sum(tokens, [])] == numbers.tolist() and len(set(names.values())) == len(names)
    assert (ids.word_ids(texts) is None) == any(len(w.encode("utf-8", "surrogatepass")) > ids.LONGEST_WORD for t in tokens for w in t)


@given(st.lists(st.integers(0, 4), max_size=9))
def test_ids_that_repeat_are_numbered_among_their_equals(cells):
    positions, ranks = ids.repeated(np.array(cells, np.int64), 5)
    several = [(cell, rank) for cell in range(1, 5) if cells.count(cell) > 1 for rank in range(cells.count(cell))]
    assert sorted((cells[position], rank) for position, rank in zip(positions, ranks, strict=True)) == several
    assert len({*positions.tolist()}) == len(positions)


def test_words_that_differ_in_one_byte():
    for length in range(1, ids.LONGEST_WORD):
        words = [*("x" * length + end for end in ("", "x", "a", "b")),
                 *("x" * i + "y" + "x" * (length - i) for i in range(length))]
        assert len(set(token_ids([" ".join(words)], str.split)[0].tolist())) == len(words)


@given(st.lists(st.tuples(line, line, st.none() | line, line), min_size=1, max_size=6))
def test_the_nearest_length_is_the_first_or_the_shorter_of_two(rows):
    first, second, third, hypotheses = zip(*rows, strict=True)
    counts = merge(count_batches(Corpus(None, [first, second, third], [hypotheses]), 2))
    for tie, key in ("first", lambda n, own: abs(n - own)), ("shorter", lambda n, own: (abs(n - own), n)):
        lengths = [([len(t.split()) for t in texts if t is not None], len(own.split())) for *texts, own in rows]
        expected = [min(known, key=lambda n, own=own, key=key: key(n, own)) for known, own in lengths]
        assert nearest_length(counts, tie)[counts.rows[0]].tolist() == expected


def test_what_formulas_do_not_take():
    assert geometric_mean([-1, 5]) == 0
    with pytest.raises(ValueError, match="ratio of something to nothing"): ratio([1, 0], [0, 0], empty=1)
    assert ratio([0, 3, 1], [0, 4, 1], empty=.5).tolist() == [.5, .75, 1]
    with pytest.raises(ValueError, match="brevity"): brevity_penalty(1, 1, "sideways")


def test_what_is_no_number_stays_none():
    with np.errstate(all="raise"):
        for lengths in (np.nan, 3), (3, np.nan), (0, np.nan), (np.nan, 0), (np.nan, np.nan):
            assert np.isnan([brevity_penalty(*lengths), brevity_penalty(*lengths, "inverted")]).all()
        assert brevity_penalty([0, 0, 3, np.nan], [0, 3, 0, 3])[:3].tolist() == [1, 0, 1]
    key, there = np.array([0, np.nan]), np.array([False, True])
    assert best_reference([key], there) == 1 and best_reference([key[::-1]], there[::-1]) == 0
    assert best_reference([key, np.array([0, 1])], np.array([True, True])) == 1 # which is left to the next key



@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), min_size=3, max_size=3), min_size=1, max_size=5))
def test_best_reference_is_lexicographic(rows):
    rows = [[(a, b, c or r == 0) for r, (a, b, c) in enumerate(row)] for row in rows]
    expected = [max((r for r in range(3) if row[r][2]), key=lambda r: (row[r][:2], -r)) for row in rows]
    a, b, present = (np.array([[x[i] for x in row] for row in rows]) for i in range(3))
    assert best_reference([a, b], present.astype(bool)).tolist() == expected


@pytest.mark.parametrize("towards", [0, 1])
@pytest.mark.parametrize("place", [0, 1])
def test_a_last_bit_chooses_nothing(towards, place):
    "Values that differ in the last bit, in both directions, at both places: the first reference and the first system win"
    equal = np.full(2, 2 / 3)
    equal[place] = np.nextafter(equal[place], towards)
    there = np.ones(2, bool)
    assert equal[0] != equal[1] and best_reference([equal], there) == 0
    assert best_reference([equal, np.array([0, 1])], there) == 1 # what is equal is left to the next key
    assert ranking(equal).tolist() == [0, 1] and correlation.ranks(equal).tolist() == [1.5, 1.5]
    assert ranking([.1, *equal, .9]).tolist() == [3, 1, 2, 0]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_ranking_is_a_stable_sort_whatever_the_last_bits(values, seed):
    jitter = np.random.default_rng(seed).uniform(-1e-13, 1e-13, len(values))
    assert ranking(np.array(values) / 5 + jitter).tolist() == sorted(range(len(values)), key=lambda i: -values[i])


METRICS = [GLEU(), GLEU(order=2), GLEU(unit="char"), GLEU(variant="2015"), GREEN(unit="char-blanks"), BLEU(), GoogleGLEU(order=2), METEOR(), METEOR(lowercase=True), METEOR(unit="char")]


@pytest.mark.parametrize("ours", METRICS, ids=repr)
def test_counts_of_another_metric_are_refused(ours):
    "Counts that do not fit are named with what they were counted with; those that fit give the score of the texts"
    texts = dict(sources=["a b c d", "e f"], references=[["a b b d", "e"]])
    counted = lambda m: (type(m) is METEOR, m.unit, getattr(m, "order", 1), m.union, getattr(m, "lowercase", False))
    for theirs in METRICS:
        parts = list(theirs.count(Corpus(systems=[["a b d", "e f"]], **texts)))
        if counted(theirs) == counted(ours) and getattr(ours, "differences", 0) <= getattr(theirs, "differences", 0):
            assert score_corpus(ours, parts)[0] == ours.corpus_score(hypotheses=["a b d", "e f"], **texts)
            continue
        says = f"counts made with unit {theirs.unit}, .*; {type(ours).__name__} needs unit {ours.unit}"
        for scored in score_corpus, score_sentences, collect:
            with pytest.raises(ValueError, match=says): scored(ours, parts)


@pytest.mark.parametrize("metric", [BLEU(), GoogleGLEU(), METEOR()])
def test_a_source_that_plays_no_part_may_be_left_out(metric):
    texts = dict(hypotheses=["a b d", "", "e f"], references=[["a b c d", "a", "e"], ["a", None, "e f g"]])
    without = [metric.corpus_score(**texts), *metric.sentence_scores(**texts)]
    for sources in (["x", "y z", ""], ["a b d", "", "e f"]):
        assert [metric.corpus_score(sources=sources, **texts), *metric.sentence_scores(sources=sources, **texts)] == without
        assert (metric.statistics(sources=sources, **texts) == metric.statistics(**texts)).all()
    counts = list(metric.count(Corpus(None, texts["references"], [texts["hypotheses"]])))
    assert score_corpus(metric, counts)[0] == without[0]
    with pytest.raises(ValueError, match="counts made with"): score_corpus(GLEU(), counts)


@given(triples, triples, st.sampled_from(["word", "char"]), st.integers(1, 5), st.booleans(), st.booleans())
def test_packed_counts_are_the_counts(texts, more, unit, order, union, differences):
    D = min(len(texts), len(more))
    sources, first, one = zip(*texts[:D], strict=True)
    _, second, two = zip(*more[:D], strict=True)
    counts = merge(count_batches(Corpus(sources, [first, second], [one, two]), order, unit, union, differences))
    arrays = snapshots.packed(counts)
    again = unpacked(arrays, unit, union)
    assert all(array.dtype.kind == "u" for array in arrays.values()) and again.columns == counts.columns and again.counting == counts.counting
    for field in "regions", "rows", "sentences", "reference_lengths": assert (getattr(again, field) == getattr(counts, field)).all(), field


def test_counts_with_a_hole_are_not_packed():
    whole = Corpus(["a b"], [["a b"], [None]], [["a"]])
    with pytest.raises(ValueError, match="counts lack .*: pack those"): snapshots.packed(merge(count_batches(whole, 2)))
    unsourced = Corpus(None, [["a b"]], [["a"]])
    with pytest.raises(ValueError, match="counts lack .*: pack those"): snapshots.packed(merge(count_batches(unsourced, 2)))


@pytest.mark.parametrize("metric", [GREEN(beta=2), GoogleGLEU()], ids=repr)
def test_some_systems_alone_score_as_among_all(metric):
    "Hypotheses that no row has any more are still in the counts; what memory held before must not matter"
    counts = stored_counts()
    among = list(map(float, score_corpus(metric, [counts])))
    for _ in range(20): np.full(len(counts.regions), 10**15)
    assert list(map(float, score_corpus(metric, [replace(counts, rows=counts.rows[:13])]))) == among[:13]
    assert list(map(float, score_corpus(metric, [replace(counts, rows=counts.rows[[12, 0]])]))) == [among[12], among[0]]
