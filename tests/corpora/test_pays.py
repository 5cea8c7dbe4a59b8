"What metrics pay for: the behaviours by hand, and the counts in the package equal to those of the text"
from types import SimpleNamespace
import re

import numpy as np
import pytest

from gecmetrics_nb import parse_m2, references_from_m2, GLEU, GREEN, GoogleGLEU, IMeasure, M2
from gecmetrics_nb.corpora import probes
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.corpora.gold_counts import GOLD, gold_counts
from gecmetrics_nb.core.metric import collect, score_corpus
from gecmetrics_nb.metrics.i_measure import treebank
from gecmetrics_nb.metrics.m2 import GoldCorpus, gold_of
from gecmetrics_nb.corpora.probes import behaviours, by_annotator, counts_for, probe_counts, stored_probe_counts
from places import prose_of
import snapshots

SENTENCES = parse_m2("""
S He go to home now
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||Prep|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 4|||Wform|||walks home|||REQUIRED|||-NONE-|||1

S All wrong
A 0 2|||Um|||Right|||REQUIRED|||-NONE-|||0

S It is
A 2 2|||Um|||so|||REQUIRED|||-NONE-|||1
""".strip().split("\n"))


def test_behaviours_by_hand():
    "Two edits; no right word; an annotator without a line, who wants what the first does, or nothing"
    texts = behaviours(by_annotator(SENTENCES, 0), by_annotator(SENTENCES, 1))
    assert texts == {
        "nothing": ["He go to home now", "All wrong", "It is"],
        "one right edit": ["He goes to home now", "Right", "It is"],
        "one wrong edit": ["He go to banana now", "All wrong", "banana is"],
        "banana": ["He banana banana home now", "banana", "It is"],
        "left out": ["He home now", "", "It is"],
        "empty": ["", "", ""],
        "other annotator": ["He walks home now", "Right", "It is so"],
        "perfect": ["He goes home now", "Right", "It is"]}
    for wrong in 2, -1, "0":
        with pytest.raises(ValueError, match="annotator is .*: give 0 or 1"): by_annotator(SENTENCES, wrong)
        with pytest.raises(ValueError, match="key is .*from 0 to 1"): stored_probe_counts(wrong)
    swapped = behaviours(by_annotator(SENTENCES, 1), by_annotator(SENTENCES, 0))
    assert swapped["banana"] == ["He banana now", "banana", "It is banana"]
    assert swapped["perfect"] == texts["other annotator"] and swapped["other annotator"] == texts["perfect"]


def test_needs_two_annotators():
    one = parse_m2(["S a", "A 0 1|||Um|||b|||REQUIRED|||-NONE-|||0"])
    with pytest.raises(ValueError, match=r"sentences has the annotators \[0\]: give two, 0 and 1"): by_annotator(one, 0)
    with pytest.raises(TypeError, match="sentences"): by_annotator("S a", 0)


@pytest.fixture(scope="module")
def real(shared): return parse_m2(read_lines(shared / "data" / GOLD), GOLD)


def test_corrected_texts_are_the_references(real):
    _, references = references_from_m2(real)
    for judge in 0, 1:
        texts = behaviours(by_annotator(real, judge), by_annotator(real, 1 - judge))
        assert [texts["perfect"], texts["other annotator"]] == references[::1 if judge == 0 else -1]


def test_rewards_of_real_sentences_are_those_that_the_tutorial_prints(real):
    rows = re.findall(r"^\|.*\| (.*?) \|((?: \.\d{3} \|){5})$", prose_of("tutorials/03_reward"), re.MULTILINE)
    metrics = {"Google-GLEU": GoogleGLEU(), "GLEU, 3 characters": GLEU(unit="char", order=3)}
    assert [name for name, _ in rows] == [*metrics] * 2
    for number, (name, cells) in enumerate(rows):
        judge = number // 2
        texts = behaviours(by_annotator(real, judge), by_annotator(real, 1 - judge))
        mean = lambda lines: metrics[name].sentence_scores(sources=texts["nothing"], hypotheses=lines, references=[texts["perfect"]]).mean()
        shown = ("one right edit", "nothing", "left out", "banana", "empty")
        assert [f"{mean(texts[what]):.3f}"[1:] for what in shown] == cells.replace("|", "").split()


def test_the_snapshot_is_that_of_the_text(real):
    "The first eighty sentences, counted again"
    for judge in 0, 1:
        some = probe_counts(by_annotator(real[:80], judge), by_annotator(real[:80], 1 - judge))
        stored = stored_probe_counts(judge)
        assert set(some) == set(stored) == {"ngrams", "METEOR", "M2", "IMeasure", "CLEME"}
        for name, counts in some.items():
            field = "regions" if name == "ngrams" else "statistics"
            mine, whole = (getattr(c, field)[c.rows[:, :80]] for c in (counts, stored[name]))
            longest = mine.shape[3] # of CLEME, whose sentences are padded
            assert (mine == whole[:, :, :, :longest]).all() and not whole[:, :, :, longest:].any(), name
            assert counts.counting == stored[name].counting, name


def test_a_count_that_fits_into_no_byte_is_refused(tmp_path):
    text = tmp_path / "gold.m2"
    source = SimpleNamespace(path=lambda name: text)
    edits = "\nA 1 2|||V|||goes|||REQUIRED|||-NONE-|||0\nA 1 2|||V|||went|||REQUIRED|||-NONE-|||1\n"
    text.write_text("S He go" + edits)
    with np.load(probes.PROBE_SNAPSHOT) as old: assert sorted(snapshots.probes(source)) == sorted(old)
    text.write_text("S " + "go " * 300 + edits)
    with pytest.raises(ValueError, match="does not fit into a byte"): snapshots.probes(source)


def test_why_a_perfect_text_is_not_perfect(real):
    "M2: more than two kept words inside an edit, or edits that touch; the I-measure: a correction cut into more words"
    judge, counts = by_annotator(real, 0), stored_probe_counts(0)
    texts = behaviours(judge, judge)["perfect"]
    of = lambda name: counts[name].statistics[counts[name].rows[NAMES.index("perfect")]][:, 0, 0]
    uneven = lambda found: [i for i, (correct, proposed, gold) in enumerate(found) if not correct == proposed == gold]
    cut_otherwise = uneven(of("M2"))
    metric = M2(max_unchanged_words=20)
    corpus = GoldCorpus(gold_of([judge[i] for i in cut_otherwise]), [[texts[i] for i in cut_otherwise]])
    matched = gold_counts(metric, *collect(metric, metric.count(corpus)))
    left = [cut_otherwise[i] for i in uneven(matched.statistics[matched.rows[0]][:, 0, 0])]
    assert (len(cut_otherwise), len(left)) == (15, 5)
    for i in left: assert any(a.end == b.start for a, b in zip(judge[i].edits, judge[i].edits[1:], strict=False))
    more = lambda edit: len(treebank(" ".join(edit.correction))) > len(edit.correction)
    faulty = np.flatnonzero(of("IMeasure")[:, 2:5].any(axis=1)).tolist()
    assert len(faulty) == 8 and all(any(map(more, judge[i].edits)) for i in faulty)


NAMES = list(behaviours(by_annotator(SENTENCES, 0), by_annotator(SENTENCES, 1)))


def test_bounds():
    "A perfect text is 1, doing nothing 0 by M2 and the I-measure; an order below 4 is what the metric asks for"
    counts = stored_probe_counts()
    for order in 1, 4:
        scores = score_corpus(GREEN(order=order), [counts_for(GREEN(order=order), counts)])
        assert scores[NAMES.index("perfect")] == 1 and scores[0].sentences == 1312
    for metric in M2(), IMeasure(): assert score_corpus(metric, [counts_for(metric, counts)])[0] == 0
