"Published tables: every number, from the snapshot and from the text; what is not equal is named here, one by one"
import json
import subprocess
import sys

import pytest

from gecmetrics_nb.cli import main
from gecmetrics_nb.reproduce import PAPERS, Cell, choose_tables, compute, find_source


@pytest.fixture(scope="module")
def text(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GECNB_DATA", str(shared / "data"))
        yield find_source()


EXACT = { # table: how many numbers, all of them equal
    "gleu-readme/corpus": 4, "gleu-readme/max": 4, "gleu-readme/counts-amu": 25, "gleu-readme/counts-camb": 25, "gleu-readme/mean": 4,
    "gleu-readme/mean-max": 4, "gleu-readme/sentence": 40, "gleu-readme/sentence-max": 36,
    "gleu-2016/gleu+-stored": 13, "gleu-2016/gleu0": 13, "gleu-2016/i-measure": 13, "gleu-2016/rho": 5, "gleu-2016/places": 3,
    "gjg-2015/counts": 45, "gjg-2015/expected-wins": 13, "gjg-2015/head-to-head": 156, "gjg-2015/significance": 156, "gjg-2015/correlations": 16,
    "gjg-2015/judges": 104,
    "chollampatt-2018/system": 13, "chollampatt-2018/sentences": 17056, "chollampatt-2018/correlations": 12, "chollampatt-2018/williams": 12,
    "chollampatt-2018/kendall": 12,
    "seeda/window": 18,
    "gec-metrics/seeda-system": 8, "gec-metrics/seeda-sentence": 4,
    "examples/nltk-gleu": 5, "examples/nltk-bleu": 3, "examples/meteor": 4, "examples/pymeteor": 3,
}
NEAR = { # table: how many numbers, all of them equal or within the error of a random draw
    "gleu-readme/char": 4, "gjg-2015/trueskill": 13,
    **{f"sakaguchi-2016/{name}": 13 for name in ("nucle", "e-fluency", "e-minimal", "ne-fluency", "ne-minimal", "bn15")},
    **{f"seeda/{name}": 15 for name in ("gleu", "ew-edit", "ew-sent", "ts-edit", "ts-sent")},
}
DIFFERENT = { # table: how many numbers, how many of them neither equal nor near
    "gleu-2016/gleu+": (13, 2), "gleu-2016/m2": (13, 5), "gleu-2016/human": (13, 9), "gleu-2016/r": (5, 5), "gjg-2015/ranges": (26, 2),
    "sakaguchi-2016/all": (13, 1), "sakaguchi-2016/rho": (2, 1), "gec-metrics/gjg-2015": (6, 2),
}
SNAPSHOT = [name for name in EXACT if name.startswith(("gleu-readme/", "examples/"))] + ["gleu-2016/gleu0", "gleu-2016/places", "chollampatt-2018/system"]


def test_every_table_is_in_one_list():
    names = [t.name for t in choose_tables([])]
    assert sorted(names) == sorted([*EXACT, *NEAR, *DIFFERENT]) and len(set(names)) == len(names)


@pytest.mark.parametrize("name", EXACT)
def test_exact(name, text):
    result = compute(choose_tables([name])[0], text)
    assert not result.left_out and len(result.cells) == EXACT[name]
    assert [c for c in result.cells if not c.equal] == []


@pytest.mark.parametrize("name", SNAPSHOT)
def test_exact_without_any_text(name, monkeypatch):
    monkeypatch.delenv("GECNB_DATA", raising=False)
    result = compute(choose_tables([name])[0], find_source())
    assert len(result.cells) == EXACT[name] and all(c.equal for c in result.cells)


@pytest.mark.parametrize("name", NEAR)
def test_near(name, text):
    cells = compute(choose_tables([name])[0], text).cells
    assert len(cells) == NEAR[name] and all(c.equal or c.near for c in cells)
    assert all(0 < c.error < .03 for c in cells if c.near) # in the printed unit: no wide net


@pytest.mark.parametrize("name", DIFFERENT)
def test_failures_stay_visible(name, text):
    cells = compute(choose_tables([name])[0], text).cells
    count, different = DIFFERENT[name]
    assert len(cells) == count and sum(not (c.equal or c.near) for c in cells) == different


def test_errors_of_stored_gleu_are_as_small_as_claimed(text):
    for name in "nucle", "e-fluency", "e-minimal":
        cells = compute(choose_tables([f"sakaguchi-2016/{name}"])[0], text).cells
        assert max(abs(float(c.published) - float(c.ours)) for c in cells) <= {"nucle": .00028, "e-fluency": .00041, "e-minimal": .00029}[name]
    trueskill = compute(choose_tables(["gjg-2015/trueskill"])[0], text).cells
    assert max(abs(float(c.published) - float(c.ours)) for c in trueskill) <= .0012
    seeda = compute(choose_tables(["seeda/gleu"])[0], text).cells
    assert max(abs(float(c.published) - float(c.ours)) for c in seeda) <= .02


def test_near_is_narrow():
    assert Cell("a", "b", "0.50", "0.51", .002).near and not Cell("a", "b", "0.50", "0.52", .002).near
    assert not Cell("a", "b", "0.50", "0.51").near and not Cell("a", "b", "0.50", "0.50", .1).near


def test_the_page_says_where_its_numbers_come_from(capsys, monkeypatch):
    monkeypatch.delenv("GECNB_DATA", raising=False)
    assert main(["reproduce"]) == 0
    page = capsys.readouterr().out
    for line in ("README of shotakoyama/gleu: 145 of 146 equal", "gleu-2016/gleu0", "13 of 13 equal", "without any text", "GECNB_DATA", "--from text",
                 "left out: gjg-2015/counts", "needs gjg15/judgments.xml"): assert line in page
    assert main(["reproduce", "gleu-readme/corpus"]) == 0
    page = capsys.readouterr().out
    for number in "58.3256", "59.2553", "56.6048", "81.8462": assert page.count(number) == 2


def test_the_page_from_text(capsys, monkeypatch, shared):
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    assert main(["reproduce"]) == 0
    page = capsys.readouterr().out
    assert "all: 17,947 of 18,090 equal" in page and "left out" not in page and "computed from the text" in page


def test_json(capsys):
    assert main(["reproduce", "gleu-readme/corpus", "--from", "snapshot", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 4 and set(rows[0]) >= {"paper", "table", "row", "column", "published", "ours", "equal", "settings", "source"}
    assert all(r["equal"] and r["source"] == "snapshot" for r in rows)


def test_list(capsys):
    assert main(["reproduce", "--list"]) == 0
    names = [line.split("\t")[0] for line in capsys.readouterr().out.strip().split("\n")]
    assert len(names) == len(EXACT) + len(NEAR) + len(DIFFERENT) and {n.split("/")[0] for n in names} == set(PAPERS)


def test_a_missing_library_leaves_a_table_out_and_says_so(shared, tmp_path):
    (tmp_path / "trueskill.py").write_text("raise ImportError")
    (tmp_path / "scipy").mkdir()
    (tmp_path / "scipy/__init__.py").write_text("raise ImportError")
    run = subprocess.run([sys.executable, "-m", "gecmetrics_nb", "reproduce", "gjg-2015/trueskill", "gjg-2015/significance", "gjg-2015/expected-wins"],
                         capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path), "GECNB_DATA": str(shared / "data")})
    assert run.returncode == 0 and "gecmetrics_nb[human]" in run.stdout and "gecmetrics_nb[stats]" in run.stdout and "13 of 13 equal" in run.stdout
