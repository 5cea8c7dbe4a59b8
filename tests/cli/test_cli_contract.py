"What stays when the inside of cli is rewritten: a command prints what Python gives, in four forms, and refuses in one line with status 2"
import csv
import io
import json

import pytest

from gecmetrics_nb import GREEN, M2
from gecmetrics_nb.io.m2 import parse_m2

TEXTS = {"S": ["He go home .", "It rain ."], "R": ["He goes home .", "It rains ."], "A": ["He goes house .", "It rain ."], "B": ["He go home .", "It rains ."]}
GOLD = "S He go home .\nA 1 2|||X|||goes|||REQUIRED|||-NONE-|||0\n\nS It rain .\nA 1 2|||X|||rains|||REQUIRED|||-NONE-|||0\n"


@pytest.fixture(autouse=True)
def files(write): write({**TEXTS, "g.m2": GOLD, "t": ["system,sentence,mine", *(f"{name},{d},{d}" for name in "AB" for d in (1, 2))]})


def test_scores_are_those_of_python_in_every_form(gecnb, printed):
    given = dict(sources=TEXTS["S"], references=[TEXTS["R"]], hypotheses={name: TEXTS[name] for name in "AB"})
    scores = GREEN(order=1, beta=2).corpus_score(**given)
    status, out, err = gecnb("green -s S -r R -o A B -n 1 -b 2 --format json")
    assert (status, err) == (0, "") and {row["hypothesis"]: row["value"] for row in json.loads(out)["scores"]} == {name: float(score) for name, score in scores.items()}
    rows = list(csv.reader(io.StringIO(printed("green -s S -r R -o A B -n 1 -b 2 -d 3 --format tsv")), delimiter="\t"))
    assert [row[:2] for row in rows[1:]] == [[name, f"{score.percent:.3f}"] for name, score in scores.items()]
    assert all(f"{score.percent:.2f}" in printed("green -s S -r R -o A B -n 1 -b 2") for score in scores.values())
    sentences = GREEN(order=1).sentence_scores(**given)
    assert printed("sgreen -s S -r R -o A B -n 1 -d 2") == "".join("\t".join(f"{100 * sentences[name][d]:.2f}" for name in "AB") + "\n" for d in (0, 1))


def test_sentences_in_json_are_those_of_python_beta_by_beta(printed):
    given = dict(sources=TEXTS["S"], references=[TEXTS["R"]], hypotheses={name: TEXTS[name] for name in "AB"})
    columns = [GREEN(order=1, beta=beta).sentence_scores(**given)[name] for beta in (.5, 2) for name in "AB"]
    shown = json.loads(printed("green -s S -r R -o A B -n 1 -b 0.5 2 --per sentence --format json"))
    assert shown["sentences"] == [[float(column[d]) for column in columns] for d in (0, 1)]
    text = printed("green -s S -r R -o A B -n 1 -b 0.5 2 --per sentence")
    assert text == "".join("\t".join(f"{100 * column[d]:.2f}" for column in columns) + "\n" for d in (0, 1))


def test_a_row_of_numbers_is_the_same_as_json(printed):
    line = "compare -s S -r R -o A B --metrics green --no-input -d 6 --format"
    [metric] = json.loads(printed(f"{line} json"))["metrics"]
    [row] = [row for row in csv.DictReader(io.StringIO(printed(f"{line} tsv")), delimiter="\t") if row["system"] == "B"]
    shown = metric["systems"][1]
    expected = [shown["value"], shown["difference"], *shown["difference_interval"]]
    assert [float(row[f"GREEN beta=1 {name}"]) / 100 for name in ("score", "difference", "low", "high")] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("line,message", [
    ("glue", "there is no command 'glue'; did you mean gleu?"),
    ("green -s S -r R -o A -d x", "'x' is not a whole number from 0 to 15"),
    ("gleu --on example -s S -o A", "--on example has files of its own: leave -s out"),
    ("compare -s S -r R -o A B --scores few", "few has scores of 1 sentences, S has 2: give the scores of the same test set"),
    ("compare -s S -r R -o A B --scores t t", "--scores: t is given twice"),
    ("errant -g g.m2 -o other.m2", "sentence 2: other.m2 has 'It rains .', g.m2 has 'It rain .'"),
    ("errant -g r.m2 -o r.m2 -cat 2", "-cat 2 groups edits"), ("data get", "data get needs at least one NAME"),
    ("compare --scores systems -o A B", "systems: a comparison needs scores of sentences"),
    ("compare -s S -r R -o A B --baseline INPUT --scores t", "mine|scores:t: there are no scores of the baseline"),
    ("gleu -s S -r R -o A --smothing none", "arguments: --smothing none; did you mean --smoothing?"),
    ("bleu -r R -o A --weights x", "'x' is not numbers, as in 0.5/0.5"),
    ("compare -s S -r R -o A --metrics errant:types=Q", "the references: its edits have no types"),
    ("errant -s S -r R -o A --type Q", "the references: its edits have no types"),
    (["green", "-r", "R", "-o", "A", "-s", "a\nb"], r"a\nb: no such file")])
def test_a_mistake_is_named_with_its_file_or_option(write, refused, line, message):
    write({"few": ["system,sentence,mine", "A,1,1", "B,1,0"], "systems": ["system,mine", "A,1", "B,2"],
           "r.m2": GOLD.replace("|X|", "|R|"), "other.m2": "S He go home .\n\nS It rains .\n"})
    assert message in refused(line)


def test_edits_are_gold_or_made_of_texts(printed):
    score = M2().corpus_score(gold=parse_m2(GOLD.split("\n")), hypotheses=TEXTS["A"])
    assert json.loads(printed("m2 -g g.m2 -o A --format json"))["scores"][0]["value"] == float(score)
    out = printed("edits -s S -r R")
    assert [line for line in out.split("\n") if line.startswith("A ")] == [line.replace("|X|", "|R|") for line in GOLD.split("\n") if line.startswith("A ")]
    out = printed("compare -s S -r R -o A B --metrics green bleu --scores t --no-input --format json")
    assert [metric["name"] for metric in json.loads(out)["metrics"]] == ["green", "bleu", "mine"] and printed("data list") and printed("--version")
