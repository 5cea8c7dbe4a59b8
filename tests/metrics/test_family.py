"Google-GLEU, BLEU and GREEN against programs and definitions that the library did not write"

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, Corpus, GoogleGLEU
from gecmetrics_nb.metrics.bleu import SMOOTHING
from gecmetrics_nb.core.metric import score_sentences
from gecmetrics_nb.core.score import signature
import slow

gleu_score = pytest.importorskip("nltk.translate.gleu_score")


def per_sentence(references): return [[r.split() for r in row] for row in zip(*references, strict=True)]


@pytest.mark.parametrize("min_order,order", [(1, 4), (2, 3), (1, 1), (3, 6)])
def test_google_gleu_equals_nltk(min_order, order):
    for seed in range(6):
        sources, references, systems = slow.corpus(seed, references=1 + seed % 3)
        for hypotheses in systems:
            texts = dict(sources=sources, hypotheses=hypotheses, references=references)
            split, metric = per_sentence(references), GoogleGLEU(min_order=min_order, order=order)
            theirs = [gleu_score.sentence_gleu(r, h.split(), min_order, order) for r, h in zip(split, hypotheses, strict=True)]
            assert metric.sentence_scores(**texts).tolist() == pytest.approx(theirs, abs=1e-12)
            assert float(metric.corpus_score(**texts)) == pytest.approx(gleu_score.corpus_gleu(split, [h.split() for h in hypotheses], min_order, order), abs=1e-12)


VALUES = [(smoothing, None) for smoothing in SMOOTHING] + [("floor", value) for value in (0, .01, 1)] + [("add-k", value) for value in (0, .5, 3)]


@pytest.mark.parametrize("smoothing,value", VALUES)
def test_bleu_equals_sacrebleu(smoothing, value):
    "A value of None is the program's own"
    sacrebleu = pytest.importorskip("sacrebleu")
    assert SMOOTHING == sacrebleu.metrics.BLEU.SMOOTH_DEFAULTS
    how = dict(tokenize="none", smooth_method=smoothing, smooth_value=value, force=True)
    for seed, order in (0, 4), (1, 4), (2, 3), (3, 2):
        sources, references, systems = slow.corpus(seed, references=1 + seed, longest=14)
        for hypotheses in systems:
            texts = dict(sources=sources, hypotheses=hypotheses, references=references)
            for effective in False, True:
                theirs = sacrebleu.metrics.BLEU(**how, effective_order=effective, max_ngram_order=order)
                ours = BLEU(smoothing=smoothing, smooth_value=value, effective_order=effective, order=order)
                assert 100 * float(ours.corpus_score(**texts)) == pytest.approx(theirs.corpus_score(hypotheses, references).score, abs=1e-9)
                by_sentence = [theirs.sentence_score(h, list(r)).score for h, *r in zip(hypotheses, *references, strict=True)]
                assert (100 * ours.sentence_scores(**texts)).tolist() == pytest.approx(by_sentence, abs=1e-9)


@pytest.mark.parametrize("weights", [(1,), (.5, .5), (.333, .333, .334), (.1, .3, .5, .1), (0, 0, 1), (.5, 0, .5), (.2,) * 5, (.3, .3)])
def test_weights_equal_nltk(weights):
    "On lines of five words or more: NLTK counts one n-gram where a line has none"
    theirs = pytest.importorskip("nltk.translate.bleu_score")
    rng = np.random.default_rng(0)
    hypotheses, *references = [[" ".join(rng.choice(list("abcd"), rng.integers(5, 15))) for _ in range(100)] for _ in range(4)]
    ours = BLEU(order=len(weights), weights=weights).corpus_score(sources=hypotheses, hypotheses=hypotheses, references=references)
    split = [h.split() for h in hypotheses]
    assert float(ours) == pytest.approx(theirs.corpus_bleu(per_sentence(references), split, weights), abs=1e-9) and float(ours) > 0


def test_weights_of_orders_that_are_left_out_go_to_the_others():
    texts = dict(sources=["x"], hypotheses=["a b"], references=[["a b"]])
    assert BLEU(order=3, weights=(.2, .3, .5), effective_order=True).sentence_scores(**texts).tolist() == pytest.approx([1])
    assert BLEU(order=3, weights=(0, 0, 1), effective_order=True).sentence_scores(**texts).tolist() == [0]


@pytest.mark.parametrize("beta,empty_recall,unit", [(b, e, u) for b in (.5, 1, 2.0) for e in (0, 1) for u in ("word", "char")])
def test_green_equals_counter(beta, empty_recall, unit):
    for seed in range(3):
        sources, references, systems = slow.corpus(seed, references=3)
        for hypotheses in systems:
            chosen = []
            for d, (s, h) in enumerate(zip(sources, hypotheses, strict=True)):
                each = [[slow.green_counts(s, [column[d]], h, n, unit) for n in (1, 2, 3)] for column in references]
                rounded = [[round(x, 12) for x in slow.green_scores(c, beta, empty_recall)[::-1]] for c in each]
                chosen.append(each[rounded.index(max(rounded))])
            texts = dict(sources=sources, hypotheses=hypotheses, references=references)
            metric = GREEN(beta=beta, empty_recall=empty_recall, unit=unit, order=3)
            assert metric.sentence_scores(**texts).tolist() == pytest.approx([slow.green_scores(c, beta, empty_recall)[-1] for c in chosen], abs=1e-12)
            sums = [tuple(sum(c[n][i] for c in chosen) for i in range(3)) for n in range(3)]
            assert float(metric.corpus_score(**texts)) == pytest.approx(slow.green_scores(sums, beta, empty_recall)[-1], abs=1e-12)


LINE = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
ROWS = st.lists(st.tuples(LINE, LINE, st.lists(LINE | st.none(), min_size=3, max_size=3).filter(any)), min_size=1, max_size=5)


def by_union(rows, order, beta, empty_recall, unit):
    "Corpus score, and those of rows (source, hypothesis, references), None for a missing one"
    counts = [[slow.green_counts(s, [r for r in refs if r is not None], h, n, unit) for n in range(1, order + 1)] for s, h, refs in rows]
    sums = np.sum(counts, axis=0).tolist()
    return slow.green_scores(sums, beta, empty_recall)[-1], [slow.green_scores(each, beta, empty_recall)[-1] for each in counts]


@given(ROWS, st.integers(1, 4), st.sampled_from([0, .5, 1, 2]), st.integers(0, 1), st.sampled_from(["word", "char"]))
@settings(max_examples=100)
def test_green_on_the_union_equals_counter(rows, order, beta, empty_recall, unit):
    "With one reference it is also GREEN with the best"
    sources, hypotheses, each = zip(*rows, strict=True)
    texts = dict(sources=list(sources), hypotheses=list(hypotheses), references=list(map(list, zip(*each, strict=True))))
    one = dict(order=order, beta=beta, empty_recall=empty_recall, unit=unit)
    metric = GREEN(**one, references="union")
    corpus, sentences = by_union(rows, **one)
    assert float(metric.corpus_score(**texts)) == pytest.approx(corpus, abs=1e-12)
    assert metric.sentence_scores(**texts).tolist() == pytest.approx(sentences, abs=1e-12)
    alone = texts | {"references": [[next(r for r in refs if r is not None) for refs in each]]}
    assert metric.statistics(**alone).tolist() == GREEN(**one).statistics(**alone).tolist()
    assert float(metric.corpus_score(**alone)) == float(GREEN(**one).corpus_score(**alone))


@pytest.mark.parametrize("command,file", [
    ("gleu -m -v -d 6", "gleu.max.verbose.txt"), ("green -d 6 -b 0.5 1.0 2.0", "green.tsv"), ("green -d 6 -b 2.0 -v", "green.verbose.txt"), ("green -d 6 -b 2.0 -n 6 -t char", "green.char6.tsv"),
    ("mgreen -d 6 -b 0.5 1.0 2.0", "mgreen.tsv"), ("sgreen -d 6 -b 2.0", "sgreen.b2.tsv"),
    ("google-gleu -d 6", "google_gleu.corpus.tsv"), ("google-gleu -d 6 --per sentence", "google_gleu.sentence.tsv")])
def test_prints_the_golden_files(command, file, conll14, shared, write, printed):
    outputs = dict(zip(conll14.system_names[:13], conll14.systems[:13], strict=True))
    texts = {"S": conll14.sources, "R0": conll14.references[0], "R1": conll14.references[1], **outputs}
    write({name: map(str.rstrip, lines) for name, lines in texts.items()})
    assert printed(f"{command} -s S -r R0 R1 -o {' '.join(outputs)}") == (shared / "golden/conll14" / file).read_text(encoding="utf-8")


def test_line_verbose_and_betas(write, printed, refused):
    write({"S": ["a b"], "R": ["a c"], "H": ["a c d"]})
    assert printed("green -s S -r R -c H -n 1 -v -l -b 1 2 -d 3") == "0.500\t1.000\t75.000\t100.000\t85.714\n0.200\t2.000\t75.000\t100.000\t93.750\n"
    assert printed("sgreen -s S -r R -c H G=H -n 1 -b 1 2 -d 3") == "85.714\t85.714\t93.750\t93.750\n"
    assert "(all)" in printed("green -s S -r R S -o H -n 1 -v --per sentence --choose union")
    for line in "bleu -s S -r R S -o H --choose union", "green -s S -r R -o H --choose max": refused(line)


@pytest.mark.parametrize("metric", [GLEU(), GoogleGLEU(), BLEU(), BLEU(smoothing="exp"), GREEN(), GREEN(empty_recall=1)])
def test_long_and_repetitive_lines(metric):
    rng = np.random.default_rng(0)
    long = " ".join(map(str, rng.integers(0, 500, 2000)))
    same = " ".join(["the"] * 500)
    corpus = Corpus([long, same], [[long, same]], [[long, same], [same, long]])
    perfect, wrong = score_sentences(metric, metric.count(corpus))
    assert perfect == pytest.approx([1, 1]) and (wrong < .5).all()


@pytest.mark.parametrize("settings,message", [
    (dict(smooth_value=.1), "smooth_value is 0.1: it belongs to floor and add-k; 'none' has none"), (dict(smoothing="floor", smooth_value=-1), "smooth_value is -1: "),
    (dict(smoothing="floor", smooth_value=2), "smooth_value is 2: "), (dict(smoothing="add-k", smooth_value="1"), "smooth_value is '1': "), (dict(smoothing="add-k", smooth_value=float("nan")), "smooth_value is nan: "),
    (dict(weights=(.5, .5)), r"weights is \(0.5, 0.5\): give a tuple of 4, one for each order"), (dict(weights=.25), "weights is 0.25: "), (dict(weights=[[.25]] * 4), "weights is "), (dict(weights="1234"), "weights is '1234': "),
    (dict(order=2, weights=(.5, -1)), r"weights\[1\] is -1: give a number from 0 to 1"), (dict(order=2, weights=(0, 0)), "weights are all 0: ")])
def test_bad_settings_of_bleu_are_named(settings, message):
    with pytest.raises(ValueError, match=f"^{message}"): BLEU(**settings)


def test_a_usual_value_that_is_written_out_is_the_same_setting():
    usual, written, other = (signature(BLEU(smoothing="floor", smooth_value=value), 1, (1, 1)) for value in (None, .1, .2))
    assert usual == written != other


def test_a_huge_beta_is_recall():
    texts = dict(sources=["a b c d e"], hypotheses=["a c d c d"], references=[["a c c d e"]])
    huge, infinite = (GREEN(beta=beta).sentence_scores(**texts).tolist() for beta in (1e200, float("inf")))
    assert huge == infinite
