"What stays when the inside of alignment is rewritten: edits that give the text back, what is refused, and a limit"
import random

import pytest

from gecmetrics_nb.alignment.edits import edits_of
from gecmetrics_nb.alignment.search import Steps, TooManyAlignments, align, check_size
from gecmetrics_nb.io.m2 import apply_edits


def test_what_a_search_is_asked_is_checked():
    with pytest.raises(ValueError, match="limit"): align(["a"], ["a"], limit=0)
    assert align([None, "a"], ["a", None], given=[(0, 1)]) == [(0, 1), (1, 0)]
    assert align([None], [None], given=[(0, 0)]) == [(0, 0)]
    with pytest.raises(TypeError, match="^reference holds something that is not a token"):
        align(["a"], [["a"]])
    for texts, name in ((["a"], "a"), "source"), (("a", 3), "hypothesis"):
        with pytest.raises(TypeError, match=f"^{name} is "): edits_of(*texts)
    for link in (0, 5), (-1, 0), (1, 1): # behind the end, before the beginning, of words
        with pytest.raises(ValueError, match="positions of tokens that are None on both sides"): align([None, "a"], [None, "a"], given=[link])


def test_a_search_may_take_as_many_steps_as_its_limit():
    steps = Steps(3)
    steps.add(3)
    with pytest.raises(TooManyAlignments, match="given up after 3 steps"): steps.add(1)
    occurrences = [[0, 2, 4, 6], [1, 3]] # two links, each at one of three places: six
    check_size([occurrences], Steps(60))
    with pytest.raises(TooManyAlignments, match="4 times in the hypothesis and 2 times"):
        check_size([[[8], [5, 7]], occurrences], Steps(59))


def test_edits_make_the_hypothesis_of_the_source():
    rng = random.Random(1)
    for _ in range(200):
        source, text = (" ".join(rng.choices(["a", "b", "ab", "abc"], k=rng.randrange(6))) for _ in range(2))
        edits = edits_of(source, text)
        assert apply_edits(source.split(), edits) == text.split() and (edits == ()) == (source == text)
        assert all(one.end <= other.start for one, other in zip(edits, edits[1:], strict=False))
