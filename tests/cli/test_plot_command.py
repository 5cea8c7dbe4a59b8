"gecnb plot: which picture, what is in it, and what is refused before anything is written"
from pathlib import Path
import re

import numpy as np
import pytest

from gecmetrics_nb import GLEU, GREEN, Corpus, rank_systems
from gecmetrics_nb.cli import plot
from gecmetrics_nb.viz.plot import place_bars
import slow

pytest.importorskip("matplotlib")
SCORES = "system\tGLEU\tGREEN|order:4|beta:2\nA\t62\t81\nB\t55\t84\nC\t58\t79\nINPUT\t50\t70\n"
PEOPLE = "system,by edit,by sentence\nINPUT,0.1,0.2\nA,0.7,0.6\nB,0.8,0.9\nC,0.4,0.1\n"
SOURCES, REFERENCES, OUTPUTS = slow.corpus(3, sentences=30, systems=3, blanks=False)
OUTPUTS[1] = REFERENCES[0] # B is surely the first
TEXTS = "-s S -r R0 R1 -o A B C"


@pytest.fixture
def files(write):
    "Tables and texts in the current folder"
    texts = dict(zip(["S", "R0", "R1", "A", "B", "C"], [SOURCES, *REFERENCES, *OUTPUTS], strict=True))
    write({**texts, "scores.tsv": SCORES, "people.csv": PEOPLE})


def words(svg): return [re.sub(r"\s+", " ", t).strip() for t in re.findall(r">([^<>]+)</text>", svg.decode())]


@pytest.fixture
def drawn(files, gecnb):
    "The words of the picture that gecnb plot makes, and what it says"
    def run(line):
        done = gecnb(f"plot x.svg {line}")
        assert done.status == 0, done.err
        return words(Path("x.svg").read_bytes()), done.err
    return run


def test_ranks_of_a_table(drawn):
    shown, said = drawn("--scores scores.tsv --highlight INPUT -d 1 --title $Three$")
    assert said == "" and {"GLEU", "GREEN, beta 2", "A 62.0", "81.0 A", "INPUT 50.0", "70.0 INPUT", "$Three$"} <= set(shown)
    alike = ["GREEN|order:3|beta:2", "GREEN|order:4|beta:2"]
    assert plot.short_titles(alike) == alike


def test_each_metric_against_each_group_of_people(drawn):
    shown, _ = drawn("--scores scores.tsv --human people.csv")
    gleu, sentence = [62, 55, 58, 50], [.6, .9, .1, .2]
    r = np.corrcoef(gleu, sentence)[0, 1]
    titles = [w for w in shown if ": r = " in w]
    assert len(titles) == 4 and f"GLEU and by sentence: r = {r:.2f}, 4 systems" in titles


def test_texts_are_scored(drawn):
    shown, said = drawn(f"{TEXTS} --metrics gleu:references=max green mgreen:beta=2 -n 2 -d 3")
    assert "note: green, beta 1 is GREEN|order:2|" in said
    corpus = Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"])
    first, last = (m.corpus_score(corpus) for m in (GLEU(references="max", order=2), GREEN(beta=2, order=2)))
    mean = {n: s.mean() for n, s in GREEN(beta=2, order=2).sentence_scores(corpus).items()}
    assert {"gleu:references=max", "green, beta 1", "mgreen:beta=2"} <= set(shown) and last
    for name in "ABC": assert {f"{name} {first[name].percent:.3f}", f"{100 * mean[name]:.3f} {name}"} <= set(shown)


def test_one_metric_of_texts_makes_sure_places(drawn, monkeypatch):
    bars = []
    monkeypatch.setattr(plot, "place_bars", lambda *given: bars.append(given) or place_bars(*given))
    shown, said = drawn(f"{TEXTS} --metrics green:beta=2 -n 2")
    assert "jackknife" in said and "beta:2" in said
    found = rank_systems(GREEN(beta=2, order=2), Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"]))
    assert [w for w in shown if w in "ABC"] == list(found.names)
    [(names, points, ranges, _)] = bars
    assert names == found.names and list(points) == [1, 2, 3] and ranges.tolist() == found.places.tolist()


def test_judgments_are_people_too(drawn, write):
    write({"judged.csv": ["system1Id,system1rank,system2Id,system2rank,srcIndex,judgeID", "A,1,B,2,0,j", "A,1,C,2,0,j", "B,1,C,2,1,j", "INPUT,2,A,1,1,j"]})
    assert [w for w in drawn("--scores scores.tsv --human judged.csv")[0] if w.startswith("GLEU and Expected Wins")]


@pytest.mark.parametrize("line, said", [
    ("x.svg --scores one.tsv", "one.tsv has one system, A"), ("x.svg --scores one.tsv --human one.tsv", "one.tsv has one system, A"),
    ("x.svg --scores - --human -", "standard input"), ("x.svg -o A --metrics m2", "m2 needs -g"),
    ("x.svg --scores sentences.tsv", "sentences.tsv: scores of sentences"), ("x.svg", "give --scores TABLE, or the outputs"),
    ("x.svg --scores scores.tsv -o A", "--scores is given beside -o"),
    ("x.svg --scores scores.tsv --highlight D", "--highlight D: no such system; use one of A, B, C, INPUT"),
    ("scores.svg --scores scores.svg", "is read here, as"), ("link.svg --scores scores.tsv", "link.svg is read here, as scores.tsv")])
def test_refused_in_one_line_with_nothing_written(line, said, files, write, refused):
    "Beside what the lesson shows to be refused"
    write({"one.tsv": "s\tG\nA\t1\n", "sentences.tsv": "system\tsentence\tG\nA\t0\t1\nB\t0\t2\n", "scores.svg": SCORES})
    Path("link.svg").symlink_to("scores.tsv")
    error = refused(f"plot {line}")
    assert error.startswith("gecnb plot: error: ") and said in error
