"The four figures for a paper: their files, what their captions say, and numbers behind them by loops, by SciPy and from printed scores"
from functools import cache
from pathlib import Path
import csv
import re
import shutil

import nbformat
import numpy as np
import pytest

from gecmetrics_nb import GLEU, GREEN, parse_m2, references_from_m2
from gecmetrics_nb.core.metric import score_sentences
from gecmetrics_nb.corpora.gold_counts import GOLD
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.lessons.pays import METRICS
from gecmetrics_nb.lessons.people import FOUR
from gecmetrics_nb.lessons.union import conll14_judged
from gecmetrics_nb.reproduce.tables import published_column
from notebooks import _executed
from outputs import difference, shown
from places import ROOT
from svg import LETTERS
from test_people import area_of
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
    "A tie is half of a preference; AUC by Mann and Whitney's U"
    table = {row["metric"]: row for row in table_of(figure, 1) if row["set"] == group}
    judged = conll14_judged(group)
    (more, less), at = judged.decided.pairs, judged.decided.sentences
    people = judged.decided.outcome > 0
    assert f"{people.mean():.3f}" == table["people"]["prefers more change"]
    metrics = {"GLEU": GLEU(), "GLEU of 2015": GLEU(variant="2015"), "GREEN beta .5": GREEN(beta=.5)}
    for name, metric in metrics.items():
        scores = score_sentences(metric, [judged.counts["union" if metric.union else "word"]])
        gaps = (scores[more, at] - scores[less, at]).round(10)
        yes = (gaps > 0) + .5 * (gaps == 0)
        right = np.where(people, yes, 1 - yes)
        expected = {"false alarms": yes[~people].mean(), "hits": yes[people].mean(), "right - wrong": 2 * right.mean() - 1,
                    "AUC": area_of(gaps, people)}
        assert {key: f"{x:.3f}" for key, x in expected.items()} == {key: table[name][key] for key in expected}, name


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


# ---- 3: annotators; the second is drawn of a page, which test_union.py compares

def test_what_the_caption_says_of_annotators(figure):
    caption, table = caption_of(3), table_of(figure, 3)
    for where, share, times, enough in (
            ("CoNLL-2014", "{} to {} % on CoNLL-2014", "scatters {} to {} times", "from {} to {} references on"),
            ("JFLEG", "{} to {} % on JFLEG", "(JFLEG: {} to {} times)", "(JFLEG: {} to {})")):
        mine = [row for row in table if (row["test set"], row["references"]) == (where, "1")]
        assert len(mine) == 5
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
