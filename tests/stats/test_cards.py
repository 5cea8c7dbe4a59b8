"What differs between two cards is named: a file, the version, a setting, a number, or an edit"
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
    references = dict(zip("12", REFERENCES, strict=True))
    named = {"source": {"1": SOURCES}, "references": references, "outputs": {"A": A, "B": B}}
    assert CARD["files"] == {part: {name: {"sha256": sha256(lines), "lines": 9} for name, lines in rows.items()}
                             for part, rows in named.items()}
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


def to(where, **new): return lambda card: where(card).update(new)
def first_file(card): return card["files"]["source"]["1"]
def file_of_b(card): return card["files"]["outputs"]["B"]
def setting(card): return card["settings"]
def whole(card): return card


REFS = "2,sample:{},seeds:101j,python2"
CHANGES = { # how a card is changed by hand: the line that names it
    "version": (to(whole, version="0.0.9"), f"version changed: gecmetrics_nb: 0.0.9 in the card, {NOW} now"),
    "score": (to(of_a, value=.9), f"number changed: A by GLEU: value 0.9 in the card, {VALUE:.4g} now"),
    "score, also as printed": (value_and_print, f"number changed: A by GLEU: value 0.9 in the card, {VALUE:.4g} now, "
                               "and 1 more"),
    "interval": (interval_of_b, "number changed: B by GREEN beta=2: difference_interval 1 -0.1 in the card, "
                 f"{LOW:.4g} now"),
    "signature": (in_signature("order:4", "order:3"), "setting changed: GLEU: order 3 in the card, 4 now"),
    "choice of references": (in_signature("sample:500,", "sample:9,"),
                             f"setting changed: GLEU: refs {REFS.format(9)} in the card, {REFS.format(500)} now"),
    "setting": (to(setting, seed=1), "setting changed: seed: 1 in the card, 0 now"),
    "one of a list": (to(setting, metrics=["m2"]), "setting changed: metrics 1: m2 in the card, gleu now"),
    "hash": (to(first_file, sha256="0" * 64),
             f"file changed: source 1: sha256 000000000000... in the card, {sha256(SOURCES)[:12]}... now"),
    "number of lines": (to(file_of_b, lines=8), "file changed: output B: lines 8 in the card, 9 now"),
    "nothing but the sum": (to(setting, files={"source": ["S"]}), None),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_by_hand_is_named(what):
    "Also if its own SHA-256 is made anew; otherwise as an edit, too. Where the files were does not matter"
    (change, said), old = CHANGES[what], deepcopy(CARD)
    change(old)
    lines = [said] * bool(said)
    assert cards.verify(sealed(old), CARD) == lines
    assert cards.verify(old, CARD) == [*lines, "card changed: it was edited after it was written"]


def test_a_number_may_be_as_far_as_processors_are():
    for factor, lines in (1 + 1e-12, 0), (1 - 1e-12, 0), (1 + 1e-8, 1):
        old = deepcopy(CARD)
        of_a(old).update(value=VALUE * factor)
        said = cards.verify(sealed(old), CARD)
        assert len(said) == lines
        for line in said: # four digits, and more where these are the same
            was, now = re.search("value (.*) in the card, (.*) now", line).groups()
            assert was != now and was[:9] == now[:9] and float(was) == pytest.approx(VALUE * factor, rel=1e-8)


def test_another_version_brings_its_score_changes(monkeypatch):
    "Numbers and settings are equal, so that nothing else is named"
    changes = {"0.0.9": ["of the card itself"], "0.1.0": ["GLEU: an empty line is 0"], "0.2.0": ["M2"],
               "0.10.0": ["BLEU"], "0.11.0": ["later"]}
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
    for pair, name in ((cut, CARD), "old"), ((CARD, cut), "again"):
        with pytest.raises(TypeError, match=f"{name} is not a card: give one that"): cards.verify(*pair)
