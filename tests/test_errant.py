"ERRANT's comparison against the prints of errant 3.0.2; an API, a macro average, and what is refused"
from pathlib import Path
import json

import numpy as np
import pytest

from gecmetrics_nb.cli import main
from gecmetrics_nb.data import CONLL14
from gecmetrics_nb.m2 import parse_m2
from gecmetrics_nb.metrics.errant import Comparing, compare_edits, compare_lines, rates
from gecmetrics_nb.resample import bootstrap_scores, interval
from gecmetrics_nb.files import read_lines

PRINTED = {"cs": {}, "cse": {"mode": "cse"}, "ds": {"mode": "ds"}, "dt": {"mode": "dt"}, "single": {"single": True}, "multi": {"multi": True},
           "filt": {"skip": ("R:NOUN", "M:PUNCT")}, "beta1": {"beta": 1}}
PUBLISHED = {"AMU": .3208, "CAMB": .3348, "CUUI": .3402, "IITB": .0568, "IPN": .0606, "NTHU": .2561, "PKU": .2346, "POST": .2781, "RAC": .2340,
             "SJTU": .1444, "UFC": .0781, "UMC": .2331}


@pytest.fixture(scope="module")
def files(shared):
    folder = shared / "data/conll14/errant"
    read = lambda path: parse_m2(read_lines(path), str(path))
    return read(folder / "conll14.errant"), {name: read(folder / f"conll14-{name}.errant") for name in CONLL14}


@pytest.mark.parametrize("name", CONLL14)
def test_prints(shared, files, name):
    "All lines of 13 systems in 8 modes with -cat 3: 104 of 104; the golden files hold what was printed twice"
    gold, systems = files
    for mode, options in PRINTED.items():
        printed = (shared / f"golden/errant/{name}.{mode}.txt").read_text(encoding="utf-8")
        score = compare_edits(systems[name], gold, **options)
        assert ("\n".join(compare_lines(score, 3)) + "\n") * 2 == printed, mode
        if mode == "cs" and name != "INPUT": assert float(score) == PUBLISHED[name]


def chosen(system, gold, digits):
    "The annotator of each sentence by F of all so far, rounded to so many digits"
    so_far, found = (0, 0, 0), []
    place = lambda edit: (edit.start, edit.end, edit.written)
    kept = lambda sentence: [edit for edit in sentence.edits if edit.start >= 0 and edit.type != "UNK"]
    for proposed, wanted in zip(system, gold, strict=True):
        ours, ways = {place(edit) for edit in kept(proposed)}, []
        for annotator in sorted({edit.annotator for edit in wanted.edits} or {0}):
            theirs = {place(edit) for edit in kept(wanted) if edit.annotator == annotator}
            TP, FP, FN = sums = tuple(map(sum, zip(so_far, (len(ours & theirs), len(ours - theirs), len(theirs - ours)), strict=True)))
            precision, recall = TP / (TP + FP) if FP else 1, TP / (TP + FN) if FN else 1
            f = 1.25 * precision * recall / (.25 * precision + recall) if precision + recall else 0
            ways.append(((round(f, digits), TP, -FP, -FN), sums, annotator))
        _, so_far, annotator = max(ways, key=lambda way: way[0])
        found.append(annotator)
    return found


def test_rounding_decides_nowhere_in_conll14(files):
    gold, systems = files
    assert all(chosen(system, gold, 4) == chosen(system, gold, 99) for system in systems.values())


def test_rounding_decides_where_one_sentence_moves_no_digit():
    "As often right as wrong as missed, 200 times each; then one annotator wants what the system did and twelve things more, one wants nothing"
    edit = lambda k, annotator=0: f"A {k} {k + 1}|||R:X|||{k}|||REQUIRED|||-NONE-|||{annotator}"
    noop, words = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1", "S " + "a " * 13
    parts = {"right": ([edit(0)], [edit(0)]), "wrong": ([edit(0)], []), "missed": ([], [edit(0)])}
    pairs = [part for part in parts.values() for _ in range(200)] + [([edit(0)], [*map(edit, range(13)), noop])]
    system, gold = (parse_m2([line for edits in side for line in (words, *edits, "")]) for side in zip(*pairs, strict=True))
    assert (chosen(system, gold, 99)[-1], chosen(system, gold, 2)[-1]) == (1, 0)


GOLD = ["S a b c", "A 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0", "A 1 3|||R:Y:Z|||e f|||REQUIRED|||-NONE-|||0", "A 2 2|||UNK|||-NONE-|||REQUIRED|||-NONE-|||1", "", "S g"]
SYSTEM = ["S a b c", "A 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0", "A 2 3|||U:Y|||-NONE-|||REQUIRED|||-NONE-|||0", "", "S g", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]


def score(gold=GOLD, system=SYSTEM, **options): return compare_edits(parse_m2(system), parse_m2(gold), **options)


def test_by_hand():
    found = score()
    assert found.totals == (1, 1, 1) and found.counts.tolist() == [[1, 1, 1], [0, 0, 0]] and found.rates == (.5, .5, .5)
    assert found.by_type == {"R:X": (1, 0, 0), "U:Y": (0, 1, 0), "R:Y:Z": (0, 0, 1)}
    assert found.grouped(1) == {"R": (1, 0, 1), "U": (0, 1, 0)} and found.grouped(2) == {"X": (1, 0, 0), "Y": (0, 1, 0), "Y:Z": (0, 0, 1)}
    assert found.macro() == pytest.approx(1 / 3) and found.macro(1) == pytest.approx(.8333 / 2)
    assert score(mode="dt").totals == (2, 0, 1) # the words b and c are touched, c by both
    assert score(single=True).totals == (1, 1, 0) and score(multi=True).totals == (0, 0, 0) # annotator 1 wants nothing of several words
    assert score(skip=["R:X"]).totals == (0, 1, 0)


def test_unknown_corrections_count_in_detection():
    system = [*SYSTEM[:1], "A 2 2|||M:X|||h|||REQUIRED|||-NONE-|||0", "", "S g"]
    assert score(system=system).totals == (0, 1, 0) and score(system=system, mode="ds").totals == (1, 0, 0)


def test_duplicates_are_named():
    twice = [GOLD[0], GOLD[1], *GOLD[1:]]
    assert score(gold=twice).totals == (2, 1, 1) and score(gold=twice, once=True).totals == (1, 1, 1)
    assert score(gold=twice).duplicates == ("gold: sentence 1: annotator 0 has 0 1 'd' 2 times; each counts, as in errant",)
    assert score().duplicates == ()


def test_sums_for_intervals():
    found = score()
    draws = bootstrap_scores(found.counts[None], lambda sums: np.apply_along_axis(lambda c: rates(c, .5)[2], -1, sums), 50, 0)
    assert draws.shape == (50, 1) and (interval(draws)[0] == [.5, 1]).all()


def test_files_are_named(tmp_path):
    paths = [tmp_path / name for name in ("system.m2", "gold.m2")]
    for path, lines in zip(paths, (SYSTEM, GOLD), strict=True): path.write_text("\n".join(lines), encoding="utf-8")
    assert compare_edits(*paths).totals == (1, 1, 1)
    paths[0].write_text("\n".join(SYSTEM[:3]), encoding="utf-8")
    with pytest.raises(ValueError, match="system.m2 has 1, .*gold.m2 has 2"): compare_edits(*paths)
    paths[0].write_text("S a b\n\nS g", encoding="utf-8")
    with pytest.raises(ValueError, match="sentence 1: .*system.m2 has 'a b', .*gold.m2 has 'a b c'"): compare_edits(*paths)
    paths[0].write_text("S a b c\nA 1 5|||X|||c|||REQUIRED|||-NONE-|||0\n\nS g", encoding="utf-8")
    with pytest.raises(ValueError, match="system.m2: line 2: edit 1 5 lies outside its sentence of 3 tokens"): compare_edits(*paths)


@pytest.mark.parametrize("options,message", [({"mode": "x"}, "mode is 'x': use one of cs, cse, ds, dt"), ({"single": True, "multi": True}, "leave no edit"),
                                             ({"beta": float("nan")}, "beta is nan"), ({"once": "no"}, "once is 'no'")])
def test_options(options, message):
    with pytest.raises(ValueError, match=message): Comparing(**options)


def test_other_types():
    with pytest.raises(TypeError, match="skip is one string"): Comparing(skip="R:X")
    with pytest.raises(TypeError, match="system is no list of Sentences"): compare_edits(["a"], parse_m2(GOLD))
    with pytest.raises(ValueError, match="level is 4"): score().grouped(4)


def test_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, lines in ("s.m2", SYSTEM), ("g.m2", [GOLD[0], GOLD[1], *GOLD[1:]]): Path(name).write_text("\n".join(lines), encoding="utf-8")
    assert main(["errant", "-g", "g.m2", "-o", "s.m2", "-cse", "-cat", "2", "--once"]) == 0
    done = capsys.readouterr()
    assert done.out.split("\n") == [*compare_lines(compare_edits("s.m2", "g.m2", mode="cse", once=True), 2), ""]
    assert done.err == "gecnb errant: note: g.m2: sentence 1: annotator 0 has 0 1 'd' 2 times; counted once\n"
    assert main(["errant", "-g", "g.m2", "-o", "x=s.m2", "-single", "-filt", "R:X", "--format", "tsv"]) == 0
    assert capsys.readouterr().out == "hypothesis\tTP\tFP\tFN\tprecision\trecall\tF\nx\t0\t1\t0\t0.0\t1.0\t0.0\n"
    assert main(["errant", "-g", "g.m2", "-o", "s.m2", "--format", "json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["scores"]
    assert found["types"]["R:X"] == {"TP": 2, "FP": 0, "FN": 0} and found["macro"]["3"] == pytest.approx(1 / 3)
    Path("s.m2").write_text("S a b\n")
    assert main(["errant", "-g", "g.m2", "-o", "s.m2"]) == 2 and "line counts differ: s.m2 has 1, g.m2 has 2" in capsys.readouterr().err
