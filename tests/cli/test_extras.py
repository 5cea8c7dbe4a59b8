"What is shown, and what is said where an extra is missing"
from collections import Counter
from decimal import Context, Decimal, localcontext
import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import gecmetrics_nb
from gecmetrics_nb.cli import jobs, scoring
from gecmetrics_nb.corpora import registry
from gecmetrics_nb.stats import human, trueskill
from gecmetrics_nb.viz.plot import new_axes
from gecmetrics_nb.viz.sentence import explore
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.i_measure import IMeasure
from gecmetrics_nb.metrics.m2 import M2
from gecmetrics_nb.metrics.meteor import METEOR, stemmer
from gecmetrics_nb.core.metric import Metric
from gecmetrics_nb.core.formatting import interval_cell, number_cell, percent_lines, rounded, rounded_all
import slow

TEXTS = dict(sources=["a b", "<c>"], hypotheses=["a b", "<c>"], references=[["a b", "d"], ["a", "<c>"]])
JUDGED = human.Judgments(("A", "B"), np.array([[0, 1]] * 4), np.array([[1, 2], [2, 1], [1, 1], [1, 2]]), np.arange(4), np.array(["j"] * 4))


@pytest.mark.parametrize("module,extra,call", [
    ("trueskill", "human", lambda: trueskill.trueskill_run(JUDGED)),
    ("nltk.stem.porter", "stem", lambda: METEOR(stems=True).sentence_scores(sources=["a"], hypotheses=["b"], references=[["c"]])),
    ("pooch", "data", lambda: registry._download(next(iter(registry.registry().values())), "https://localhost", None)),
    ("ipywidgets", "explore", explore), ("matplotlib.pyplot", "plot", lambda: new_axes(1, 1))])
def test_a_missing_extra_is_named(module, extra, call, monkeypatch):
    stemmer.cache_clear() # which remembers the one that there was
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"gecmetrics_nb\[{extra}\]"): call()


@pytest.mark.parametrize("module,extra,line", [("matplotlib", "plot", "plot x.svg --scores S"), ("pooch", "data", "gleu --on jfleg-test -o S")])
def test_a_command_names_a_missing_extra_in_one_line(module, extra, line, write, monkeypatch, refused):
    "Before a file is read"
    write({"S": ["a"]})
    monkeypatch.setenv("GECNB_DATA", ".")
    monkeypatch.setitem(sys.modules, module, None)
    said = refused(line)
    assert f"pip install 'gecmetrics_nb[{extra}]'" in said and ("GECNB_DATA" in said) == (extra == "data")


def test_interrupted(gecnb, monkeypatch):
    def interrupt(args): raise KeyboardInterrupt
    monkeypatch.setattr(jobs, "data", interrupt)
    assert gecnb("data list").status == 130


def test_an_unknown_name_is_an_attribute_error():
    assert set(gecmetrics_nb.__all__) <= set(dir(gecmetrics_nb))
    with pytest.raises(AttributeError, match="no attribute 'Glue'"): gecmetrics_nb.__getattr__("Glue")


def test_a_score_is_shown_with_what_made_it():
    score = GLEU(order=2, iterations=8).corpus_score(**TEXTS)
    record = json.loads(score.to_json())
    assert record["totals"]["hypothesis"] == score.totals[:, 4].tolist() and record["signature"] == score.signature
    assert (record["value"], record["percent"]) == (score.value, 100 * score.value)
    odd = GLEU(order=1, unit=lambda line: line.split("<")).corpus_score(**TEXTS)
    assert "&lt;lambda" in odd._repr_html_() and "lambda" in json.loads(odd.to_json())["parameters"]["unit"]


def test_a_metric_must_say_what_it_counts():
    for call in (lambda m: m.from_counts(None), lambda m: m.score(None)):
        with pytest.raises(NotImplementedError): call(Metric())


class Terminal(io.StringIO):
    def isatty(self): return True


@pytest.mark.parametrize("tqdm", [True, False])
def test_short_work_or_no_tqdm_leaves_no_trace_on_a_terminal(tqdm, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    if not tqdm: monkeypatch.setitem(sys.modules, "tqdm", None)
    else: pytest.importorskip("tqdm")
    assert list(scoring.progress(iter("abc"), "sentence", 3)) == list("abc") and sys.stderr.getvalue() == ""


@pytest.mark.parametrize("line,units", [
    ("compare -s S -r R0 R1 -o A B --metrics gleu green -i 30 --test randomisation", {"sentences", "draws"}),
    ("compare -g gold.m2 -o A B --metrics m2 --test bootstrap -i 30", {"sentences", "draws"}),
    ("correlate --scores each.tsv --human each.tsv -i 120", {"draws", "judgments"})])
def test_every_long_command_counts_on_a_terminal_and_nowhere_else(line, units, write, monkeypatch, gecnb):
    sources, references, systems = slow.corpus(3, sentences=4, blanks=False)
    texts = dict(zip(("S", "R0", "R1", "A", "B"), (sources, *references, *systems), strict=True))
    texts["gold.m2"] = [line for text in sources for line in (f"S {text}", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0", "")]
    texts["each.tsv"] = ["system\tsentence\tG", *(f"{name}\t{d}\t{(7 * k + d * d) % 11}" for k, name in enumerate("ABCDEFG") for d in range(5))]
    write(texts)
    alone = gecnb(line)
    assert not [unit for unit in ("draw", "sentence", "judgment", "part") if f" of {unit}" in alone.err or "\r" in alone.err]
    told = Counter() # how many of each unit
    class Bar:
        "What `progress` asks of tqdm"
        def __init__(self, total, unit, delay, leave): self.unit = unit.strip()
        def __enter__(self): return self
        def __exit__(self, *error): pass
        def update(self, n): told[self.unit] += n
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert gecnb(line)[:2] == alone[:2] == (0, alone.out)
    assert units <= told.keys() and not told["draws"] % 30, told


@pytest.mark.parametrize("call", [rounded, lambda value, digits: percent_lines([[value]], digits)])
def test_as_many_decimal_places_as_are_asked_for(call):
    "Against the fractions that floats are, written out"
    for value in .5, .1, 1 / 3, 1e-300, 123456.789, 1e300, 0.:
        for digits in 0, 1, 6, 7, 40, 400, 1000:
            shown = call(value, digits).rstrip("\n")
            exact = Decimal(repr(float(value if call is rounded else 100 * value)))
            assert Decimal(shown).as_tuple().exponent == -digits
            with localcontext(Context(prec=2000)): assert abs(Decimal(shown) - exact) <= Decimal(1).scaleb(-digits) / 2
    for digits in -1, 1001, 2.5, None, True, "2":
        with pytest.raises(ValueError, match="digits is .*: give a whole number from 0 to 1,000"): call(.5, digits)
    assert [call(x, 9).rstrip("\n") for x in (float("inf"), float("nan"))] == ["inf", "nan"]


def test_a_table_has_empty_cells_where_there_is_no_number():
    assert rounded_all([.125, -2., float("inf")], 2) == ["0.13", "-2.00", "inf"] and rounded_all([], 2) == []
    assert number_cell(float("nan"), 2) == "" and number_cell(np.float64(.5), 1, 100) == "50.0"
    assert interval_cell((-.125, .5), 2, 100) == "-12.50 to 50.00"
    for ends in (float("nan"), 1), (1, float("nan")), [float("nan")] * 2: assert interval_cell(ends, 2) == ""


def test_metrics_of_edits_say_that_they_take_no_references():
    for call in (M2(), "corpus_score"), (M2(), "sentence_scores"), (IMeasure(), "statistics"):
        with pytest.raises(TypeError, match="edits, not with references: give gold"): getattr(*call)(hypotheses=["a"], references=[["a"]])
        with pytest.raises(TypeError, match="give gold"): getattr(*call)(hypotheses=["a"])
