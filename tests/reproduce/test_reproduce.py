"Tables of others: every number, where it stands, and ours from the snapshot and from the text; what differs is named"
from functools import cache
import csv
import re

import pytest

from gecmetrics_nb.corpora.gold_counts import stored_gold_counts
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.reproduce.papers import gjg_2015, seeda
from gecmetrics_nb.reproduce.tables import HEADINGS, PAPERS, Cell, Report, Result, Source, Table, Unavailable, Where
from gecmetrics_nb.reproduce.tables import choose_tables, compute, count_line, described_tables, find_source, published_tables, tally
from places import ROOT
import places


pytestmark = pytest.mark.xdist_group("reproduce") # one process, so that each table is computed once


@cache
def computed(name, origin): return compute(choose_tables([name])[0], find_source(origin))


def stored_cells(name): return computed(name, "snapshot").cells


@pytest.fixture(scope="module", autouse=True)
def once():
    "What test_snapshots compares with the text is not counted a second time, and no table is computed twice"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gecmetrics_nb.reproduce.tables.count_gold", lambda name, find: stored_gold_counts(name))
        patch.setattr("gecmetrics_nb.reproduce.tables.compute", lambda table, source: computed(table.name, source.origin))
        yield


@pytest.fixture(scope="module")
def sources(shared):
    "The folder of texts as their authors published them"
    folder = shared / "sources"
    if not folder.is_dir(): pytest.skip(f"NO SOURCES at {folder}: published numbers ARE NOT CHECKED")
    return folder


@pytest.fixture(scope="module")
def cells_of(shared):
    "Function from the name of a table to its cells, from the text"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GECNB_DATA", str(shared / "data"))
        yield lambda name: computed(name, "text").cells


SETS = "nucle", "e-fluency", "e-minimal", "ne-fluency", "ne-minimal", "bn15", "all"
ALL = [table.name for table in choose_tables([])]
AT_ONCE = [f"chollampatt-2018/sentences{name}" for name in ("", "-m2", "-i-measure")] # without their files


def test_every_table_is_described_once(): assert sorted(ALL) == sorted(described_tables()) and len({*ALL}) == len(ALL)


@pytest.mark.parametrize("name", ALL)
def test_from_text_each_row_is_as_without(name, cells_of):
    "What is near is so in the printed unit, without a wide net; a table with a number that is neither says why"
    cells = cells_of(name)
    if name in AT_ONCE:
        assert len(cells) == 17_056 and all(cell.equal for cell in cells)
        assert [(cell.row, cell.equal) for cell in stored_cells(name)] == [("SHA-256 of 17,056", True)]
    else: assert list(cells) == list(stored_cells(name))
    assert all(cell.equal or 0 < cell.error < .03 for cell in cells if cell.near)
    assert choose_tables([name])[0].note or not any(cell.mark == "differs" for cell in cells)


def test_without_a_folder_the_counts_of_the_package_are_the_source(monkeypatch, shared):
    monkeypatch.delenv("GECNB_DATA", raising=False)
    assert find_source().origin == "snapshot"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    assert find_source().origin == "text"


GLEU_README, PAPER_2016 = "readme-shotakoyama-gleu.txt", "paper-gleu-without-tuning-1605.02592.txt"
RANKING = "^Human M2 GLEU0 GLEU\\+$" # whose rows have no name: they are places
ROWS = { # table: document in sources, the line before its rows, how many, the place of its word in a row (of each column's)
    "gleu-readme/char": (GLEU_README, "-i 1000 -t char", 4, 1),
    "gleu-2016/human": (PAPER_2016, RANKING, 13, 0), "gleu-2016/gleu+": (PAPER_2016, RANKING, 13, 3),
    "gleu-2016/r": (PAPER_2016, "^Metric r", 5, 1), "gleu-2016/rho": (PAPER_2016, "^Metric r", 5, 2),
    "seeda/gleu": ("readme-seeda.md", "^\\| :--- \\|", 15, 8), "seeda/m2": ("readme-seeda.md", "^\\| :--- \\|", 15, {"M2": 1, "SentM2": 2}),
}


@pytest.mark.parametrize("name", ROWS)
def test_published_numbers_stand_in_the_sources(name, cells_of, sources):
    document, before, number, columns = ROWS[name]
    lines = (sources / document).read_text(encoding="utf-8").split("\n")
    start, = [i for i, line in enumerate(lines) if re.search(before, line)]
    cells, there = cells_of(name), {}
    for place, line in enumerate(lines[start + 1:start + 1 + number], 1):
        words = line.replace("|", " ").split()
        for column, at in columns.items() if isinstance(columns, dict) else [(cells[0].column, columns)]:
            there[str(place) if before == RANKING else words[0], column] = words[at]
    assert {(c.row, c.column): c.published for c in cells}.items() <= there.items()


@pytest.mark.parametrize("name", [name for name in ALL if name.startswith(("gleu-readme/", "gleu-2016/"))])
def test_published_numbers_are_words_of_their_document(name, cells_of, sources):
    text = (sources / (GLEU_README if name.startswith("gleu-readme/") else PAPER_2016)).read_text(encoding="utf-8")
    assert {c.published for c in cells_of(name)} <= set(text.replace("|", " ").split())


@pytest.mark.parametrize("name", ["gec-metrics/seeda-system", "gec-metrics/seeda-sentence", "gec-metrics/gjg-2015"])
def test_numbers_of_gec_metrics_stand_on_the_lines_named(name, sources):
    lines = (sources / "readme-gec-metrics-0d643c2.md").read_text(encoding="utf-8").split("\n")
    where = choose_tables([name])[0].where
    first, last = map(int, re.search(r"lines (\d+)-(\d+)", where.place).groups())
    there = re.findall(r"0\.\d+", "\n".join(lines[first - 1:last]))
    if name == "gec-metrics/seeda-sentence": there = there[2:] + there[:2] # sent stands before edit
    assert there == [number for row in published_tables()[name].values() for number in row.values()]
    assert where.commit.startswith("0d643c2")


def test_released_files_hold_what_is_called_published(cells_of, shared, sources):
    folder = shared / "data/conll14/c18-1231/scores"
    for name, column, file in (
            ("system", "GLEU", "metrics/gleu"), ("system", "M2", "metrics/m2score"), ("system", "I-measure", "metrics/imeasure"),
            ("expected-wins", "EW", "humans/expected_wins"), ("trueskill", "TS", "humans/trueskill")):
        rows = [line.split("\t") for line in read_lines(folder / f"system_scores_{file}.txt.gz")]
        cells = [c for c in cells_of(f"chollampatt-2018/{name}") if c.column == column]
        assert {c.row: float(c.published) for c in cells} == {row[3]: float(row[4]) for row in rows}
    stored = {}
    for line in (shared / "data/reassess-gec/metric_scores").read_text(encoding="utf-8").strip().split("\n"):
        metric, references, system, value = line.split()
        if metric == "GLEU": stored[references.lower(), "INPUT" if system == "source" else system] = float(value)
    for references in SETS:
        cells = cells_of(f"sakaguchi-2016/{references}")
        assert all(abs(float(c.published) - stored[references, c.row]) <= .5e-5 for c in cells)
    for kind, level in seeda.HUMAN:
        lines = (shared / f"data/seeda/scores/human/{kind}_{level}.txt").read_text(encoding="utf-8").split()
        assert [c.published for c in cells_of(f"seeda/{kind.lower()}-{level}")] == lines
    for file, *names in ("m2", "M2", "precision", "recall"), ("iwacc", "I-WAcc"), ("bleu", "BLEU"), ("meteor", "METEOR"):
        lines = read_lines(shared / f"data/gjg15/metrics/scores.{file}")
        rows = [line.split() for line in lines if line.strip()]
        for i, name in enumerate(names, 1): assert gjg_2015.metric_scores(name) == {row[0]: float(row[i]) for row in rows}
    readme = (sources / "readme-reassess-gec.md").read_text(encoding="utf-8")
    assert "expert rankings (ρ = 0.82)" in " ".join(readme.split())


def test_examples_stand_in_the_documentation(sources):
    bleu = pytest.importorskip("nltk.translate.bleu_score")
    from nltk.translate import gleu_score
    for name, module in (("nltk-gleu", gleu_score), ("nltk-bleu", bleu)):
        with open(module.__file__, encoding="utf-8") as file: printed = re.findall(r"0\.\d{4}(?=\.\.\.)", file.read())
        assert {c.published for c in stored_cells(f"examples/{name}")} <= set(printed)
    pages = (sources / "nltk-gleu_score.txt").read_text(encoding="utf-8")
    assert all(f"{c.published}..." in pages for c in stored_cells("examples/nltk-gleu"))
    readme = (sources / "readme-pymeteor.txt").read_text(encoding="utf-8")
    assert "it has 8 intersections, while the second alignment has 11" in readme
    assert "a final c value of 6, and a um value of 6" in readme and "Score: 0.5000 = Fmean" in readme


def test_every_table_says_where_it_stands():
    for table in choose_tables([]):
        where = table.where
        assert where.kind in HEADINGS and where.document and where.home and (where.place or where.kind == "file")
        assert where.commit or where.home in ("arXiv 1605.02592", "NLTK 3.10.4")


def test_numbers_of_cleme_are_those_that_its_program_printed(cells_of, shared):
    printed = {}
    for name in "cleme", "cleme2":
        with open(shared / f"golden/cleme/{name}.tsv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                changed = "applied" in row.get("settings", "") or row.get("factors", "corpus") != "corpus"
                if changed or row.get("weigher", "none") != "none": continue
                printed |= {(row["assumption"], row["table"], row["system"], key): value for key, value in row.items()}
    names = {"F": "f", "P": "p", "R": "r", "accuracy": "acc"}

    def as_printed(way, table, cell, column):
        digits = len(cell.published.partition(".")[2])
        return f"{float(printed[way, table, cell.row, names.get(column, column)]):.{digits}f}"

    weighted = "prf_corpus_weighted"
    for name, way, table in (("readme", "dependent", weighted), ("dependent", "dependent", weighted),
                             ("independent", "independent", weighted), ("cleme2", "dependent", "heuo_corpus_unweighted")):
        for cell in cells_of(f"cleme/{name}"): assert cell.published == as_printed(way, table, cell, cell.column)
    for cell in cells_of("cleme/sentences"):
        assert cell.published == as_printed(cell.column, "prf_sentence_weighted", cell, "F")


def test_numbers_of_m2scorer_are_those_that_it_printed(cells_of, shared):
    for name, gold in (("m2", "combined"), ("m2-alternatives", "combined-withalt")):
        cells = {(c.row, c.column): c.published for c in cells_of(f"conll-2014/{name}")}
        printed = {}
        for path in (shared / "golden/m2").glob(f"m2scorer-3.2.{gold}.*.tsv.gz"):
            words, system = read_lines(path)[0].split(), path.name.split(".")[-3]
            printed |= {(system, column): words[2 * i] for i, column in enumerate(("P", "R", "F0.5"), 1)}
        assert printed == cells


def test_numbers_of_language_models_are_those_of_the_copy(cells_of, shared):
    head, *rows = (shared / "data/llm-2026/jfleg/published-gleu.tsv").read_text(encoding="utf-8").strip().split("\n")
    assert head.split("\t")[1:] == ["mean", "standard_deviation", "low", "high"]
    printed = {}
    for name, *values in (row.split("\t") for row in rows):
        printed |= {(name, column): value for column, value in zip(("GLEU", "deviation", "low", "high"), values, strict=True)}
    assert {(c.row, c.column): c.published for c in cells_of("llm-2026/gleu")} == printed and len(printed) == 56


PLACE = Where("paper", "A paper", "Table 1", "arXiv 0")


def test_a_copied_score_is_never_counted_as_computed():
    cells = [Cell("a", "x", "1", "1", released=True), Cell("b", "x", "1", "1"),
             Cell("c", "x", "1", "2", released=True), Cell("d", "x", "2", "2")]
    assert tally(cells) == [2, 2, 0, 0, 2, 1, 1]
    assert count_line(cells) == "2 computed here: 2 equal; 2 from released scores: 1 equal, 1 not"
    table = Table("t/1", "T", "A table", PLACE, "none", None, note="since c is wrong")
    lines = repr(Result(table, tuple(cells))).split("\n")
    assert sum("(released)" in line for line in lines) == 2 and any("1 not; largest difference 1" in line for line in lines)
    page = Report([Result(table, tuple(cells))], find_source("snapshot"))
    for shown in repr(page), page._repr_html_(): assert "1 of t/1: since c is wrong" in shown


def test_several_columns_are_above_each_other_and_one_beside():
    table = Table("t/1", "T", "A table", PLACE, "none", None)
    first = Cell("a", "x", "1", "1"), Cell("bc", "x", "2.0", "2.1", .1)
    several = Result(table, (first[0], Cell("a", "y", "3", "3"), first[1], Cell("bc", "y", "4", "5", released=True))) # row by row
    assert repr(several).split("\n")[3:8] == [
        "                   x  y",
        "  a   published    1  3",
        "      ours         1  3",
        "  bc  published  2.0  4",
        "      ours       2.1  5  x near, y differs"]
    one = Result(table, first)
    assert repr(one).split("\n")[3:6] == [
        "      published  ours  difference",
        "  a           1     1           0  equal",
        "  bc        2.0   2.1         0.1  near"]
    for shown, marks in (several, ["differs"]), (one, ["equal", "near"]):
        assert re.findall(r'class="mark-(\w+)"', shown._repr_html_()) == marks


def test_a_table_longer_than_its_limit_is_cut_to_three_rows_and_those_that_differ():
    table, cells = Table("t/1", "T", "A table", PLACE, "none", None), [Cell(k, "x", "1", "1") for k in "abcd"]
    whole, cut = (repr(Result(table, (*cells, Cell("e", "x", "1", "2")), long=long)) for long in (5, 4))
    first_letters = ["".join(re.findall(r"\n  (\w)  ", shown)) for shown in (whole, cut)]
    assert first_letters == ["abcde", "abce"]
    assert "more row" not in whole and "and 1 more row, equal" in cut


def test_the_page_says_where_its_numbers_come_from(printed, monkeypatch):
    monkeypatch.delenv("GECNB_DATA", raising=False)
    page = re.sub(" +", " ", printed("reproduce"))
    for line in ("README of shotakoyama/gleu 146 145 1", "gleu-2016/gleu0 13 13", "without any text",
                 "all: 1,342 computed here: 1,195 equal, 123 near, 24 not; 52 from released scores: 51 equal, 1 not"): assert line in page
    assert "\nleft out:" not in page


def test_the_pages_count_as_the_program_does():
    "Each row of the table of the page Reproduction, its last row, and the numbers of the front page"
    cells = places.cells_of(ROOT / "nbs/reproduce/01_tables.ipynb")
    [page] = [c["source"] for c in cells if c["source"].startswith("## What is reproduced")]
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    number = lambda text: int((re.match(r"\**([\d,]+)", text.strip()) or ["", "0"])[1].replace(",", ""))
    rows = {}
    for line in page.split("\n"):
        found = re.search(r"`(gecnb reproduce [a-z0-9-]+|make reproduce)` \|$", line)
        if found: rows[found[1].split()[-1]] = [number(text) for text in line.split("|")[2:6]]
    counted = {paper: tally(c for t in choose_tables([paper]) for c in stored_cells(t.name)) for paper in PAPERS}
    total = [sum(column) for column in zip(*counted.values(), strict=True)]
    assert {paper: counts[:4] for paper, counts in counted.items()} | {"reproduce": total[:4]} == rows
    assert not [number for number in total[:4] if f"{number:,} " not in page or f"{number:,} " not in front]


def test_a_missing_library_leaves_a_table_out_and_says_so():
    def cells(source): raise ImportError("a library is missing: pip install 'gecmetrics_nb[none]'")
    result = compute(Table("t/1", "T", "A table", PLACE, "none", cells), find_source("snapshot"))
    assert not result.cells
    report = repr(Report([result], find_source("snapshot")))
    for said in "left out: t/1 (a library is missing: pip install", "\n1 table was left out. With": assert said in report


@pytest.mark.parametrize("origin, said", [("snapshot", "^needs m2$"), ("text", "^needs m2: no network$")])
def test_a_file_that_is_not_to_be_had_is_named(origin, said, monkeypatch):
    def fetch(name): raise OSError("no network")
    monkeypatch.setattr("gecmetrics_nb.reproduce.tables.fetch", fetch)
    with pytest.raises(Unavailable, match=said): Source(origin).lines("m2")
