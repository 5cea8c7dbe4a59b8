"gecnb plot: which picture, what is in it, and what is refused before anything is written"
from pathlib import Path
import re

import numpy as np
import pytest

from gecmetrics_nb import GLEU, GREEN, Corpus, rank_systems
from gecmetrics_nb.cli import plot
from gecmetrics_nb.lessons.pictures import ngram_ribbon, place_rows
from gecmetrics_nb.viz.plot import (_lines, competition_ranks, heat_map, metric_against_human, place_bars, rank_slopes, save_picture,
                                    sentence_regions, venn)
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
    shown, _ = drawn(f"{TEXTS} --metrics gleu:references=max green mgreen:beta=2 -n 2 -d 3")
    corpus = Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"])
    first, last = (m.corpus_score(corpus) for m in (GLEU(references="max", order=2), GREEN(beta=2, order=2)))
    mean = {n: s.mean() for n, s in GREEN(beta=2, order=2).sentence_scores(corpus).items()}
    assert {"gleu:references=max", "green, beta 1", "mgreen:beta=2"} <= set(shown) and last
    for name in "ABC": assert {f"{name} {first[name].percent:.3f}", f"{100 * mean[name]:.3f} {name}"} <= set(shown)


def test_one_metric_of_texts_makes_sure_places(drawn, monkeypatch):
    bars = []
    monkeypatch.setattr(plot, "place_bars", lambda *given: bars.append(given) or place_bars(*given))
    shown, said = drawn(f"{TEXTS} --metrics green:beta=2 -i 99 -n 2")
    assert "draws:99" in said and "beta:2" in said
    found = rank_systems(GREEN(beta=2, order=2), Corpus(SOURCES, REFERENCES, OUTPUTS, system_names=[*"ABC"]), test="bootstrap", draws=99)
    assert [w for w in shown if w in "ABC"] == list(found.names)
    [(names, points, ranges, _)] = bars
    assert names == found.names and list(points) == [1, 2, 3] and ranges.tolist() == found.places.tolist()


def test_judgments_are_people_too(drawn, write):
    write({"judged.csv": ["system1Id,system1rank,system2Id,system2rank,srcIndex,judgeID", "A,1,B,2,0,j", "A,1,C,2,0,j", "B,1,C,2,1,j", "INPUT,2,A,1,1,j"]})
    assert [w for w in drawn("--scores scores.tsv --human judged.csv")[0] if w.startswith("GLEU and Expected Wins")]


@pytest.mark.parametrize("line, said", [
    ("x.svg --scores one.tsv", "one.tsv has one system, A"), ("x.svg --scores one.tsv --human one.tsv", "one.tsv has one system, A"),
    ("x.svg --scores - --human -", "standard input"), ("x.svg -o A --metrics m2", "m2 needs -g"),
    ("x.svg --scores sentences.tsv", "scores of sentences"),
    ("scores.svg --scores scores.svg", "is read here, as"), ("link.svg --scores scores.tsv", "is read here, as")])
def test_refused_in_one_line_with_nothing_written(line, said, files, write, refused):
    "Beside what the lesson shows to be refused"
    write({"one.tsv": "s\tG\nA\t1\n", "sentences.tsv": "system\tsentence\tG\nA\t0\t1\nB\t0\t2\n", "scores.svg": SCORES})
    Path("link.svg").symlink_to("scores.tsv")
    error = refused(f"plot {line}")
    assert error.startswith("gecnb plot: error: ") and said in error


@pytest.mark.parametrize("seed", range(4))
def test_places_by_comparing_every_two(seed):
    scores = np.random.default_rng(seed).integers(0, 6, size=(3, 4, 9)) / 7
    for row, found in zip(scores.reshape(-1, 9).tolist(), competition_ranks(scores).reshape(-1, 9).tolist(), strict=True):
        assert found == [1 + sum(other > one + 1e-12 for other in row) for one in row]
    assert competition_ranks([.1 + .2, .3, .5]).tolist() == [2, 2, 1] and competition_ranks(7 * [np.inf]).tolist() == 7 * [1] and competition_ranks([]).tolist() == []
    assert (competition_ranks(np.arange(30_000.)) == np.arange(30_000, 0, -1)).all() # not in a table of all pairs


NUMBERS = dict(TK=4, TD=1, TI=2, OD=0, OI=1, UD=2, UI=1)
DRAWN = { # of numbers; nan and infinity have no place in a picture
    "places": lambda x: competition_ranks([x, 1, 2]) if np.isnan(x) else competition_ranks("x"),
    "rank_slopes": lambda x: rank_slopes(["A", "B"], [[1, 2], [x, 2]], ["G", "H"]),
    "place_rows": lambda x: place_rows(["A", "B"], [[x, 2]], ["G"], "A"),
    "place_bars points": lambda x: place_bars(["A", "B"], [x, 1], [[1, 2], [1, 2]]),
    "place_bars ranges": lambda x: place_bars(["A", "B"], [1, 2], [[1, x], [1, 2]]),
    "metric": lambda x: metric_against_human(["A", "B"], [x, 1], [1, 2]),
    "human": lambda x: metric_against_human(["A", "B"], [2, 1], [x, 2]),
    "venn": lambda x: venn({**NUMBERS, "OI": x}),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("number", [np.nan, -np.inf])
def test_nan_and_infinity_are_not_drawn(name, number):
    with pytest.raises((ValueError, TypeError), match="nan|not numbers"): DRAWN[name](number)


OF_NAMES = {"slopes": lambda names: rank_slopes(names, [[1, 2]], ["G"]), "rows": lambda names: place_rows(names, [[1, 2]], ["G"], "A"),
            "bars": lambda names: place_bars(names, [1, 2], [[1, 2]] * 2), "people": lambda names: metric_against_human(names, [1, 2], [1, 2])}


@pytest.mark.parametrize("picture", OF_NAMES)
@pytest.mark.parametrize("names, said", [
    (["A", "A"], "two systems are named 'A'"), ("AB", "names is one string"), (["A", 1], "a system named 1"),
    (["A", *(f"S{i}" for i in range(1311))], "names holds 1,312 systems"), ([], "names holds 0 systems")])
def test_names_that_cannot_be_told_apart_or_read_are_not_drawn(picture, names, said):
    draw = OF_NAMES[picture] if names else lambda names: place_bars(names, [], np.empty((0, 2)))
    with pytest.raises((ValueError, TypeError), match=said): draw(names)


def test_what_does_not_fit_is_not_drawn():
    with pytest.raises(ValueError, match=r"2 names, places \(3,\)"): place_bars(["A", "B"], [1, 2, 3], [[1, 1]] * 2)
    with pytest.raises(ValueError, match="there are 2 systems, all with the same score"): metric_against_human(["A", "B"], [1, 1], [1, 2])
    for wrong in [[1, 2]], [[1, 2], [3, np.inf]]:
        with pytest.raises(ValueError, match="give each row a finite number a column, or nan for none"): heat_map(["A", "B"], ["X", "Y"], wrong)


def test_words_do_not_overlap_and_are_dark_on_light():
    assert [_lines("abcdef"), _lines("abcdefg")] == ["a b\nc d\ne f", "7 words:\na b\nc ..."] # of more than six how many
    shown = sentence_regions({"source": [(("ab",), "TK"), (("c",), "TK")]}).texts
    assert [text.get_position()[0] for text in shown if text.get_text() in ("ab", "c")] == [1, 4.5] # their middles, two blanks apart
    assert [text.get_color() for text in heat_map(["A"], ["X", "Y"], [[50, 60]]).texts] == ["black", "white"]
    assert heat_map(["A", "B"], ["X"], [[-3], [0]]).collections[0].get_clim() == (-3, 0)


MONEY = ["$a$", "$\\frac$"]


@pytest.mark.parametrize("draw", [
    *((lambda draw=draw: draw(MONEY)) for name, draw in OF_NAMES.items() if name != "rows"),
    lambda: ngram_ribbon(MONEY, [[1, 0]], ["1"]),
    lambda: venn(NUMBERS, words={"TK": MONEY}), lambda: sentence_regions({"source": [(MONEY, "TK")]})])
def test_words_between_dollars_are_no_formula(draw, tmp_path):
    save_picture(draw(), tmp_path / "x.svg", close=True)
    shown = " ".join(words((tmp_path / "x.svg").read_bytes()))
    assert "$a$" in shown and "$\\frac$" in shown
