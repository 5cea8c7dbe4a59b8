"What stays when the inside of corpora is rewritten: registered files, counts without text, judgments, and names that do not exist"
import hashlib

import numpy as np
import pytest

from gecmetrics_nb.core.metric import collect, score_corpus
from gecmetrics_nb.corpora.conll14 import CONLL14, conll14, of_sentences, stored_counts
from gecmetrics_nb.corpora.gold_counts import stored_cleme, stored_gold_counts
from gecmetrics_nb.corpora.judgments import stored_judgments
from gecmetrics_nb.corpora.probes import stored_probe_counts
from gecmetrics_nb.corpora.registry import fetch, registry
from gecmetrics_nb.corpora.test_sets import PARTS, TEST_SETS, test_set as named_set
from gecmetrics_nb.metrics.bleu import BLEU
from gecmetrics_nb.metrics.cleme import CLEME
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.m2 import M2


def test_files_are_registered_by_their_checksum():
    for name, entry in registry().items():
        assert entry.name == name and len(bytes.fromhex(entry.sha256)) == 32 and entry.bytes > 0
    inside = [entry for name, entry in registry().items() if name.startswith("example/")]
    assert inside and all(hashlib.sha256(fetch(e.name).read_bytes()).hexdigest() == e.sha256 for e in inside)
    with pytest.raises(ValueError, match="nothing/X"): fetch("nothing/X")
    with pytest.raises(ValueError, match="nothing"): named_set("nothing")


def test_a_set_has_the_parts_that_it_has_files_of():
    for each in TEST_SETS.values(): assert {*each.files} <= {*PARTS} and all(each.files.values()), each.name
    assert [name for name, each in TEST_SETS.items() if "errant" in each.files] == ["conll14"]


def test_counts_without_text_give_the_published_scores():
    counts, gold = stored_counts(), stored_gold_counts("m2")
    assert counts.rows.shape[1] == 1312 and counts.reference_lengths.shape[:2] == (1312, 2)
    assert len(CONLL14) == 13 and CONLL14[-1] == "INPUT"
    shown = lambda metric, part, name: f"{score_corpus(metric, [part])[CONLL14.index(name)].percent:.2f}"
    assert [shown(GLEU(), counts, name) for name in ("AMU", "CAMB")] == ["58.33", "59.26"] # README of gleu 1.1.0
    assert [shown(M2(), gold, name) for name in ("AMU", "CAMB")] == ["35.01", "37.33"] # of the shared task
    assert [shown(CLEME(), stored_cleme(), name) for name in ("AMU", "CAMB")] == ["25.14", "26.90"] # by CLEME's program


@pytest.mark.parametrize("name, metric", [("word", GLEU()), ("union", BLEU())])
def test_statistics_of_some_sentences_are_some_of_the_statistics(name, metric):
    every, some = stored_counts(name), [5, 40, 1311]
    assert (collect(metric, [of_sentences(every, some)])[0] == collect(metric, [every])[0][:, some]).all()


@pytest.mark.parametrize("stored", [stored_counts, lambda: stored_counts("word", "all"), lambda: stored_counts("union"), stored_gold_counts, stored_cleme,
                                    *(lambda name=name: stored_probe_counts()[name] for name in ("ngrams", "M2", "CLEME"))])
def test_nobody_writes_into_what_others_get_too(stored):
    shared = [one for one, other in zip(vars(stored()).values(), vars(stored()).values(), strict=True) if isinstance(one, np.ndarray) and np.shares_memory(one, other)]
    assert shared and not any(array.flags.writeable for array in shared)


def test_judgments_are_pairs_of_systems():
    judged = stored_judgments("seeda-edit")
    assert judged.pairs.shape == (len(judged), 2) and judged.pairs.max() < len(judged.systems) == 15
    assert set(np.unique(judged.outcome)) <= {-1, 0, 1}
    assert set(stored_judgments("seeda-edit", systems=["T5", "BART"]).systems) == {"T5", "BART"}
    for call in lambda: stored_judgments("nothing"), lambda: stored_counts("nothing"), lambda: stored_gold_counts("nothing"), lambda: conll14(["nothing"]):
        with pytest.raises(ValueError, match="is 'nothing': use one of"): call()
