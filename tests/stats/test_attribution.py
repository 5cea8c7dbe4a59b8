"""What each change is worth: Shapley values by all permutations in plain Python, parts that add up, edit metrics, real systems

gec-metrics has attributors in its repository and none in its release 0.1.1, so the slow definition here stands in for them."""
from itertools import permutations
from math import exp, factorial, log
import random
import tracemalloc

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from gecmetrics_nb import (BLEU, CLEME, CLEME2, ERRANT, GLEU, GREEN, M2, METEOR, Corpus, EditCorpus, Metric,
                           GoogleGLEU, IMeasure, compare_edits, parse_m2)
from gecmetrics_nb.stats.attribution import (MOST, ORDERS, attribute, attribute_changes, attribute_edits, breaks_of, changes_of, coalitions,
                                       groups, mean_slope, version_texts)
from gecmetrics_nb.alignment.edits import edits_of, gold_from_texts, system_from_texts
from gecmetrics_nb.io.m2 import Edit, Sentence, apply_edits
from gecmetrics_nb.metrics.m2 import GoldCorpus, gold_of
import slow

ONE = [GLEU(order=2, references=c, brevity=b, iterations=7) for c in ("max", "mean", "sample") for b in ("standard", "inverted")]
ONE += [GLEU(order=2, variant="2015", weight=.5), GLEU(order=2, variant="2015-corrected"), GREEN(order=2), GREEN(order=3, beta=2), GREEN(order=1, empty_recall=1), GREEN(order=2, references="union"),
        BLEU(order=2, smoothing="add-k"), BLEU(order=2), GoogleGLEU(order=3), GLEU(order=2, variant="paper", references="max")]
MEANS = [METEOR(), GREEN(order=2), GLEU(order=2, references="mean", smoothing="official"), GLEU(order=2, references="max"), GoogleGLEU(order=2)]


def shapley(value, n):
    "The mean over all orders of what each change adds"
    worth = [0.] * n
    for order in permutations(range(n)):
        for k, i in enumerate(order): worth[i] += value(order[:k + 1]) - value(order[:k])
    return [total / factorial(n) for total in worth]


def versions(source, edits): return lambda made: " ".join(apply_edits(source.split(), [edits[i] for i in made]))


def corpus_of(seed, sentences=12, references=2):
    "Random corpus without odd blanks, of at most four changes a sentence"
    sources, references, [output] = slow.corpus(seed, sentences, references, 1, blanks=False)
    output = [text if len(edits_of(source, text)) < 5 else source for source, text in zip(sources, output, strict=True)]
    return Corpus(sources, references, [output], system_names=["A"])


# ---- weights and versions

@pytest.mark.parametrize("n", [*range(6), MOST]) # of one more, orders are drawn
def test_weights_are_those_of_all_orders(n):
    made, weights = coalitions(n)
    assert made.shape == (2**n, n) and not made[0].any() and made[-1].all()
    values = np.random.default_rng(n).normal(size=2**n)
    place = {tuple(np.flatnonzero(row)): k for k, row in enumerate(made)}
    if n < MOST: assert np.allclose(weights @ values, shapley(lambda some: values[place[tuple(sorted(some))]], n))
    assert np.allclose(weights @ made, np.eye(n))


@pytest.mark.parametrize("n", [MOST + 1, 12, 25])
def test_drawn_orders_add_up_and_are_always_the_same(n):
    made, weights = coalitions(n)
    assert len({tuple(row) for row in made.tolist()}) == len(made) <= ORDERS * n
    whole = np.flatnonzero(made.all(axis=1))
    assert len(whole) == 1 and not made[0].any()
    added = weights.sum(axis=0)
    assert np.allclose(added[[0, whole[0]]], [-1, 1]) and np.allclose(np.delete(added, [0, whole[0]]), 0)
    assert np.allclose(weights @ made, np.eye(n)) # a change alone has what it adds
    pairs = made[:, :, None] & made[:, None, :]   # and two that work together only share it, as drawn with the reverse
    assert np.allclose(weights @ pairs[:, 0, 1], [.5, .5, *[0] * (n - 2)])


def test_drawn_orders_come_near_all_orders(monkeypatch):
    n, parts = MOST + 1, np.random.default_rng(0).uniform(1, 2, MOST + 1)
    value = lambda made: np.sqrt(made @ parts)
    drawn, weights = coalitions(n)
    monkeypatch.setattr("gecmetrics_nb.stats.attribution.MOST", n)
    every, exact = coalitions(n)
    worths = exact @ value(every)
    assert len(every) == 2**n and 0 < np.abs(weights @ value(drawn) - worths).max() < .25 * worths.mean()


def test_the_longest_lines_have_two_orders_and_the_last_versions_of_a_sentence_are_told():
    "Two orders of n changes make 2 n versions, as nothing and everything stand in both; 4 words fit 2**17 times into what is counted at once"
    n, edit = MOST + 1, Edit(0, 1, "R", ("b",), 0, 0)
    parts = list(groups([[edit] * n], np.array([1 << 20])))
    assert sum(len(made) for _, made, *_ in parts) == 2 * n and sum(done for *_, done in parts) == 1
    four = groups([[edit] * n], np.array([(1 << 18) // n])) # four orders of all changes have 2**20 words
    assert 2 * n < sum(len(made) for _, made, *_ in four) <= 2 + 4 * (n - 1)
    [(places, made, _, done)] = groups([[edit] * 2] * 3, np.array([1 << 15] * 3)) # 3 sentences of 4 versions, 16 at once
    assert (places.tolist(), len(made), done) == ([0, 1, 2], 4, 3)
    exact = list(groups([[edit] * 2] * 3, np.array([1 << 17] * 3))) # the 4 versions of one sentence are all that is counted at once
    assert [(places.tolist(), len(made), done) for places, made, _, done in exact] == [([d], 4, 1) for d in range(3)]


@given(st.lists(st.sampled_from(["a", "b", "cd", "ce"]), max_size=7), st.lists(st.sampled_from(["a", "b", "cd", "ce"]), max_size=7))
@settings(max_examples=150)
def test_versions_are_the_source_with_some_edits(source, hypothesis):
    edits = edits_of(" ".join(source), " ".join(hypothesis))
    made, _ = coalitions(len(edits))
    texts = version_texts(source, edits, made)
    assert texts == [versions(" ".join(source), edits)(np.flatnonzero(row)) for row in made]
    assert texts[0].split() == source and texts[-1].split() == hypothesis


def long_line(n, seed=0):
    "A sentence of n words of which a third are changed, an eighth of these rightly"
    rng = random.Random(seed)
    source = [f"w{rng.randrange(n // 2)}" for _ in range(n)]
    output = [word if k % 3 else f"x{rng.randrange(n // 2)}" for k, word in enumerate(source)]
    reference = [output[k] if rng.random() < .2 else word for k, word in enumerate(source)]
    return Corpus([" ".join(source)], [[" ".join(reference)]], [[" ".join(output)]], system_names=["A"])


def test_a_long_line_is_counted_in_pieces_and_adds_up(monkeypatch):
    "The same worths in one piece and in many; with fewer orders they are near, and add up"
    corpus, metric, module = long_line(60), GLEU(order=2, references="mean"), "gecmetrics_nb.stats.attribution."
    whole = attribute(metric, corpus)
    monkeypatch.setattr(module + "AT_ONCE", 500)
    pieces = attribute(metric, corpus)
    assert pieces.worths[0] == pytest.approx(whole.worths[0], abs=1e-12) and len(whole.worths[0]) > 15
    assert abs(whole.gap) < 1e-6
    monkeypatch.setattr(module + "IN_ALL", 10_000)
    fewer = attribute(metric, corpus)
    assert fewer.total == pytest.approx(whole.total, abs=1e-12) and np.abs(fewer.worths[0] - whole.worths[0]).max() < .25 * np.abs(whole.worths[0]).mean()


def test_memory_does_not_grow_with_the_changes():
    "Of a line of 400 words with 133 changes; once it took 644 MB, and 2.4 GB for twice the words"
    tracemalloc.start()
    found = attribute(GLEU(references="mean"), long_line(400))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.changes[0]) > 100 and most < 100e6


# ---- the mean slope

SCORES = {
    "a number that is always 0": (lambda s: s[..., 0, 0] ** .25 + s[..., 0, 1], [[0., 1]], [[0., 2]]),
    "quotient": (lambda s: s[..., 0, 0] / s[..., 0, 1], [[3., 7]], [[8., 9]]),
    "fourth root from 0": (lambda s: (s[..., 0, 0] * s[..., 0, 1]) ** .25, [[0., 4]], [[9., 5]]),
    "fourth root to 0": (lambda s: (s[..., 0, 0] / s[..., 0, 1]) ** .25, [[6., 8]], [[0., 9]]),
    "eighth root": (lambda s: s[..., 0, 0] ** .125 * s[..., 0, 1], [[0., 1]], [[5., 3]]),
}


@pytest.mark.parametrize("name", SCORES)
def test_slopes_times_changes_are_the_difference(name):
    score, start, end = SCORES[name]
    start, end = np.array(start), np.array(end)
    slope = mean_slope(score, start, end)
    assert (slope * (end - start)).sum() == pytest.approx(score(end) - score(start), abs=1e-8)


def test_a_kink_is_a_break():
    class Kinked(Metric):
        columns = ("hypothesis", "reference")
        def score(self, totals): return np.exp(np.minimum(0, 1 - totals[..., 0, 1] / totals[..., 0, 0]))
    start, end = np.array([[8., 10]]), np.array([[13., 11]])
    places = breaks_of(Kinked(), start, end)
    assert places == [.5]
    error = lambda breaks: abs((mean_slope(Kinked().score, start, end, breaks) * (end - start)).sum() - (1 - exp(-.25)))
    assert error(places) < 1e-7 < 1e-5 < error(())
    class Nameless(Kinked): columns = () # a metric need not name its numbers
    assert breaks_of(Nameless(), start, end) == [] and breaks_of(Nameless(), np.array([[-1., 1]]), np.array([[1., 1]])) == [.5]


# ---- worths of random corpora


@pytest.mark.parametrize("metric", MEANS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_worths_of_sentence_scores_are_shapley_values(metric, seed):
    corpus = corpus_of(seed)
    found = attribute(metric, corpus, per="mean")
    for d, (source, edits, worths) in enumerate(zip(corpus.sources, found.changes, found.worths, strict=True)):
        text, references = versions(source, edits), [[column[d]] for column in corpus.references]
        value = lambda made: float(metric.sentence_scores(sources=[source], hypotheses=[text(sorted(made))], references=references)[0])
        assert worths * len(corpus) == pytest.approx(shapley(value, len(edits)), abs=1e-12)
    assert found.gap == pytest.approx(0, abs=1e-12) and found.source == pytest.approx(metric.sentence_scores(
        sources=corpus.sources, hypotheses=corpus.sources, references=corpus.references).mean(), abs=1e-12)


def slow_worths(variant, sources, changes, references, order=2, steps=4000):
    "GLEU with one reference, in plain Python: Shapley values of the counts, times slopes from many places of the way"
    def counts(source, text, reference):
        pairs = [slow.gleu_counts(variant, *(slow.grams(t, n) for t in (source, reference, text))) for n in range(1, order + 1)]
        return np.array([*map(float, sum(pairs, ())), slow.size(text), slow.size(reference)])
    def score(sums):
        precisions = [(sums[2 * n], sums[2 * n + 1]) for n in range(order)]
        if any(match <= 0 < many for match, many in precisions): return 0.
        penalty = min(0, 1 - sums[-1] / sums[-2])
        return exp(penalty + sum(log(match / many) for match, many in precisions if many) / order)
    added, start, end = [], 0, 0
    for source, edits, reference in zip(sources, changes, references, strict=True):
        text = versions(source, edits)
        value = lambda made: counts(source, text(sorted(made)), reference)
        n = len(edits)
        added.append(shapley(value, n))
        start, end = start + value(()), end + value(range(n))
    slopes = np.zeros(len(start))
    for step in range(steps):
        here = start + (step + .5) / steps * (end - start)
        for k, eye in enumerate(1e-4 * np.eye(len(start))): slopes[k] += (score(here + eye) - score(here - eye)) / 2e-4 / steps
    return [[float(slopes @ counts) for counts in mine] for mine in added]


@pytest.mark.parametrize("variant", ["code", "paper"])
@pytest.mark.parametrize("seed", range(2))
def test_worths_of_a_corpus_score_by_the_slow_definition(variant, seed):
    corpus = corpus_of(seed + 50, sentences=8)
    metric = GLEU(order=2, variant=variant, references="mean")
    found = attribute(metric, corpus)
    slowly = [slow_worths(variant, corpus.sources, found.changes, column) for column in corpus.references]
    for worths, *each in zip(found.worths, *slowly, strict=True):
        assert worths == pytest.approx(np.mean(each, axis=0) if len(worths) else [], abs=1e-5)
    assert abs(found.gap) < 1e-6 and abs(found.difference) > .01


@pytest.mark.parametrize("metric", ONE, ids=repr)
def test_worths_add_up_to_the_difference(metric):
    "With one reference; with several where the same are used for the source, and no sum is 0, where the score jumps"
    several = getattr(metric, "references", None) in ("mean", "sample")
    for seed in range(6):
        corpus = corpus_of(seed, sentences=20, references=1 + several)
        found, texts = attribute(metric, corpus), dict(sources=corpus.sources, references=corpus.references)
        scores = [float(metric.corpus_score(hypotheses=list(lines), **texts)) for lines in (corpus.systems[0], corpus.sources)]
        assert [float(found.score), float(found.source)] == scores and min(scores) > 0
        assert abs(found.gap) < 1e-6


def test_kept_references_are_those_of_the_system():
    "Best references give what a corpus of these references alone gives, and the gap is what the source's own ones are better"
    metric = GREEN(order=2)
    for seed in range(20):
        corpus = corpus_of(seed, references=3)
        found = attribute(metric, corpus)
        statistics = metric.statistics(sources=corpus.sources, hypotheses=list(corpus.systems[0]), references=corpus.references)
        keys = [list(zip(*(key.round(9).tolist() for key in metric.keys(mine)), strict=True)) for mine in statistics]
        kept = [corpus.references[max(range(3), key=lambda r: mine[r])][d] for d, mine in enumerate(keys)]
        alone = attribute(metric, Corpus(corpus.sources, [kept], corpus.systems))
        assert all(np.allclose(one, other, atol=1e-12) for one, other in zip(found.worths, alone.worths, strict=True))
        assert "chosen for the system" in found.against and alone.against == "the reference"
        assert found.gap == pytest.approx(alone.source - found.source + alone.gap, abs=1e-9)


def test_references_that_are_missing_or_drawn():
    corpus = corpus_of(7, references=3)
    references = [[text if (d + r) % 3 else None for d, text in enumerate(column)] for r, column in enumerate(corpus.references)]
    corpus = Corpus(corpus.sources, references, corpus.systems)
    for metric in GREEN(order=2), GLEU(order=2, references="max"), GLEU(order=2, iterations=9), BLEU(order=2):
        assert np.isfinite(attribute(metric, corpus).total)
    with pytest.raises(ValueError, match="needs all of them"): attribute(GLEU(references="mean"), corpus)


@pytest.mark.parametrize("smoothing", ["floor", "exp"])
def test_a_score_that_rises_without_limit_has_no_worths(smoothing):
    "The output has no three words: the smoothed precision of the last bit of a triple has no bound"
    corpus = Corpus(["He go now home"], [["He goes ."]], [["a b"]])
    with pytest.raises(ValueError, match="BLEU: the source or the system has no n-grams of some order"):
        attribute(BLEU(smoothing=smoothing), corpus)
    assert abs(attribute(BLEU(smoothing="add-k"), corpus).total) < 1
    corpus = corpus_of(3, sentences=20)
    found = attribute(GLEU(order=2, references="expected"), corpus)
    assert found.against == "drawn references" and abs(found.gap) < .01
    assert found.total == pytest.approx(attribute(GLEU(order=2), corpus).total, abs=1e-9)


# ---- metrics of edits

def m2_files(seed, sentences=30):
    "A corpus with two annotators and a system that makes some of their edits and some of its own; its gold and its edits"
    rng = random.Random(seed)
    def edited(words, share):
        found = []
        for k, word in enumerate(words):
            what = rng.random() / share
            found += [] if what < .1 else [f"{word}-new"] if what < .7 else [f"a{k}", word] if what < 1 else [word]
        return found
    sources, columns = [], [[], [], []]
    for _ in range(sentences):
        words = [f"w{k}" for k in range(rng.randint(3, 7))]
        one, other = edited(words, .4), edited(words, .3)
        sources.append(words)
        for column, text in zip(columns, (one, other, edited(one, .1) if rng.random() < .6 else edited(words, .2)), strict=True): column.append(text)
    sources, *texts = ([" ".join(words) for words in column] for column in (sources, *columns))
    corpus = Corpus(sources, texts[:2], [texts[2]], system_names=["A"])
    return corpus, gold_from_texts(sources, texts[:2]), system_from_texts(sources, texts[2])


@pytest.mark.parametrize("options", [{}, {"mode": "ds"}, {"mode": "dt"}, {"mode": "cse", "beta": 1}, {"single": True}, {"multi": True}, {"skip": ["M"]}], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_edits_are_worth_their_part_of_errants_f(seed, options):
    _, gold, system = m2_files(seed)
    found, score = attribute_edits(system, gold, **options), compare_edits(system, gold, **options)
    assert round(found.score, 4) == float(score)
    if found.source == 1: assert found.gap == pytest.approx(-1) # nothing is wanted: F jumps at the first edit, whatever it is
    else: assert abs(found.gap) < 1e-9
    if options.get("mode", "cs") == "dt": return
    values = sorted({round(float(worth), 12) for worths in found.worths for worth in worths})
    TP, FP, _ = score.totals
    taking_part = [abs(value) > 1e-12 for value in values] # an edit that is left out is worth nothing
    assert sum(taking_part) <= 2 and (not FP or values[0] < 0) and (not TP or values[-1] > 0)
    many = [round(float(worth), 12) for worths in found.worths for worth in worths]
    if TP and FP and values[0] < 0 < values[-1]: assert (many.count(values[-1]), many.count(values[0])) == (TP, FP)


def test_edits_that_touch_the_same_word_share_it():
    "By words touched, an insertion before a word and a replacement of it are one and the same hit"
    tokens = ("a", "b")
    gold = [Sentence(tokens, (Edit(0, 1, "R", ("x",), 0, 0, "x"),))] * 2
    system = [Sentence(tokens, (Edit(0, 0, "M", ("y",), 0, 0, "y"), Edit(0, 1, "R", ("z",), 0, 0, "z"))), Sentence(tokens, (Edit(1, 2, "R", ("z",), 0, 0, "z"),))]
    found = attribute_edits(system, gold, mode="dt")
    assert found.worths[0][0] == pytest.approx(found.worths[0][1]) and found.worths[0][0] > 0 > found.worths[1][0]
    assert found.total == pytest.approx(found.score)


def test_the_annotator_that_was_chosen_is_kept(tmp_path):
    a = "S a b c\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\nA 1 2|||R|||y|||REQUIRED|||-NONE-|||1\n\n"
    (tmp_path / "gold").write_text(a)
    (tmp_path / "system").write_text("S a b c\nA 1 2|||R|||y|||REQUIRED|||-NONE-|||0\nA 2 3|||R|||z|||REQUIRED|||-NONE-|||0\n\n")
    found = attribute_edits(str(tmp_path / "system"), tmp_path / "gold")
    assert [worth > 0 for worth in found.worths[0]] == [True, False] and found.sources == ("a b c",)
    assert found.score == pytest.approx(1.25 / (1.25 + 1)) and found.total == pytest.approx(found.score)
    system = parse_m2(["S a", "A 0 1|||R|||x|||R|||N|||0", "A 0 1|||R|||y|||R|||N|||1"])
    with pytest.raises(ValueError, match="system: sentence 1: edits of several annotators; give those of one output"): attribute_edits(system, system)


@pytest.mark.parametrize("metric", [M2(), M2(choice="optimal"), M2(beta=1, choice="sentence"), IMeasure()], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_metrics_against_gold_edits_add_up(metric, seed):
    corpus, gold, _ = m2_files(seed)
    found = attribute(metric, GoldCorpus(gold_of(gold), corpus.systems, ["A"]))
    scores = [float(metric.corpus_score(gold=gold, hypotheses=list(lines))) for lines in (corpus.systems[0], corpus.sources)]
    assert [float(found.score), float(found.source)] == scores and scores[0] != scores[1]
    if isinstance(metric, M2): assert abs(found.gap) < 1e-9 and found.total == pytest.approx(scores[0] - scores[1])
    mean = attribute(metric, GoldCorpus(gold_of(gold), corpus.systems, ["A"]), per="mean")
    assert abs(mean.gap) < 1e-12


@pytest.mark.parametrize("metric", [ERRANT(), ERRANT(mode="ds", beta=1), CLEME(), CLEME(weights="none", beta=1), CLEME(assumption="independent"),
                                    CLEME(settings="paper"), CLEME2(), CLEME2(assumption="independent")], ids=repr)
@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_metrics_of_two_files_of_edits_add_up(metric, seed):
    _, gold, system = m2_files(seed)
    found, nobody = attribute(metric, EditCorpus(gold, {"A": system})), [Sentence(sentence.tokens, ()) for sentence in system]
    assert [found.score, found.source] == [float(metric.corpus_score(gold=gold, hypotheses=each)) for each in (system, nobody)]
    if isinstance(metric, CLEME2): # nothing over-corrected of nothing at all: the rate jumps at the first change
        rate = metric.measure(metric.corpus_score(gold=gold, hypotheses=system).totals.sum(axis=0)[:5])[-1]
        assert found.gap == pytest.approx(-.05 * rate, abs=1e-6)
    else: assert abs(found.gap) < 6e-5 and abs(found.gaps[1]) < 1e-8 # scores are rounded to four digits, worths are not
    if metric == ERRANT(): assert np.allclose(np.concatenate(found.worths), np.concatenate(attribute_edits(system, gold).worths), atol=1e-9)
    assert sum(found.gaps) == pytest.approx(found.gap) and "the annotators" in found.against
    if isinstance(metric, CLEME2): assert found.gaps[1] == pytest.approx(-.05 * rate, abs=1e-6)


@pytest.mark.parametrize("metric", [CLEME(), CLEME(assumption="independent")], ids=repr)
def test_without_a_corrected_chunk_cleme_has_no_weights_by_length(metric):
    gold, system = gold_from_texts(["a b"], [["a b"]]), system_from_texts(["a b"], ["a c"])
    with pytest.raises(ValueError, match="CLEME: no reference changes anything, so there is no mean length to weigh by; use weights none"):
        attribute(metric, EditCorpus(gold, {"A": system}))
    assert not np.isnan(attribute(CLEME(weights="none"), EditCorpus(gold, {"A": system})).worths[0]).any()


@pytest.mark.parametrize("metric", [GREEN(order=2), GLEU(order=2, references="mean"), M2(), ERRANT(), METEOR()], ids=repr)
def test_more_changes_than_the_systems_are_worth_what_they_add(metric):
    "Half of the changes were made before; the others have the slow definition's worth, from there on"
    corpus, gold, _ = m2_files(4)
    every = changes_of(corpus.sources, corpus.systems[0])
    made, more = tuple(edits[::2] for edits in every), tuple(edits[1::2] for edits in every)
    texts = [" ".join(apply_edits(text.split(), edits)) for text, edits in zip(corpus.sources, made, strict=True)]
    before, after = ([Sentence(tuple(text.split()), tuple(edits)) for text, edits in zip(corpus.sources, each, strict=True)] for each in (made, every))
    ways = {M2: (GoldCorpus(gold_of(gold), [texts], ["A"]), lambda output: M2().corpus_score(gold=gold, hypotheses=output), corpus.systems[0], texts),
            ERRANT: (EditCorpus(gold, {"A": before}), lambda output: metric.corpus_score(gold=gold, hypotheses=output), after, before)}
    with_texts = lambda output: metric.corpus_score(sources=corpus.sources, hypotheses=output, references=corpus.references)
    given, score, whole, start = ways.get(type(metric), (Corpus(corpus.sources, corpus.references, [texts]), with_texts, corpus.systems[0], texts))
    [found] = attribute_changes([(metric, "corpus")], given, "A", more, made)
    assert [found.score, found.source] == [float(score(list(each))) for each in (whole, start)]
    if found.chosen is None: assert abs(found.gap) < 6e-5
    if not isinstance(metric, METEOR): return
    for d, edits in enumerate(more):
        one = lambda some, d=d: " ".join(apply_edits(corpus.sources[d].split(), sorted([*made[d], *(more[d][i] for i in some)])))
        value = lambda some, d=d, one=one: float(metric.sentence_scores(hypotheses=[one(some)], references=[[column[d]] for column in corpus.references])[0])
        assert found.worths[d] * len(more) == pytest.approx(shapley(value, len(edits)), abs=1e-12)


# ---- what is given and what comes out

def test_edits_of_a_file_are_the_changes():
    corpus = Corpus(["He go to home .", "a b"], [["He goes home .", "a b"]], [["He goes  home .", "a b"]], system_names=["A"])
    edits = parse_m2(["S He go to home .", "A 1 3|||R:VERB|||goes|||REQUIRED|||-NONE-|||0", "", "S a b", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"])
    found = attribute(GREEN(order=2), corpus, "A", edits)
    assert [len(mine) for mine in found.changes] == [1, 0] and found.changes[0][0].type == "R:VERB"
    cut = attribute(GREEN(order=2), corpus)
    assert [edit.type for edit in cut.changes[0]] == ["R", "U"] and found.total == pytest.approx(cut.total)
    backwards = attribute(GREEN(order=2), corpus, edits=[list(cut.changes[0][::-1]), []])
    assert np.allclose(backwards.worths[0], cut.worths[0]) and backwards.changes == cut.changes


def test_rows_and_groups():
    corpus = Corpus(["I go go", "I go"], [["I went went", "I went"]], [["I went the", "I went"]], system_names=["A"])
    found = attribute(GREEN(order=1), corpus)
    made = [(d, " ".join(words[edit.start:edit.end]), " ".join(edit.correction), worth) for d, words, edit, worth in found]
    assert [row[:3] for row in made] == [(1, "go go", "went the"), (2, "go", "went")]
    assert sum(worth for *_, worth in made) == pytest.approx(found.total)
    assert found.by() == {"R": (2, pytest.approx(found.total))} and repr(found).startswith("A: 2 changes are worth +")
    by_words = found.by("words")
    assert {k: n for k, (n, _) in by_words.items()} == {"go go → went the": 1, "go → went": 1}
    assert list(by_words.values()) == sorted(by_words.values(), key=lambda item: -item[1])
    with pytest.raises(ValueError, match="key is 'word': use one of type, words"): found.by("word")


def test_a_system_without_changes():
    corpus = Corpus(["a b", ""], [["a c", "d"]], [["a b", ""]])
    for metric in (*ONE, METEOR()):
        found = attribute(metric, corpus)
        assert found.total == found.gap == 0 and [len(worths) for worths in found.worths] == [0, 0]


TWO = Corpus(["a b"], [["a c"]], [["a c"], ["a b"]], system_names=("A", "B"))
ONE_EDIT = parse_m2(["S a b", "A 1 2|||R|||c|||REQUIRED|||-NONE-|||0"])


@pytest.mark.parametrize("call,error,says", [
    (lambda: attribute(GREEN, TWO, "A"), TypeError, "metric is the class GREEN"),
    (lambda: attribute(GREEN(), ["a b"]), TypeError, "corpus is list: give a Corpus"),
    (lambda: attribute(BLEU(), Corpus(None, [["a"]], [["a"]])), TypeError, "sources is None"),
    (lambda: attribute(GREEN(), TWO), ValueError, "the corpus has 2 systems; say which: A, B"),
    (lambda: attribute(GREEN(), TWO, "A", []), ValueError, "line counts differ: sources has 1, edits has 0"),
    (lambda: attribute(GREEN(), TWO, "A", ["a c"]), TypeError, "edits holds 'a c'"),
    (lambda: attribute(GREEN(), TWO, "A", [[Edit(0, 2, "R", ("a",), 0, 0), Edit(1, 2, "R", ("c",), 0, 0)]]), ValueError, "sentence 1: .*overlaps"),
    (lambda: changes_of(["a", "b " * 3000], ["a", "c " * 3000]), ValueError, "sentence 2: 3,000 words became"),
    (lambda: attribute_edits(parse_m2(["S a"]), parse_m2(["S b"])), ValueError, "sentence 1: gold has 'b', system has 'a'"),
    (lambda: attribute(CLEME(), EditCorpus(ONE_EDIT, {"A": ONE_EDIT}), per="mean"),
     ValueError, "CLEME scores a sentence by"),
    (lambda: attribute_edits("nowhere", "nowhere"), ValueError, "nowhere: no such file")])
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=says): call()
