"`gecnb identify`: its commands print the numbers again, its status, its order, how it refuses"
from pathlib import Path
import json
import re
import shlex

import numpy as np
import pytest

from gecmetrics_nb.cli.identify import command_of, reference_corpus, _edit_corpora as edit_corpora
from gecmetrics_nb.cli.parser import read_arguments
from gecmetrics_nb.corpora.registry import fetch
from gecmetrics_nb.io.m2 import POLICIES
from gecmetrics_nb.stats.identify import try_settings

FILES = {name: str(fetch(f"example/{name}")) for name in ("INPUT", "REF0", "REF1", "A", "B", "gold.m2")}
OUTPUTS = [f"{name}={FILES[name]}" for name in "AB"]


ON_EXAMPLE = f"identify --on example -o {' '.join(OUTPUTS)}"


@pytest.fixture
def edits(write, printed):
    "The outputs as M2 files, beside the gold by another name"
    write({"gold.errant": Path(FILES["gold.m2"]).read_text(encoding="utf-8")})
    printed(["edits", "-s", FILES["INPUT"], "-o", *OUTPUTS, "--out", "m2"])
    return ["A=m2/A.m2", "B=m2/B.m2"]


@pytest.mark.parametrize("asked", [["--on", "example"], ["-s", FILES["INPUT"], "-r", FILES["REF0"], FILES["REF1"]], ["-g", FILES["gold.m2"]], ["-g", "gold.errant"],
                                   ["-s", f"{FILES['gold.m2']}:source", "-r", f"{FILES['gold.m2']}:nus"]], ids=["on", "texts", "gold", "gold of another name", "policy"])
@pytest.mark.parametrize("outputs", ["texts", "edits"])
def test_commands_print_the_numbers_again(asked, outputs, printed, edits):
    "By each class, of settings that are drawn, all numbers of all systems to four digits"
    words = ["identify", *asked, "-o", *(OUTPUTS if outputs == "texts" else edits), "--printed", "A=0.1234"]
    args = read_arguments(words)
    corpus, sets, files = reference_corpus(args)
    table = try_settings(corpus, *edit_corpora(args, corpus, files), sets=sets)
    kinds = [type(setting.metric).__name__ for setting in table.settings]
    assert {"GLEU", "GREEN"} < {*kinds} and ("M2" in kinds) == ("example" in asked or "-g" in asked)
    assert ("CLEME" in kinds) == (outputs == "edits" and "M2" in kinds)
    rng = np.random.default_rng(0)
    for kind in dict.fromkeys(kinds):
        rows = [k for k, (name, setting) in enumerate(zip(kinds, table.settings, strict=True)) if name == kind and np.isfinite(table.scores[k]).all()]
        for row in rng.choice(rows, 4, replace=len(rows) < 4):
            *before, command = command_of(args, files, 4, table.settings[row]).split(" && ")
            for each in before: printed(shlex.split(each)[1:])
            lines = [line.split("\t") for line in printed([*shlex.split(command)[1:], "--format", "tsv"]).splitlines()]
            for name, score in zip("AB", table.scores[row], strict=True):
                numbers = [float(cell) for line in lines if line[0] == name for cell in line[1:] if re.fullmatch(r"-?[\d.]+", cell)]
                assert min(abs(number - 100 * score) for number in numbers) < .00006, command


@pytest.mark.parametrize("asked,names", [
    ("--on example", ["example", "reference 1", "reference 2"]),
    ("-s {INPUT} -r {REF0} {REF1}", ["all references", "reference 1", "reference 2"]),
    ("-s {INPUT} -r {gold}:nus {REF1}", ["all references"]), ("-g one.m2", ["nuclea-b = nus = strict"]),
    ("-g {gold}", ["nuclea-b = nus = strict", *(" = ".join(f"{policy}, annotator {k}" for policy in POLICIES) for k in (0, 1))])])
def test_sets_of_references_have_names(asked, names, write):
    "A file that makes several references has no parts that a command could name, nor has one of one annotator"
    lines = Path(FILES["gold.m2"]).read_text(encoding="utf-8").split("\n")
    write({"one.m2": [line for line in lines if not line.endswith("|||1")]})
    words = asked.format(**FILES, gold=FILES["gold.m2"]).split()
    args = read_arguments(["identify", *words, "-o", *OUTPUTS, "--order", "A", "B"])
    assert [*reference_corpus(args)[1]] == names


def test_a_number_names_its_setting_and_others_none(gecnb, printed):
    for command, found in [("green -b 2", "GREEN beta=2"), ("mgleu -m", "GLEU references=max mean of sentences"),
                           ("bleu --smoothing exp -n 3", "BLEU order=3 smoothing=exp")]:
        rows = printed([*command.split(), "--on", "example", "-d", "4", "-o", *OUTPUTS, "--format", "tsv"]).splitlines()[1:]
        numbers = " ".join(row.replace("\t", "=") for row in rows)
        out = printed(f"{ON_EXAMPLE} --printed {numbers}")
        assert found in out and "tried: " in out and "decided: " in out
    status, out, _ = gecnb(f"{ON_EXAMPLE} --printed A=12.345 B=98.765")
    assert status == 1 and out.startswith("No setting gives all 2 numbers. The nearest:") and "\n5. " in out and "\n6. " not in out


def test_json_and_a_table_of_numbers(write, printed):
    gleu = json.loads(printed(["gleu", "--on", "example", "-o", *OUTPUTS, "--json"]))["scores"]
    rows = [f"{score['hypothesis']}\t{score['percent']:.2f}\n" for score in gleu]
    for head, mark in ("", "\t"), ("system\tGLEU\n", "\t"), ("system,GLEU\n", ", "), ("\n", "   "), ("system\tgreen:beta=2\n", "\t"):
        write({"printed.tsv": (head + "".join(rows)).replace("\t", mark)})
        data = json.loads(printed(f"{ON_EXAMPLE} --printed printed.tsv --format json"))
        assert {"tried", "chance", "answers", "nearest"} < {*data} and not data["nearest"]
        first = data["answers"][0]
        assert first["signature"] == gleu[0]["signature"] and {*first["scores"]} == {"A", "B"} and first["difference"] <= .005 + 1e-9
        assert printed([*shlex.split(first["command"])[1:], "--format", "tsv"]).splitlines()[1:] == [row.strip() for row in rows]


def test_many_answers_are_cut_in_text_alone(printed):
    line = f"{ON_EXAMPLE} --printed A=1"
    many, out = len(json.loads(printed(f"{line} --json"))["answers"]), printed(line)
    assert out.startswith(f"{many} answers") and "\n10. " in out and "\n11. " not in out and f"and {many - 10} more" in out
    assert out.count(" -d 2 ") == 10 # two digits, of a number with fewer, too


def test_order(printed):
    "Shares are counted in the table of the same settings"
    [*each, every] = json.loads(printed(f"{ON_EXAMPLE} --order A B --json"))["order"]
    assert [sum(row[k] for row in each) for k in ("above", "below", "tied")] == [every[k] for k in ("above", "below", "tied")]
    assert all(len(row["rare"]) == min(row["above"], row["below"]) for row in each)
    assert {row.count("  GLEU") for row in printed(f"{ON_EXAMPLE} --order A B").splitlines()} == {0, 1} # examples
    out = printed(f"{ON_EXAMPLE} C={FILES['A']} --order A C") # equal outputs tie in all settings
    assert "A above C, %" in out and re.search(r"\nall +(\d+) +0\.0 +\1\n", out)


@pytest.mark.parametrize("line,said", [
    *((f"{ON_EXAMPLE} {more}", said) for more, said in [
        ("--printed C=1", "'C'"), ("--printed A=one", "'one'"), ("--printed A=1 A=2", "two systems are named 'A'"),
        ("--printed nowhere", "nowhere"), ("", "--printed"), ("--order A C", "'C'"), ("--order A A", "'A'"),
        ("--printed 58.33", "58.33 is no file"), ("--printed A=583.3", "'583.3'"), ("--printed nan.tsv", "'nan'"), ("--printed three", "three: line 2 has 3 columns; give a name and a number"),
        ("--printed percent", "'A 50'")]), # only a row of neither a system nor a number is a head
    ("identify --on example -o A=short --printed A=1", "line counts differ"),
    (f"identify -o {' '.join(OUTPUTS)} --printed A=1", "-s"),
    (f"identify -g {FILES['gold.m2']} -r {FILES['REF0']} -o {' '.join(OUTPUTS)} --printed A=1", "-s")], ids=range(15))
def test_bad_input_is_one_line(line, said, write, refused):
    write({"nan.tsv": "A\tnan\nB\t67.96\n", "short": ["one"], "three": "A,1\nB,2,3\n", "percent": "A 50 %\nB 40\n"})
    error = refused(line)
    assert said in error and error.startswith("gecnb identify: error: ")
