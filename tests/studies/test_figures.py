"The four figures for a paper: their files, what their captions say, and the numbers behind them by loops, by SciPy and from printed scores"
from functools import cache
from pathlib import Path
import csv
import gzip
import re
import shutil

import nbformat
import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb import GLEU, GREEN, M2, parse_m2, references_from_m2
from gecmetrics_nb.core.metric import collect, score_sentences
from gecmetrics_nb.corpora.conll14 import stored_counts
from gecmetrics_nb.corpora.gold_counts import GOLD
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.lessons.pays import METRICS
from gecmetrics_nb.lessons.people import FOUR
from gecmetrics_nb.lessons.ranks import TEN
from gecmetrics_nb.lessons.union import conll14_judged
from gecmetrics_nb.reproduce.papers import llm_2026
from gecmetrics_nb.reproduce.tables import published_column
from gecmetrics_nb.stats.significance import bootstrap_weights
from notebooks import _executed
from outputs import difference, shown
from places import ROOT
from svg import LETTERS
from test_people import area_of, f_half
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
    with open(figure(number)[1] / f"figure{number}.tsv", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def is_of(row, *cells): return [*row.values()][:len(cells)] == [*cells]


def caption_of(number):
    [path] = (ROOT / "paper").glob(f"{number}_*.ipynb")
    return nbformat.read(path, 4).cells[0].source


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_figure_is_written_as_it_was_committed(figure, number):
    path, folder, fresh = figure(number)
    name, committed = f"figure{number}", nbformat.read(path, 4)
    assert {file.name for file in folder.iterdir()} == {path.name, f"{name}.svg", f"{name}.pdf", f"{name}.tsv"}
    code = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert all(cell.execution_count is None and not cell.metadata for cell in code)
    old, new = ({cell.id: shown(cell) for cell in nb.cells if cell.cell_type == "code"} for nb in (committed, fresh))
    assert not [change for cell in old if (change := difference(old[cell], new[cell]))]
    svg, pdf = (folder / f"{name}.{kind}" for kind in ("svg", "pdf"))
    drawn = svg.read_text(encoding="utf-8")
    sizes = [float(size) for size in LETTERS.findall(drawn)]
    assert len(sizes) > 20 and min(sizes) >= 7
    assert re.search(r'<svg [^>]*width="(.*?)"', drawn)[1] in WIDTHS and "<dc:date>" not in drawn
    assert pdf.read_bytes().startswith(b"%PDF") and b"CreationDate" not in pdf.read_bytes()
    head, *rows = (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    assert rows and {line.count("\t") for line in rows} == {head.count("\t")}
    assert not re.search(r"\d\.\d{4}|e-\d|\bnan\b", "\n".join(rows))


# ---- 1: criterion and discrimination

@pytest.mark.parametrize("group", FOUR)
def test_planes_by_counting_decisions(figure, group):
    "A tie is half of a preference; AUC by Mann and Whitney's U, errors from other draws"
    table = {row["metric"]: row for row in table_of(figure, 1) if row["set"] == group}
    judged, of_2015, gaps = conll14_judged(group), "GLEU of 2015", {}
    (more, less), at = judged.decided.pairs.T, judged.decided.sentences
    people = judged.decided.outcome > 0
    assert f"{people.mean():.3f}" == table["people"]["prefers more change"]
    metrics = {"GLEU": GLEU(), of_2015: GLEU(variant="2015"), "GREEN beta .5": GREEN(beta=.5)}
    for name, metric in metrics.items():
        scores = score_sentences(metric, [judged.counts["union" if metric.union else "word"]])
        gap = gaps[name] = (scores[more, at] - scores[less, at]).round(10)
        yes = (gap > 0) + .5 * (gap == 0)
        right = np.where(people, yes, 1 - yes)
        expected = {"false alarms": yes[~people].mean(), "hits": yes[people].mean(), "right - wrong": 2 * right.mean() - 1,
                    "AUC": area_of(gap, people)}
        assert {key: f"{x:.3f}" for key, x in expected.items()} == {key: table[name][key] for key in expected}, name
    drawn = []
    for each in np.concatenate(list(bootstrap_weights(len(judged.won), 200, seed=7))):
        again = np.repeat(np.arange(len(at)), each[at])
        drawn.append([area_of(gaps[name][again], people[again]) for name in (of_2015, "GLEU")])
    drawn = np.array(drawn)
    assert float(table[of_2015]["error of AUC"]) == pytest.approx(drawn[:, 0].std(), rel=.2)
    assert float(table["GLEU"]["error of lead"]) == pytest.approx((drawn[:, 0] - drawn[:, 1]).std(), rel=.2)


def test_what_the_caption_says_of_the_planes(figure):
    caption, table = caption_of(1), table_of(figure, 1)
    of = lambda name, column: [float(row[column]) for row in table if row["metric"] == name]
    written = lambda x: f"{x:.3f}"[1:]
    listed = lambda texts: ", ".join(texts[:3]) + " and " + texts[3]
    areas = of("GLEU of 2015", "AUC")
    assert f"Its AUC is {listed([*map(written, areas)])}" in caption
    assert areas == [max(float(row["AUC"]) for row in table if row["set"] == group and row["AUC"]) for group in FOUR]
    leads, halves = (np.array(of("GLEU", column)) for column in ("lead of GLEU of 2015", "error of lead"))
    said = np.array(re.findall(r"(\.\d{3}) ±(\.\d{3})", caption), float).T
    assert (said[0] == leads).all() and np.abs(said[1] - 1.96 * halves).max() < .0012
    assert (said[0] > said[1]).tolist() == [True, True, False, False]
    assert [100 * x for x in of("people", "prefers more change")] == pytest.approx([52, 45, 73, 74], abs=.6)
    assert "73 and 74 % of the pairs, the others in 52 and 45 %" in caption
    less = lambda column: np.subtract(of("GLEU", column), of("GLEU of 2015", column))
    agree, likes = less("right - wrong"), less("prefers more change")
    assert (agree > 0).tolist() == [False, False, True, True] and (likes > 0).all()
    assert all(f"{len(conll14_judged(group).decided.outcome):,}" in caption for group in FOUR)


# ---- 2: union, drawn of a page, which test_union.py compares

PLANNED = {"H1": "GREEN, union - GREEN, best", "H2": "GLEU of 2015 - GLEU"}


def without_0(template, *numbers): return template.format(*(f"{x:.3f}"[1:] for x in numbers))


def test_what_the_caption_says_of_the_union(figure):
    caption, table = caption_of(2), table_of(figure, 2)
    of = lambda line, column="value": np.array([float(row[column]) for row in table if row["AUC of"] == line])
    first, second = (of(pair) for pair in PLANNED.values())
    sure = [of(pair) > 1.96 * of(pair, "standard error") for pair in PLANNED.values()]
    assert sure[0].all() and without_0("(H1: {} to {})", first.min(), first.max()) in caption
    assert sure[1].sum() == 6
    assert without_0("in six (H2: {} to {})", second[sure[1]].min(), second[sure[1]].max()) in caption
    table_of_four = lambda line: of(line).reshape(4, 4)
    gap = table_of_four("GREEN, union") - table_of_four("GREEN, best")
    assert (gap[:, 0] == 0).all() and (of("GLEU of 2015") > of("GLEU")).all()
    ends = (end(gap[:, k]) for k in (1, 3) for end in (np.min, np.max))
    assert without_0("by {} to {} with two and by {} to {} with four", *ends) in caption


# ---- 3: annotators

CASES = [("CoNLL-2014", "GLEU", GLEU()), ("CoNLL-2014", "GREEN, beta 2", GREEN(beta=2)), ("JFLEG", "GLEU", GLEU())]


@pytest.mark.parametrize("where,name,metric", CASES)
def test_parts_of_the_variance_by_drawing_sentences(figure, where, name, metric):
    "The scatter of each pair on drawn sentences, shared by all annotators or not, and over the annotators"
    counts = stored_counts("references", "all") if where == "CoNLL-2014" else llm_2026.stored_counts()["word"]
    counted = collect(metric, [counts])[0]
    if where == "CoNLL-2014": counted = counted[:, :, TEN]
    first, second = np.triu_indices(len(counted), 1)
    def gaps(sums): return 100 * np.subtract(*metric.score(sums)[[first, second]]) # (pairs, R)
    weights = np.concatenate(list(bootstrap_weights(counted.shape[1], 300, seed=5))).astype(float)
    drawn = np.array([gaps(sums) for sums in np.tensordot(weights, np.moveaxis(counted, 1, 0).astype(float), 1)])
    parts = []
    for pair, whole in enumerate(gaps(counted.sum(axis=1))):
        cov = np.cov(drawn[:, pair].T)
        shared = cov[~np.eye(len(cov), dtype=bool)].mean()
        both = np.trace(cov) / len(cov) - shared
        parts.append([shared, both, whole.var(ddof=1) - both])
    [said] = (row for row in table_of(figure, 3) if is_of(row, where, name, "1"))
    said = [float(said[part]) for part in ("sentences", "both", "annotators")]
    assert said == pytest.approx(np.median(np.maximum(parts, 0), axis=0), rel=.12)


def test_what_the_caption_says_of_annotators(figure):
    caption, table = caption_of(3), table_of(figure, 3)
    ones = {(row["test set"], row["metric"]): row for row in table if row["references"] == "1"}
    assert len(ones) == 10
    for row in table:
        one = ones[row["test set"], row["metric"]]
        for part in "sentences", "both", "annotators":
            fewer = 1 if part == "sentences" else int(row["references"])
            assert float(row[part]) == pytest.approx(float(one[part]) / fewer, abs=.0011)
        whole = sum(float(row[part]) for part in ("sentences", "both", "annotators"))
        assert float(row["share of annotators"]) == pytest.approx(float(row["annotators"]) / whole, abs=.02)
    for where, share, times, enough in (
            ("CoNLL-2014", "{} to {} % on CoNLL-2014", "scatters {} to {} times", "from {} to {} references on"),
            ("JFLEG", "{} to {} % on JFLEG", "(JFLEG: {} to {} times)", "(JFLEG: {} to {})")):
        mine = [row for (place, _), row in ones.items() if place == where]
        shares = [100 * float(row["share of annotators"]) for row in mine]
        ratios = np.array([float(row["annotators"]) / float(row["sentences"]) for row in mine])
        assert share.format(*(f"{end(shares):.0f}" for end in (min, max))) in caption
        assert times.format(*(f"{end(ratios)**.5:.1f}" for end in (min, max))) in caption
        assert enough.format(*(f"{np.ceil(end(ratios)):.0f}" for end in (min, max))) in caption


# ---- 4: what M2 pays for

def m2_of(table, column):
    return {row["output"]: float(row[column]) for row in table if row["metric"] == "M2" and row[column]}


def test_m2_beside_printed_scores(figure):
    "The systems and banana as m2scorer prints them, the empty file as another computation has it"
    scores = m2_of(table_of(figure, 4), "score")
    printed = {name: 100 * f for name, f in published_column("conll-2014/m2", "F0.5").items()}
    assert all(abs(scores.pop(name) - f) < .0051 for name, f in printed.items())
    assert scores.pop("banana") == 27.99 and scores == {"empty file": pytest.approx(28.01, abs=.0051)}


def test_leads_of_the_empty_file_by_leaving_out_one_sentence_after_another(shared, figure):
    "From the annotators that m2scorer chose; for the empty file, which has no printed choice, by its rule"
    table, chosen = table_of(figure, 4), {}
    for name in ("RAC", "UFC"):
        with gzip.open(shared / f"golden/m2/m2scorer-3.2.combined.{name}.tsv.gz", "rt", encoding="utf-8") as file:
            rows = [list(map(int, line.split())) for line in file.readlines()[2:]]
        chosen[name] = np.array([sums for _, _, *sums, is_chosen in rows if is_chosen])
    gold, so_far, sums = parse_m2(read_lines(shared / "data" / GOLD), GOLD), np.zeros(3, int), []
    for sentence, ways in zip(gold, M2().statistics(hypotheses=[""] * 1312, gold=gold)[:, :, 0], strict=True):
        present = sorted({edit.annotator for edit in sentence.edits}) or [0]
        tries = [(f_half(*so_far + ways[r]), ways[r][0], -ways[r][1] - .25 * ways[r][2], -r) for r in present]
        sums.append(ways[-max(tries)[-1]])
        so_far = so_far + sums[-1]
    chosen["empty file"] = np.array(sums)
    leads, errors, p = (m2_of(table, column) for column in ("empty file's lead", "half of its interval", "Holm's p"))
    for name in ("RAC", "UFC"):
        f_without = lambda output, left: 100 * f_half(*chosen[output].sum(axis=0) - left)
        of = lambda left, right, name=name: f_without("empty file", left) - f_without(name, right)
        without = np.array([*map(of, chosen["empty file"], chosen[name])])
        assert leads[name] == pytest.approx(of(0, 0), abs=.001)
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
    for name, lines in texts.items():
        for title in "GLEU", "GLEU of 2015", "Google-GLEU", "BLEU", "METEOR":
            score = METRICS[title](4).corpus_score(sources=sources, hypotheses=lines, references=references)
            assert table[title, name] == pytest.approx(100 * float(score), abs=.001)
        counts = [[[slow.green_counts(source, [text], hypothesis, n) for n in (1, 2, 3, 4)] for text in both]
                  for source, hypothesis, *both in zip(sources, lines, *references, strict=True)]
        for beta in .5, 1, 2:
            best = [max(ways, key=lambda way, beta=beta: slow.green_scores(way, beta)[::-1]) for ways in counts]
            score = slow.green_scores(np.sum(best, axis=0).tolist(), beta)[-1]
            assert table[f"GREEN beta {beta}", name] == pytest.approx(100 * score, abs=.001)


def test_what_the_caption_says_of_nonsense(figure):
    caption, table = caption_of(4), table_of(figure, 4)
    scores, leads, p = (m2_of(table, column) for column in ("score", "empty file's lead", "Holm's p"))
    behind, same = ({name for name in leads if scores[name] < scores[text]} for text in ("empty file", "banana"))
    sure = {name for name in behind if p[name] < .05}
    assert len(behind) == 7 and behind == same and len(leads) == 12
    assert sure == {"IITB", "IPN", "SJTU", "UFC"} and max(p[name] for name in sure) < .001
    of = lambda names: f"{min(leads[name] for name in names):.1f} to {max(leads[name] for name in names):.1f}"
    rest = behind - sure
    assert f"by {of(sure)} points" in caption and f"PKU, UMC and RAC by {of(rest)} (Holm" in caption
    assert rest == {"PKU", "UMC", "RAC"} and min(p[name] for name in rest) > .1
    assert f"The empty file has {scores['empty file']:.1f}" in caption
    for title in {row["metric"] for row in table} - {"M2"}:
        given = {row["output"]: float(row["score"]) for row in table if row["metric"] == title}
        assert max(given.pop("empty file"), given.pop("banana")) < min(given.values()), title
