"The four figures for a paper: their files, and the numbers behind them by loops over decisions, SciPy and printed scores"
from collections import Counter
from functools import cache
from pathlib import Path
import csv
import re
import shutil

import nbformat
import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb import GLEU, GREEN, M2
from gecmetrics_nb.core.metric import collect, score_sentences
from gecmetrics_nb.corpora.conll14 import CONLL14, stored_counts
from gecmetrics_nb.corpora.gold_counts import GOLD
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.m2 import parse_m2, references_from_m2
from gecmetrics_nb.lessons.pays import METRICS
from gecmetrics_nb.lessons.people import FOUR
from gecmetrics_nb.lessons.ranks import TEN
from gecmetrics_nb.lessons.union import conll14_judged
from gecmetrics_nb.reproduce.papers import conll_2014, llm_2026
from gecmetrics_nb.reproduce.tables import rows_of
from gecmetrics_nb.stats.significance import bootstrap_weights
from notebooks import _executed
from outputs import difference, shown
from places import ROOT
from svg import LETTERS
from test_people import f_half, said_on
import slow

pytestmark = pytest.mark.slow # each notebook runs in a process of its own
WIDTHS = {f"{72 * inches:.1f}pt" for inches in (3.3, 6.9)}


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    "Function from a number to its notebook, the folder in which a copy of it was run, and what it showed there"
    @cache
    def made(number):
        [path] = (ROOT / "paper").glob(f"{number}_*.ipynb")
        folder = tmp_path_factory.mktemp("paper")
        return path, folder, _executed(Path(shutil.copy(path, folder)))
    return made


def table_of(figure, number):
    "Rows of the table behind a figure, as {column: cell}"
    with open(figure(number)[1] / f"figure{number}.tsv", encoding="utf-8") as file: return list(csv.DictReader(file, delimiter="\t"))


def caption_of(number):
    [path] = (ROOT / "paper").glob(f"{number}_*.ipynb")
    return nbformat.read(path, 4).cells[0].source


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_figure_is_written_as_it_was_committed(figure, number):
    path, folder, fresh = figure(number)
    name, committed = f"figure{number}", nbformat.read(path, 4)
    assert {file.name for file in folder.iterdir()} == {path.name, *(f"{name}.{kind}" for kind in ("svg", "pdf", "tsv"))}
    old, new = ({cell.id: shown(cell) for cell in nb.cells if cell.cell_type == "code"} for nb in (committed, fresh))
    assert not [change for cell in old if (change := difference(old[cell], new[cell]))]
    svg, pdf = (folder / f"{name}.{kind}" for kind in ("svg", "pdf"))
    drawn = svg.read_text(encoding="utf-8")
    sizes = [float(size) for size in LETTERS.findall(drawn)]
    assert len(sizes) > 20 and min(sizes) >= 7 and re.search(r'<svg [^>]*width="(.*?)"', drawn)[1] in WIDTHS
    assert "<dc:date>" not in drawn and b"CreationDate" not in pdf.read_bytes() and pdf.read_bytes().startswith(b"%PDF")
    head, *rows = (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    assert rows and {line.count("\t") for line in rows} == {head.count("\t")}
    assert not re.search(r"\d\.\d{4}|e-\d|nan", "".join(rows))
    code = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert all(cell.execution_count is None and not cell.metadata for cell in code)


# ---- 1: criterion and discrimination

@pytest.mark.parametrize("group", FOUR)
def test_planes_by_loops_over_decisions(figure, group):
    "Hits, false alarms and agreement one decision after another, AUC by Mann and Whitney's U, errors from other draws"
    table = {row["metric"]: row for row in table_of(figure, 1) if row["set"] == group}
    judged, gaps = conll14_judged(group), {}
    (more, less), at = judged.decided.pairs, judged.decided.sentences
    people = judged.decided.outcome > 0
    assert f"{people.mean():.3f}" == table["people"]["prefers more change"]
    for name, metric in ("GLEU", GLEU()), ("GLEU of 2015", GLEU(variant="2015")), ("GREEN beta .5", GREEN(beta=.5)):
        scores = score_sentences(metric, [judged.counts["union" if metric.union else "word"]])
        gaps[name] = [round(float(scores[a, d] - scores[b, d]), 10) for a, b, d in zip(more, less, at, strict=True)]
        yes = Counter()
        for gap, likes in zip(gaps[name], people, strict=True): yes[bool(likes)] += .5 + .5 * (gap > 0) - .5 * (gap < 0)
        false, hit = yes[False] / (~people).sum(), yes[True] / people.sum()
        right = 2 * (yes[True] + (~people).sum() - yes[False]) / len(people) - 1
        values = np.array(gaps[name])
        area = stats.mannwhitneyu(values[people], values[~people]).statistic / people.sum() / (~people).sum()
        expected = {"false alarms": false, "hits": hit, "right - wrong": right, "AUC": area}
        assert {key: f"{x:.3f}" for key, x in expected.items()} == {key: table[name][key] for key in expected}, name
    drawn = []
    for weights in bootstrap_weights(len(judged.won), 200, seed=7):
        for each in weights:
            many = each[at]
            areas = [stats.mannwhitneyu(*(np.repeat(np.array(gap)[kind], many[kind]) for kind in (people, ~people))).statistic for gap in gaps.values()]
            drawn.append(np.array(areas) / many[people].sum() / many[~people].sum())
    drawn = np.array(drawn)
    assert float(table["GLEU of 2015"]["error of AUC"]) == pytest.approx(drawn[:, 1].std(), rel=.2)
    assert float(table["GLEU"]["error of lead"]) == pytest.approx((drawn[:, 1] - drawn[:, 0]).std(), rel=.2)


def test_what_the_caption_says_of_the_planes(figure):
    caption, table = caption_of(1), table_of(figure, 1)
    of = lambda name, column: [float(row[column]) for row in table if row["metric"] == name]
    written = lambda x: f"{x:.3f}"[1:]
    listed = lambda texts: ", ".join(texts[:3]) + " and " + texts[3]
    areas = of("GLEU of 2015", "AUC")
    assert f"Its AUC is {listed([*map(written, areas)])}" in caption
    assert all(max(float(row["AUC"]) for row in table if row["set"] == group and row["AUC"]) == area for group, area in zip(FOUR, areas, strict=True))
    leads = list(zip(of("GLEU", "lead of GLEU of 2015"), of("GLEU", "error of lead"), strict=True))
    said = [tuple(map(float, pair)) for pair in re.findall(r"(\.\d{3}) ±(\.\d{3})", caption)]
    assert [lead for lead, _ in said] == [lead for lead, _ in leads] and [lead > half for lead, half in said] == [True, True, False, False]
    assert all(abs(half - 1.96 * error) < .0012 for (_, half), (_, error) in zip(said, leads, strict=True))
    assert [100 * x for x in of("people", "prefers more change")] == pytest.approx([52, 45, 73, 74], abs=.6)
    assert "73 and 74 % of the pairs, the others in 52 and 45 %" in caption
    agree = [more - less for more, less in zip(of("GLEU", "right - wrong"), of("GLEU of 2015", "right - wrong"), strict=True)]
    assert [gap > 0 for gap in agree] == [False, False, True, True]
    assert all(x > y for x, y in zip(of("GLEU", "prefers more change"), of("GLEU of 2015", "prefers more change"), strict=True))
    assert all(f"{len(conll14_judged(group).decided.outcome):,}" in caption for group in FOUR)


# ---- 2: union

def test_the_union_beside_the_page_and_a_review(figure):
    "As the page has them, which test_union.py compares with a review and with SciPy"
    page, table = said_on("07_union"), table_of(figure, 2)
    for line in ("GLEU ", "GLEU of 2015", "GREEN, best", "GREEN, union"):
        printed = re.findall(r"\.\d{3}", re.search(rf"^{line} .*", page["41un0014"], re.M)[0])
        assert [row["value"][1:] for row in table if row["AUC of"] == line.strip()] == printed and len(printed) == 16
    for which, pair in ("H1", "GREEN, union - GREEN, best"), ("H2", "GLEU of 2015 - GLEU"):
        printed = re.findall(r"\+(\.\d{3}) ±(\.\d{3})", re.search(rf"^{which} .*", page["41un0011"], re.M)[0])
        assert [(row["value"][1:], row["standard error"][1:]) for row in table if row["AUC of"] == pair] == printed and len(printed) == 8


def test_what_the_caption_says_of_the_union(figure):
    caption, table = caption_of(2), table_of(figure, 2)
    one, two = ([(float(row["value"]), float(row["standard error"])) for row in table if row["AUC of"] == pair]
                for pair in ("GREEN, union - GREEN, best", "GLEU of 2015 - GLEU"))
    assert all(lead > 1.96 * error for lead, error in one) and f"H1: {min(one)[0]:.3f} to {max(one)[0]:.3f}".replace("0.", ".") in caption
    sure = [lead for lead, error in two if lead > 1.96 * error]
    assert len(sure) == 6 and f"in six (H2: {min(sure):.3f} to {max(sure):.3f}".replace("0.", ".") in caption
    of = lambda line: np.array([float(row["value"]) for row in table if row["AUC of"] == line]).reshape(4, 4)
    gap = of("GREEN, union") - of("GREEN, best")
    assert (gap[:, 0] == 0).all() and (of("GLEU of 2015") > of("GLEU")).all()
    assert f"by {gap[:, 1].min():.3f} to {gap[:, 1].max():.3f} with two and by {gap[:, 3].min():.3f} to {gap[:, 3].max():.3f} with four".replace("0.", ".") in caption


# ---- 3: annotators

@pytest.mark.parametrize("where,name,metric", [("CoNLL-2014", "GLEU", GLEU()), ("CoNLL-2014", "GREEN, beta 2", GREEN(beta=2)), ("JFLEG", "GLEU", GLEU())])
def test_parts_of_the_variance_by_drawing_sentences(figure, where, name, metric):
    "The scatter of each pair on drawn sentences, shared by all annotators or not, and over the annotators"
    counts = stored_counts("references", "all") if where == "CoNLL-2014" else llm_2026.stored_counts()["word"]
    counted = collect(metric, [counts])[0]
    if where == "CoNLL-2014": counted = counted[:, :, TEN]
    first, second = np.triu_indices(len(counted), 1)
    def gaps(sums): return 100 * (lambda score: score[first] - score[second])(metric.score(sums)) # (pairs, R)
    weights = np.concatenate(list(bootstrap_weights(counted.shape[1], 300, seed=5))).astype(float)
    drawn = np.array([gaps(sums) for sums in np.tensordot(weights, np.moveaxis(counted, 1, 0).astype(float), 1)])
    parts = []
    for pair, whole in enumerate(gaps(counted.sum(axis=1))):
        cov = np.cov(drawn[:, pair].T)
        shared = cov[~np.eye(len(cov), dtype=bool)].mean()
        both = np.trace(cov) / len(cov) - shared
        parts.append([shared, both, whole.var(ddof=1) - both])
    said = next(row for row in table_of(figure, 3) if (row["test set"], row["metric"], row["references"]) == (where, name, "1"))
    said = [float(said[part]) for part in ("sentences", "both", "annotators")]
    assert said == pytest.approx(np.median(np.maximum(parts, 0), axis=0), rel=.12)


def test_what_the_caption_says_of_annotators(figure):
    caption, table = caption_of(3), table_of(figure, 3)
    ones = {(row["test set"], row["metric"]): row for row in table if row["references"] == "1"}
    assert len(ones) == 10
    for row in table:
        one = ones[row["test set"], row["metric"]]
        for part, falls in ("sentences", 1), ("both", int(row["references"])), ("annotators", int(row["references"])):
            assert float(row[part]) == pytest.approx(float(one[part]) / falls, abs=.0011)
        whole = sum(float(row[part]) for part in ("sentences", "both", "annotators"))
        assert float(row["share of annotators"]) == pytest.approx(float(row["annotators"]) / whole, abs=.02)
    for where, shares, times, enough in (("CoNLL-2014", "79 to 89 % on CoNLL-2014", "2.4 to 3.8 times", "from 6 to 15 references on"),
                                         ("JFLEG", "62 to 83 % on JFLEG", "1.5 to 3.5 times", "(JFLEG: 3 to 13)")):
        mine = [row for (place, _), row in ones.items() if place == where]
        of = [100 * float(row["share of annotators"]) for row in mine]
        ratio = [float(row["annotators"]) / float(row["sentences"]) for row in mine]
        assert shares == f"{min(of):.0f} to {max(of):.0f} % on {where}" and shares in caption
        assert times == f"{min(ratio)**.5:.1f} to {max(ratio)**.5:.1f} times" and times in caption
        assert f"{np.ceil(min(ratio)):.0f} to {np.ceil(max(ratio)):.0f}" in enough and enough in caption


# ---- 4: what M2 pays for

def m2_of(table, column): return {row["output"]: float(row[column]) for row in table if row["metric"] == "M2" and row[column]}


def test_m2_beside_printed_scores(figure):
    "The systems as m2scorer prints them; what the empty file and banana are worth, as a review has it and as m2scorer prints it"
    scores = m2_of(table_of(figure, 4), "score")
    printed = {name: 100 * float(f) for name, _, _, f in rows_of(conll_2014.PRINTED)}
    assert all(abs(scores.pop(name) - f) < .0051 for name, f in printed.items())
    assert scores.pop("banana") == 27.99 and scores == {"empty file": pytest.approx(28.01, abs=.0051)}


def test_leads_of_the_empty_file_by_leaving_out_one_sentence_after_another(shared, figure):
    "From the gold file: an empty line makes all deletions of an annotator who has them; and each system's edits, chosen as m2scorer chooses"
    table = table_of(figure, 4)
    gold = parse_m2(read_lines(shared / "data" / GOLD), GOLD)
    outputs = {name: read_lines(shared / "data/conll14/official_submissions" / name) for name in ("RAC", "UFC")} | {"empty file": [""] * 1312}
    chosen = {}
    for name, lines in outputs.items():
        so_far, sums = (0, 0, 0), []
        for ways in M2().statistics(hypotheses=lines, gold=gold)[:, :, 0]:
            present = sorted({edit.annotator for edit in gold[len(sums)].edits})
            tries = [tuple(int(a + b) for a, b in zip(so_far, ways[r], strict=True)) for r in present or [0]]
            best = max(tries, key=lambda sums: f_half(*sums))
            sums.append([new - old for new, old in zip(best, so_far, strict=True)])
            so_far = best
        chosen[name] = np.array(sums)
    leads, errors, p = (m2_of(table, column) for column in ("empty file's lead", "half of its interval", "Holm's p"))
    for name in ("RAC", "UFC"):
        of = lambda left: 100 * (f_half(*chosen["empty file"].sum(axis=0) - left[0]) - f_half(*chosen[name].sum(axis=0) - left[1]))
        without = np.array([of(left) for left in zip(chosen["empty file"], chosen[name], strict=True)])
        assert leads[name] == pytest.approx(of((0, 0)), abs=.001)
        assert errors[name] == pytest.approx(1.96 * np.sqrt(1311 * without.var()), abs=.002)
    alone = sorted((2 * stats.t.sf(abs(leads[name]) / errors[name] * 1.96, 1311), name) for name in leads)
    holm = np.maximum.accumulate([min(1, (12 - k) * x) for k, (x, _) in enumerate(alone)])
    assert [p[name] for _, name in alone] == pytest.approx(list(holm), abs=.002)


@pytest.mark.filterwarnings("ignore:.*not tokenized as its source is")
def test_texts_that_share_nothing_by_their_texts(shared, figure):
    "GREEN by Counter, the others by the package from texts; doing nothing and two systems as well"
    table = {(row["metric"], row["output"]): float(row["score"]) for row in table_of(figure, 4)}
    sources, references = references_from_m2(parse_m2(read_lines(shared / "data" / GOLD), GOLD))
    texts = {"empty file": [""] * 1312, "banana": ["banana"] * 1312}
    for title in ("GLEU code", "GLEU of 2015", "Google-GLEU", "BLEU", "METEOR"):
        for name, lines in texts.items():
            assert table[title, name] == pytest.approx(100 * float(METRICS[title](4).corpus_score(sources=sources, hypotheses=lines, references=references)), abs=.001)
    for name, lines in texts.items():
        for beta in (.5, 1, 2): assert table[f"GREEN beta {beta}", name] == pytest.approx(100 * slow_green(sources, references, lines, beta), abs=.001)


def slow_green(sources, references, hypotheses, beta):
    "Of texts without a word of source or reference: what was taken out, rightly or wrongly, and what is missing; the best reference"
    sums = np.zeros((4, 3))
    for d, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
        ways = []
        for lines in references:
            way = []
            for n in (1, 2, 3, 4):
                s, r, h = (slow.grams(text, n) for text in (source, lines[d], hypothesis))
                way.append([(s - r).total(), (s & r).total() + h.total(), (r - s).total()])
            ways.append(np.array(way))
        sums += max(ways, key=lambda way: [green_f(way[:n], beta) for n in (4, 3, 2, 1)])
    return green_f(sums, beta)


def green_f(sums, beta):
    "From right, wrong and missed n-grams of each order; of no n-grams precision is 1 and recall 0"
    precision, recall = (np.prod([(tp / (tp + other) if tp + other else empty) for tp, other in zip(sums[:, 0], sums[:, k], strict=True)])**(1 / len(sums))
                         for k, empty in ((1, 1), (2, 0)))
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision * recall else 0.


def test_what_the_caption_says_of_nonsense(figure):
    caption, table = caption_of(4), table_of(figure, 4)
    scores, leads, halves, p = (m2_of(table, column) for column in ("score", "empty file's lead", "half of its interval", "Holm's p"))
    behind = {text: {name for name in leads if scores[name] < scores[text]} for text in ("empty file", "banana")}
    sure = {name for name in behind["empty file"] if p[name] < .05}
    assert len(behind["empty file"]) == 7 and behind["empty file"] == behind["banana"] and len(leads) == 12
    assert sure == {"IITB", "IPN", "SJTU", "UFC"} and max(p[name] for name in sure) < .001 and all(leads[name] > halves[name] for name in sure)
    of = lambda names: f"{min(leads[name] for name in names):.1f} to {max(leads[name] for name in names):.1f}"
    rest = behind["empty file"] - sure
    assert f"by {of(sure)} points" in caption and f"PKU, UMC and RAC by {of(rest)} (Holm" in caption and rest == {"PKU", "UMC", "RAC"}
    assert min(p[name] for name in rest) > .1 and f"The empty file has {scores['empty file']:.1f}" in caption
    for title in {row["metric"] for row in table} - {"M2"}:
        given = {row["output"]: float(row["score"]) for row in table if row["metric"] == title}
        assert max(given.pop("empty file"), given.pop("banana")) < min(given.values()), title
