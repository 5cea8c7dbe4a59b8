"Adapters against the packages that they stand in for: NLTK, gec-metrics, evaluate, torchmetrics, TRL, verl"
from importlib.util import find_spec
from math import exp
from types import SimpleNamespace
import pickle
import random
import sys
import warnings

import numpy as np
import pytest

from gecmetrics_nb import align, GLEU, GoogleGLEU, GREEN, M2, METEOR
from gecmetrics_nb.adapters import gec_metrics, huggingface, nltk, rewards, torchmetrics
from gecmetrics_nb.adapters.references import reference_sets
from gecmetrics_nb.core.aggregation import BestReference, additivity
from gecmetrics_nb.alignment.search import chunks, crossings
from gecmetrics_nb.metrics.registry import METRICS, metric_named
from gecmetrics_nb.stats.attribution import attribute
from places import prose_of
import slow

LISTED = [metric_named(name)[0] for name, named in METRICS.items() if named.per == "corpus"]
OURS = [metric for metric in LISTED if additivity(metric.aggregation())]
OURS += [GREEN(beta=2), GREEN(references="union"), METEOR(aggregate=True), GLEU(references="max"), GLEU(variant="paper", references="max")]


def token_lists(seed, count, low=0, high=9, words="abcde"):
    rng = random.Random(seed)
    tokens = lambda: [rng.choice(words) for _ in range(rng.randint(low, high))]
    return [[tokens() for _ in range(rng.randint(1, 3))] for _ in range(count)], [tokens() for _ in range(count)]


def by_sentence(references): return [[r for r in row if r is not None] for row in zip(*references, strict=True)]


# In general

@pytest.mark.parametrize("call,package,says", [
    (lambda: huggingface.evaluate_metric(GLEU()), "evaluate", r"gecmetrics_nb\[evaluate\]"),
    (lambda: torchmetrics.torch_metric(GREEN()), "torchmetrics", r"gecmetrics_nb\[torch\]"),
    (gec_metrics.register, "gec_metrics.metrics", "pip install gec-metrics")])
def test_a_missing_package_is_named(monkeypatch, call, package, says):
    monkeypatch.setitem(sys.modules, package, None)
    torchmetrics._torch_class.cache_clear()
    with pytest.raises(ImportError, match=says): call()


@pytest.mark.parametrize("references,error,says", [
    ("a", TypeError, "one string"), ([["a"]], ValueError, "1 lists for 2 sentences"), ([["a"], {"b"}], TypeError, r"references\[1\] is set"), ({"x": ["a"], "y": ["b"]}, TypeError, "references is dict"),
    ([["a"], None], TypeError, r"references\[1\] is NoneType.* of sentence 2"), (None, TypeError, "references is NoneType")])
def test_references_in_another_shape_are_refused(references, error, says):
    with pytest.raises(error, match=says): reference_sets(references, 2)


# NLTK

bleu_score = pytest.importorskip("nltk.translate.bleu_score")
gleu_score = pytest.importorskip("nltk.translate.gleu_score")
their_meteor = pytest.importorskip("nltk.translate.meteor_score")
EQUAL = dict(stemmer=None, wordnet=None)
EXACT = dict(stemmer=SimpleNamespace(stem=str), wordnet=SimpleNamespace(synsets=lambda word: []))


@pytest.mark.filterwarnings(r"ignore:\s*The hypothesis contains", "ignore:no n-gram of order")
def test_short_sentences_equal_nltk_reweighed():
    for seed in range(5):
        for r, h in zip(*token_lists(seed, 40, high=5), strict=True):
            assert nltk.sentence_bleu(r, h, auto_reweigh=True) == pytest.approx(bleu_score.sentence_bleu(r, h, auto_reweigh=True), abs=1e-12)
    short = [["a", "b"]], ["a", "b"]
    assert [nltk.sentence_bleu(*short, (1/3,) * 3, auto_reweigh=True), nltk.sentence_bleu(*short, auto_reweigh=True)] == [0, 1] # of equal weights of four orders alone
    for weights in (1,), (.5, .5, 0, 0): assert nltk.sentence_bleu(*short, weights) == 1 # as many orders as count


def test_meteor_equals_nltk_where_greed_finds_the_best_alignment():
    different, settings = 0, dict(alpha=.7, beta=2, gamma=.3)
    for seed in range(10):
        for references, h in zip(*token_lists(seed, 25, words="abcdABefg"), strict=True):
            assert nltk.meteor_score(references, h, **EQUAL) == pytest.approx(max(nltk.single_meteor_score(r, h, **EQUAL) for r in references), abs=1e-15)
            for r in references:
                greedy = sorted(their_meteor.align_words(h, r, **EXACT)[0])
                best = align([t.lower() for t in h], [t.lower() for t in r])
                assert len(best) == len(greedy) and (crossings(best), chunks(best)) <= (crossings(greedy), chunks(greedy))
                ours, theirs = nltk.single_meteor_score(r, h, **EQUAL), their_meteor.single_meteor_score(r, h, **EXACT)
                if chunks(best) != chunks(greedy): different += 1; continue
                assert ours == pytest.approx(theirs, abs=1e-12)
                ours, theirs = nltk.single_meteor_score(r, h, **EQUAL, **settings), their_meteor.single_meteor_score(r, h, **EXACT, **settings)
                assert ours == pytest.approx(theirs, abs=1e-12)
    assert different > 15


def test_meteor_says_that_it_has_one_of_nltks_three_rounds():
    texts = ["the cat sat".split()], "the cats sat".split()
    for function, given in (nltk.meteor_score, texts), (nltk.single_meteor_score, (texts[0][0], texts[1])):
        with pytest.warns(UserWarning, match="equal words only.*stemmer=None, wordnet=None") as seen:
            function(*given)
            function(*given, stemmer=None, wordnet=None)
        assert len(seen) == 1 and seen[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_bleu_warns_of_orders_without_matches():
    short = [["a", "b", "c", "d"]], ["a", "b", "x", "y"]
    with pytest.warns(UserWarning, match="order 3, 4 matches"): assert nltk.sentence_bleu(*short) == 0
    assert nltk.sentence_bleu(*short, (.5, .5)) > 0
    assert nltk.sentence_bleu(*short, smoothing_function=nltk.SmoothingFunction().method1) > 0


def test_epsilon_is_that_of_the_smoothing_function():
    r, h = [list("abcdefg")], list("abcxefy")
    theirs = bleu_score.SmoothingFunction(epsilon=.2).method1
    expected = bleu_score.sentence_bleu(r, h, smoothing_function=theirs)
    for method in theirs, nltk.SmoothingFunction(epsilon=.2).method1:
        assert nltk.sentence_bleu(r, h, smoothing_function=method) == pytest.approx(expected, abs=1e-12)
    assert nltk.sentence_bleu(r, h, smoothing_function=nltk.SmoothingFunction().method1) < expected


def test_weights_and_lengths_are_those_of_nltk():
    r, h, weights = [list("abcdefg")], list("abcxefy"), [(.7, .3), (.5, .25, .25)]
    theirs = [bleu_score.sentence_bleu(r, h, w) for w in weights]
    assert nltk.sentence_bleu(r, h, weights) == pytest.approx(theirs, abs=1e-12)
    for ends in (1, 1), (2, 2), (2, 3):
        assert nltk.sentence_gleu(r, h, *ends) == gleu_score.sentence_gleu(r, h, *ends)


def test_tokens_can_be_anything_that_hashes():
    reference, hypothesis = ["New York", 3, (1, 2), None, ""], ["New York", 3, (1, 2), None, "", "\n"]
    assert nltk.sentence_gleu([reference], hypothesis) == gleu_score.sentence_gleu([reference], hypothesis)
    assert nltk.sentence_gleu([[3]], ["3"]) == 0


@pytest.mark.parametrize("call,error,says", [
    (lambda: nltk.sentence_gleu([["a"]], ["a"], 0, 2), ValueError, "min_len is 0"),
    (lambda: nltk.sentence_gleu([["a"]], ["a"], 1, -1), ValueError, "max_len is -1"),
    (lambda: nltk.sentence_gleu([["a"]], ["a"], 3, 2), ValueError, "min_len is 3, above max_len 2"),
    (lambda: nltk.sentence_bleu([["a"]], ["a"], (.5, -.3)), ValueError, r"weights\[1\] is -0.3"),
    (lambda: nltk.corpus_bleu([[["a"]]] * 2, [["a"]] * 2, auto_reweigh=True), ValueError, "sentence_bleu"),
    (lambda: nltk.meteor_score([["a"]], ["a"], stemmer=object()), ValueError, "stemmer is given"),
    (lambda: nltk.sentence_bleu([["a"]], ["a"], (0, 0)), ValueError, r"^weights are \(0, 0\): give"),
    (lambda: nltk.sentence_bleu([["a"]], ["a"], (1,), bleu_score.SmoothingFunction().method4), ValueError, "is method4"),
    (lambda: nltk.corpus_gleu([], []), ValueError, "there are no sentences"),
    (lambda: nltk.corpus_gleu([[["a"], "b"], [["a"]]], [["a"]] * 2), TypeError, "^reference 2 of hypothesis 1 is"),
    (lambda: nltk.corpus_gleu([[["a"]]] * 2, [["a"], "b"]), TypeError, "^hypothesis 2 is one string")])
def test_what_nltk_has_and_we_have_not_is_refused(call, error, says):
    with pytest.raises(error, match=says): call()


# gec-metrics

@pytest.fixture(scope="module")
def theirs():
    "gec-metrics itself, which needs torch, transformers and spaCy"
    import gec_metrics.metrics
    return gec_metrics.metrics


def full_lines(seed, references):
    "Random lines, none of them empty, two blanks in some of them"
    sources, references, systems = slow.corpus(seed, references=references)
    full = lambda lines: [line + "  a" if seed % 2 else line or "a" for line in lines]
    return full(sources), [full(r) for r in references], [full(h) for h in systems]


@pytest.mark.parametrize("unit", ["word", "char"])
@pytest.mark.parametrize("settings", [{}, dict(n=3)])
def test_the_names_of_gec_metrics_are_their_formulas(settings, unit):
    "Without gec-metrics, with one reference, of which nothing is drawn"
    tidy = lambda lines: [" ".join(line.split()) or "a" for line in lines]
    sources, [references], systems = slow.corpus(2, references=1)
    sources, references, *systems = map(tidy, (sources, references, *systems))
    order = settings.get("n", 4)
    for kind, variant in (gec_metrics.GLEU, "paper"), (gec_metrics.GLEUOfficial, "code"):
        ours = kind(kind.Config(**settings, unit=unit))
        if (variant, unit) == ("code", "char"):
            with pytest.raises(ValueError, match="unit is 'char'"): ours.score_corpus(sources, sources, [references])
            continue
        scores = [slow.gleu(sources, h, [references], [0] * 40, variant, order, unit=unit) for h in systems]
        assert ours.rank_systems(sources, systems, [references]) == pytest.approx(scores, abs=1e-12)
    ours = gec_metrics.GREEN(gec_metrics.GREEN.Config(**settings, unit=unit))
    for hypotheses in systems:
        rows = list(zip(sources, references, hypotheses, strict=True))
        counts = [np.sum([slow.green_counts(s, [r], h, n + 1, unit) for s, r, h in rows], axis=0) for n in range(order)]
        expected = slow.green_scores(counts, 2, 1)[-1]
        assert ours.score_corpus(sources, hypotheses, [references]) == pytest.approx(expected, abs=1e-12)


def test_pairs_of_equal_outputs_are_even():
    pairs = gec_metrics.GREEN().score_pairwise(["a a"], [["a b"], ["a c"], ["a b"]], [["a b"]])
    assert pairs == [[[0, 1, 0], [-1, 0, -1], [0, 1, 0]]]


def test_an_empty_line_is_one_word_long_in_the_gleu_of_gec_metrics():
    for kind in gec_metrics.GLEU, gec_metrics.GLEUOfficial:
        assert kind().score_sentence(["He go"], [""], [["He goes"]]) == pytest.approx([exp(-1)])


CASES = [("GLEU", dict(iter=20)), ("GLEU", dict(iter=20, n=2)), ("GLEU", dict(iter=20, n=3, unit="char")), ("GLEUOfficial", dict(iter=20)),
         ("GREEN", dict()), ("GREEN", dict(n=2, beta=.5)), ("GREEN", dict(n=3, unit="char"))]


@pytest.mark.parametrize("name,config", CASES)
@pytest.mark.needs("gec_metrics")
def test_gec_metrics_itself(theirs, name, config):
    pair = [getattr(module, name) for module in (gec_metrics, theirs)]
    ours, other = (cls(cls.Config(**config)) for cls in pair)
    for seed in range(6):
        sources, references, systems = full_lines(seed, 1 + seed % 3)
        for h in systems:
            assert ours.score_corpus(sources, h, references) == pytest.approx(other.score_corpus(sources, h, references), abs=1e-12)
            assert ours.score_sentence(sources=sources, hypotheses=h, references=references) == pytest.approx(other.score_sentence(sources, h, references), abs=1e-12)
        assert ours.rank_systems(sources, systems, references) == pytest.approx(other.rank_systems(sources, systems, references), abs=1e-12)


def any_line(rng):
    "Words with one blank or two between them; one line in four has none"
    if rng.random() < .25: return rng.choice(["", "", " ", "  "])
    words = rng.choice([" ", " ", "  "]).join(rng.choices("abcd", k=rng.randint(1, 7)))
    return rng.choice(["", "", " "]) + words + rng.choice(["", "", " "])


@pytest.mark.parametrize("name,config", [case for case in CASES if case[0] == "GREEN" or "unit" not in case[1]])
@pytest.mark.needs("gec_metrics")
def test_gec_metrics_with_empty_lines(theirs, name, config):
    "GLEU of characters is left out: gec-metrics divides by the length of an empty hypothesis"
    pair = [getattr(module, name) for module in (gec_metrics, theirs)]
    ours, other = (cls(cls.Config(**config)) for cls in pair)
    for seed in range(60):
        rng = random.Random(seed)
        sources, *references = [[any_line(rng) for _ in range(6)] for _ in range(2 + seed % 3)]
        hypotheses = [rng.choice([any_line(rng), s, r]) for s, r in zip(sources, references[0], strict=True)]
        texts = sources, hypotheses, references
        assert ours.score_corpus(*texts) == pytest.approx(other.score_corpus(*texts), abs=1e-12)
        assert ours.score_sentence(*texts) == pytest.approx(other.score_sentence(*texts), abs=1e-12)


@pytest.mark.needs("gec_metrics")
def test_the_last_digit_decides_between_references_there(theirs):
    "Both references give F = 5/9, as .5555555555555555 and .5555555555555556"
    sources, hypotheses, references = ["a c"], ["b b d a b d"], [["c b b"], ["a a b f"]]
    texts = [*sources, "a b c d"], [*hypotheses, "a b e d"], [[*r, "a b c d"] for r in references]
    ours, other = gec_metrics.GREEN(gec_metrics.GREEN.Config(n=1)), theirs.GREEN(theirs.GREEN.Config(n=1))
    assert ours.score_sentence(*texts) == pytest.approx(other.score_sentence(*texts), abs=1e-12)
    first, second = ([*texts[:2], [r]] for r in texts[2])
    assert ours.score_corpus(*texts) == ours.score_corpus(*first) == pytest.approx(other.score_corpus(*first))
    assert other.score_corpus(*texts) == other.score_corpus(*second) != pytest.approx(other.score_corpus(*first))


@pytest.mark.needs("gec_metrics")
def test_gec_metrics_pairs_and_skills(theirs):
    ours, other = gec_metrics.GREEN(), theirs.GREEN()
    sources, references, systems = full_lines(3, 2)
    assert ours.score_pairwise(sources, systems, references) == other.score_pairwise(sources, systems, references)
    skills = [m.rank_systems(sources, systems, references, aggregation="trueskill") for m in (ours, other)]
    assert skills[0] == pytest.approx(skills[1], abs=1e-12)


@pytest.mark.needs("gec_metrics")
def test_gec_metrics_takes_ours_for_its_own(theirs):
    arguments = dict(sources=["a"], hypotheses=["a"], references=[["a"]])
    gec_metrics.register()
    for metric in gec_metrics.GLEU(), gec_metrics.ReferenceBased(METEOR()):
        assert theirs.inputs_handler(metric, **arguments) == arguments


@pytest.mark.needs("gec_metrics")
@pytest.mark.parametrize("metric", [GREEN(beta=2), GLEU(references="max")], ids=["GREEN", "GLEU"])
def test_worths_are_the_shapley_values_of_gec_metrics(theirs, shared, metric, monkeypatch):
    "Of sentence scores, in 186 sentences of AMU; theirs takes metrics without references, so the references are put in"
    if not find_spec("gec_metrics.analysis"): pytest.skip("gec-metrics 0.1.1 has no attributors; its repository has them")
    from gec_metrics.analysis.attributor.shapley import AttributorShapley
    monkeypatch.setattr("errant.load", lambda language: None) # the edits are given
    corpus, edits = slow.amu_changes(shared)
    found = attribute(metric, corpus, edits=edits, per="mean")
    assert len(corpus) == 186 and sum(map(len, edits)) == 489
    for source, references, mine, worths in zip(corpus.sources, zip(*corpus.references, strict=True), edits, found.worths, strict=True):
        class Ours(theirs.MetricBase):
            def score_sentence(self, sources, hypotheses):
                return metric.sentence_scores(sources=sources, hypotheses=hypotheses, references=[[r] * len(sources) for r in references]).tolist()
        other = AttributorShapley(AttributorShapley.Config(metric=Ours()))
        their_edits = [SimpleNamespace(o_start=e.start, o_end=e.end, c_str=" ".join(e.correction)) for e in mine]
        assert worths * len(corpus) == pytest.approx(other.attribute(source, inputs_edits=their_edits).attribution_scores, abs=1e-12)


@pytest.mark.needs("gec_metrics")
def test_gec_metrics_pays_for_an_empty_line(theirs):
    arguments = dict(sources=["He go"], hypotheses=[""], references=[["He goes"]])
    for kind in theirs.GLEU, theirs.GLEUOfficial: assert kind().score_sentence(**arguments) == pytest.approx([exp(-1)])
    assert GLEU(variant="paper").sentence_scores(**arguments) == [0]


# Hugging Face evaluate

@pytest.fixture
def evaluate(monkeypatch, tmp_path):
    "evaluate, with its cache in a folder of the test"
    import evaluate
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", tmp_path)
    return evaluate


@pytest.mark.parametrize("metric", [*OURS, GLEU(), GLEU(references="expected")], ids=repr)
@pytest.mark.needs("evaluate")
def test_evaluate_gives_the_corpus_score(evaluate, metric):
    sources, references, (hypotheses, _) = slow.corpus(1)
    expected = metric.corpus_score(sources=sources, hypotheses=hypotheses, references=references)
    ours, rows = huggingface.evaluate_metric(metric), by_sentence(references)
    assert isinstance(ours, evaluate.Metric)
    result = ours.compute(sources=sources, predictions=hypotheses, references=rows)
    assert result["score"] == float(expected) and result["standard_error"] == expected.standard_error
    assert result["signature"] == expected.signature and "sentences:40" in result["signature"] and result["sentences"] == 40
    for start in range(0, 40, 7):
        part = slice(start, start + 7)
        ours.add_batch(sources=sources[part], predictions=hypotheses[part], references=rows[part])
    assert ours.compute() == result


@pytest.mark.needs("evaluate")
def test_evaluate_takes_sentences_with_different_numbers_of_references(evaluate):
    ours = huggingface.evaluate_metric(GoogleGLEU())
    references, hypotheses = [["a b", "a c"], ["b"]], ["a c", "b"]
    for row in zip(hypotheses, references, strict=True): ours.add(sources="a", predictions=row[0], references=row[1])
    assert ours.compute()["score"] == 1
    both = evaluate.combine([ours, huggingface.evaluate_metric(GREEN())])
    assert len(both.compute(sources=hypotheses, predictions=hypotheses, references=references)) > 5


# torchmetrics

@pytest.fixture
def torch():
    import torch
    torchmetrics._torch_class.cache_clear()
    return torch


def batches(seed=1, size=7):
    sources, references, (hypotheses, _) = slow.corpus(seed, references=3)
    rows = by_sentence(references)
    texts = dict(sources=sources, hypotheses=hypotheses, references=references)
    return [(sources[i:i+size], hypotheses[i:i+size], rows[i:i+size]) for i in range(0, len(sources), size)], texts


@pytest.mark.parametrize("metric", OURS, ids=repr)
@pytest.mark.needs("torch", "torchmetrics")
def test_torch_states_add_up(torch, metric):
    from torchmetrics import Metric as TheirMetric
    parts, texts = batches()
    whole = torchmetrics.torch_metric(metric)
    assert isinstance(whole, TheirMetric)
    for part in parts:
        alone = metric.corpus_score(sources=part[0], hypotheses=part[1], references=reference_sets(part[2], len(part[1])))
        assert float(whole(*part)) == pytest.approx(float(alone), abs=1e-15) # forward: this batch alone
    expected = float(metric.corpus_score(**texts))
    assert float(whole.compute()) == pytest.approx(expected, abs=1e-15 if torchmetrics.is_sum(metric) else 1e-14)
    assert whole.sentences == 40 and whole.totals.dtype == torch.int64
    halves = [torchmetrics.torch_metric(metric) for _ in range(2)]
    for i, part in enumerate(parts): halves[i % 2].update(*part)
    halves[0].merge_state(halves[1])
    assert torch.equal(halves[0].totals, whole.totals) and float(halves[0].compute()) == pytest.approx(expected, abs=1e-14)
    whole.reset()
    assert whole.sentences == 0 and not whole.totals.any()
    with pytest.raises(ValueError, match="no sentences"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole.compute()


@pytest.mark.parametrize("metric", OURS, ids=repr)
@pytest.mark.needs("torch", "torchmetrics")
def test_torch_metrics_are_copied_and_stored(torch, metric):
    made = metric
    metric = torchmetrics.torch_metric(made)
    parts, _ = batches()
    metric.update(*parts[0])
    for copy in metric.clone(), pickle.loads(pickle.dumps(metric)):
        assert copy.compute() == metric.compute()
        copy.update(*parts[1])
        assert copy.sentences == 14 and metric.sentences == 7
    metric.persistent(True)
    fresh = torchmetrics.torch_metric(made)
    fresh.persistent(True)
    fresh.load_state_dict(metric.state_dict())
    assert torch.equal(fresh.totals, metric.totals)


class Squares(BestReference):
    "A way that is not the formula of the sums"
    def values(self): return self.metric.score(self.sums)**2


class Squared(GoogleGLEU):
    def aggregation(self, per="corpus"): return Squares(self)


@pytest.mark.parametrize("metric,error,says", [
    (GLEU(), ValueError, "references='max'"), (GLEU(references="expected"), ValueError, "is Expected"), (GLEU(references="mean"), ValueError, "is MeanOverReferences"),
    (Squared(), ValueError, "Squared.*is Squares, neither"), (GLEU, TypeError, r"metric is the class GLEU: give a metric, such as GLEU\(\)"),
    (M2(), TypeError, "metric is M2: give one that compares with references")])
def test_what_does_not_add_up_is_refused(metric, error, says):
    with pytest.raises(error, match=says): torchmetrics.torch_metric(metric)


@pytest.mark.parametrize("metric", OURS, ids=repr)
def test_scores_of_sums_and_means_of_scores_are_told_apart(metric):
    _, texts = batches()
    score = metric.corpus_score(**texts)
    values = {True: float(metric.score(score.totals)), False: metric.sentence_scores(**texts).mean()}
    assert float(score) == pytest.approx(values[torchmetrics.is_sum(metric)], abs=1e-15)
    assert abs(values[True] - values[False]) > 1e-6


@pytest.mark.needs("torch", "torchmetrics")
def test_the_example_of_the_lesson(torch):
    names, example = {}, prose_of("adapters/05_torchmetrics").split("```python\n")[1].split("```")[0]
    exec(example, names)
    assert float(names["metric"].compute()) == float(GLEU(references="max").corpus_score(
        sources=["He go home .", "She sing ."], hypotheses=["He goes home .", "She sing ."], references=[["He goes home .", "She sings ."], ["He went home .", None]]))


# Rewards

def reward(*rows): # pairs of an output and the list of its references
    outputs, references = zip(*rows, strict=True)
    return np.array(rewards.reward(None, outputs, references))


def random_texts(rng, low, high, words="abcd"): return " ".join(rng.choice(words) for _ in range(rng.randint(low, high)))


@pytest.fixture(scope="module")
def cases():
    "Three thousand times one to three references"
    rng = random.Random(0)
    return [[random_texts(rng, 1, 8) for _ in range(rng.randint(1, 3))] for _ in range(3000)]


def test_short_wrong_outputs_get_nothing(cases):
    rng = random.Random(2)
    for wrong in lambda: "", lambda: "x", lambda: random_texts(rng, 1, 3, "xyz"):
        assert not reward(*((wrong(), references) for references in cases)).any()


def test_a_reference_gets_most_and_any_other_text_less(cases):
    rng = random.Random(3)
    texts = [rng.choice([*references, random_texts(rng, 1, 6)]) for references in cases]
    values = reward(*zip(texts, cases, strict=True))
    assert all((value == 1) == (text in references) for value, text, references in zip(values, texts, cases, strict=True))
    assert values.max() == 1 > values.min()


def test_every_corrected_word_pays():
    rng = random.Random(4)
    for _ in range(300):
        reference = random_texts(rng, 1, 9).split()
        corrected = [" ".join([*reference[:n], *"x" * (len(reference) - n)]) for n in range(len(reference) + 1)]
        values = reward(*((text, [" ".join(reference)]) for text in corrected))
        assert (np.diff(values) > 0).all() and values[-1] == 1


def test_repeating_right_words_does_not_pay(cases):
    assert reward(*((f"{references[0]} {references[0]}", references[:1]) for references in cases)).max() <= .5


def test_an_answer_without_text_is_an_empty_line_and_parts_are_joined():
    chats = [[], [{"role": "assistant", "content": None, "tool_calls": [{}]}], [{"role": "assistant", "content": [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]}]]
    assert rewards.reward(None, chats, [["a b"]] * 3) == [0, 0, 1]


def test_rows_of_another_task_get_none():
    values = rewards.reward(None, ["a", None, "b"], [["a"], None, ["c"]])
    assert values == [1, None, 0] and type(values[0]) is float # not NumPy's
    assert rewards.reward(None, ["a"], [None]) == [None]
    with pytest.raises(ValueError, match="1 completions for 2 lists of references"): rewards.reward(None, ["a"], [["a"], ["b"]])


@pytest.mark.parametrize("truth,says", [({"target": ["a"]}, "dict"), (None, "NoneType"), (b"a", "bytes")])
def test_verl_refuses_what_is_no_list(truth, says):
    with pytest.raises(TypeError, match=f"ground_truth is {says}"): rewards.compute_score("x", "a", truth)


@pytest.mark.parametrize("completion", [None, ["a"], [{"role": "assistant"}], [{"role": "assistant", "content": ["a"]}]])
def test_other_completions_are_refused(completion):
    with pytest.raises(TypeError, match="a completion is"): rewards.reward(None, [completion], [["a"]])


@pytest.mark.needs("trl")
def test_trl_trains_with_the_reward(tmp_path):
    "One step of GRPO on the CPU with a model of 8 dimensions and a vocabulary of nine words"
    import datasets, tokenizers, transformers, trl
    words = ["<pad>", "<eos>", "<unk>", "He", "go", "goes", "home", ".", "banana"]
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=9, n_positions=32, n_embd=8, n_layer=1, n_head=1, bos_token_id=1, eos_token_id=1, pad_token_id=0))
    data = datasets.Dataset.from_dict({"prompt": ["He go home ."] * 4, "sources": ["He go home ."] * 4, "references": [["He goes home ."]] * 4})
    seen = []
    def watched(**given):
        seen.append((given["completions"], rewards.reward(**given)))
        return seen[-1][1]
    config = trl.GRPOConfig(output_dir=str(tmp_path), max_steps=1, per_device_train_batch_size=4, num_generations=4, max_completion_length=4, report_to="none", use_cpu=True, bf16=False)
    trl.GRPOTrainer(model=model, reward_funcs=watched, args=config, train_dataset=data, processing_class=tokenizer).train()
    (completions, values), = seen
    assert len(values) == 4 and values == reward(*((c, ["He goes home ."]) for c in completions)).tolist()
    trl.GRPOTrainer(model=model, reward_funcs=rewards.reward, args=config, train_dataset=data, processing_class=tokenizer)


@pytest.mark.parametrize("truth", ["a b", ["a b"], ["c", "a b"], np.array(["c", "a b"], object)])
def test_verl_gives_one_reference_or_several(truth):
    assert rewards.compute_score("gec", "a b", truth, extra_info={"num_turns": None}) == 1
    assert rewards.compute_score(data_source="gec", solution_str="x", ground_truth=truth, reward_router_address=None) == 0


@pytest.mark.needs("verl", "torch")
def test_verl_finds_and_calls_compute_score():
    import verl.trainer.ppo.reward as verl
    from omegaconf import OmegaConf
    import torch
    module = rewards.compute_score.__module__
    config = OmegaConf.create({"reward": {"custom_reward_function": {"path": f"pkg://{module}", "name": "compute_score"}}})
    function = verl.get_custom_reward_fn(config)
    from verl.workers.reward_manager.naive import NaiveRewardManager
    words = ["He", "goes", "go", "home", ".", "banana"]
    tokenizer = SimpleNamespace(decode=lambda ids, skip_special_tokens: " ".join(words[i] for i in ids))
    ids = lambda text: [words.index(w) for w in text.split()]
    responses = ["He goes home .", "He go home .", "banana . . ."]
    rows = {"prompts": torch.tensor([ids("He go home .")] * 3), "responses": torch.tensor(list(map(ids, responses))), "attention_mask": torch.ones(3, 8, dtype=torch.int64)}
    truths = [["He goes home ."], "He goes home .", np.array(["He goes home .", "home"], object)]
    data = verl.DataProto.from_dict(rows, non_tensors={"data_source": np.array(["gec"] * 3, object),
        "reward_model": np.array([{"ground_truth": t} for t in truths], object), "extra_info": np.array([{} for _ in range(3)], object)})
    values = NaiveRewardManager(tokenizer, 0, function)(data)
    assert values[:, :-1].count_nonzero() == 0
    assert values[:, -1].tolist() == pytest.approx([1, .4, .1], abs=1e-7)
