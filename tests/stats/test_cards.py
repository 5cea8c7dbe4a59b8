"What differs between two cards is named: a file, the version, a setting, a number, or that the card was edited"
from copy import deepcopy
import hashlib
import json
import re

import pytest

from gecmetrics_nb import GLEU, GREEN, Corpus, compare_systems
from gecmetrics_nb.stats import cards
from places import ROOT, SETTINGS
import slow

SOURCES, REFERENCES, (A, B) = slow.corpus(3, sentences=9, systems=2, blanks=False)
TABLE = compare_systems([GLEU(), GREEN(beta=2)], Corpus(SOURCES, REFERENCES, [A, B], system_names=["A", "B"]))
TEXTS = {"source": [SOURCES], "references": REFERENCES, "outputs": {"A": A, "B": B}}
CARD = cards.card(TABLE, TEXTS, {"seed": 0, "metrics": ["gleu"]})
NOW = SETTINGS["version"]
VALUE, LOW = TABLE.parts[0].values[0], TABLE.parts[1].gaps[1, 0]


def own_hash(card):
    rest = json.dumps({name: value for name, value in card.items() if name != "sha256"}, sort_keys=True)
    return hashlib.sha256(rest.encode()).hexdigest()


def sealed(card): return card | {"sha256": own_hash(card)}


def sha256(lines): return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def test_a_card_has_its_files_its_numbers_and_its_own_sum():
    assert CARD["version"] == NOW and CARD["sha256"] == own_hash(CARD) and cards.verify(CARD, CARD) == []
    said = {part: {name: (text["sha256"], text["lines"]) for name, text in rows.items()} for part, rows in CARD["files"].items()}
    assert said == {part: {name: (sha256(lines), 9) for name, lines in rows.items()} for part, rows in
                    {"source": {"1": SOURCES}, "references": {"1": REFERENCES[0], "2": REFERENCES[1]}, "outputs": {"A": A, "B": B}}.items()}
    printed = [[system["printed"]["score"] for system in metric["systems"]] for metric in CARD["table"]]
    assert printed == [[f"{100 * value:.2f}" for value in part.values] for part in TABLE.parts]
    hashed = cards.hashes({"references": [[""], [None], ["null"]]})["references"]
    assert len({text["sha256"] for text in hashed.values()}) == 3 # what is missing is not empty


def of_a(card): return card["table"][0]["systems"][0]


def in_signature(old, new):
    def change(card): card["table"][0]["signature"] = card["table"][0]["signature"].replace(old, new)
    return change


def value_and_print(card): of_a(card).update(value=.9, printed={**of_a(card)["printed"], "score": "90.00"})
def interval_of_b(card): card["table"][1]["systems"][1]["difference_interval"][0] = -.1


CHANGES = { # how a card is changed by hand: the line that names it
    "version": (lambda card: card.update(version="0.0.9"), f"version changed: gecmetrics_nb: 0.0.9 in the card, {NOW} now"),
    "score": (lambda card: of_a(card).update(value=.9), f"number changed: A by GLEU: value 0.9 in the card, {VALUE:.10g} now"),
    "score, also as printed": (value_and_print, f"number changed: A by GLEU: value 0.9 in the card, {VALUE:.10g} now, and 1 more"),
    "interval": (interval_of_b, f"number changed: B by GREEN beta=2.0: difference_interval 1 -0.1 in the card, {LOW:.10g} now"),
    "signature": (in_signature("order:4", "order:3"), "setting changed: GLEU: order 3 in the card, 4 now"),
    "choice of references": (in_signature("sample:500,", "sample:9,"), "setting changed: GLEU: refs 2,sample:9,seeds:101j,python2 "
                             "in the card, 2,sample:500,seeds:101j,python2 now"),
    "setting": (lambda card: card["settings"].update(seed=1), "setting changed: seed: 1 in the card, 0 now"),
    "one of a list": (lambda card: card["settings"].update(metrics=["m2"]), "setting changed: metrics 1: m2 in the card, gleu now"),
    "hash": (lambda card: card["files"]["source"]["1"].update(sha256="0" * 64),
             f"file changed: source 1: sha256 000000000000... in the card, {sha256(SOURCES)[:12]}... now"),
    "number of lines": (lambda card: card["files"]["outputs"]["B"].update(lines=8), "file changed: output B: lines 8 in the card, 9 now"),
    "nothing but the sum": (lambda card: card["settings"].update(files={"source": ["S"]}), None),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_by_hand_is_named(what):
    "Also if its own SHA-256 is made anew; otherwise as an edit, too. Where the files were does not matter"
    (change, said), old = CHANGES[what], deepcopy(CARD)
    change(old)
    assert cards.verify(sealed(old), CARD) == [said] * bool(said)
    assert cards.verify(old, CARD) == [said] * bool(said) + ["card changed: it was edited after it was written"]


def test_a_number_may_be_as_far_as_processors_are():
    for factor, lines in (1 + 1e-12, 0), (1 - 1e-12, 0), (1 + 1e-8, 1):
        old = deepcopy(CARD)
        of_a(old).update(value=VALUE * factor)
        assert len(cards.verify(sealed(old), CARD)) == lines


def test_another_version_brings_its_score_changes(monkeypatch):
    "Numbers and settings are equal, so that nothing else is named"
    changes = {"0.0.9": ["of the card itself"], "0.1.0": ["GLEU: an empty line is 0"], "0.2.0": ["M2"], "0.10.0": ["BLEU"], "0.11.0": ["later"]}
    monkeypatch.setattr(cards, "SCORE_CHANGES", changes)
    old = sealed(json.loads(json.dumps(CARD).replace(NOW, "0.0.9"))) # in signatures, too
    lines = [f"  {version}: {line}" for version, [line] in changes.items()]
    for version, last in ("0.1.0", 2), ("0.10.0", 4):
        said = f"version changed: gecmetrics_nb: 0.0.9 in the card, {version} now"
        assert cards.verify(old, CARD | {"version": version}) == [said, *lines[1:last]]


def score_changes(changelog):
    "{version: lines} of the sections *Score changes*"
    listed = {}
    for version, text in re.findall(r"^## \[(.+?)\](.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL):
        for section in re.findall(r"^### Score changes\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL):
            lines = re.split(r"^- ", section, flags=re.MULTILINE)[1:]
            listed[version] = [" ".join(line.split()) for line in lines]
    return listed


def test_the_package_has_the_score_changes_of_the_changelog():
    two = "## [0.2.0]\n### Score changes\n\n- A: is\n  0\n- B\n\n### Metrics\n- C\n## [0.1.0]\n### Metrics\n"
    assert score_changes(two) == {"0.2.0": ["A: is 0", "B"]}
    assert score_changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == cards.SCORE_CHANGES


@pytest.mark.parametrize("cut", [{}, [], CARD | {"table": {}}], ids=["nothing", "a list", "another table"])
def test_what_is_no_card_is_refused(cut):
    with pytest.raises(TypeError, match="old is not a card: give one that gecnb compare --card wrote"): cards.verify(cut, CARD)
    with pytest.raises(TypeError, match="again is not a card"): cards.verify(CARD, cut)
