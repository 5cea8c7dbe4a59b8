"What lessons say of data and formulas, beside what other code finds there"
from collections import Counter
import re

from gecmetrics_nb import GLEU, GREEN
from gecmetrics_nb.io.m2 import read_m2
from gecmetrics_nb.metrics.m2 import gold_of
from gecmetrics_nb.metrics.registry import ALL
from places import ROOT, notebooks, prose_of

OFFICIAL = "data/conll14/official-2014.combined.m2"


def test_who_has_a_line_in_conll_2014(shared):
    "Read from the file itself; M2 takes annotator 0 for one who wants nothing where nobody has a line"
    blocks = (shared / OFFICIAL).read_text(encoding="utf-8").strip().split("\n\n")
    who = Counter("".join(sorted(set(re.findall(r"^A .*\|\|\|(\d)$", block, re.M)))) for block in blocks)
    assert who == {"01": 1088, "0": 88, "": 136}
    assert Counter(map(tuple, gold_of(read_m2(shared / OFFICIAL)).edits)) == {(0, 1): 1088, (0,): 224}
    for name in "io/03_m2", "metrics/07_m2": assert re.search(r"\b136\b", prose_of(name)), name
    assert re.search(r"\b88 of 1,312 sentences\b", prose_of("tutorials/02_references"))


def test_how_lines_of_conll_2014_end(shared):
    outputs = (shared / "data/conll14/official_submissions").iterdir()
    lines = {path.name: path.read_bytes().splitlines(keepends=True) for path in outputs}
    assert all(line.endswith(b" \n") for line in lines["INPUT"]) and len(lines["INPUT"]) == 1312
    assert {name for name in lines if any(b"\r" in line for line in lines[name])} == {"IITB", "PKU"}
    assert all(line.endswith(b"\r\n") for name in ("IITB", "PKU") for line in lines[name])
    assert "two outputs (IITB and PKU)" in prose_of("core/05_token_ids")


def test_what_to_use_when_is_said_on_the_front_page():
    "One advice, whose calls work and stand beside the evidence, too; the other pages that give advice link there"
    pattern = re.compile(r"\| report a score \|.*?\| choose among outputs of one sentence.*? a count of changed words chooses no worse", re.DOTALL)
    found = {path.stem: pattern.findall(prose_of(path.relative_to(ROOT / "nbs").with_suffix(""))) for path in notebooks()}
    [[advice]] = filter(None, found.values()) # on no other page
    assert found["index"]
    calls = re.findall(r"`(G.*?\))`", advice)
    metrics = [eval(call, {"GLEU": GLEU, "GREEN": GREEN}) for call in calls]
    assert [(type(metric), metric.union) for metric in metrics] == [(GLEU, False), (GREEN, True), (GLEU, True)]
    assert all(f"`{call}`" in prose_of("studies/07_union") for call in calls[1:]) and "index.ipynb#which-metric-should" in prose_of("studies/07_union")
    for page in "index", "metrics/03_gleu", "metrics/05_green", "metrics/11_family", "tutorials/01_compare", "tutorials/03_reward":
        assert "studies/07_union.ipynb)" in prose_of(page), page


def test_every_metric_is_in_words():
    "In a row that leads to its page"
    rows = "\n".join(line for line in prose_of("start/01_words").splitlines() if line.startswith("| "))
    modules = {name: metric.module.split(".")[1] for name, metric in ALL.items()}
    assert not [name for name, module in modules.items() if not re.search(rf"metrics/\d\d_{module}.ipynb", rows)]
