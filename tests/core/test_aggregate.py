"Ways from sentences to a corpus, for any metric: against the same metric on corpora in which the choice was made by hand"
from functools import partial
from itertools import permutations, product
import random
import re

import numpy as np
import pytest

from gecmetrics_nb import EditCorpus, parse_m2, BLEU, CLEME, ERRANT, GLEU, GoogleGLEU, GREEN, M2, METEOR, Corpus
from gecmetrics_nb.core import aggregation
from gecmetrics_nb.core.aggregation import SampledReferences, Draws, MeanOverReferences, Expected, SentenceMean
from gecmetrics_nb.core.aggregation import BestReference
from gecmetrics_nb.io.m2 import apply_edits
from gecmetrics_nb.metrics.m2 import GoldCorpus
from gecmetrics_nb.core.metric import collect, score_corpora, score_corpus, score_sentences
import slow

METRICS = [GLEU(order=2), GLEU(variant="paper", references="max"), GREEN(order=2), GREEN(order=3, beta=2), GoogleGLEU(), METEOR(aggregate=True)]


def texts(seed=3, sentences=6, references=2):
    sources, columns, systems = slow.corpus(seed, references=references, systems=1, longest=9, sentences=sentences)
    return dict(sources=sources, references=columns, hypotheses=systems[0])


def chosen(given, choice):
    "The same corpus with one reference a sentence"
    return given | {"references": [[given["references"][r][d] for d, r in enumerate(choice)]]}


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@pytest.mark.parametrize("stream, iterations", [("python2", 12), ("python3", 12), ("python3", 2)])
def test_drawn_references_are_those_of_the_draws(metric, stream, iterations):
    given, present = texts(), np.ones((6, 2), bool)
    given["references"][1][4], present[4, 1] = None, False # one sentence has one reference
    draws = Draws(iterations, stream)(present)
    expected = [float(metric.corpus_score(**chosen(given, choice))) for choice in draws]
    score = metric.corpus_score(**given, way=partial(SampledReferences, iterations=iterations, stream=stream))
    assert score == pytest.approx(np.mean(expected), abs=1e-12) and score.standard_error == pytest.approx(np.std(expected) / np.sqrt(iterations), abs=1e-12)
    assert f"|refs:1-2,sample:{iterations},seeds:101j,{stream}|" in score.signature


@pytest.mark.parametrize("how, error", [("sample", 0), ("expected", None)])
def test_equal_references_are_drawn_as_one(how, error):
    "Three of each sentence have too many choices to score all; a variance that rounding takes below 0 is none"
    given = texts(sentences=40)
    one, three = (GLEU(references=how).corpus_score(**given | {"references": given["references"][:1] * R}) for R in (1, 3))
    assert three == pytest.approx(one, abs=1e-12) and three.standard_error == error


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_each_set_is_scored_alone(metric):
    given = texts(references=3)
    each = [metric.corpus_score(**given | {"references": [column]}) for column in given["references"]]
    score = metric.corpus_score(**given, way=MeanOverReferences)
    assert score == pytest.approx(np.mean(each), abs=1e-12) and "|refs:3,mean|" in score.signature


@pytest.mark.parametrize("metric", [*METRICS, METEOR(), BLEU(), GLEU(variant="2015")], ids=repr)
def test_a_mean_is_an_ordinary_score(metric):
    given = texts(sentences=30)
    parts = list(metric.count(Corpus(given["sources"], given["references"], [given["hypotheses"]])))
    score, = score_corpus(metric, parts, note="x", per="mean")
    assert score == pytest.approx(metric.sentence_scores(**given).mean(), abs=1e-12)
    assert "|per:mean|note:x|" in score.signature and score.totals.shape[1] == len(metric.columns)
    assert metric.corpus_score(**given, way=SentenceMean) == score_corpora([metric], parts, per="mean")[0][0] == score


def test_the_settings_of_gleu_are_ways():
    given = texts(sentences=40)
    for choice, way in ("sample", partial(SampledReferences, iterations=500)), ("mean", MeanOverReferences):
        one, other = GLEU(references=choice).corpus_score(**given), GLEU(references="max").corpus_score(**given, way=way)
        assert repr(one) == repr(other)
    assert GLEU().corpus_score(**given, way=BestReference) == GLEU(references="max").corpus_score(**given)
    for metric in GREEN(references="union"), BLEU(): assert "|refs:2,union|" in metric.corpus_score(**given, way=BestReference).signature


@pytest.mark.parametrize("way", [SampledReferences, partial(Expected, formula=None), MeanOverReferences])
@pytest.mark.parametrize("metric,says", [(BLEU(), "BLEU compares with the union"), (GREEN(references="union"), "GREEN compares with the union"), (GLEU(variant="2015"), "GLEU compares with the union"), (METEOR(), "METEOR is a mean of sentence scores")])
def test_where_there_is_nothing_to_choose_among_it_is_refused(metric, says, way):
    with pytest.raises(ValueError, match=says): metric.corpus_score(**texts(), way=way)


@pytest.mark.parametrize("way", ["sample", 3, SampledReferences(GREEN()), len, str, Expected, aggregation.Aggregate, Draws, lambda: None])
def test_what_is_no_way_is_refused(way):
    says = f"^way is {re.escape(repr(way))}.*: give a way from"
    with pytest.raises(TypeError, match=says): GREEN().corpus_score(**texts(), way=way)


def test_a_way_that_changes_another_need_not_add_up():
    class Highest(BestReference):
        def values(self): return np.maximum(super().values(), .5)
    ways = {BestReference: "sums", SentenceMean: "scores", SampledReferences: None, MeanOverReferences: None, Highest: None}
    assert {way: aggregation.additivity(way(GREEN())) for way in ways} == ways


def test_the_sums_beside_a_mean_are_those_of_the_references_that_scored():
    "GLEU's sentence score is the mean over references, with `max` and in GREEN that of the best one"
    given = texts(references=3)
    corpus = Corpus(given["sources"], given["references"], [given["hypotheses"]])
    for metric, mean in (GLEU(), True), (GLEU(references="expected"), True), (GLEU(references="max"), False), (GREEN(), False):
        statistics = metric.statistics(**given)
        means = statistics.sum(axis=(0, 1)) / 3
        best = metric.best(statistics[None], np.ones((6, 3), bool))[0].sum(axis=0)
        totals = score_corpus(metric, metric.count(corpus), per="mean")[0].totals
        assert np.allclose(totals, means if mean else best, rtol=0, atol=1e-9) and not np.allclose(means, best)


def test_a_union_is_there_if_one_of_its_references_is():
    class There(BLEU):
        def combine_sentences(self, statistics, present): return present.T
    scores = There().sentence_scores(hypotheses=["a", "b"], references=[["a", "b"], [None, "c"]])
    assert scores.tolist() == [1, 1]


def gold_and_edits(sentences, seed=4):
    "Sentences of two annotators, and those of a system: one to three words each become one or two others"
    rng, gold, made = random.Random(seed), [], []
    def edits(tokens, annotator):
        places = sorted(rng.sample(range(len(tokens)), rng.randint(1, 3)))
        words = (rng.choice(["x", "x", "x y"]) for _ in places)
        return [f"A {k} {k + 1}|||R|||{word}|||REQUIRED|||-NONE-|||{annotator}" for k, word in zip(places, words, strict=True)]
    for _ in range(sentences):
        tokens = rng.choices("abc", k=rng.randint(4, 7))
        block = [f"S {' '.join(tokens)}"]
        gold += parse_m2([*block, *edits(tokens, 0), *edits(tokens, 1)])
        made += parse_m2([*block, *edits(tokens, 0)])
    return gold, made


@pytest.mark.parametrize("metric", [M2(), M2(choice="optimal"), ERRANT(beta=2)], ids=repr)
def test_the_sums_beside_a_mean_of_edits_are_those_of_each_sentence_alone(metric):
    "Whichever annotators the corpus score chooses"
    gold, made = gold_and_edits(60)
    def totals(some):
        theirs, ours = gold[some], made[some]
        texts = [" ".join(apply_edits(sentence.tokens, sentence.edits)) for sentence in ours]
        corpus = EditCorpus(theirs, [ours]) if isinstance(metric, ERRANT) else GoldCorpus(theirs, [texts])
        return score_corpus(metric, metric.count(corpus), per="mean")[0].totals
    assert (totals(slice(None)) == sum(totals(slice(d, d + 1)) for d in range(60))).all()


def test_a_mean_waits_for_all_sentences_where_one_depends_on_the_others(monkeypatch):
    monkeypatch.setattr(SentenceMean, "block", 2)
    gold, made = gold_and_edits(20)
    metric = CLEME()
    parts = list(metric.count(EditCorpus(gold, [made])))
    assert score_corpus(metric, parts, way=SentenceMean)[0].value == pytest.approx(score_sentences(metric, parts).mean(), abs=1e-12)
    assert aggregation.additivity(SentenceMean(metric)) is None


def test_statistics_wait_in_few_bytes_and_keep_their_values():
    from gecmetrics_nb.core.aggregation import narrowed
    for values, kind in (([0, 255], "uint8"), ([0, 256], "int16"), ([-1, 3], "int16"), ([-1, 40_000], "int32"), ([0, 2**40], "int64"), ([-2**40, 2**63 - 1], "int64"), ([], "uint8")):
        numbers = np.array(values, np.int64)
        assert narrowed(numbers).dtype == kind and narrowed(numbers).tolist() == values
    assert narrowed(np.array([.1])).tolist() == [.1]


@pytest.mark.parametrize("stream", ["python2", "python3"])
def test_draws_added_up_in_slices_are_the_same(stream, monkeypatch):
    call = lambda: GLEU(order=2, iterations=29, stream=stream).corpus_score(**texts(sentences=50))
    whole = call()
    monkeypatch.setattr(aggregation, "DRAWS_AT_ONCE", 7) # four times, and one is left
    assert call() == whole and call().standard_error == whole.standard_error


@pytest.mark.parametrize("iterations", [0, -1, 1.5, True, None, "5", 100_001, 10**12])
def test_draws_of_references_have_a_limit(iterations):
    for call in lambda: GLEU(iterations=iterations), lambda: SampledReferences(GREEN(), iterations):
        with pytest.raises(ValueError, match="iterations is .*: give a whole number from 1 to 100,000"): call()
    assert GLEU(iterations=100_000).iterations == 100_000


@pytest.mark.parametrize("stream", ["python4", "", None, 3])
def test_draws_come_from_a_stream_that_is_known(stream):
    for call in Draws, partial(SampledReferences, GREEN()):
        with pytest.raises(ValueError, match="^stream is .*: use one of python2, python3"): call(3, stream)


def test_parts_are_joined_with_room_for_the_largest():
    "Sums and positions stay; what a part lacks is 0 and not present; parts of other systems are refused"
    one, two = np.arange(1, 13).reshape(2, 1, 1, 2, 3), np.arange(300, 336).reshape(2, 2, 3, 1, 3)
    for pairs in ([one, two], [two, one]):
        joined, present = aggregation.join_parts([(s, np.ones(s.shape[1:3], bool)) for s in pairs])
        assert joined.shape == (2, 3, 3, 2, 3) and joined.dtype == one.dtype and joined.sum() == one.sum() + two.sum()
        at = 0 if pairs[0] is one else 2
        assert (joined[:, at:at + 1, :1] == one).all() and present[at].tolist() == [True, False, False]
        rest = [d for d in range(3) if d != at]
        assert (joined[:, rest][:, :, :, :1] == two).all() and present[rest].all()
    with pytest.raises(ValueError, match="parts differ"):
        aggregation.join_parts([(s, np.ones(s.shape[1:3], bool)) for s in (one, two[:1])])


@pytest.mark.parametrize("call", [
    collect, score_sentences, score_corpus, partial(score_corpus, per="mean"), partial(score_corpus, way=SampledReferences),
    lambda metric, parts: score_corpora([metric, GREEN(beta=2)], parts)])
def test_parts_of_other_systems_are_refused(call):
    given = texts()
    one, two = (list(GREEN().count(Corpus(given["sources"], given["references"], [given["hypotheses"]] * k))) for k in (1, 2))
    for parts, has in (one + two, "one has 1, another 2"), (two + one, "one has 2, another 1"):
        with pytest.raises(ValueError, match=f"^parts differ in their systems: {has};"): call(GREEN(), parts)


def test_parts_with_fewer_reference_sets_have_no_mean_over_sets():
    given = texts()
    one, two = (list(GREEN().count(Corpus(given["sources"], given["references"][:k], [given["hypotheses"]]))) for k in (1, 2))
    for parts in one + two, two + one:
        with pytest.raises(ValueError, match="needs all of them"): score_corpus(GREEN(), parts, way=MeanOverReferences)
        assert score_corpus(GREEN(), parts)[0].references == (1, 2) # of which the best


@pytest.mark.parametrize("block", [1, 4, 13, None])
@pytest.mark.parametrize("way", [SentenceMean, MeanOverReferences, partial(SampledReferences, iterations=5)])
def test_blocks_of_any_size_add_up_to_the_same(way, block, monkeypatch):
    statistics, present = np.random.default_rng(0).integers(1, 9, (2, 13, 2, 4, 6)), np.ones((13, 2), bool)
    expected = way(GLEU(order=4)).whole(statistics, present).to_scores()
    cut = way(GLEU(order=4))
    cut.block = block
    for start, end in (0, 7), (7, 13): cut.add(statistics[:, start:end], present[start:end])
    scores = cut.to_scores()
    assert scores == pytest.approx(expected, abs=1e-12) and scores[0].sentences == 13
    assert np.allclose(scores[0].totals, expected[0].totals)
    done = [] # as a progress bar counts
    def progress(parts, unit, total, size): return (done.append(size(part)) or part for part in parts)
    cut.whole(statistics, present, progress)
    assert sum(done) == 13 and max(done) <= (block or 13)


@pytest.mark.parametrize("way", [
    BestReference, SentenceMean, MeanOverReferences, SampledReferences, partial(Expected, formula=None)])
def test_what_is_resampled_gives_the_score_where_each_sentence_counts_once(way):
    "Draws of references are resampled at their mean"
    statistics, present = np.random.default_rng(0).integers(1, 9, (3, 13, 2, 4, 6)), np.ones((13, 2), bool)
    aggregate = way(GLEU(order=4))
    addends, formula = aggregate.suffstats(statistics, present)
    mean = aggregate.metric.score(statistics.mean(axis=2).sum(axis=1))
    expected = mean if aggregate.among == "drawn" else aggregate.whole(statistics, present).values()
    assert formula(addends.sum(axis=1)) == pytest.approx(expected, abs=1e-12)


def test_the_fewest_and_the_most_references_are_known_in_any_order():
    statistics, present = np.ones((1, 3, 3, 4, 6), int), np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0]], bool)
    for order in permutations(range(3)):
        cut = SentenceMean(GLEU(order=4))
        for d in order: cut.add(statistics[:, [d]], present[[d]])
        assert cut.to_scores()[0].references == (1, 3)


@pytest.mark.parametrize("stream", ["python2", "python3"])
def test_draws_go_on_where_they_ended(stream):
    present, cut = np.random.default_rng(1).random((9, 3)) < .7, Draws(6, stream)
    present[:, 0] = True
    parts = [cut(present[start:end]) for start, end in ((0, 2), (2, 5), (5, 9))]
    assert np.concatenate(parts, axis=1).tolist() == Draws(6, stream)(present).tolist()


def test_draws_reach_all_of_more_references_than_a_byte_can_number():
    by_python = [random.Random(101 * j).randrange(300) for j in range(9)]
    assert Draws(9, "python3")(np.ones((1, 300), bool))[:, 0].tolist() == by_python and max(by_python) > 255


def test_sums_of_draws_are_exact_where_short_floats_are_not():
    statistics, present = np.zeros((1, 8, 2, 1, 1), np.int64), np.ones((8, 2), bool)
    statistics[:, :, 1] = 3_000_001 # six of them and more are odd numbers above 2**24
    drawn = aggregation.sampled_totals(statistics, present, Draws(50))[0, :, 0, 0]
    assert drawn.tolist() == [3_000_001 * int(choice.sum()) for choice in Draws(50)(present)] and drawn.max() > 2**24


def test_sums_by_weights_are_exact_on_either_side_of_32_bits():
    "Negative addends reach as far; what is no integer keeps its 64 bits"
    weights = np.array([[1, 2], [0, 3]])
    for top in 2**24 // 6 - 2, 2**24 // 3 + 2, 2**40 + 1:
        for addends in [[top, 5], [top - 2, -7]], [[-top, 0], [1 - top, 2]]:
            by_hand = [[v * addends[0][k] + w * addends[1][k] for k in range(2)] for v, w in weights.tolist()]
            assert aggregation.weighted_sums(np.array(addends), 3)(weights).tolist() == by_hand
    assert aggregation.weighted_sums(np.array([2**20 + 2**-20, 1]), 3)(weights).tolist() == [2**20 + 2 + 2**-20, 3]


def test_every_choice_is_added_up_to_4096_of_them():
    start, statistics = np.zeros((1, 1, 1, 1)), np.stack([np.zeros((1, 13)), 2. ** np.arange(13)[None]], axis=-1)
    def every(totals, a, b):
        return aggregation.every_choice(totals, statistics[:, a:b, :, None, None], np.ones((b - a, 2), bool))
    for cut in 0, 5: # in one part, and in two
        totals = [every(every(start, 0, cut), cut, D) for D in (12, 13)]
        assert sorted(totals[0].ravel().tolist()) == list(range(4096)) and totals[1] is None


def test_the_expectation_of_4096_choices_is_their_mean():
    statistics = np.random.default_rng(0).integers(1, 9, (3, 12, 2, 2, 6))
    sums = (statistics[:, range(12), choice].sum(axis=1) for choice in product((0, 1), repeat=12))
    scores = list(map(GLEU(order=2).score, sums))
    exact = Expected(GLEU(order=2), formula=None).whole(statistics, np.ones((12, 2), bool))
    assert exact.values() == pytest.approx(np.mean(scores, axis=0), abs=1e-12)


def test_a_slope_may_jump_where_a_sum_or_the_difference_of_lengths_is_0():
    totals = np.arange(12).reshape(2, 6)**2
    *sums, lengths = GLEU(order=2).zero_at_kinks(totals)
    assert sums == totals.ravel().tolist() and lengths == 16 - 25 # of hypothesis and reference, by columns


def test_each_of_several_metrics_must_fit_the_counts():
    corpus = Corpus(**{name: texts()[name] for name in ("sources", "references")}, systems=[texts()["hypotheses"]])
    with pytest.raises(ValueError, match="counts made with .*order 2.*; GREEN needs .*order 3"):
        score_corpora([GREEN(order=2), GREEN(order=3)], GREEN(order=2).count(corpus))
