"One call for the user: lists, several systems, a Corpus, a data frame; and what help() says of a metric"
from dataclasses import fields, replace
from importlib import import_module
import json
import pickle
import pydoc
import re

import numpy as np
import pytest

from gecmetrics_nb import Corpus, GLEU, ERRANT, GoogleGLEU, GREEN, IMeasure, M2, EditCorpus, parse_m2
from gecmetrics_nb.core.formatting import Grid, aligned, interval_cell, number_cell, text_table, with_minus
from gecmetrics_nb.core.metric import CALLS, check_reference_metric, score_corpus
from gecmetrics_nb.metrics.m2 import GoldCorpus
from gecmetrics_nb.metrics.registry import EDIT_METRICS, METRICS, class_of
from gecmetrics_nb.core.token_ids import UNITS
import slow

SOURCES, REFERENCES, (A, B) = slow.corpus(3, references=2, systems=2)
REFERENCES[1][::3] = [None] * len(REFERENCES[1][::3])
LISTS = dict(sources=SOURCES, references=REFERENCES)
METRIC = GLEU(references="expected")
ONE = {name: getattr(METRIC, name)(hypotheses=A, **LISTS) for name in CALLS}
OTHER = {name: getattr(METRIC, name)(hypotheses=B, **LISTS) for name in CALLS}


def equal(x, y): return np.array_equal(np.asarray(x), np.asarray(y)) and getattr(x, "signature", "") == getattr(y, "signature", "")


@pytest.mark.parametrize("name", CALLS)
def test_several_systems_are_each_alone(name):
    call = getattr(METRIC, name)
    corpus = Corpus(SOURCES, REFERENCES, [A, B], system_names=("A", "B"))
    for found in call(hypotheses={"A": A, "B": B}, **LISTS), call(corpus):
        assert list(found) == ["A", "B"] and equal(found["A"], ONE[name]) and equal(found["B"], OTHER[name])


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("package,make", [pytest.param(name, make, marks=pytest.mark.needs(name, "narwhals"))
                                          for name, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table"))])
def test_columns_of_a_frame_are_lists(package, make, name):
    frame = getattr(import_module(package), make)({"s": SOURCES, "r0": REFERENCES[0], "r1": REFERENCES[1], "a": A, "b": B,
                                                         "both": [list(row) for row in zip(*REFERENCES, strict=True)]})
    call = getattr(METRIC, name)
    for references in ["r0", "r1"], "both":
        assert equal(call(Corpus.from_frame(frame, sources="s", hypotheses="a", references=references))["a"], ONE[name])
    several = call(Corpus.from_frame(frame, sources="s", hypotheses=["b", "a"], references=["r0", "r1"]))
    assert list(several) == ["b", "a"] and equal(several["a"], ONE[name]) and equal(several["b"], OTHER[name])
    google = GoogleGLEU().corpus_score(Corpus.from_frame(frame, hypotheses="a", references="both"))
    assert {n: float(score) for n, score in google.items()} == {"a": float(GoogleGLEU().corpus_score(hypotheses=A, references=REFERENCES))}
    if package != "pyarrow": # whose strings are not Python's
        assert equal(call(sources=frame["s"], hypotheses=frame["a"], references=[frame["r0"], frame["r1"]]), ONE[name])


@pytest.mark.needs("pandas", "narwhals")
def test_a_column_has_a_name_which_can_be_empty():
    from pandas import DataFrame
    frame = DataFrame({"": SOURCES, "r": REFERENCES[0], "a": A})
    assert Corpus.from_frame(frame, sources="", references="r", hypotheses="a").sources == tuple(SOURCES)
    assert Corpus.from_frame(frame, sources="a", references="r", hypotheses="a").source_name == "a"
    with pytest.raises(ValueError, match="^r, row 2: int where"):
        Corpus.from_frame(DataFrame({"r": ["a", 3]}), references="r", hypotheses="r")
    for wrong in [], ["r", 1]:
        with pytest.raises(TypeError, match="^references is .*; give the name of a column"):
            Corpus.from_frame(frame, references=wrong, hypotheses="a")



@pytest.mark.parametrize("texts,given,error,says", [
    ([], dict(hypotheses={}, **LISTS), ValueError, "hypotheses is empty"),
    ([], dict(hypotheses={1: A}, **LISTS), TypeError, "hypotheses .* 1"),
    ([], dict(hypotheses={"A": "a line"}, **LISTS), TypeError, r"hypotheses\['A'\] is one string"),
    ([], dict(hypotheses={"A": A, "B": B[1:]}, **LISTS), ValueError, "B has"),
    ([A], dict(hypotheses=A, **LISTS), TypeError, "corpus is list"),
    ([Corpus(SOURCES, REFERENCES, [A])], dict(hypotheses=B), TypeError, "hypotheses .*Corpus"),
    ([Corpus(SOURCES, REFERENCES, [A, B], system_names=("A", "A"))], {}, ValueError, "two systems are named 'A'")])
@pytest.mark.parametrize("name", CALLS)
def test_what_is_not_clear_is_refused_in_one_line(name, texts, given, error, says):
    with pytest.raises(error, match=says) as caught: getattr(METRIC, name)(*texts, **given)
    assert "\n" not in str(caught.value)


GOLD = parse_m2("S He go home .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n".splitlines())


@pytest.mark.parametrize("call,says", [
    (lambda: GLEU().corpus_score(A, REFERENCES), "^corpus_score takes keywords: sources=, hypotheses=, ref"),
    (lambda: M2().sentence_scores(A, GOLD), "^sentence_scores takes keywords: hypotheses=, gold=, sources="),
    (lambda: GLEU().statistics(predictions=A, **LISTS), "^statistics has no keyword predictions=; did you mean hypotheses\\?$"),
    (lambda: GLEU.corpus_score(hypotheses=A, **LISTS), r"give GLEU\(\)\.corpus_score\(\.\.\.\), .* not the class GLEU"),
    (lambda: GLEU.statistics(Corpus(SOURCES, REFERENCES, [A])), "not the class GLEU"),
    (lambda: GLEU("paper"), r"^GLEU takes keywords: order=, unit=, variant=, \.\.\.$"),
    (lambda: ERRANT("cse"), "^ERRANT takes keywords: mode=, types=, beta=$"),
    (lambda: GLEU(varient="paper"), "^GLEU has no keyword varient=; did you mean variant\\?$"),
    (lambda: GLEU(choose="max"), "^GLEU has no keyword choose=; did you mean references\\?$"),
    (lambda: replace(GREEN(), bta=2), "^GREEN has no keyword bta=; did you mean beta\\?$"),
    (lambda: ERRANT(zzz=1), "^ERRANT has no keyword zzz=; it takes mode=, types=, beta=$"),
    (lambda: score_corpus(GREEN, []), r"^metric is the class GREEN: give a metric, such as GREEN\(\)$"),
    (lambda: score_corpus("green", []), r"^metric is 'green': give a metric, such as GLEU\(\)$"),
    (lambda: GREEN(choose="max"), "^GREEN has no keyword choose=; did you mean references\\?$"),
    (lambda: GLEU().corpus_score(Corpus), "^corpus is the class Corpus"),
    (lambda: GLEU().corpus_score(hypotheses=A, references=REFERENCES), "^sources is None: GLEU compares"),
    (lambda: list(M2().count(GoldCorpus)), "^corpus is the class GoldCorpus"),
    (lambda: check_reference_metric(M2()), "^metric is M2: give one that compares with references"),
    (lambda: Corpus(SOURCES, REFERENCES, GLEU), "^systems is the class GLEU; give a list"),
    (lambda: GoldCorpus(GoldCorpus, [A]), "^gold is the class GoldCorpus; give the path"),
    (lambda: EditCorpus(GOLD, EditCorpus), "^systems is the class EditCorpus; give a list"),
    (lambda: ERRANT().corpus_score(gold=GOLD), "^hypotheses is NoneType; give the path"),
    (lambda: M2().sentence_scores(hypotheses=A, references=REFERENCES), "edits, not with references: give gold"),
    (lambda: IMeasure().statistics(hypotheses=A), "give gold"),
    (lambda: ERRANT().corpus_score(**LISTS), "gecnb edits -s SOURCE -r REF0 REF1 > gold.m2 .*alignment.edits.gold_from_texts")])
def test_a_call_that_python_would_refuse_says_what_to_give(call, says):
    with pytest.raises(TypeError, match=says) as caught: call()
    assert "\n" not in str(caught.value) and "Scoring" not in str(caught.value)


def test_a_class_of_ones_own_may_take_any_setting():
    class Quiet(GREEN):
        def __init__(self, *given, **named): super().__init__(order=named["depth"])
    assert Quiet(3, depth=2).order == 2


@pytest.mark.parametrize("name,meant", [("sentence_score", "sentence_scores"), ("score_corpus", "corpus_score"), ("compute", "corpus_score")])
def test_a_call_of_another_library_names_ours(name, meant):
    with pytest.raises(AttributeError, match=f"^GREEN has no {name}: use {meant}, which takes lists"): getattr(GREEN(), name)
    with pytest.raises(AttributeError, match="^'GREEN' object has no attribute 'other'$"): GREEN().other # noqa: B018


def test_several_systems_are_a_table_with_the_signature_once():
    found = METRIC.corpus_score(hypotheses={"A": A, "a longer name": B}, **LISTS)
    line = found["A"].signature
    assert repr(found).split("\n")[1:] == [f"A              {found['A']}", f"a longer name  {found['a longer name']}", line]
    assert all(str(score) in found._repr_html_() for score in found.values())
    assert found == pickle.loads(pickle.dumps(found)) and json.loads(json.dumps(found)) == dict(found)
    assert repr(type(found)(found, mean=.5)).endswith(f" 0.5\n{line}") # what a user adds has no signature


def test_on_pages_numbers_have_a_minus_and_words_their_hyphen():
    assert with_minus("-1 (-.5) [-2] <td>-3</td> 2-3 1e-05 GPT-3.5 -x") == "\u22121 (\u2212.5) [\u22122] <td>\u22123</td> 2-3 1e-05 GPT-3.5 -x"


def cells(html): return re.findall(r"<(t[dh])\b[^>]*>(.*?)</\1>", html)


def test_on_pages_a_table_has_its_cells_and_says_how_it_was_made():
    html = Grid(["name", "G"], ["A", "-1"], caption="how", settings="set", fold="open")._repr_html_()
    assert html.startswith("<details><summary>open</summary><table>")
    assert cells(html) == [("th", "name"), ("th", "G"), ("td", "A"), ("td", "\u22121")]
    assert re.findall("<caption>(how)<.*</summary>(set)</details></caption>", html) == [("how", "set")]
    score = GREEN(order=2).corpus_score(hypotheses=A, **LISTS)
    rows = [[str(n), *map(str, score.totals[n - 1].tolist())] for n in (1, 2)]
    assert f"<strong>{score}</strong>, that is {100 * score:.2f} of 100" in score._repr_html_()
    assert [text for _, text in cells(score._repr_html_())] == ["order", *GREEN.columns, *rows[0], *rows[1]]


def test_columns_of_text_are_as_wide_as_their_longest_cell():
    assert aligned([["a", "bb", "c"], ["dd", "e", "fff"]]) == ["a   bb    c", "dd   e  fff"]
    grid = Grid(["a", "bb", "c"], ["dd", "e", "fff"])
    assert repr(grid) == "a   bb    c\ndd   e  fff" and grid.to_markdown().split("\n")[1] == "|:---|---:|---:|"
    assert grid.to_latex().split("\n")[4] == r"\begin{tabular}{lrr}"


def test_a_cell_without_a_number_is_empty():
    assert [number_cell(.125, 2), number_cell(.125, 1, 100), number_cell(np.nan, 2)] == ["0.13", "12.5", ""]
    assert [interval_cell(ends, 1) for ends in ((.25, 2), (np.nan, 2), (.25, np.nan))] == ["0.3 to 2.0", "", ""]
    assert interval_cell((.25, 2), 0, 100) == "25 to 200"
    assert text_table(["", "ab"], [["x", 1], ["yz\n", 234]]) == [
        "+------+-----+",
        "|      |  ab |",
        "+------+-----+",
        "|  x   |  1  |", "| yz\\n | 234 |",
        "+------+-----+"]


def test_what_other_formats_would_read_as_code_is_escaped():
    rows = Grid(["\\~^ F0.5"], ["{$}"], ["-1.50 ±0.25 †"], ["<0.0001"], ["a_b&c|d"]).to_latex().split("\n")
    assert rows[6:12] == [
        r"\textbackslash{}\textasciitilde{}\textasciicircum{} F$_{0.5}$ \\", r"\midrule", r"\{\$\} \\",
        r"$-1.50\pm 0.25^{\dagger}$ \\", r"$<$0.0001 \\", r"a\_b\&c\textbar{}d \\"]
    assert Grid(["x"], ["*a|b*"], settings="`").to_markdown().split("\n")[2:] == [r"| \*a\|b\* |", "", "`'`"]
    assert Grid(["x"], settings="one\ntwo").to_latex().split("\n")[-2:] == ["% one", "% two"]


@pytest.mark.parametrize("metric", [M2(), IMeasure()])
@pytest.mark.parametrize("name", CALLS)
def test_several_systems_against_gold_edits(metric, name):
    call, systems = getattr(metric, name), {"right": ["He goes home ."], "idle": ["He go home ."]}
    found = call(hypotheses=systems, gold=GOLD)
    assert list(found) == list(systems)
    for system, lines in systems.items(): assert equal(found[system], call(hypotheses=lines, gold=GOLD))


@pytest.mark.parametrize("name", {**METRICS, **EDIT_METRICS})
def test_help_begins_with_the_calls_and_names_every_choice(name):
    kind = class_of(name)
    text = pydoc.render_doc(kind, renderer=pydoc.plaintext)
    about, _, methods = text.partition("Methods ")
    places = [about.index(f"{call}: ") for call in CALLS] + [about.index("Settings:")]
    assert places == sorted(places) and "write a metric" in about and methods
    for f in fields(kind): assert f"{f.name} = {f.default!r}: " in about
    lines = {line.strip().split(" = ")[0].removeprefix("|  ").strip(): line for line in about.split("Settings:")[1].splitlines()}
    for setting, choices in {**kind.choices, **({"unit": UNITS} if name in METRICS else {})}.items():
        assert all(str(choice) in lines[setting] for choice in choices), setting
