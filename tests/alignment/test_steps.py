"What a search may cost: as many steps as its limit, and not one more"
import pytest

from gecmetrics_nb.alignment.chunk_search import Steps, TooManyAlignments
from gecmetrics_nb.alignment.search import ambiguous_words


def test_a_search_may_take_as_many_steps_as_its_limit():
    steps = Steps(3)
    steps.add(3)
    with pytest.raises(TooManyAlignments, match="given up after 3 steps"): steps.add(1)
    occurrences = [[0, 2, 4, 6], [1, 3]] # two links, each at one of three places: six
    assert len(ambiguous_words([], [occurrences], 9, Steps(60))) == 1
    with pytest.raises(TooManyAlignments, match="4 times in the hypothesis and 2 times"):
        ambiguous_words([], [occurrences], 9, Steps(59))
