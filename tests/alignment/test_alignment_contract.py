"What stays when the inside of alignment is rewritten: a best alignment of two short texts, edits that give the text back, and a limit"
from itertools import permutations
import random

import pytest

from gecmetrics_nb import Corpus
from gecmetrics_nb.alignment.batched import count_alignments
from gecmetrics_nb.alignment.edits import edits_of, gold_from_texts, m2_lines, system_from_texts
from gecmetrics_nb.alignment.search import Steps, TooManyAlignments
from gecmetrics_nb.alignment.search import align, check_size, chunks, crossings
from gecmetrics_nb.io.m2 import apply_edits, parse_m2
from gecmetrics_nb.metrics.errant import compare_edits
from gecmetrics_nb.metrics.m2 import M2
from slow import crossed, runs


def test_most_links_then_fewest_crossings_then_fewest_chunks():
    rng = random.Random(0)
    for _ in range(100):
        h, r = (rng.choices("abc", k=rng.randrange(5)) for _ in range(2))
        places = [*range(len(r)), *[None] * len(h)]
        every = {tuple((i, j) for i, j in enumerate(order) if j is not None and h[i] == r[j]) for order in permutations(places, len(h))}
        links = align(h, r)
        assert (-len(links), crossed(links), runs(links)) == min((-len(way), crossed(way), runs(way)) for way in every)
        assert (crossings(links), chunks(links)) == (crossed(links), runs(links))
        block, = count_alignments(Corpus(None, [[" ".join(r)]], [[" ".join(h)]]))
        assert block.unsettled or [*block.statistics.flat] == [len(links), runs(links), len(h), len(r)]
    with pytest.raises(ValueError, match="limit"): align(["a"], ["a"], limit=0)
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


def test_texts_become_files_of_edits_that_are_scored():
    sources, references, output = ["He go home .", "I run ."], [["He goes home .", "I run ."], ["He went home .", "I ran ."]], ["He goes house .", "I run ."]
    gold, system = gold_from_texts(sources, references), system_from_texts(sources, output)
    again = parse_m2(m2_lines(gold))
    assert [s.tokens for s in again] == [tuple(text.split()) for text in sources] and {e.annotator for s in again for e in s.edits} == {0, 1}
    for gold_again in gold, again: # one edit is right, one is not, none is missed: that of the first annotator
        assert compare_edits(system, gold_again).totals in ((1, 1, 0), (1, 0, 0), (0, 1, 1)) and 0 < M2().corpus_score(hypotheses=output, gold=gold_again) < 1
