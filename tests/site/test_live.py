"Python in the pages, in Node: each cell that can run gives what its notebook holds"
from pathlib import Path
import json
import os
import re
import shutil
import subprocess

import nbformat
import pytest

from places import ROOT, SHARED, cells_of, notebooks
import live
import outputs

PYODIDE = Path(os.environ.get("GECNB_PYODIDE") or SHARED / "live")
NODE = shutil.which("node")
pytestmark = [pytest.mark.skipif(not NODE, reason="PYTHON IN THE PAGES IS NOT TESTED: no Node.js"),
              pytest.mark.skipif(not (PYODIDE / live.NUMPY).exists(), reason=f"PYTHON IN THE PAGES IS NOT TESTED: no Pyodide in {PYODIDE}")]

RUN = """
import { readFileSync, writeFileSync } from "node:fs";
const [worker, folder, asked, answered] = process.argv.slice(1);
const { start } = await import(worker);
const python = await start(folder);
const found = {};
for (const [name, cells] of Object.entries(JSON.parse(readFileSync(asked, "utf8")))) {
  python.fresh();
  found[name] = cells.map((cell, i) => cell.live ? python.run(cell.run ?? cell.source, `cell ${i + 1}`) : null);
}
writeFileSync(answered, JSON.stringify(found));
process.exit(0);
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("live")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GECNB_PYODIDE", str(PYODIDE))
        live.write_live(place / "live", "0.1.0")
    return place / "live"


def ran(lessons, folder):
    "What the cells of some notebooks give in Pyodide: {name: a list of answers, None where a cell is not for a page}"
    cells = {str(path): live.cells_of(path) for path in lessons}
    asked, answered = folder.parent / "asked.json", folder.parent / "answered.json"
    asked.write_text(json.dumps(cells), encoding="utf-8")
    command = [NODE, "--input-type=module", "-e", RUN, (ROOT / "nbs/live-worker.mjs").as_uri(), f"{folder.as_uri()}/", asked, answered]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(answered.read_text(encoding="utf-8"))


def differences(path, answers):
    "(cell, what a reader would see change) of the cells that ran"
    cells = [c for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    for i, (cell, answer) in enumerate(zip(cells, answers, strict=True), 1):
        if answer is None: continue
        said = answer["error"] or outputs.difference(*(list(map(of_any_machine, parts)) for parts in (outputs.shown(cell), answer["parts"])))
        if said: yield i, said


def of_any_machine(part):
    "Text without the room that notebooks leave in nested lists"
    if isinstance(part, dict): return part | {"text/plain": of_any_machine(part["text/plain"])}
    return re.sub(r"\s+", " ", part)


def test_cells_give_what_their_notebook_holds(folder):
    lessons = [p for p in notebooks() if any(cell["live"] for cell in live.cells_of(p))]
    found = ran(lessons, folder)
    assert len(lessons) > 40 and sum(answer is not None for p in lessons for answer in found[str(p)]) > 1000
    wrong = {p.stem: list(differences(p, found[str(p)])) for p in lessons}
    assert not {name: said for name, said in wrong.items() if said}


def test_what_is_slow_is_left_out_with_what_follows_from_it():
    "Each cell that is named is one of a lesson that runs"
    cells = {path: [c for c in cells_of(path) if c["cell_type"] == "code"] for path in notebooks()}
    slow = {c["id"]: made["live"] for path in cells for c, made in zip(cells[path], live.cells_of(path), strict=False)
            if c["id"] in live.SLOW or "choice(D, size=300" in c["source"]}
    assert slow == dict.fromkeys(live.SLOW, False) # those that draw 300 sentences a thousand times are among them
    one = {"source": "x = 1", "id": "c472aa20"}, {"source": "x", "id": "b"}, {"source": "y = 2", "id": "c"}
    assert [cell["live"] for cell in live.live_cells(one)] == [False, False, True]


def test_the_wheel_is_the_same_bytes_twice(tmp_path):
    for name in "one", "two": (tmp_path / name).mkdir()
    one, two = (live.write_wheel(ROOT / "gecmetrics_nb", "0.1.0", tmp_path / name).read_bytes() for name in ("one", "two"))
    assert one == two


def test_files_that_are_not_those_of_pyodide_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("GECNB_PYODIDE", str(tmp_path))
    assert live.add_live(tmp_path / "site", "0.1.0").startswith("built without Run: ") and not (tmp_path / "site").exists()
    for name in live.FILES: (tmp_path / name).write_text("other")
    assert "is not the file of Pyodide" in live.add_live(tmp_path / "site", "0.1.0")
