"What stays when the inside of core is rewritten: a Corpus, three calls of a metric, their shapes, units and errors"
from collections import Counter
import json

import numpy as np
import pytest

from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.core.metric import collect, score_corpus, score_sentences
from gecmetrics_nb.metrics.google_gleu import GoogleGLEU

SOURCES, REFERENCES = ["a b c", "d e", "f"], [["a x c", "d e", "f"], ["a b y", None, "g"]]
SYSTEMS = {"A": ["a x c", "d e", "g"], "B": ["a b c", "d", "x"]}
METRIC = GoogleGLEU(order=2) # whose formula is one line: matches out of the longer text's n-grams, the best reference


def grams(text): return Counter(tuple(text.split()[i:i + n]) for n in (1, 2) for i in range(len(text.split()) - n + 1))


def best(d, text):
    pairs = [((grams(text) & grams(column[d])).total(), max(grams(text).total(), grams(column[d]).total())) for column in REFERENCES if column[d] is not None]
    return max(pairs, key=lambda pair: pair[0] / pair[1])


def test_scores_are_those_of_counters_in_three_shapes():
    corpus, given = Corpus(SOURCES, REFERENCES, SYSTEMS), dict(sources=SOURCES, references=REFERENCES)
    assert len(corpus) == 3 and corpus.system_names == ("A", "B") and corpus.part(1, 3).before == 1
    scores, sentences, statistics = (call(corpus) for call in (METRIC.corpus_score, METRIC.sentence_scores, METRIC.statistics))
    for name, lines in SYSTEMS.items():
        each = [best(d, text) for d, text in enumerate(lines)]
        value = sum(match for match, _ in each) / sum(total for _, total in each)
        assert scores[name] == pytest.approx(value) and scores[name].percent == pytest.approx(100 * value) and isinstance(scores[name], float)
        assert sentences[name].tolist() == pytest.approx([match / total for match, total in each])
        assert statistics[name].shape[:2] == (3, 2) and statistics[name].dtype == np.int64 and not statistics[name][1, 1, :, 0].any() # no reference, no match
        assert METRIC.corpus_score(hypotheses=lines, **given) == scores[name] # one system alone
        assert "|order:2|" in scores[name].signature and "|refs:1-2," in scores[name].signature
        record = json.loads(scores[name].to_json())
        assert record["value"] == scores[name] and record["signature"] == scores[name].signature and scores[name].sentences == 3


def test_pieces_make_the_whole():
    corpus = Corpus(SOURCES, REFERENCES, SYSTEMS)
    parts = [part for a, b in ((0, 1), (1, 3)) for part in METRIC.count(corpus.part(a, b))]
    assert score_corpus(METRIC, parts) == list(METRIC.corpus_score(corpus).values())
    assert score_sentences(METRIC, parts).shape == (2, 3) and collect(METRIC, parts)[1].tolist() == [[True, True], [True, False], [True, True]]
    assert score_corpus(METRIC, parts, per="mean")[0] == pytest.approx(np.mean([np.divide(*best(d, text)) for d, text in enumerate(SYSTEMS["A"])]))
