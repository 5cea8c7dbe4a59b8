"What stays when the inside of adapters is rewritten: lists by sentence in the place of lists by set, tokens, and rewards in 0-1"
import sys

import pytest

from gecmetrics_nb import GLEU, GREEN, METEOR, GoogleGLEU
from gecmetrics_nb.adapters import huggingface, nltk, rewards, torchmetrics
from gecmetrics_nb.adapters.references import reference_sets

REFERENCES, HYPOTHESES = [["a b c", "a c"], ["d"], ["e f", "g", "e"]], ["a b", "d", "x"]


def test_references_by_sentence_become_sets():
    sets = reference_sets(REFERENCES, 3)
    assert [[text for text in row if text is not None] for row in zip(*sets, strict=True)] == REFERENCES and len(sets) == 3
    with pytest.raises(ValueError, match="3"): reference_sets(REFERENCES, 2)


def test_tokens_score_as_their_texts():
    split = [[text.split() for text in row] for row in REFERENCES], [text.split() for text in HYPOTHESES]
    texts = dict(hypotheses=HYPOTHESES, references=reference_sets(REFERENCES, 3))
    assert nltk.corpus_gleu(*split) == pytest.approx(float(GoogleGLEU().corpus_score(**texts)))
    assert [nltk.sentence_gleu(r, h) for r, h in zip(*split, strict=True)] == pytest.approx(GoogleGLEU().sentence_scores(**texts).tolist()) and nltk.sentence_gleu([["a"]], ["a"]) == 1
    with pytest.raises(TypeError, match="hypothesis"): nltk.sentence_gleu([["a"]], "a")


def test_rewards_are_numbers_in_0_1():
    values = rewards.reward(None, HYPOTHESES, REFERENCES)
    assert values[1:] == [1, 0] and 0 < values[0] < 1 and all(type(value) is float for value in values)
    assert rewards.reward(None, ["a", None], [["a"], None]) == [1, None] and rewards.compute_score("gec", "a", ["a", "b"]) == 1
    with pytest.raises(ValueError, match="2"): rewards.reward(None, ["a"], [["a"], ["b"]])


def test_sums_are_told_from_means():
    assert torchmetrics.is_sum(GREEN()) and not torchmetrics.is_sum(METEOR())
    with pytest.raises((ValueError, ImportError), match="references|torch"): torchmetrics.torch_metric(GLEU())


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with pytest.raises(ImportError, match=r"gecmetrics_nb\[evaluate\]"): huggingface.evaluate_metric(GREEN())
