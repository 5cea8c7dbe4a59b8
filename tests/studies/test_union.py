"The page Join the references, or take the best? beside an analysis that computed its numbers with other code, SciPy, and slow definitions"
from collections import Counter
import re

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb import GLEU, GREEN, Corpus
from gecmetrics_nb.core.metric import score_corpus, score_sentences
from gecmetrics_nb.lessons.people import FOUR, OLD
from gecmetrics_nb.lessons.union import Parts, conll14_judged, counted, gaps_on
from places import prose_of
from test_people import area_of, expected_wins, found_of, said_on
import slow

SETS = ("2015", "2016", "E", "S", "fce test", "wiki test", "fce dev", "wiki dev")
AREAS = {"GLEU, smoothed": ".714 .695 .717 .719 .705 .680 .716 .702",
         "GLEU": ".704 .692 .708 .707 .691 .672 .704 .691", "GLEU of 2015": ".748 .733 .722 .716 .723 .705 .727 .714",
         "GREEN, best": ".703 .687 .670 .678 .698 .669 .701 .686", "GREEN, union": ".731 .721 .709 .720 .716 .688 .717 .700"}
OF_GMEG = {"BLEU, union": ".707 .693 .713 .708", "Google-GLEU": ".703 .685 .707 .702"}
LEADS = {"H1": [(28, 5), (35, 7), (39, 11), (42, 10), (18, 5), (19, 6), (16, 6), (14, 5)],
         "H2": [(44, 6), (41, 10), (14, 12), (9, 10), (33, 8), (34, 7), (23, 8), (23, 7)]} # thousandths: difference, error
BY_NUMBER = {"GLEU": ".656 .678 .687 .691", "GLEU of 2015": ".671 .700 .716 .723",
             "GREEN, best": ".670 .683 .692 .698", "GREEN, union": ".670 .694 .708 .716"} # fce test
OVER_SYSTEMS = {"GREEN, best": ".670 .366 .912 .908", "GREEN, union": ".681 .390 .924 .911",
                "GLEU": ".596 .383 .902 .854", "GLEU of 2015": ".475 .523 .919 .826"}


@pytest.fixture(scope="module")
def page():
    "{id of a cell: {first cell of a row: the others}}"
    rows = lambda text: [re.split(r"\s{2,}", line.strip()) for line in text.split("\n") if line.strip()]
    return {name: {first: rest for first, *rest in rows(text)} for name, text in said_on("07_union").items()}


def test_areas_are_those_of_the_review(page):
    table = page["41un0011"]
    assert {name: " ".join(table[name]) for name in AREAS} == AREAS
    assert {name: " ".join(table[name][4:]) for name in OF_GMEG} == OF_GMEG
    assert [int(x.replace(",", "")) for x in table["pairs"]] == [12763, 2883, 1781, 2013, 11335, 11700, 11504, 11889]
    for name, expected in LEADS.items():
        said = [[round(1000 * float(x)) for x in cell.replace("±", "").split()] for cell in table[name]]
        for (lead, error), (ours, our_error) in zip(expected, said, strict=True):
            assert lead == ours and abs(error - our_error) <= 1, (name, said)
    assert {name: " ".join(page["41un0014"][name][:4]) for name in BY_NUMBER} == BY_NUMBER
    said = {name: [float(x) for x in page["41un0017"][name][:4]] for name in OVER_SYSTEMS}
    assert all(abs(float(x) - y) < .0051 for name, given in OVER_SYSTEMS.items() for x, y in zip(given.split(), said[name], strict=True))


@pytest.mark.parametrize("group", FOUR)
def test_r_over_systems_and_tau(group, page):
    "By SciPy, and by the signs of decisions, to three digits"
    k, judged, people = FOUR.index(group), conll14_judged(group), expected_wins(group)
    metrics = {"GLEU": GLEU(), "GLEU of 2015": GLEU(variant="2015"), "GREEN, best": GREEN(beta=2), "GREEN, union": GREEN(beta=2, references="union")}
    (first, second), at = judged.decided.pairs.T, judged.decided.sentences
    for name, metric in metrics.items():
        counts = [judged.counts["union" if metric.union else "word"]]
        r = stats.pearsonr(list(map(float, score_corpus(metric, counts))), people).statistic
        assert f"{r:.3f}"[1:] == OVER_SYSTEMS[name].split()[k], name
        scores = score_sentences(metric, counts).round(10)
        agreed = np.sign(scores[first, at] - scores[second, at]) * judged.decided.outcome
        assert f"{agreed.mean():.3f}"[1:] == page["41untau2"][name][k], name


def test_what_the_page_says_of_its_tables(page):
    "As far as its cells do not assert it"
    numbers_of = lambda cell, name: [[float(x) for x in each.replace("±", "").split()] for each in page[cell][name]]
    beside = numbers_of("41un0011", "GREEN, union - GLEU")
    assert min(beside) == [.001, .009] == beside[SETS.index("E")] # level
    assert min(numbers_of("41un0011", "H2"))[0] > 0
    numbers = {name: np.array(page["41un0014"][name], float).reshape(4, 4) for name in BY_NUMBER}
    assert (numbers["GREEN, best"][:, 0] == numbers["GREEN, union"][:, 0]).all()
    grown = {name: table[:, 3] - table[:, 0] for name, table in numbers.items()}
    ahead = numbers["GLEU of 2015"][:, 0] - numbers["GLEU"][:, 0]
    for values, low, high in (grown["GREEN, union"], .033, .046), (grown["GREEN, best"], .016, .028), (ahead, .015, .026):
        assert (abs(values.min() - low), abs(values.max() - high)) < (.0015, .0015)
    apart = {name: np.array(cells, float) for name, cells in page["41un0020"].items() if len(cells) == 8 and name != "AUC, or what it changes"}
    union = apart["GLEU on the union"]
    assert np.abs(union).max() <= .023
    assert np.abs(apart["GLEU, mean of references"][:4] + union[:4] - [.713, .711, .685, .694]).max() < .0015


def test_gains_on_what_we_found(page):
    "What we found has the least and the largest of H1's leads, of the old sets and of the new ones, as this page prints them"
    leads = [cell.lstrip("+").split(" ±") for cell in page["41un0011"]["H1"]]
    (least, its), (most, error), new = min(leads[:4]), max(leads[:4]), [lead for lead, _ in leads[4:]]
    assert f"by {least} (standard error {its}) to {most} ({error}) in 2015, 2016, E and S" in found_of(3)
    assert f"by {min(new)} to {max(new)} in GMEG's four sets (all" in found_of(3)
    chosen = [cell.lstrip("+").split(" ±")[0] for cell in page["41untau2"]["GREEN, union - GREEN, best"]]
    assert f"better by {min(chosen)} to {max(chosen)} of $\\tau$" in found_of(3)


def test_leads_by_each_judge_and_without_each_system():
    "Both leads by each of 17 judges; without any one system H1's, and for the outputs of 2014 H2's"
    leads, metrics = {"judges": [], "systems": []}, (GREEN(beta=2, references="union"), GREEN(beta=2), GLEU(variant="2015"), GLEU())
    for group in FOUR:
        judged = conll14_judged(group)
        gaps, decided = gaps_on(judged, metrics), judged.decided
        pairs, outcome, judges = decided.pairs, decided.outcome, decided.judges
        for way, kept in (("judges", [judges == judge for judge in np.unique(judges)]),
                          ("systems", [(pairs != h).all(axis=1) for h in range(pairs.max() + 1)])):
            areas = [[area_of(gap[some], outcome[some]) for gap in gaps] for some in kept]
            leads[way] += [(group, union - best, first - plain) for union, best, first, plain in areas]
    assert len(leads["judges"]) == 17 and len(leads["systems"]) == 50
    least = min(h1 for each in leads.values() for _, h1, _ in each)
    many = ", ".join(str(sum(group == of for of, *_ in leads["judges"])) for group in FOUR)
    assert min(h2 for _, _, h2 in leads["judges"]) > 0 and many == "8, 3, 3, 3"
    said = ("In 2015, 2016, E and S (8, 3, 3 and 3 judges) the leads of H1 and H2 are above 0 by each judge alone. "
            "H1's is at least {:.3f}, by each judge alone and without any one system.")
    assert said.format(least).replace("0.", ".") in prose_of("studies/07_union")
    assert min(h2 for group, _, h2 in leads["systems"] if group in OLD) > .036


def slow_parts(source, references, hypothesis, penalty, twice, wide):
    "Precision of each order, by Counter: union as the greatest count over references"
    for n in (1, 2, 3, 4):
        s, h, *refs = (slow.grams(text, n) for text in (source, hypothesis, *references))
        r = Counter()
        for each in refs: r |= each
        top = (h & r).total()
        if twice: top += (h & (r - s)).total()
        if penalty: top = max(0, top - (Counter({g: k for g, k in s.items() if g not in r}) & h).total())
        below = h.total() + ((r - s).total() if wide else 0)
        yield top / below if below else 1.


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_the_formula_by_counter(seed):
    sources, references, [hypotheses] = slow.corpus(seed, sentences=60, references=3, systems=1, blanks=False)
    counts = counted(Corpus(sources, references, [hypotheses], warn=False))
    score = lambda metric: score_sentences(metric, [counts["union" if metric.union else "word"]])[0]
    assert score(Parts(union=False)) == pytest.approx(score(GLEU()))
    assert score(Parts(penalty=False, twice=True, wide=True, brevity=False)) == pytest.approx(score(GLEU(variant="2015")))
    for penalty in False, True:
        for twice in False, True:
            for wide in False, True:
                ours = score(Parts(penalty=penalty, twice=twice, wide=wide, brevity=False))
                for d, refs in enumerate(zip(*references, strict=True)):
                    if not hypotheses[d]: continue # an empty output scores 0 in each
                    expected = np.prod(list(slow_parts(sources[d], refs, hypotheses[d], penalty, twice, wide)))**.25
                    assert ours[d] == pytest.approx(expected), (d, penalty, twice, wide)
