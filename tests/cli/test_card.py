"A card says what decides every number, and `gecnb verify` names what changed since"
from pathlib import Path
import gzip
import hashlib
import json
import shutil

import pytest

from gecmetrics_nb import GLEU, Corpus, compare_systems
from gecmetrics_nb.corpora.registry import fetch, registry
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.stats import cards
from places import ROOT, SETTINGS

EXAMPLE = "INPUT", "REF0", "REF1", "gold.m2", "A", "B"
TEXTS = "-s INPUT -r REF0 REF1 -g gold.m2 -o A B"
MADE = f"compare {TEXTS} --metrics gleu m2 green:beta=2 --card card.json"
EQUAL = 0, ["equal: 3 systems by GLEU; M2; GREEN beta=2"]


@pytest.fixture
def run(tmp_path, monkeypatch, gecnb):
    "Status and lines of standard output, in a folder with the five sentences and their card"
    monkeypatch.chdir(tmp_path)
    for name in EXAMPLE: shutil.copy(fetch(f"example/{name}"), name)

    def call(line):
        done = gecnb(line)
        return done.status, done.out.splitlines()
    assert call(MADE)[0] == 0
    return call


def read(name="card.json"): return json.loads(Path(name).read_text())


def own_hash(card):
    rest = json.dumps({name: value for name, value in card.items() if name != "sha256"}, sort_keys=True)
    return hashlib.sha256(rest.encode()).hexdigest()


def edit(change, sealed):
    "Change the card by hand; with its own SHA-256 made anew, nothing but the change shows that"
    card = read()
    change(card)
    if sealed: card["sha256"] = own_hash(card)
    Path("card.json").write_text(json.dumps(card))


def kinds_of(lines): return sorted({line.partition(":")[0] for line in lines})


def test_a_card_says_what_decides_every_number(run):
    "GLEU as gleu 1.1.0 with -f prints it, hashes as the registry of corpora has them"
    card = read()
    assert card["version"] == SETTINGS["version"] and card["sha256"] == own_hash(card)
    said = {part: {name: (text["sha256"], text["lines"]) for name, text in rows.items()}
            for part, rows in card["files"].items()}
    def true(name): return registry()[f"example/{name}"].sha256, Path(name).read_bytes().count(b"\n")
    assert said == {"source": {"1": true("INPUT")}, "references": {"1": true("REF0"), "2": true("REF1")},
                    "gold": {"1": true("gold.m2")}, "outputs": {"A": true("A"), "B": true("B")}}
    gleu = card["table"][0]
    assert gleu["signature"].startswith("GLEU|variant:code|") and gleu["signature"].endswith("|v:0.1.0")
    assert "|refs:2,sample:500,seeds:101j,python2|" in gleu["signature"]
    nothing, a, b = gleu["systems"]
    assert [row["hypothesis"] for row in (nothing, a, b)] == ["INPUT", "A", "B"]
    assert a["printed"]["score"] == f"{100 * a['value']:.2f}" == "58.24"


@pytest.mark.parametrize("digits", [0, 15])
def test_all_numbers_of_digits_make_a_card_that_is_equal(digits, run):
    assert run(f"{MADE} -d {digits}")[0] == 0 and run("verify card.json") == EQUAL


@pytest.mark.parametrize("path,named", [
    ("INPUT", "source 1"), ("REF0", "reference 1"), ("REF1", "reference 2"), ("gold.m2", "gold 1"),
    ("A", "output A"), ("B", "output B")])
def test_a_changed_file_is_named_and_no_other(path, named, run):
    assert run("verify card.json") == EQUAL
    text = Path(path).read_text()
    Path(path).write_text(text.replace("tea", "coffee").replace("goes", "went"))
    assert Path(path).read_text() != text
    status, lines = run("verify card.json")
    assert status == 1 and [line.split(": ")[1] for line in lines if line.startswith("file changed")] == [named]
    assert lines[0].startswith(f"file changed: {named}: sha256 ") and "number changed" in kinds_of(lines)
    assert not {*kinds_of(lines)} - {"file changed", "number changed"}


def of_a(card): return card["table"][0]["systems"][1]


def setting(**new): return lambda card: card["settings"].update(new)


CHANGES = { # how a card is changed by hand: how the lines begin that name it
    "score": (lambda card: of_a(card).update(value=.59),
              ["number changed: A by GLEU: value 0.59 in the card, 0.5824 now"]),
    "confidence": (setting(confidence=.9), ["setting changed: GLEU: ", "setting changed: M2: "]),
    "test": (setting(test="bootstrap"), ["setting changed: GLEU: test_signature jackknife"]),
    "metric": (setting(metrics=["gleu", "m2", "green:beta=1"]), ["setting changed: GREEN beta=1: "]),
    "baseline": (setting(baseline="B"), ["setting changed: GLEU: baseline A in the card, B now"]),
    "seed that nothing draws with": (setting(seed=3), []),
    "hash": (lambda card: card["files"]["source"]["1"].update(sha256="0" * 64),
             ["file changed: source 1: sha256 000000000000... in the card, "]),
    "name of a file": (lambda card: card["settings"]["files"]["outputs"].pop("B"),
                       ["file changed: output B: sha256 ", "number changed: B by GLEU: hypothesis B in the "]),
}


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_by_hand_is_named(what, sealed, run):
    "Also if its own SHA-256 is made anew, unless the change has no effect; otherwise as an edit, too"
    change, named = CHANGES[what]
    edit(change, sealed)
    status, lines = run("verify card.json")
    assert status == (bool(named) or not sealed)
    assert not [begin for begin in named if not any(line.startswith(begin) for line in lines)], lines
    assert ("card changed: it was edited after it was written" in lines) == (not sealed)


def test_a_packed_copy_is_the_same_text(run):
    for name in EXAMPLE: Path(name + ".gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    packed = " ".join(word + ".gz" if word in EXAMPLE else word for word in TEXTS.split())
    assert run(f"compare {packed} --metrics gleu m2 green:beta=2 --card packed.json")[0] == 0
    assert read("packed.json")["files"] == read()["files"]
    assert run(f"verify card.json {packed}") == run(f"verify packed.json {TEXTS}") == EQUAL
    for name in EXAMPLE: Path(name).unlink()
    assert run("verify packed.json")[0] == 0 and run("verify card.json")[0] == 2


@pytest.mark.parametrize("line", [
    f"compare {TEXTS}", f"compare {TEXTS} --test bootstrap -i 100 --seed 4 --confidence 0.9 --note nuclea-b",
    f"compare {TEXTS} --metrics bleu:per=mean gleu:order=2 --baseline B --no-input --holm all -d 4",
    f"compare {TEXTS} -n 2 -t char", "compare -g gold.m2 -o A --metrics m2 i-measure cleme errant",
    "compare -s INPUT -r REF0 -o A B --metrics errant",
    "compare --on example -o A B --metrics gleu m2 errant",
    "compare -s gold.m2:source -r gold.m2:nuclea-b -o A INPUT", "compare --scores t.tsv -o A B",
    f"compare {TEXTS} --metrics gleu --scores t.tsv", f"report {TEXTS} -O page.html",
    "report -g gold.m2 -o A B -O page.html --top 1", "report --on example -o B --metrics m2 green -O page.html"])
def test_a_card_comes_out_again_wherever_it_and_its_files_are(line, run, tmp_path):
    rows = [f"{name}\t{d}\t.{d}\n" for name in "AB" for d in range(1, 6)]
    Path("t.tsv").write_text("".join(["system\tsentence\tM\n", *rows]))
    assert run(f"{line} --card card.json")[0] == 0
    table = read()["table"]
    equal = f"equal: {len(table[0]['systems'])} systems by {'; '.join(metric['name'] for metric in table)}"
    assert run("verify card.json") == (0, [equal])
    Path("other").mkdir()
    assert run(f"{line} --card other/card.json")[0] == 0 and run("verify other/card.json")[0] == 0
    shutil.move("other", "moved")
    assert run(f"verify {tmp_path}/moved/card.json")[0] == 0


def test_a_report_has_the_card_of_its_table(run):
    assert run(f"report {TEXTS} --metrics gleu m2 green:beta=2 -O page.html --card page.json")[0] == 0
    page = Path("page.html")
    for part in ">58.24<", ">INPUT<": assert part in page.read_text(encoding="utf-8")
    assert read("page.json") == read() and run(f"report {TEXTS} --no-input -O page.html")[0] == 0
    assert ">INPUT<" not in page.read_text(encoding="utf-8")


def test_no_path_of_a_machine(run, tmp_path):
    "A file outside of the card's folder has its name alone, if it or the card was given by its whole path"
    far = tmp_path.parent / f"{tmp_path.name}-far"
    for folder in far, tmp_path / "sub": folder.mkdir()
    shutil.copy("A", far / "A")
    shutil.copy("INPUT", "sub/INPUT")
    for card in "card.json", f"{tmp_path}/card.json":
        assert run(f"compare -s {tmp_path}/sub/INPUT -r REF0 -o {far}/A B={tmp_path}/B --card {card}")[0] == 0
        files = read()["settings"]["files"]
        assert files["source"] == ["sub/INPUT"] and files["outputs"] == {"A": "A", "B": "B"}
        assert tmp_path.name not in Path(card).read_text()
        assert run("verify card.json")[0] == 0 # A is there, too


def test_files_may_be_given_by_name_or_by_hand(run):
    run("compare --on example -o A B --metrics gleu m2 green:beta=2 --card on.json")
    assert read("on.json")["files"] == read()["files"] and str(ROOT) not in Path("on.json").read_text()
    assert run("verify on.json -s INPUT -r REF0 REF1 -g gold.m2") == EQUAL
    assert run("verify card.json --on example") == EQUAL
    status, lines = run("verify card.json --on example -o B=A")
    assert status == 1 and lines[0].startswith("file changed: output B: sha256 ")
    Path("B").write_text("one line\n")
    status, lines = run("verify card.json")
    assert status == 1 and lines[0].startswith("file changed: output B: ")
    assert lines[1].startswith("nothing is computed: line counts differ") and "B has 1" in lines[1]


def test_in_python(run):
    "From sentences in lists: the hashes of the files, and the table of the command"
    run("compare -s INPUT -r REF0 REF1 -o A B --no-input --card card.json")
    sources, *references = (read_lines(name) for name in ("INPUT", "REF0", "REF1"))
    outputs = {name: read_lines(name) for name in "AB"}
    corpus = Corpus(sources, references, [*outputs.values()], system_names=[*outputs])
    table = compare_systems([GLEU()], corpus)
    mine = cards.card(table, {"source": [sources], "references": references, "outputs": outputs})
    assert mine["files"] == read()["files"] and mine["table"] == read()["table"]
    assert cards.verify(mine, mine) == [] and kinds_of(cards.verify(mine, read())) == ["setting changed"]


@pytest.mark.parametrize("line,message", [
    ("verify nowhere.json", "nowhere.json: no such file"), ("verify A", "A is not a card"),
    ("verify list.json", "list.json is not a card"), ("verify deep.json", "deep.json is not a card"),
    ("verify bytes.json", "bytes.json is not a card"), ("verify half.json", "half.json is not a card"),
    ("verify digit.json", "digit is 99"), ("verify words.json", "metric '7' is unknown"),
    ("verify card.json -o C=A", "card.json has no output C: it has A, B"), ("verify", "CARD"),
    ("verify card.json -o B=nowhere", "nowhere: no such file"),
    ("verify card.json -s -", "give no standard input"),
    ("verify card.json --on conll15", "--on is 'conll15'"),
    ("verify card.json --on example -s INPUT", "leave -s out"),
    (f"compare {TEXTS} --card card.txt", "card.txt: give the card a name that ends in .json"),
    (f"compare {TEXTS} --card none/card.json", "no such folder as none"),
    (f"compare {TEXTS} --metrics gleu:order=x --card x.json", "order"),
    ("compare -s - -r REF0 -o A --card x.json", "give no standard input"),
    (f"report {TEXTS} -O p.html --card .", ".: give the card a name"),
    ("compare -s s.json -r REF0 -o A --card s.json", "s.json is read here")])
def test_bad_input_is_one_line_and_nothing_is_written(line, message, run, refused):
    shutil.copy("INPUT", "s.json")
    half, digit, words = read(), read(), read()
    half["settings"].pop("metrics")
    digit["settings"]["digit"] = 99
    words["settings"]["metrics"] = [7]
    words["files"].pop("gold") # which no metric of this name needs
    words["sha256"] = own_hash(words)
    for name, text in ("list", []), ("half", half), ("digit", digit), ("words", words):
        Path(f"{name}.json").write_text(json.dumps(text))
    Path("deep.json").write_text("[" * 100_000)
    Path("bytes.json").write_bytes(b"\xff\0")
    assert message in refused(line)


def test_nothing_is_printed_if_the_card_cannot_be_written(run, refused, monkeypatch):
    def full(path, data): raise OSError(f"{path}: No space left on device")
    monkeypatch.setattr("gecmetrics_nb.cli.compare.write_whole", full)
    assert "No space left" in refused(MADE.replace("card.json", "new.json"))
