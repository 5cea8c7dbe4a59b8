"The numbers that the page How sure is a rank? rests on: by plain loops, and by a program of its own"
import re

import numpy as np
import pytest

from gecmetrics_nb.lessons.ranks import exchange_p
from test_people import said_on

# 2.8 standard errors of the median pair (10th to 90th percentile), in points, by sentences
DETECTABLE = """
GLEU            3.7 (2.9 to 4.3)    2.1 1.6 1.0 (0.8 to 1.2) 0.7 0.5
GREEN, beta 0.5 4.1 (3.1 to 5.1)    2.4 1.9 1.1 (0.9 to 1.4) 0.8 0.6
GREEN, beta 1   3.1 (2.3 to 3.6)    1.8 1.4 0.9 (0.6 to 1.0) 0.6 0.4
GREEN, beta 2   2.7 (2.1 to 3.0)    1.5 1.2 0.7 (0.6 to 0.8) 0.5 0.4
M2              14.2 (12.3 to 16.5) 8.2 6.4 3.9 (3.4 to 4.5) 2.6 2.0
I-measure       3.7 (2.5 to 6.0)    2.1 1.7 1.0 (0.7 to 1.7) 0.7 0.5
GLEU, SEEDA     3.5 (3.1 to 4.0)    2.0 1.6 1.0 (0.9 to 1.1) 0.6 0.5
M2, SEEDA       10.2 (9.1 to 11.4)  5.9 4.6 2.8 (2.5 to 3.1) 1.9 1.4
METEOR          1.6 (1.2 to 2.2)    0.9 0.7 0.4 (0.3 to 0.6) 0.3 0.2
ERRANT          14.1 (12.2 to 16.2) 8.2 6.3 3.9 (3.4 to 4.5) 2.6 2.0
GLEU, JFLEG     4.9 (3.4 to 7.3)    2.8 2.2 1.4 (1.0 to 2.0) 0.9 0.7"""


def lines_of(text):
    "{name of a row: its numbers}"
    rows = (re.split(r"\s{2,}|(?<=\d)\s+(?=\d)", line, maxsplit=1) for line in text.strip().splitlines())
    return {name: re.findall(r"[\d.]+", cells[0]) for name, *cells in rows if cells}


def test_detectable_differences():
    page = lines_of(said_on("06_ranks_appendix")["annotpw2"])
    for line in DETECTABLE.strip().splitlines():
        name, cells = re.match(r"(.*?)\s+(\d+\.\d \(.*)", line).groups()
        numbers = re.findall(r"[\d.]+", cells)
        assert page[name][:len(numbers)] == numbers, name


def slow_scatter(scores):
    "Median over pairs of the variance over references of a difference, from scores (H, D, R) of sentences"
    H, D, R = scores.shape
    means = [[sum(scores[h, d, r] for d in range(D)) / D for r in range(R)] for h in range(H)]
    found = []
    for i in range(H):
        for j in range(i):
            d = [a - b for a, b in zip(means[i], means[j], strict=True)]
            found.append(sum((x - sum(d) / R)**2 for x in d) / R)
    return np.median(found)


def test_references_are_exchanged_within_sentences_and_for_all_systems_alike():
    random = np.random.default_rng(5)
    counted = random.integers(0, 9, size=(3, 20, 4)) + random.integers(0, 2, size=(3, 1, 4))
    orders = np.random.default_rng(0) # draws as `exchange_p` does
    chance = [slow_scatter(np.take_along_axis(counted, orders.permuted(np.tile(np.arange(4), (20, 1)), axis=1)[None], 2)) for _ in range(49)]
    p = (1 + sum(x >= slow_scatter(counted) - 1e-9 for x in chance)) / 50
    assert .02 < p < .9 and exchange_p(counted[..., None], lambda sums: sums[..., 0] / 20, 49) == pytest.approx(p)
