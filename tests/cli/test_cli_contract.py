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


def test_edits_are_gold_or_made_of_texts(printed):
    score = M2().corpus_score(gold=parse_m2(GOLD.split("\n")), hypotheses=TEXTS["A"])
    assert json.loads(printed("m2 -g g.m2 -o A --format json"))["scores"][0]["value"] == float(score)
    out = printed("edits -s S -r R")
    assert [line for line in out.split("\n") if line.startswith("A ")] == [line.replace("|X|", "|R|") for line in GOLD.split("\n") if line.startswith("A ")]
    out = printed("compare -s S -r R -o A B --metrics green bleu --scores t --no-input --format json")
    assert [metric["name"] for metric in json.loads(out)["metrics"]] == ["green", "bleu", "mine"] and printed("data list") and printed("--version")
