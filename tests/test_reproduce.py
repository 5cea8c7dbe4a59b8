"Published tables: every number, from the snapshot and from the text"
import json

import pytest

from gecmetrics_nb.cli import main
from gecmetrics_nb.reproduce import choose_tables, source_of_counts


@pytest.fixture(params=["snapshot", "text"])
def source(request, monkeypatch):
    if request.param == "text": monkeypatch.setenv("GECNB_DATA", str(request.getfixturevalue("shared") / "data"))
    return source_of_counts(request.param)


def test_readme_of_gleu(source):
    cells = {(t.name, c.row, c.column): c for t in choose_tables(["gleu-readme"]) for c in t.cells(source)}
    assert len(cells) == 146
    assert [k for k, c in cells.items() if not c.equal] == [("gleu-readme/char", "REF0", "GLEU")] # printed from a run without seeds


def test_the_page_says_where_its_numbers_come_from(capsys, monkeypatch):
    monkeypatch.delenv("GECNB_DATA", raising=False)
    assert main(["reproduce"]) == 0
    page = capsys.readouterr().out
    for number in "58.3256", "59.2553", "56.6048", "81.8462": assert page.count(number) == 2
    assert "145 of 146 numbers equal" in page and "without any text" in page and "GECNB_DATA" in page


def test_json(capsys):
    assert main(["reproduce", "gleu-readme/corpus", "--from", "snapshot", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 4 and set(rows[0]) >= {"paper", "table", "row", "column", "published", "ours", "equal", "settings", "source"}
    assert all(r["equal"] and r["source"] == "snapshot" for r in rows)


def test_list(capsys):
    assert main(["reproduce", "--list"]) == 0
    assert len(capsys.readouterr().out.strip().split("\n")) == 9
