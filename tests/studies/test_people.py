"The numbers that the page Metrics against people rests on, by plain loops over texts and judgments, and by SciPy"
from collections import Counter
from itertools import combinations
import json
import re

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb.corpora.conll14 import CONLL14, SEEDA
from gecmetrics_nb.corpora.gold_counts import GOLD, stored_gold_counts
from gecmetrics_nb.corpora.judgments import stored_judgments, stored_rankings
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.m2 import parse_m2, references_from_m2
from places import ROOT
import slow

BASE = [name for name in SEEDA if name not in ("INPUT", "REF-F", "GPT-3.5")]
SETS = {"2015": ("gjg-2015", CONLL14), "2016": ("gleu-2016", CONLL14), "E": ("seeda-edit", BASE), "S": ("seeda-sentence", BASE)}


def said_on(name):
    "{id of a cell of a study: what it prints, and its tables}"
    cells = json.loads((ROOT / f"nbs/studies/{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    text_of = lambda output: "".join(output.get("text", "")) + "".join(output.get("data", {}).get("text/plain", "")) + "\n"
    return {c["id"]: "".join(map(text_of, c.get("outputs", []))) for c in cells}


@pytest.fixture(scope="module")
def page(): return said_on("01_people")


@pytest.fixture(scope="module")
def texts(shared):
    "{corpus: {system: sentences, each a tuple of words}}"
    folders = {"2014": (CONLL14, "conll14/official_submissions/{}"), "SEEDA": (SEEDA, "seeda/outputs/all/{}.txt")}
    return {corpus: {name: [tuple(line.split()) for line in read_lines(shared / "data" / path.format(name))] for name in names}
            for corpus, (names, path) in folders.items()}


def judged(group):
    "Yield sentence, judge, two systems and the outcome of each judgment"
    name, systems = SETS[group]
    found = stored_judgments(name, systems=["src" if group == "2016" and system == "INPUT" else system for system in systems])
    for d, judge, (a, b), outcome in zip(found.sentences.tolist(), found.judges, found.pairs.tolist(), found.outcome.tolist(), strict=True):
        yield d, judge, systems[a], systems[b], outcome


def expected_wins(group):
    "Mean share of wins against each opponent"
    won, systems = Counter(), SETS[group][1]
    for _, _, a, b, outcome in judged(group):
        if outcome: won[(a, b) if outcome > 0 else (b, a)] += 1
    share = {name: [won[name, other] / (won[name, other] + won[other, name]) for other in systems if other != name] for name in systems}
    return [sum(each) / len(each) for each in share.values()]


def test_two_groups_of_judges(page):
    first, second = expected_wins("2015"), expected_wins("2016")
    said = re.findall(r"all 13: r (\.\d\d).*\n.*without INPUT: r (\.\d\d)", page["90p27001"])[0]
    assert [f"{stats.pearsonr(x, y).statistic:.2f}"[1:] for x, y in ((first, second), (first[:-1], second[:-1]))] == list(said) == [".65", ".80"]
    places = [int(stats.rankdata([-x for x in wins], method="min")[-1]) for wins in (first, second)]
    assert places == [int(re.search(rf"place of INPUT in {group}: (\d+)", page["90p27001"])[1]) for group in ("2015", "2016")] == [11, 1]


def f_half(correct, proposed, wanted): return 1.25 * correct / (proposed + .25 * wanted) if correct else 0.


def test_m2_with_either_group(page):
    "The judged sentences one by one; of two annotators the one that makes the better score so far"
    stored, shown = stored_gold_counts("m2"), re.search(r"^M2 .*", page["90p27001"], re.M)[0].split()
    for k, group in enumerate(("2015", "2016")):
        rows, scores = sorted({d for d, *_ in judged(group)}), []
        for numbers in stored.rows:
            so_far = (0, 0, 0)
            for d in rows:
                ways = stored.statistics[numbers[d]][stored.present[d], 0].tolist()
                so_far = max((tuple(x + y for x, y in zip(so_far, way, strict=True)) for way in ways), key=lambda sums: f_half(*sums))
            scores.append(f_half(*so_far))
        assert f"{stats.pearsonr(scores, expected_wins(group)).statistic:.2f}"[1:] == shown[1 + 2 * k] == (".62", ".05")[k]


def words_changed(source, hypothesis):
    "Words taken out and put in, whatever their order"
    source, hypothesis = Counter(source), Counter(hypothesis)
    return (source - hypothesis).total() + (hypothesis - source).total()


def pairs_of_2016(texts):
    "Sentence, two systems and the outcome of each decided pair of texts, once a judge and sentence"
    said = {}
    for d, judge, a, b, outcome in judged("2016"):
        x, y = texts["2014"][a][d], texts["2014"][b][d]
        if outcome and x != y: said[(judge, d, *sorted((x, y)), outcome if x < y else -outcome)] = d, a, b, outcome
    return said.values()


def pairs_of_screens(group):
    "The same, once a screen"
    name, systems = SETS[group]
    for number, _, shown in stored_rankings(name):
        asked = [([system for system in names if system in systems], rank) for names, rank in shown]
        kept = [(names[0], rank) for names, rank in asked if names]
        for (a, rank_a), (b, rank_b) in combinations(kept, 2):
            if rank_a != rank_b: yield number - (group != "2015"), a, b, 1 if rank_a < rank_b else -1


@pytest.fixture(scope="module", params=SETS)
def pairs(request, texts):
    "A set of judgments: its name, its outputs, and sentence, systems, outcome and by how many words more the first one changes"
    outputs = texts["2014" if request.param in ("2015", "2016") else "SEEDA"]
    changed = lambda name, d: words_changed(outputs["INPUT"][d], outputs[name][d])
    once = pairs_of_2016(texts) if request.param == "2016" else pairs_of_screens(request.param)
    return request.param, outputs, [(d, a, b, outcome, changed(a, d) - changed(b, d)) for d, a, b, outcome in once]


def row_of(page, name): return re.findall(r"\d+ %|\.\d\d", next(x for x in page["27p30006"].split("\n") if x.startswith(name)))


def test_how_much_change_people_like(pairs, page):
    group, _, found = pairs
    more = [outcome * words > 0 for *_, outcome, words in found if words]
    said = re.search(rf"^{group} +([\d,]+) pairs that change differently, +([\d,]+) equally", page["27p30006"], re.M)
    assert (len(more), len(found) - len(more)) == tuple(int(number.replace(",", "")) for number in said.groups())
    expected = {"2015": "52 %", "2016": "45 %", "E": "73 %", "S": "74 %"}[group]
    assert f"{100 * np.mean(more):.0f} %" == row_of(page, "people")[list(SETS).index(group)] == expected


def google_gleu(hypothesis, references):
    "Of one sentence: matches of all orders, out of the longer of the two; the best reference"
    best = 0
    for reference in references:
        ours, theirs = (sum((slow.grams(" ".join(text), n) for n in (1, 2, 3, 4)), Counter()) for text in (hypothesis, reference))
        best = max(best, (ours & theirs).total() / max(ours.total(), theirs.total()))
    return best


def test_google_gleu_at_equal_change(pairs, page, shared):
    "A tie counts as 0"
    group, outputs, found = pairs
    references = [[line.split() for line in each] for each in references_from_m2(parse_m2(read_lines(shared / "data" / GOLD), GOLD))[1]]
    right = []
    for d, a, b, outcome, words in found:
        if words: continue
        first, second = (google_gleu(outputs[name][d], [each[d] for each in references]) for name in (a, b))
        right.append(0 if abs(first - second) < 1e-9 else outcome if first > second else -outcome)
    said = row_of(page, "Google-GLEU")[2 * list(SETS).index(group) + 1]
    assert f"{np.mean(right):.2f}"[1:] == said == {"2015": ".27", "2016": ".28", "E": ".33", "S": ".26"}[group]
