"A score is a number that says where it came from; its signature is enough to get the number again, and says nothing that does not matter"
from dataclasses import fields
import copy
import json
import pickle
import statistics

import numpy as np
import pytest

from gecmetrics_nb import __version__, BLEU, GLEU, GoogleGLEU, GREEN, METEOR
from gecmetrics_nb.corpora.conll14 import stored_counts
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.metrics.registry import METRICS, class_of
from gecmetrics_nb.core.score import Score, signature
import slow

KINDS = {named.kind: class_of(name) for name, named in METRICS.items()}
SETTINGS = [GLEU(), GLEU(variant="paper", iterations=20), GLEU(iterations=3, stream="python3", unit="char"), GLEU(references="max", brevity="inverted"),
            GLEU(references="mean", order=2), GLEU(references="expected", brevity="none"), GLEU(variant="2015", weight=.1), GLEU(variant="2015-corrected", brevity="none"),
            GoogleGLEU(), GoogleGLEU(min_order=2, order=3), BLEU(), BLEU(smoothing="exp", effective_order=True),
            BLEU(smoothing="floor", smooth_value=.01), BLEU(smoothing="add-k", smooth_value=2), BLEU(order=3, weights=(.5, .3, .2)), GREEN(), GREEN(beta=.5, empty_recall=1, unit="char-blanks"),
            GREEN(beta=2, references="union"),
            METEOR(), METEOR(alpha=.85, beta=1.5, gamma=.2, fewest="chunks", lowercase=True, aggregate=True)]


def texts(references=2, missing=False):
    sources, columns, systems = slow.corpus(3, references=references, systems=1, longest=14)
    if missing: columns[1] = [None, *columns[1][1:]]
    return dict(sources=sources, references=columns, hypotheses=systems[0])


def rebuilt(line):
    "The metric that a signature describes, from its text alone"
    kind, *parts = line.split("|")
    named, kind = dict(part.split(":", 1) for part in parts), KINDS[kind]
    _, *how = named["refs"].split(",")
    if kind in (GLEU, GREEN) and how:
        named["references"], _, draws = how[0].partition(":")
        if draws: named |= {"iterations": draws, "stream": how[2]}
    settings = {}
    for f in fields(kind):
        text = named.get(f.name.replace("_", "-"))
        if f.name == "smooth_value" and text: settings[f.name] = float(text)
        elif f.name == "weights" and text: settings[f.name] = tuple(map(float, text.split(",")))
        elif text is not None: settings[f.name] = {bool: lambda t: t == "yes", int: int, float: float}.get(type(f.default), str)(text)
    return kind(**settings)


@pytest.mark.parametrize("metric", SETTINGS, ids=repr)
def test_another_person_gets_the_same_number(metric):
    for references in 1, 2:
        score = metric.corpus_score(**texts(references))
        assert repr(rebuilt(score.signature).corpus_score(**texts(references))) == repr(score)


@pytest.mark.parametrize("metric", SETTINGS, ids=repr)
def test_what_matters_is_said(metric):
    "A parameter is named if and only if it is not without effect on the score"
    line = metric.corpus_score(**texts()).signature
    said = {part.split(":")[0] for part in line.split("|")[1:]}
    own = {f.name.replace("_", "-") for f in fields(metric)} - {"references", "iterations", "stream", "smoothing", "weight", "limit", "smooth-value", "weights"}
    if isinstance(metric, BLEU): own |= {"smoothing"} | {name.replace("_", "-") for name in ("smooth_value", "weights") if getattr(metric, name)}
    if metric.union and isinstance(metric, GLEU): own.add("weight")
    assert said == own | {"refs", "sentences", "v"}


@pytest.mark.parametrize("one,other", [(GLEU(), GLEU(smoothing="official")), (GLEU(references="max"), GLEU(references="max", iterations=7, stream="python3")),
                                       (METEOR(), METEOR(limit=10**6)), (GLEU(), GLEU(brevity="standard", references="sample"))])
def test_equal_numbers_have_equal_signatures(one, other):
    first, second = (m.corpus_score(**texts()) for m in (one, other))
    assert first.value == second.value and first.signature == second.signature


def test_with_one_reference_the_choice_does_not_matter():
    scores = [GLEU(references=r).corpus_score(**texts(1)) for r in ("sample", "expected", "max", "mean")]
    assert len({s.signature for s in scores}) == len({round(s.value, 14) for s in scores}) == 1 and "|refs:1|" in scores[0].signature
    apart = GLEU().corpus_score(sources=["a", "b"], hypotheses=["a", "b"], references=[["a", None], [None, "b"]])
    assert apart.standard_error is None # one reference a sentence, in two sets


def test_the_whole_line():
    expected = f"GLEU|variant:code|order:4|unit:word|refs:2,sample:500,seeds:101j,python2|brevity:standard|sentences:1312|v:{__version__}"
    score = score_corpus(GLEU(), [stored_counts()])[0]
    assert score.signature == expected and repr(score).endswith("  " + expected) and expected in score._repr_html_()
    assert score_corpus(BLEU(), [stored_counts("union")])[0].references == (2, 2)
    noted = score_corpus(GREEN(beta=2), [stored_counts()], note="m2 nuclea-b")[0]
    assert noted.signature == f"GREEN|order:4|unit:word|beta:2|empty-recall:0|refs:2,best|note:m2 nuclea-b|sentences:1312|v:{__version__}"


def test_units_of_ones_own_have_a_name():
    def letters(line): return list(line)
    assert "|unit:letters()|" in GREEN(unit=letters).corpus_score(**texts()).signature
    class Vowels:
        def __call__(self, line): return [c for c in line if c in "aeiou"]
    assert "|unit:Vowels()|" in GREEN(unit=Vowels()).corpus_score(**texts()).signature


def test_numpy_numbers_are_plain_in_it():
    metric = GLEU(variant="2015", weight=np.float64(.1), order=np.int64(2), unit=np.str_("char"))
    assert metric == GLEU(variant="2015", weight=.1, order=2, unit="char") and "np" not in repr(metric)
    assert "|beta:2|" in GREEN(beta=np.float64(2)).corpus_score(**texts()).signature
    assert "|alpha:0.5|" in METEOR(alpha=np.float32(.5), stems=np.False_).corpus_score(**texts()).signature


def test_sentence_scores_depend_on_other_settings():
    line = signature(GLEU(), 5, (2, 2), per="sentence")
    assert line == f"GLEU|variant:code|order:4|unit:word|refs:2,mean|brevity:standard|smoothing:none|per:sentence|sentences:5|v:{__version__}"
    assert signature(GLEU(references="expected"), 5, (2, 2), per="sentence") == line != signature(GLEU(smoothing="official"), 5, (2, 2), per="sentence")


def test_a_signature_says_of_how_many_sentences_and_references():
    with pytest.raises(TypeError, match=r"^references is \(1,\): give two numbers"): signature(GREEN(), 5, (1,))
    with pytest.raises(ValueError, match="^sentences is 0"): Score(.5, GREEN()).signature # noqa: B018


def test_a_score_is_a_number():
    low, high = (GLEU(iterations=9).corpus_score(**texts() | {"hypotheses": lines}) for lines in (texts()["sources"], texts()["references"][0]))
    assert isinstance(low, float) and 0 < low < high < 1 and max(low, high) is high
    assert f"{low:.2f}" == f"{float(low):.2f}" and type(low + high) is float and low.percent == 100 * float(low)
    assert statistics.mean([low, high]) == pytest.approx(np.mean([low, high])) # which makes a score without a metric
    assert np.array([low, high]).dtype == np.float64 and json.loads(json.dumps([low])) == [float(low)]
    assert {low: 1}[float(low)] == 1 and "|refs:1|" in Score(.5, GREEN(), sentences=2).signature
    assert str(low) == f"{low}" == f"{low:.4f} \u00b1 {low.standard_error:#.2g} (0-1)" and repr(low) == f"{low}  {low.signature}"
    with pytest.raises(AttributeError, match="note cannot be set"): low.note = "x"


def test_a_score_survives_copies():
    score = GLEU(iterations=9).corpus_score(**texts(missing=True), note="x")
    pickled = [pickle.loads(pickle.dumps(score, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in copy.copy(score), copy.deepcopy(score), *pickled:
        assert type(again) is type(score) and repr(again) == repr(score) and again.to_dict() == score.to_dict()


def two_scores(): return [metric.corpus_score(**texts()) for metric in (GREEN(), GLEU(iterations=9))]


@pytest.mark.needs("pandas")
def test_frames_of_scores():
    import pandas as pd
    scores = two_scores()
    for frame in pd.DataFrame(scores), pd.DataFrame({0: scores}):
        assert frame.shape == (2, 1) and frame[0].dtype == np.float64 and frame[0].tolist() == list(map(float, scores))


@pytest.mark.needs("pyarrow")
def test_arrow_arrays_of_scores():
    import pyarrow as pa
    array = pa.array(two_scores())
    assert array.type == pa.float64() and array.to_pylist() == list(map(float, two_scores()))


@pytest.mark.parametrize("text", ["a\n", "\n", "a\nb", "a\r", "a\x85", "a\u2028b", "a|b"])
@pytest.mark.parametrize("name", ["note", "on", "cut"])
def test_what_is_not_one_line_is_no_part_of_a_signature(name, text):
    for call in lambda: signature(GREEN(), 5, (1, 1), **{name: text}), lambda: Score(.5, GREEN(), **{name: text}):
        with pytest.raises(ValueError, match=f"^{name} is .*: give one line without"): call()
    assert "|note:\u00e9 \u3000\u200d|" in signature(GREEN(), 5, (1, 1), note="\u00e9 \u3000\u200d") # other blanks, and a joiner
