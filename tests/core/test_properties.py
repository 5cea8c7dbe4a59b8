"What must not matter, and what must: invariances, ranges, best references, sums, and the limit of the draws, for every metric"
from dataclasses import asdict, replace
from decimal import Decimal, ROUND_HALF_UP
from itertools import combinations, pairwise, product
from math import sqrt
import random
import sys

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from gecmetrics_nb.metrics.bleu import BLEU, SMOOTHING
from gecmetrics_nb.metrics.gleu import CHOICES, GLEU
from gecmetrics_nb.metrics.google_gleu import GoogleGLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.metrics.meteor import METEOR
from gecmetrics_nb.core.formatting import percent_lines, rounded
from gecmetrics_nb.core.formulas import BREVITY
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.core.metric import score_sentences
from gecmetrics_nb.core.counts import merge
import slow


def covering(*axes):
    "Some combinations of the values of the axes, among which every two values of two axes meet"
    rows, waiting = list(product(*axes)), set()
    pairs = lambda row: {(i, j, row[i], row[j]) for i, j in combinations(range(len(axes)), 2)}
    for row in rows: waiting |= pairs(row)
    while waiting:
        row = max(rows, key=lambda row: len(pairs(row) & waiting))
        yield row
        waiting -= pairs(row)


METRICS = [
    *[GLEU(order=3, variant=v, references=c, brevity=b, iterations=20) for v, c, b in covering(("code", "paper"), CHOICES, BREVITY)],
    *[GLEU(order=3, variant=v, brevity=b, weight=w) for v, b, w in covering(("2015", "2015-corrected"), BREVITY, (0, .5))],
    *[GREEN(order=3, beta=b, empty_recall=e) for b, e in ((0, 1), (.5, 0), (2, 1), (float("inf"), 0))],
    GREEN(order=3, references="union"), GREEN(order=3, beta=2, empty_recall=1, references="union"),
    GoogleGLEU(order=3), GoogleGLEU(order=3, min_order=2),
    *[BLEU(order=3, smoothing=s, effective_order=k % 2 == 0) for k, s in enumerate(SMOOTHING)], BLEU(order=3),
    *[METEOR(fewest=f, aggregate=a, gamma=g) for f, a, g in covering(("crossings", "chunks"), (False, True), (.5, 0))],
]
BLANKS = [c for c in map(chr, range(0x3001)) if c.isspace() and c != "\n"]
SOME = settings(max_examples=5 if sys.platform == "emscripten" else 10)

line = st.lists(st.sampled_from(["a", "b", "c", "\u00e9"]), max_size=7).map(" ".join)


def corpora(references=2, longest=5): return st.lists(st.tuples(line, line, *[line] * references), min_size=1, max_size=longest)


def columns(rows):
    sources, hypotheses, *references = map(list, zip(*rows, strict=True))
    return dict(sources=sources, hypotheses=hypotheses, references=references)


def name_of(metric):
    changed = [f"{k}={v}" for k, v in asdict(metric).items() if k not in ("order", "unit", "iterations", "limit", "stream")]
    return " ".join([type(metric).__name__, *changed])


def drawn(metric): return getattr(metric, "references", None) == "sample"


def every(*metrics): return pytest.mark.parametrize("metric", metrics, ids=name_of)


def same(a, b): return a == pytest.approx(b, abs=1e-12)


@every(*METRICS)
@given(corpora(), st.randoms(use_true_random=False))
@SOME
def test_scores_are_in_0_to_1_and_the_order_of_sentences_does_not_matter(metric, rows, rng):
    "Only sampled corpus scores depend on it, as each sentence has its own random numbers; what they estimate does not"
    texts, shuffled = columns(rows), columns(rng.sample(rows, len(rows)))
    value, sentences = float(metric.corpus_score(**texts)), metric.sentence_scores(**texts)
    assert -1e-15 <= value <= 1 + 1e-12 and ((sentences >= 0) & (sentences <= 1 + 1e-12)).all()
    if not drawn(metric): assert same(float(metric.corpus_score(**shuffled)), value)
    assert sorted(metric.sentence_scores(**shuffled)) == sorted(sentences)


@every(*METRICS)
@given(corpora(), st.integers(0, 2**32))
@SOME
def test_blanks_and_names_of_words_do_not_matter(metric, rows, seed):
    rng = random.Random(seed)
    name = dict(zip("abc\u00e9", rng.sample(["x", "yy", "\u4e2d", "a", "b", "|||", "0"], 4), strict=True))
    blank = lambda: "".join(rng.choices(BLANKS, k=rng.randint(1, 2)))
    other = [tuple(rng.choice(["", blank()]) + blank().join(name[w] for w in text.split()) + rng.choice(["", blank()]) for text in row) for row in rows]
    texts, others = columns(rows), columns(other)
    assert float(metric.corpus_score(**texts)) == float(metric.corpus_score(**others))
    assert metric.sentence_scores(**texts).tolist() == metric.sentence_scores(**others).tolist()


@every(*(m for m in METRICS if not isinstance(m, BLEU) or m.smoothing == "none"))
@given(corpora(), st.integers(2, 3))
@SOME
def test_a_corpus_read_twice_scores_the_same(metric, rows, times):
    "With one reference; and with several wherever nothing is drawn. Smoothing adds a constant to a count and so depends on the size of the corpus"
    if getattr(metric, "references", None) in ("sample", "expected"): rows = [row[:3] for row in rows]
    once, more = (float(metric.corpus_score(**columns(r))) for r in (rows, rows * times))
    assert same(once, more)


def best_possible(metric, s, r):
    "The score of a sentence whose hypothesis is its only reference, from the convention that makes it less than 1"
    S, R = len(s.split()), len(r.split())
    if isinstance(metric, GREEN): return 1 if metric.empty_recall or max(S, R) >= metric.order else 0     # an order without n-grams has recall 0
    if isinstance(metric, GoogleGLEU): return float(R >= metric.min_order)                                   # 0/0 is 0
    if isinstance(metric, BLEU):                                                                          # an order without n-grams has precision 0, or (1+0)/(1+0)
        return float(R > 0 and (R >= metric.order or metric.effective_order or metric.smoothing == "add-k"))
    if isinstance(metric, METEOR): return 1 - metric.gamma / R**metric.beta if R else 0                   # one chunk of R words is fined
    if metric.variant != "2015" or not metric.weight: return 1
    p = [slow.gleu_counts("2015", *(slow.grams(t, n, "word") for t in (s, r, r)), metric.weight) for n in range(1, metric.order + 1)]
    return slow.combine(p, R, R, metric.brevity_kind)                                                          # what r has less often than s is fined though kept


@every(*METRICS)
@given(st.lists(st.tuples(line, line), min_size=1, max_size=5))
@SOME
def test_the_reference_gets_the_best_score_there_is(metric, pairs):
    texts = columns([(s, r, r) for s, r in pairs])
    highest = [best_possible(metric, s, r) for s, r in pairs]
    assert same(metric.sentence_scores(**texts).tolist(), highest)
    if all(x == 1 for x in highest): assert same(float(metric.corpus_score(**texts)), 1)
    if isinstance(metric, METEOR) and not metric.aggregate: assert same(float(metric.corpus_score(**texts)), np.mean(highest))


@every(*(m for m in METRICS if not getattr(m, "weight", 0) and not (isinstance(m, BLEU) and m.smoothing in ("floor", "exp"))))
@given(corpora(1))
@SOME
def test_nothing_scores_more_than_the_reference(metric, rows):
    "Two exceptions: smoothed BLEU, where a longer hypothesis fills an order that the reference is too short for; GLEU 2015 with a weight, which fines what was rightly kept"
    texts = columns(rows)
    highest = [best_possible(metric, s, r) for s, r in zip(texts["sources"], texts["references"][0], strict=True)]
    assert (metric.sentence_scores(**texts) <= np.array(highest) + 1e-12).all()


@every(GLEU(references="max"), GLEU(references="max", variant="paper", smoothing="official"), GLEU(references="max", brevity="inverted"), GREEN(), GREEN(empty_recall=1, beta=.5), GoogleGLEU(), METEOR(), METEOR(fewest="chunks"))
@given(corpora(1), st.data())
@SOME
def test_another_reference_never_lowers_a_best_reference_score(metric, rows, data):
    texts = columns(rows)
    extra = data.draw(st.lists(st.none() | line, min_size=len(rows), max_size=len(rows)))
    if metric.__class__ is GLEU and metric.smoothing == "official": extra = [x or None for x in extra] # an empty one would count as a word
    one, two = (metric.sentence_scores(**texts | {"references": r}) for r in (texts["references"], [*texts["references"], extra]))
    assert (two >= one - 1e-12).all()


def cuts_of(rows, *ends): return pairwise(sorted({0, *(min(end, len(rows)) for end in ends), len(rows)}))


@every(*METRICS)
@given(corpora(), st.integers(0, 5), st.integers(0, 5))
@SOME
def test_parts_make_the_whole(metric, rows, a, b):
    "Their statistics, their sentence scores, and their counts put together"
    texts = columns(rows)
    corpus = Corpus(texts["sources"], texts["references"], [texts["hypotheses"]])
    pieces = [corpus.part(i, j) for i, j in cuts_of(rows, a, b)]
    parts = [metric.statistics(**columns(rows[i:j])) for i, j in cuts_of(rows, a, b)]
    assert (np.concatenate(parts) == metric.statistics(**texts)).all()
    counts = [part for piece in pieces for part in metric.count(piece)]
    assert score_sentences(metric, counts)[0].tolist() == metric.sentence_scores(**texts).tolist()
    if isinstance(metric, METEOR): return
    together, at_once = map(merge, (counts, metric.count(corpus)))
    for field in "rows", "regions", "sentences", "reference_lengths":
        assert np.array_equal(getattr(together, field), getattr(at_once, field)), field


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("variant,brevity", [*product(("code", "paper"), BREVITY)])
def test_draws_tend_to_the_expectation(variant, brevity, seed):
    "Over all choices of references: the mean is `expected`, and the standard deviation is what the reported standard error says"
    sources, references, (hypotheses, _) = slow.corpus(seed, sentences=8, references=2)
    texts = dict(sources=sources, hypotheses=hypotheses, references=references)
    metric = GLEU(order=2, variant=variant, brevity=brevity, iterations=4000)
    exact = [slow.gleu(sources, hypotheses, references, choice, variant, 2, brevity) for choice in product((0, 1), repeat=8)]
    score, error = metric.corpus_score(**texts), np.std(exact) / sqrt(4000)
    assert same(float(replace(metric, references="expected").corpus_score(**texts)), np.mean(exact))
    assert score.standard_error == pytest.approx(error, rel=.1, abs=1e-12)
    assert abs(float(score) - np.mean(exact)) <= 4 * error + 1e-12


@pytest.mark.parametrize("brevity", BREVITY)
@pytest.mark.parametrize("seed", range(2))
def test_the_expectation_where_the_brevity_penalty_sets_in(seed, brevity):
    "References about as long as the hypothesis, and too many choices to add up: half the draws are penalised, and how much is what the formula must know"
    sources, references, _ = slow.corpus(seed, sentences=80, references=3)
    hypotheses = [rs[d % 3] for d, rs in enumerate(zip(*references, strict=True))]
    texts = dict(sources=sources, hypotheses=hypotheses, references=references[:2])
    metric = GLEU(order=2, brevity=brevity, references="expected")
    statistics, choice = metric.statistics(**texts), np.random.default_rng(seed).integers(2, size=(20_000, 80))
    totals = sum(np.where(choice[:, d, None, None] == 0, *statistics[d]) for d in range(80)).astype(float)
    length = totals[:, 0, 4] / totals[:, 0, 5]
    ratio = {"standard": 1 / length, "inverted": length, "none": np.zeros(len(length))}[brevity]
    drawn = np.exp(np.minimum(0, 1 - ratio)) * np.sqrt(totals[:, 0, 2] * totals[:, 1, 2] / (totals[:, 0, 3] * totals[:, 1, 3]))
    assert np.ptp(drawn) > .01 and brevity == "none" or .02 < (ratio > 1).mean() < .98
    assert float(metric.corpus_score(**texts)) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / sqrt(20_000) + 2e-4)


@given(st.integers(0, 9), st.integers(-10**6, 10**6), st.floats(-1e9, 1e9) | st.floats(1e9, 1e15))
def test_printed_digits_are_rounded_half_up_on_what_python_prints(digits, whole, number):
    for value in (10 * whole + 5) / 10**(digits + 1), whole / 10**digits, number: assert rounded(value, digits) == str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


numbers = st.floats(-1e9, 1e9) | st.floats(-1, 1) | st.integers(-10**6, 10**6).flatmap(lambda k: st.sampled_from([k / 2**9, k / 10**6, (10 * k + 5) / 10**7, 0., -0., 1e-7]))


@given(st.integers(0, 9), st.lists(st.tuples(numbers, numbers, numbers), max_size=6))
def test_a_row_is_printed_as_its_numbers_are(digits, rows):
    expected = "".join("\t".join(rounded(x, digits, 100) for x in row) + "\n" for row in rows)
    assert percent_lines(np.array(rows, float).reshape(-1, 3), digits) == expected
