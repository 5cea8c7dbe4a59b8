"One alignment of two texts against every alignment, where there are few words, and against what is known of it, where there are many"
import random
import sys

import numpy as np
import pytest

from gecmetrics_nb.alignment.batched import count_alignments
from gecmetrics_nb.alignment.search import align, chunk_links, chunks, crossings, links_in_reach
from gecmetrics_nb.alignment.search import most_adjacent_links
from gecmetrics_nb.core.corpus import Corpus
from slow import crossed, runs


KEYS = {"crossings": lambda links: (crossed(links), runs(links)), "chunks": lambda links: (runs(links), crossed(links))}


def every_alignment(hypothesis, reference, i=0, used=frozenset()):
    if i == len(hypothesis): yield []; return
    yield from every_alignment(hypothesis, reference, i + 1, used)
    for j, token in enumerate(reference):
        if token == hypothesis[i] and j not in used:
            for rest in every_alignment(hypothesis, reference, i + 1, used | {j}): yield [(i, j)] + rest


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_brute_force(seed):
    rng = random.Random(seed)
    for _ in range(250):
        words = "abcd"[:rng.randint(1, 4)]
        h, r = ([rng.choice(words) for _ in range(rng.randint(0, 6))] for _ in range(2))
        all_keys = [(-len(links), links) for links in every_alignment(h, r)]
        for fewest, key in KEYS.items():
            links = align(h, r, fewest)
            most = min(n for n, _ in all_keys)
            assert (-len(links), *key(links)) == min((n, *key(links)) for n, links in all_keys if n == most)
            assert links == sorted(links) and all(h[i] == r[j] for i, j in links)
            assert len({i for i, _ in links}) == len({j for _, j in links}) == len(links)
            assert (crossings(links), chunks(links)) == (crossed(links), runs(links))
        assert most_adjacent_links(h, r) == len(links) - runs(links) # with fewest chunks


@pytest.mark.parametrize("seed", range(3))
def test_what_is_out_of_reach_is_in_no_best_alignment(seed, monkeypatch):
    "Up to 30 words, with links ruled out in advance and without"
    rng, ruled_out, module = random.Random(seed), [], sys.modules["gecmetrics_nb.alignment.search"]
    def counted(*arguments):
        reach = links_in_reach(*arguments)
        ruled_out.append((~reach).sum())
        return reach
    for _ in range(400):
        h = [rng.choice("abcdefgh") for _ in range(rng.randint(2, 30))]
        r = [word if rng.random() < .85 else rng.choice("abcdefgh") for word in h if rng.random() < .9]
        monkeypatch.setattr(module, "links_in_reach", counted)
        links = align(h, r)
        monkeypatch.setattr(module, "links_in_reach", lambda words, alone, weight: np.ones(len(alone), bool))
        expected = align(h, r)
        assert len(links) == len(expected) and KEYS["crossings"](links) == KEYS["crossings"](expected), (h, r)
    assert len(ruled_out) > 200 and np.count_nonzero(ruled_out) > .9 * len(ruled_out)


@pytest.mark.parametrize("fewest", KEYS)
def test_all_pairs_of_a_corpus_at_once_are_aligned_as_one_by_one(fewest):
    "Lines of one word and of many; some references are missing, and a minority of pairs is left unsettled"
    rng, left = random.Random(1), []
    line = lambda d: " ".join(rng.choices("abcdefghijklmnopqrst"[:1 + 3 * (d % 7)], k=rng.randint(0, 16)))
    columns = [[line(d) for d in range(300)] for _ in range(4)]
    references, systems = [columns[0], [rng.choice([text, None]) for text in columns[1]]], columns[2:]
    systems[1][:100] = references[0][:100]
    for block in count_alignments(Corpus(references[0], references, systems), fewest=fewest):
        present = block.present[block.sentences]
        assert not block.statistics[~present].any() and not block.unsettled[~present].any()
        for u, r in np.argwhere(present):
            number, *texts = block.pair(u, r)
            one, other = map(str.split, texts)
            links, [found] = align(one, other, fewest), block.statistics[u, r].tolist()
            assert texts[1] == references[r][number - 1] and found[2:] == [len(one), len(other)]
            assert block.unsettled[u, r] or found[:2] == [len(links), runs(links)], texts
            left.append(block.unsettled[u, r])
    assert len(left) > 800 and 0 < sum(left) < .5 * len(left)


def test_choices_in_a_hundred_places_are_made_one_by_one():
    "Parts without a word in common, with a word between them that the other side does not have: the best of all is the best of each"
    rng, h, r, best = random.Random(4), [], [], np.zeros(3, int)
    for part in range(100):
        one, other = ([f"{rng.choice('abc')}{part}" for _ in range(rng.randint(3, 6))] for _ in range(2))
        best += min((-len(links), *KEYS["crossings"](links)) for links in every_alignment(one, other))
        h += [*one, f"x{part}"]
        r += [*other, f"y{part}"]
    links = align(h, r)
    assert (-len(links), *KEYS["crossings"](links)) == tuple(best)


def test_the_links_of_chunks_are_runs_that_cannot_be_joined():
    rng = random.Random(3)
    for _ in range(500):
        h, r = ([rng.choice("abcd") for _ in range(rng.randint(0, 8))] for _ in range(2))
        links = align(h, r)
        cut = chunk_links(rng.sample(links, len(links))) # in any order
        assert [link for piece in cut for link in piece] == links and len(cut) == runs(links) == chunks(links)
        assert all(piece == [(piece[0][0] + n, piece[0][1] + n) for n in range(len(piece))] for piece in cut)
    assert chunk_links([]) == []


def test_a_long_line_without_choice_is_aligned():
    line = [str(k) for k in range(5000)]
    for fewest in KEYS: assert align(line, line[1:], fewest) == [(k + 1, k) for k in range(4999)]


def test_crossings_are_counted_as_pairs():
    "In any order, with links that share a position"
    rng = random.Random(2)
    for size in [*range(30), 300]:
        links = [(rng.randrange(size), rng.randrange(size)) for _ in range(size)]
        assert crossings(links) == crossed(links)
