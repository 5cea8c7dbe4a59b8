"What stays when the inside of reproduce is rewritten: a table has its published numbers beside ours, with what became of each"
import json

import pytest

from gecmetrics_nb.reproduce.tables import Cell, choose_tables, compute, find_source

CORPUS = {"AMU": "58.3256", "CAMB": "59.2553", "INPUT": "56.6048", "REF0": "81.8462"} # README of gleu 1.1.0


def test_a_table_without_any_text():
    [table] = choose_tables(["gleu-readme/corpus"])
    cells = compute(table, find_source("snapshot")).cells
    assert {cell.row: cell.published for cell in cells} == {cell.row: cell.ours for cell in cells} == CORPUS
    assert all(cell.equal and not cell.near and not cell.released for cell in cells) and table.where.commit
    names = [table.name for table in choose_tables([])]
    assert len(names) == len(set(names)) > 40 and set(names) >= {table.name for table in choose_tables(["gleu-2016"])}


def test_equal_near_and_different():
    marks = {("0.50", None): "equal", ("0.50", .1): "equal", ("0.51", .002): "near", ("0.52", .002): "differs", ("0.51", None): "differs"}
    for (ours, error), mark in marks.items(): assert Cell("a", "b", "0.50", ours, error).mark == mark


def test_the_command_prints_the_same(printed):
    line = "reproduce gleu-readme/corpus --from snapshot"
    assert {row["row"]: row["published"] for row in json.loads(printed(f"{line} --format json"))} == CORPUS
    page = printed(line)
    assert all(page.count(number) == 2 for number in CORPUS.values())
    assert page.startswith("Corpus GLEU, sampled references (gleu-readme/corpus)\n")


def test_a_table_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="table-9"): choose_tables(["table-9"])
