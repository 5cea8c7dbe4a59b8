"Pictures: places, what does not fit or has no place is refused, and words that stay words"
import re

import numpy as np
import pytest

from gecmetrics_nb.lessons.pictures import ngram_ribbon, place_rows
from gecmetrics_nb.viz.plot import (_lines, competition_ranks, heat_map, metric_against_human, place_bars, rank_slopes, save_picture,
                                    sentence_regions, venn)

pytest.importorskip("matplotlib")


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
    with pytest.raises(ValueError, match="there are 2 systems, all with the same score"):
        metric_against_human(["A", "B"], [1, 1], [1, 2])
    with pytest.raises(ValueError, match="2 names, 3 scores of the metric and 2 of people"):
        metric_against_human(["A", "B"], [1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="nowhere/x.svg: no such folder as nowhere"): save_picture(None, "nowhere/x.svg")
    with pytest.raises(TypeError, match="path is list: give the name of a file to write"): save_picture(None, ["x.svg"])
    for wrong in [1, 2], [[1, 2]], [[1, 2], [3, np.inf]]:
        with pytest.raises(ValueError, match="give each row a finite number a column, or nan for none"): heat_map(["A", "B"], ["X", "Y"], wrong)


def test_words_do_not_overlap_and_are_dark_on_light():
    assert [_lines("abcdef"), _lines("abcdefg")] == ["a b\nc d\ne f", "7 words:\na b\nc ..."] # of more than six how many
    shown = sentence_regions({"source": [(("ab",), "TK"), (("c",), "TK")]}).texts
    assert [text.get_position()[0] for text in shown if text.get_text() in ("ab", "c")] == [1, 4.5] # their middles, two blanks apart
    assert [text.get_color() for text in heat_map(["A"], ["X", "Y"], [[50, 60]]).texts] == ["black", "white"]
    assert heat_map(["A", "B"], ["X"], [[-3], [0]]).collections[0].get_clim() == (-3, 0)


@pytest.mark.filterwarnings("ignore:Glyph 7")
def test_a_letter_that_xml_refuses_is_spelt_out(tmp_path):
    save_picture(rank_slopes(["A\a", "B"], [[1, 2], [2, 1]], ["G", "H"]), tmp_path / "x.svg", close=True)
    picture = (tmp_path / "x.svg").read_bytes()
    assert b"A\\x07" in picture and b"\a" not in picture


MONEY = ["$a$", "$\\frac$"]


@pytest.mark.parametrize("draw", [
    *((lambda draw=draw: draw(MONEY)) for name, draw in OF_NAMES.items() if name != "rows"),
    lambda: ngram_ribbon(MONEY, [[1, 0]], ["1"]),
    lambda: venn(NUMBERS, words={"TK": MONEY}), lambda: sentence_regions({"source": [(MONEY, "TK")]})])
def test_words_between_dollars_are_no_formula(draw, tmp_path):
    save_picture(draw(), tmp_path / "x.svg", close=True)
    shown = " ".join(re.findall(r">([^<>]+)</text>", (tmp_path / "x.svg").read_text(encoding="utf-8")))
    assert "$a$" in shown and "$\\frac$" in shown
