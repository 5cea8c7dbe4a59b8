"What stays when the inside of metrics is rewritten: every metric on one sentence, by hand"
import pytest

from gecmetrics_nb import BLEU, CLEME, ERRANT, GLEU, GREEN, M2, METEOR, GoogleGLEU, IMeasure
from gecmetrics_nb.io.m2 import parse_m2
from gecmetrics_nb.metrics.m2 import gold_of
from gecmetrics_nb.metrics.registry import class_of, metric_named, plain_names

SOURCE, REFERENCE, OUTPUT = "He go home .", "He goes home .", "He goes home !"
EDIT = "A {}|||X|||{}|||REQUIRED|||-NONE-|||0".format
GOLD, MADE = [EDIT("1 2", "goes")], [EDIT("1 2", "goes"), EDIT("3 4", "!")]
F = 1.25 * .5 / (.25 * .5 + 1) # P 1/2, R 1, beta .5

BY_TEXT = { # He, goes and home are three matches of four, in one chunk; go went, goes came: right, . and ! are not
    GLEU(order=1): 3 / 4, GLEU(order=1, variant="paper"): 3 / 4, GoogleGLEU(order=1): 3 / 4, BLEU(order=1): 3 / 4,
    GREEN(order=1): 2 * (4 / 6) * 1 / (4 / 6 + 1), METEOR(): 3 / 4 * (1 - .5 * (1 / 3)**3)}


@pytest.mark.parametrize("metric", BY_TEXT, ids=repr)
def test_metrics_that_compare_with_references(metric):
    score = lambda *lines, **more: metric.corpus_score(sources=[SOURCE] * len(lines), hypotheses=list(lines), references=[[REFERENCE] * len(lines)], **more)
    assert score(OUTPUT) == pytest.approx(BY_TEXT[metric]) and score(OUTPUT, OUTPUT) == pytest.approx(BY_TEXT[metric])
    assert score(REFERENCE) > score(OUTPUT) > score("x") >= 0 and (score("") == 0 or type(metric) is GREEN)
    either = metric.corpus_score(sources=[SOURCE], hypotheses=[OUTPUT], references=[[REFERENCE], [OUTPUT]], jobs=1)
    if type(metric) is not GLEU: assert either == pytest.approx(score(REFERENCE), abs=1e-12) # the best reference, or the union
    assert type(metric).__name__ in score(OUTPUT).signature and metric.sentence_scores(sources=[SOURCE], hypotheses=[OUTPUT], references=[[REFERENCE]]) == pytest.approx([BY_TEXT[metric]])


@pytest.mark.parametrize("metric,texts,value,idle", [(M2(), True, F, 0), (ERRANT(), False, round(F, 4), 0), (CLEME(weights="none"), False, round(F, 4), 0), (IMeasure(), True, None, 0)], ids=str)
def test_metrics_that_compare_with_edits(metric, texts, value, idle):
    gold = parse_m2([f"S {SOURCE}", *GOLD])
    give = lambda text, edits: metric.corpus_score(gold=gold, hypotheses=[text] if texts else parse_m2([f"S {SOURCE}", *edits]))
    right, half, nothing = give(REFERENCE, GOLD), give(OUTPUT, MADE), give(SOURCE, [])
    assert right == 1 and nothing == idle and nothing < half < right or type(metric) is IMeasure and half < right
    if value is not None: assert half == pytest.approx(value)


def test_a_class_that_compares_with_references_has_one_plain_name():
    names = [class_of(name).__name__ for name in plain_names()]
    assert sorted(names) == sorted({type(metric).__name__ for metric in BY_TEXT})


def test_a_name_has_settings_each_given_once():
    assert metric_named("green:order=2,beta=3") == (GREEN(order=2, beta=3), "corpus")
    with pytest.raises(ValueError, match="order is given 2 times"): metric_named("green:order=2,order=3")
    with pytest.raises(ValueError, match="^green: order is 'x', not a whole"): metric_named("green:order=x")
    with pytest.raises(TypeError, match="metric is int"): metric_named(2)


@pytest.mark.parametrize("call,error,says", [
    (lambda: GLEU(variant="2015", weight=1.1), ValueError, "weight is 1.1"),
    (lambda: GLEU(variant="2015", weight=.0001), ValueError, "weight is 0.0001"),
    (lambda: GLEU(weight=.1), ValueError, "weight belongs to the 2015 variants; 'code' has none"),
    (lambda: GoogleGLEU(min_order=3, order=2), ValueError, "min_order is 3, above order 2"),
    (lambda: gold_of(parse_m2(["S a b c", EDIT("1 3", "x"), EDIT("0 2", "y")])),
     ValueError, "gold: line 3: edit 0 2 overlaps that of line 2, by the same annotator 0"),
    (lambda: M2().corpus_score(hypotheses=["a"], gold=5), TypeError, "gold is int"),
    (lambda: M2().corpus_score(hypotheses=["a"], references=[["a"]]), TypeError, "M2 compares with"),
    (lambda: ERRANT(types="DET").corpus_score(hypotheses=parse_m2(["S a"]),
                                              gold=parse_m2(["S a", EDIT("0 1", "b").replace("X", "R")])),
     ValueError, "gold: its edits have no types, and DET"),
    (lambda: metric_named("green:size=2"), ValueError, "green has no setting 'size=2': write"),
    (lambda: metric_named("green:ordre=2"), ValueError, "green has no setting 'ordre=2'.* order"),
    (lambda: metric_named("zzz"), ValueError, "metric 'zzz' is unknown: use one of gleu"),
    (lambda: metric_named("greem"), ValueError, "metric 'greem' is unknown.* green"),
    (lambda: metric_named("gleu-paper:variant=code"), ValueError, "gleu-paper: variant is paper, as the")])
def test_what_is_refused_is_named(call, error, says):
    with pytest.raises(error, match=f"^{says}"): call()
