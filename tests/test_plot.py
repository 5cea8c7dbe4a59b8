"gecnb plot: which picture, what is in it, and what is refused before anything is written"
import re
import sys

import numpy as np
import pytest

from gecmetrics_nb import commands_plot
from gecmetrics_nb.cli import main
from gecmetrics_nb.commands_plot import short_titles
from gecmetrics_nb.corpus import Corpus
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.plot import place_bars
from gecmetrics_nb.resample import rank_systems
import slow

pytest.importorskip("matplotlib")
SCORES = "system\tGLEU\tGREEN|order:4|beta:2\nA\t62\t81\nB\t55\t84\nC\t58\t79\nINPUT\t50\t70\n"
PEOPLE = "system,by edit,by sentence\nINPUT,0.1,0.2\nA,0.7,0.6\nB,0.8,0.9\nC,0.4,0.1\n"
SOURCES, REFERENCES, OUTPUTS = slow.corpus(3, sentences=30, systems=3, blanks=False)
OUTPUTS[1] = REFERENCES[0] # B is surely the first
TEXTS = "-s S -r R0 R1 -o A B C"


@pytest.fixture
def gecnb(tmp_path, monkeypatch, capsys):
    "Run in a folder with tables and texts: (status, standard error, {new file: bytes})"
    monkeypatch.chdir(tmp_path)
    write = lambda name, lines: (tmp_path / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    for name, lines in zip(["S", "R0", "R1", "A", "B", "C"], [SOURCES, *REFERENCES, *OUTPUTS], strict=True): write(name, lines)
    for name, text in ("scores.tsv", SCORES), ("people.csv", PEOPLE): (tmp_path / name).write_text(text, encoding="utf-8")
    before = set(tmp_path.iterdir())

    def run(line):
        status = main(["plot", *line.split()])
        return status, capsys.readouterr().err, {p.name: p.read_bytes() for p in set(tmp_path.iterdir()) - before}
    return run


def words(svg): return [re.sub(r"\s+", " ", t).strip() for t in re.findall(r">([^<>]+)</text>", svg.decode())]


def test_ranks_of_a_table(gecnb):
    status, error, files = gecnb("x.svg --scores scores.tsv --highlight INPUT -d 1 --title Three")
    assert (status, error) == (0, "") and {"GLEU", "GREEN, beta 2", "A 62.0", "81.0 A", "INPUT 50.0", "70.0 INPUT", "Three"} <= set(words(files["x.svg"]))
    assert gecnb("x.svg --scores scores.tsv --highlight INPUT -d 1 --title Three")[2] == files # written again, the same


def test_each_metric_against_each_group_of_people(gecnb):
    status, _, files = gecnb("x.svg --scores scores.tsv --human people.csv")
    gleu, sentence = [62, 55, 58, 50], [.6, .9, .1, .2]
    r = np.corrcoef(gleu, sentence)[0, 1]
    titles = [w for w in words(files["x.svg"]) if ": r = " in w]
    assert status == 0 and len(titles) == 4 and f"GLEU and by sentence: r = {r:.2f}, 4 systems" in titles


def test_a_png_is_one(gecnb):
    status, _, files = gecnb("x.PNG --scores scores.tsv")
    assert status == 0 and files["x.PNG"].startswith(b"\x89PNG\r\n")


def test_texts_are_scored(gecnb):
    status, _, files = gecnb(f"x.svg {TEXTS} --metrics gleu:references=max green mgreen:beta=2 -n 2 -d 3")
    corpus = Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"])
    first, last = (m.corpus_score(corpus) for m in (GLEU(references="max", order=2), GREEN(beta=2, order=2)))
    mean = {n: s.mean() for n, s in GREEN(beta=2, order=2).sentence_scores(corpus).items()}
    shown = words(files["x.svg"])
    assert status == 0 and {"gleu:references=max", "green, beta 1", "mgreen:beta=2"} <= set(shown) and last
    for name in "ABC": assert {f"{name} {first[name].percent:.3f}", f"{100 * mean[name]:.3f} {name}"} <= set(shown)


def test_one_metric_of_texts_makes_sure_places(gecnb, monkeypatch):
    drawn = []
    monkeypatch.setattr(commands_plot, "place_bars", lambda *given: drawn.append(given) or place_bars(*given))
    status, error, files = gecnb(f"x.svg {TEXTS} --metrics green:beta=2 -i 99 -n 2")
    assert status == 0 and "draws:99" in error and "beta:2" in error
    found = rank_systems(GREEN(beta=2, order=2), Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"]), draws=99)
    assert [w for w in words(files["x.svg"]) if w in "ABC"] == list(found.names)
    [(names, points, places, _)] = drawn
    assert names == found.names and list(points) == [1, 2, 3] and places.tolist() == found.places.tolist()


def test_judgments_are_people_too(gecnb, tmp_path):
    rows = ["system1Id,system1rank,system2Id,system2rank,srcIndex,judgeID", "A,1,B,2,0,j", "A,1,C,2,0,j", "B,1,C,2,1,j", "INPUT,2,A,1,1,j"]
    (tmp_path / "judged.csv").write_text("\n".join(rows), encoding="utf-8")
    _, _, files = gecnb("x.svg --scores scores.tsv --human judged.csv")
    assert [w for w in words(files["x.svg"]) if w.startswith("GLEU and Expected Wins")]


@pytest.mark.parametrize("line, said", [
    ("x.jpg --scores scores.tsv", "x.jpg: give the picture a name that ends in .svg or .png"),
    ("x.jpg --scores no.tsv", "x.jpg: give the picture"), ("svg --scores scores.tsv", "svg: give the picture a name"), ("x.svg", "give --scores TABLE, or the outputs"),
    ("x.svg --scores scores.tsv -o A", "--scores stands beside -o"), ("x.svg --scores scores.tsv --highlight Z", "--highlight Z: no such system; use one of A, B, C, INPUT"),
    ("x.svg --scores no.tsv", "no.tsv: no such file"), ("x.svg --scores one.tsv", "one.tsv has one system, A"), ("x.svg --scores one.tsv --human one.tsv", "one.tsv has one system, A"),
    ("x.svg --scores scores.tsv --human few.csv", "few.csv has no C, INPUT, which scores.tsv has"), ("x.svg --scores scores.tsv --human same.csv", "same.csv: column people has the same score"),
    ("x.svg --scores - --human -", "standard input"), ("x.svg -o A B --metrics gleu", "gleu needs -s SOURCE and -r REFERENCES"), ("x.svg -o A --metrics m2", "m2 needs -g"),
    ("x.svg -s S -r R0 -o A --metrics gleu", "one system"), ("x.svg -s S -r R0 -o A B --metrics glue", "'glue' is unknown"), ("x.svg --scores sentences.tsv", "scores of sentences"),
    ("none/x.svg --scores scores.tsv", "none/x.svg")])
def test_refused_in_one_line_with_nothing_written(line, said, gecnb, tmp_path):
    for name, text in [("one.tsv", "s\tG\nA\t1\n"), ("few.csv", "s,people\nA,1\nB,2\n"), ("same.csv", "s,people\nA,1\nB,1\nC,1\nINPUT,1\n"),
                       ("sentences.tsv", "system\tsentence\tG\nA\t0\t1\nB\t0\t2\n")]: (tmp_path / name).write_text(text, encoding="utf-8")
    status, error, files = gecnb(line)
    assert status == 2 and error.startswith("gecnb plot: error: ") and said in error and error.count("\n") == 1
    assert not [name for name in files if name.endswith(("svg", "jpg"))]


def test_without_matplotlib_the_extra_is_named(gecnb, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, error, files = gecnb("x.svg --scores scores.tsv")
    assert status == 2 and "pip install 'gecmetrics_nb[plot]'" in error and not files


def test_titles_are_short_as_long_as_they_differ():
    assert short_titles(["GLEU|a:1", "GREEN|beta:2|b", "GREEN|beta:1"]) == ["GLEU", "GREEN, beta 2", "GREEN, beta 1"]
    assert short_titles(["GLEU|a:1", "GLEU|a:2", "x"]) == ["GLEU|a:1", "GLEU|a:2", "x"]
