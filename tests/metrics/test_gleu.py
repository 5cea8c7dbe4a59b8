"GLEU against definitions that the library did not write: Counters, the program gleu 1.1.0, and its golden outputs"
from dataclasses import replace
from fractions import Fraction
from math import comb, exp
import subprocess
import sys

import numpy as np
import pytest

from gecmetrics_nb.core.formulas import BREVITY
from gecmetrics_nb.metrics.gleu import GLEU, VARIANTS, expected_gleu
from gecmetrics_nb.core.formatting import rounded
from gecmetrics_nb.core.metric import score_corpus, score_sentences
import slow

UNION = [variant for variant, (references, _) in VARIANTS.items() if references == "union"]
SAMPLED = [variant for variant in VARIANTS if variant not in UNION]


@pytest.mark.parametrize("variant,brevity,unit", [(v, b, u) for v in SAMPLED for b in BREVITY for u in ("word", "char")])
def test_one_reference_equals_counter(variant, brevity, unit):
    for seed in range(8):
        sources, references, systems = slow.corpus(seed, references=1)
        for hypotheses in systems:
            ours = GLEU(variant=variant, brevity=brevity, unit=unit, order=3).corpus_score(sources=sources, hypotheses=hypotheses, references=references)
            assert float(ours) == pytest.approx(slow.gleu(sources, hypotheses, references, [0] * 40, variant, 3, brevity, unit), abs=1e-12)


@pytest.mark.parametrize("more", [0, 1, 2])
def test_the_expected_penalty_of_a_long_hypothesis(more):
    "60 words, of 12 sentences a reference of 2 words, or one of 4 in which more words match: the mean over all choices"
    by_hand = sum(comb(12, k) * (30 + more * k) / 60 * exp(1 - 60 / (24 + 2 * k)) for k in range(13)) / 2**12
    covariance = np.zeros((6, 6))
    covariance[np.ix_([2, 5], [2, 5])] = 3 * np.outer([more, 2], [more, 2]) # 3: the variance of k
    metric = GLEU(order=1, references="expected", brevity="inverted")
    matches = 30 + 6. * more
    assert expected_gleu(metric, np.array([[matches, 0, matches, 60, 60, 36]]), covariance) == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.parametrize("brevity", BREVITY)
@pytest.mark.parametrize("reference", ["Yes", "Yes ."])
def test_an_empty_hypothesis_has_0(brevity, reference):
    score = GLEU(brevity=brevity).sentence_scores(sources=["Yess"], hypotheses=[""], references=[[reference]])
    assert score.tolist() == [0]


@pytest.mark.parametrize("variant,weight,brevity", [(v, w, b) for v in UNION for w in (0, .1, .5, 1) for b in BREVITY])
def test_2015_equals_counter(variant, weight, brevity):
    for seed in range(4):
        sources, references, systems = slow.corpus(seed, references=3)
        references[2] = [r if d % 3 else None for d, r in enumerate(references[2])]
        for hypotheses in systems:
            ours = GLEU(variant=variant, weight=weight, brevity=brevity, order=3).corpus_score(sources=sources, hypotheses=hypotheses, references=references)
            theirs = slow.gleu_2015(sources, hypotheses, references, variant, Fraction(str(weight)), 3, brevity)
            assert float(ours) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("program,flags", [
    ("gleu", "-f -d 9 -i 30"), ("gleu", "-m -d 9"), ("gleu", "-m -v -d 5"), ("gleu", "-f -d 9 -i 20 -t char -n 6"), ("gleu", "-f -n 1 -i 5"),
    ("sgleu", "-d 7"), ("sgleu", "-m -n 7 -d 0"), ("sgleu", "-v"), ("sgleu", "-v -t char -n 2"), ("mgleu", "-d 9"), ("mgleu", "--max --digit 3")])
def test_prints_what_the_original_prints(program, flags, write, printed):
    "gleu 1.1.0, in a process of its own"
    pytest.importorskip("gleu")
    sources, references, systems = slow.corpus(5, references=3, systems=3, blanks=False)
    write(dict(zip(["S", "R0", "R1", "R2", "A", "B", "C"], [sources, *references, *systems], strict=True)))
    arguments = f"-s S -r R0 R1 R2 -o A B C {flags}".split()
    code = f"import sys; sys.argv[0] = '{program}'; from gleu.main import {program}; {program}()"
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", code, *arguments], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert printed([program, *arguments]) == done.stdout


def same(ours, names, theirs, digits):
    pairs = zip(names, ours, strict=False) # of the systems, which the others of the names follow, or of all
    assert {n: rounded(float(s), digits, 100) for n, s in pairs if n in theirs} == {n: f"{x:.{digits}f}" for n, x in theirs.items() if n in names}


@pytest.mark.parametrize("file,settings,digits", [
    ("gleu.fixseed500.tsv", {}, 6), ("gleu.max.tsv", {"references": "max"}, 6),
    ("gleu.released-2016-05.inverted-bp.tsv", {"brevity": "inverted"}, 4), ("gleu0.released-2015-06.lambda0.tsv", {"variant": "2015"}, 4),
    ("gleu.max.char6.tsv", {"references": "max", "unit": "char", "order": 6}, 6)])
def test_golden_corpus_scores(file, settings, digits, conll14, golden):
    metric = GLEU(**settings)
    assert len(golden(file)) == 13
    same(score_corpus(metric, metric.count(conll14)), conll14.system_names, golden(file), digits)


@pytest.mark.parametrize("choice,mean,sentences", [("sample", "mgleu.mean.tsv", "sgleu.mean.tsv"), ("max", "mgleu.max.tsv", "sgleu.max.tsv")])
def test_golden_sentence_scores(choice, mean, sentences, conll14, golden, shared):
    metric = GLEU(references=choice)
    ours = score_sentences(metric, metric.count(conll14))[:13]
    same(ours.mean(axis=1), conll14.system_names, golden(mean), 6)
    printed = "".join("\t".join(rounded(x, 6, 100) for x in row) + "\n" for row in ours.T)
    assert printed == (shared / "golden/conll14" / sentences).read_text(encoding="utf-8")


def test_missing_references_count_for_nothing():
    sources, (first, second), (hypotheses, _) = slow.corpus(9)
    ragged = [first, [None] * len(second)]
    for choice in "sample", "expected", "max":
        alone, both = (GLEU(references=choice).corpus_score(sources=sources, hypotheses=hypotheses, references=r) for r in ([first], ragged))
        assert float(both) == pytest.approx(float(alone), abs=1e-12)
    texts = dict(sources=sources, hypotheses=hypotheses)
    assert GLEU().sentence_scores(**texts, references=ragged) == pytest.approx(GLEU().sentence_scores(**texts, references=[first]))


def test_official_smoothing_turns_zeros_into_ones():
    one = dict(sources=["He go home ."], references=[["He goes home ."]])
    score = lambda h, **k: float(GLEU(smoothing="official", **k).sentence_scores(hypotheses=[h], **one)[0])
    assert score("Banana") == pytest.approx(np.exp(1 - 4))          # 1/1 at every order, 1 word for 4
    assert score("He go home .") == pytest.approx((2 / 4 * 1 / 3 * 1 / 2 * 1 / 1) ** .25)
    assert score("") == pytest.approx(np.exp(1 - 4))
    for weight in 0, .1, 1: # of which it does not depend
        assert score("Banana", variant="2015-corrected", weight=weight, brevity="none") == 1


@pytest.mark.parametrize("variant,references,brevity", [(v, *VARIANTS[v]) for v in VARIANTS])
def test_what_is_not_said_is_as_in_the_program_of_the_variant(variant, references, brevity):
    metric = replace(GLEU(), variant=variant)
    assert metric == GLEU(variant=variant) and (metric.reference_choice, metric.brevity_kind) == (references, brevity)
    assert (metric.references, metric.brevity) == (None, None)


@pytest.mark.parametrize("sentences", [12, 13, 26, 400]) # 4,096 choices are all looked at, more are taken as normal
def test_the_expectation_of_the_paper_s_formula_is_not_that_of_the_mean_counts(sentences):
    "The second reference takes off as many pairs as match: the mean counts have 0, a draw seldom does"
    source = ["a b c d e"] * sentences
    texts = dict(sources=source, hypotheses=source, references=[source, ["a x y d z"] * sentences])
    expected, drawn = (float(GLEU(variant="paper", order=2, references=way, iterations=2000).corpus_score(**texts)) for way in ("expected", "sample"))
    assert .05 < expected == pytest.approx(drawn, abs=.015)
