"A card says what decides every number, and `gecnb verify` names what changed since"
from pathlib import Path
import gzip
import hashlib
import json
import re
import shutil

import pytest

from gecmetrics_nb import GLEU, Corpus, compare_systems
from gecmetrics_nb.cli.parser import main
from gecmetrics_nb.corpora.registry import fetch, registry
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.stats import cards
from places import ROOT, SETTINGS

EXAMPLE = "INPUT", "REF0", "REF1", "gold.m2", "A", "B"
TEXTS = "-s INPUT -r REF0 REF1 -g gold.m2 -o A B"
MADE = f"compare {TEXTS} --metrics gleu m2 green:beta=2 --card card.json"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    "Status, lines of standard output and of standard error, in a folder with the five sentences"
    monkeypatch.chdir(tmp_path)
    for name in EXAMPLE: shutil.copy(fetch(f"example/{name}"), name)
    def call(line):
        try: status = main(line.split())
        except SystemExit as stop: status = stop.code
        printed = capsys.readouterr()
        return status, printed.out.splitlines(), printed.err.splitlines()
    return call


def read(name="card.json"): return json.loads(Path(name).read_text())


def own_hash(card):
    rest = json.dumps({name: value for name, value in card.items() if name != "sha256"}, sort_keys=True)
    return hashlib.sha256(rest.encode()).hexdigest()


def edited(change, sealed=True):
    "Change the card by hand; with its own SHA-256 made anew, nothing but the change shows that"
    card = read()
    change(card)
    if sealed: card["sha256"] = own_hash(card)
    Path("card.json").write_text(json.dumps(card))


def kinds_of(lines): return sorted({line.partition(":")[0] for line in lines})


def test_a_card_says_what_decides_every_number(run, tmp_path):
    "GLEU as gleu 1.1.0 with -f prints it, hashes as the registry of corpora has them"
    assert run(MADE)[0] == 0
    card = read()
    assert card["version"] == SETTINGS["version"] and card["sha256"] == own_hash(card)
    hashed = {name: registry()[f"example/{name}"].sha256 for name in EXAMPLE}
    said = {part: {name: (text["sha256"], text["lines"]) for name, text in rows.items()} for part, rows in card["files"].items()}
    of = lambda name: (hashed[name], len(Path(name).read_bytes().splitlines()))
    assert said == {"source": {"1": of("INPUT")}, "references": {"1": of("REF0"), "2": of("REF1")},
                    "gold": {"1": of("gold.m2")}, "outputs": {"A": of("A"), "B": of("B")}}
    gleu = card["table"][0]
    assert "|refs:2,sample:500,seeds:101j,python2|" in gleu["signature"] and gleu["signature"].endswith("|v:0.1.0")
    scores = {row["hypothesis"]: (row["printed"][0], f"{100 * row['value']:.2f}") for row in gleu["systems"]}
    assert scores["A"] == ("58.24", "58.24") and list(scores) == ["INPUT", "A", "B"]
    assert str(tmp_path) not in Path("card.json").read_text()


def swap(path):
    first, second, *rest = Path(path).read_text().split("\n")
    if path == "gold.m2": return Path(path).write_text(Path(path).read_text().replace("goes", "went", 1))
    Path(path).write_text("\n".join([second, first, *rest]))


@pytest.mark.parametrize("path,named", [("INPUT", "source 1"), ("REF0", "reference 1"), ("REF1", "reference 2"),
                                        ("gold.m2", "gold 1"), ("A", "output A"), ("B", "output B")])
def test_a_changed_file_is_named_and_no_other(path, named, run):
    run(MADE)
    assert run("verify card.json")[:2] == (0, ["equal: 3 systems by GLEU; M2; GREEN beta=2.0"])
    swap(path)
    status, lines, _ = run("verify card.json")
    assert status == 1 and [line for line in lines if "file" in kinds_of([line])[0]] == [lines[0]]
    assert lines[0].startswith(f"file changed: {named}: sha256 ") and kinds_of(lines) == ["file changed", "number changed"]


def metric(k): return lambda card: card["table"][k]
def first_system(card): return card["table"][0]["systems"][1]


CHANGES = { # how a card is changed by hand: the lines that name it begin so
    "version": (lambda card: card.update(version="0.0.9"), ["version changed: gecmetrics_nb: 0.0.9 in the card, 0.1.0 now"]),
    "a score": (lambda card: first_system(card).update(value=.59), ["number changed: A by GLEU: value 0.59 in the card, 0.5823"]),
    "a score as it is printed": (lambda card: first_system(card).update(printed=["59.24", ""]),
                                 ["number changed: A by GLEU: printed 1 59.24 in the card, 58.24 now"]),
    "an interval": (lambda card: card["table"][1]["systems"][2]["difference_interval"].__setitem__(0, -.1),
                    ["number changed: B by M2: difference_interval 1 -0.1 in the card"]),
    "a signature": (lambda card: card["table"][0].update(signature=card["table"][0]["signature"].replace("order:4", "order:3")),
                    ["setting changed: GLEU: order 3 in the card, 4 now"]),
    "the choice of references": (
        lambda card: card["table"][0].update(signature=card["table"][0]["signature"].replace("sample:500", "sample:100")),
        ["setting changed: GLEU: refs 2,sample:100,seeds:101j,python2 in the card, 2,sample:500"]),
    "a setting": (lambda card: card["settings"].update(confidence=.9), ["setting changed: GLEU: ", "setting changed: M2: "]),
    "the test": (lambda card: card["settings"].update(test="bootstrap"), ["setting changed: GLEU: test_signature jackknife"]),
    "a metric": (lambda card: card["settings"]["metrics"].__setitem__(2, "green:beta=1"), ["setting changed: GREEN"]),
    "the baseline": (lambda card: card["settings"].update(baseline="B"), ["setting changed: GLEU: baseline A in the card, B now"]),
    "a hash": (lambda card: card["files"]["source"]["1"].update(sha256="0" * 64), ["file changed: source 1: sha256 0000"]),
    "a system that the table lacks": (lambda card: card["table"][0]["systems"].pop(), ["number changed: B by GLEU: hypothesis nothing in the card, B now"]),
    "a file that is missing": (lambda card: card["settings"]["files"]["outputs"].pop("B"),
                               ["file changed: output B: sha256 ", "number changed: B by GLEU: hypothesis B in the card, nothing now"]),
    "a seed that nothing draws with": (lambda card: card["settings"].update(seed=3), []),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_by_hand_is_named(what, run):
    "Also if its own SHA-256 is made anew, unless the change has no effect; and as an edit, if not"
    change, named = CHANGES[what]
    run(MADE)
    unchanged = Path("card.json").read_text()
    edited(change)
    status, lines, _ = run("verify card.json")
    assert status == bool(named)
    for begin in named: assert [line for line in lines if line.startswith(begin)], (begin, lines)
    kind = kinds_of(named or ["equal"])[0]
    assert kind in kinds_of(lines) and not [line for line in lines if line.startswith("card changed")]
    Path("card.json").write_text(unchanged)
    edited(change, sealed=False)
    status, lines, _ = run("verify card.json")
    assert status == 1 and lines[-1] == "card changed: it was edited after it was written"


def test_a_number_may_be_as_far_as_processors_are(run):
    run(MADE)
    value = first_system(read())["value"]
    for factor, status in (1 + 1e-12, 0), (1 - 1e-12, 0), (1 + 1e-8, 1):
        edited(lambda card, score=value * factor: first_system(card).update(value=score))
        assert run("verify card.json")[0] == status


def test_a_packed_copy_is_the_same_text(run):
    run(MADE)
    plain = read()
    for name in EXAMPLE: Path(name + ".gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    packed = " ".join(word + ".gz" if word in EXAMPLE else word for word in MADE.split()).replace("card.json", "packed.json")
    assert run(packed)[0] == 0 and read("packed.json")["files"] == plain["files"]
    assert run("verify card.json -s INPUT.gz -r REF0.gz REF1.gz -g gold.m2.gz -o B=B.gz A=A.gz")[:2] == run("verify card.json")[:2]
    for name in EXAMPLE: Path(name).unlink()
    assert run("verify packed.json")[0] == 0 and run("verify card.json")[0] == 2


def test_another_version_brings_its_score_changes(run, monkeypatch):
    changes = {"0.0.8": ["old"], "0.1.0": ["GLEU: an empty line is 0"], "0.10.0": ["later"]}
    monkeypatch.setattr(cards, "SCORE_CHANGES", changes)
    run(MADE)
    edited(lambda card: card.update(version="0.0.9"))
    status, lines, _ = run("verify card.json")
    assert status == 1 and lines == ["version changed: gecmetrics_nb: 0.0.9 in the card, 0.1.0 now", "  0.1.0: GLEU: an empty line is 0"]
    monkeypatch.setattr(cards, "__version__", "0.10.0")
    assert run("verify card.json")[1][1:] == ["  0.1.0: GLEU: an empty line is 0", "  0.10.0: later"]


def score_changes(changelog):
    "{version: lines} of the sections *Score changes*"
    found = {}
    for version, text in re.findall(r"^## \[(.+?)\](.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL):
        for section in re.findall(r"^### Score changes\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL):
            found[version] = [" ".join(line.split()) for line in re.split(r"^- ", section, flags=re.MULTILINE)[1:]]
    return found


def test_the_package_has_the_score_changes_of_the_changelog():
    assert score_changes("## [0.2.0]\n### Score changes\n\n- A: is\n  0\n- B\n\n### Metrics\n\n- C\n\n## [0.1.0]\n\n### Metrics\n") == {"0.2.0": ["A: is 0", "B"]}
    assert score_changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == cards.SCORE_CHANGES


@pytest.mark.parametrize("line", [
    f"compare {TEXTS}", f"compare {TEXTS} --metrics bleu:per=mean gleu:order=2 --baseline B --no-input --holm all -d 4",
    f"compare {TEXTS} --test bootstrap -i 100 --seed 4 --confidence 0.9 --note nuclea-b", f"compare {TEXTS} -n 2 -t char",
    "compare -g gold.m2 -o A --metrics m2 i-measure cleme errant", "compare -s INPUT -r REF0 -o A B --metrics errant",
    "compare --on example -o A B --metrics gleu m2 errant", "compare -s gold.m2:source -r gold.m2:nuclea-b -o A INPUT",
    "compare --scores t.tsv -o A B", f"compare {TEXTS} --metrics gleu --scores t.tsv", f"report {TEXTS} -O page.html",
    "report -g gold.m2 -o A B -O page.html", "report --on example -o B --metrics m2 green -O page.html"])
def test_a_card_comes_out_again_wherever_it_and_its_files_are(line, run, tmp_path):
    Path("t.tsv").write_text("system\tsentence\tM\n" + "".join(f"{name}\t{d}\t.{d}\n" for name in "AB" for d in range(1, 6)))
    assert run(f"{line} --card card.json")[0] == 0
    assert run("verify card.json")[:2] == (0, [f"equal: {len(read()['table'][0]['systems'])} systems by " + "; ".join(m["name"] for m in read()["table"])])
    Path("other").mkdir()
    assert run(f"{line} --card other/card.json")[0] == 0 and run("verify other/card.json")[0] == 0
    shutil.move("other", "moved")
    assert run(f"verify {tmp_path}/moved/card.json")[0] == 0


def test_a_report_has_the_card_of_its_table(run):
    run(f"compare {TEXTS} --metrics gleu m2 --card card.json")
    assert run(f"report {TEXTS} --metrics gleu m2 -O page.html --card page.json")[0] == 0
    assert read("page.json") == read() and ">58.24<" in Path("page.html").read_text(encoding="utf-8")


def test_no_path_of_a_machine(run, tmp_path):
    (tmp_path / "sub").mkdir()
    far = tmp_path.parent / f"{tmp_path.name}-far"
    far.mkdir()
    shutil.copy("A", far / "A")
    shutil.copy("INPUT", "sub/INPUT")
    line = f"compare -s {tmp_path}/sub/INPUT -r REF0 -o {far}/A B={tmp_path}/B --card"
    for card in "card.json", f"{tmp_path}/card.json":
        assert run(f"{line} {card}")[0] == 0
        files = read()["settings"]["files"]
        assert files["source"] == ["sub/INPUT"] and files["outputs"] == {"A": "A", "B": "B"} and str(tmp_path) not in Path(card).read_text()
        assert run("verify card.json")[0] == 0 # A is there, too


def test_files_may_be_given_by_name_or_by_hand(run):
    run("compare --on example -o A B --metrics gleu m2 --card on.json")
    run("compare -s INPUT -r REF0 REF1 -g gold.m2 -o A B --metrics gleu m2 --card files.json")
    assert read("on.json")["files"] == read("files.json")["files"]
    assert run("verify on.json -s INPUT -r REF0 REF1 -g gold.m2")[0] == run("verify files.json --on example")[0] == 0
    status, lines, _ = run("verify files.json --on example -o B=A")
    assert status == 1 and lines[0].startswith("file changed: output B: sha256 ")
    Path("B").write_text("one line\n")
    status, lines, _ = run("verify files.json")
    assert status == 1 and len(lines) == 2 and lines[0].startswith("file changed: output B: ") and "B has 1" in lines[1]


def test_in_python(run):
    "From sentences in lists: the hashes of the files, and the table of the command"
    run("compare -s INPUT -r REF0 REF1 -o A B --no-input --card card.json")
    sources, *references = (read_lines(name) for name in ("INPUT", "REF0", "REF1"))
    outputs = {name: read_lines(name) for name in "AB"}
    table = compare_systems([GLEU()], Corpus(sources, references, [*outputs.values()], system_names=[*outputs]))
    mine, theirs = cards.card(table, {"source": [sources], "references": references, "outputs": outputs}), read()
    assert mine["files"] == theirs["files"] and mine["table"] == theirs["table"] and cards.verify(mine, mine) == []
    assert kinds_of(cards.verify(mine, theirs)) == ["setting changed"]
    apart = [cards.card(table, {"references": [[text]]})["files"]["references"]["1"]["sha256"] for text in ("", None, "null")]
    assert len({*apart}) == 3 # a reference that is missing is not an empty one


@pytest.mark.parametrize("line,message", [
    ("verify nowhere.json", "nowhere.json: no such file"), ("verify A", "A is not a card"), ("verify list.json", "list.json is not a card"),
    ("verify deep.json", "deep.json is not a card"), ("verify bytes.json", "bytes.json is not a card"),
    ("verify half.json", "half.json is not a card"), ("verify card.json -o C=A", "card.json has no output C: it has A, B"),
    ("verify card.json -o B=nowhere", "nowhere: no such file"), ("verify card.json -s -", "give no standard input"),
    ("verify card.json --on conll15", "--on is 'conll15'"), ("verify card.json --on example -s INPUT", "leave -s out"), ("verify", "CARD"),
    (f"compare {TEXTS} --card card.txt", "card.txt: give the card a name that ends in .json"),
    (f"compare {TEXTS} --card none/card.json", "no such folder as none"), ("compare -s - -r REF0 -o A --card x.json", "give no standard input"),
    (f"report {TEXTS} -O p.html --card .", ".: give the card a name"), (f"compare -s s.json -r REF0 -o A --card s.json", "s.json is read here"),
    (f"compare {TEXTS} --metrics gleu:order=x --card x.json", "order")])
def test_bad_input_is_one_line_and_nothing_is_written(line, message, run, tmp_path):
    run(MADE)
    shutil.copy("INPUT", "s.json")
    half = read()
    del half["settings"]["metrics"]
    for name, text in ("list", "[]"), ("deep", "[" * 100_000), ("half", json.dumps(half)): Path(f"{name}.json").write_text(text)
    Path("bytes.json").write_bytes(b"\xff\0")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    status, out, err = run(line)
    assert status == 2 and out == [] and len(err) == 1 and message in err[0], (out, err)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("name,value", [("metrics", ["nothing"]), ("metrics", [7]), ("digit", 99), ("digit", "2"), ("order", -1), ("test", "t"),
                                        ("holm", 1), ("confidence", 7.0), ("draws", 0), ("baseline", "Z"), ("model", [])])
def test_a_setting_that_cannot_be(name, value, run):
    run(MADE)
    edited(lambda card: card["settings"].update({name: value, "test": "bootstrap" if name == "draws" else card["settings"]["test"]} | {name: value}))
    status, out, err = run("verify card.json")
    assert status in (1, 2) and len(out or err) >= 1 and not any("Traceback" in line for line in err)
    assert status == 2 or any(name in line or "nothing is computed" in line for line in out)


def test_nothing_is_printed_if_the_card_cannot_be_written(run, monkeypatch):
    def full(path, data): raise OSError(f"{path}: No space left on device")
    monkeypatch.setattr("gecmetrics_nb.cli.compare.write_whole", full)
    status, out, err = run(MADE)
    assert status == 2 and out == [] and "No space left" in err[0] and not Path("card.json").exists()


def test_conll14_by_name(shared, golden, run, monkeypatch):
    "Scores of gleu (-f, 500 draws); SHA-256 of the registry; nothing of this machine"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    outputs = " ".join(str(shared / f"data/conll14/official_submissions/{name}") for name in ("AMU", "CAMB"))
    assert run(f"compare --on conll14 -o {outputs} --metrics gleu m2 --card card.json")[0] == 0
    card, gleu = read(), golden("gleu.fixseed500.tsv")
    assert {row["hypothesis"]: round(100 * row["value"], 4) for row in card["table"][0]["systems"]} == {name: round(gleu[name], 4) for name in ("INPUT", "AMU", "CAMB")}
    assert [row["printed"][0].split("/")[2] for row in card["table"][1]["systems"]] == ["0.00", "35.01", "37.33"] # the shared task
    for name in "AMU", "CAMB": assert card["files"]["outputs"][name]["sha256"] == registry()[f"conll14/official_submissions/{name}"].sha256
    assert card["files"]["gold"]["1"]["sha256"] == registry()["conll14/official-2014.combined.m2"].sha256
    assert str(shared) not in Path("card.json").read_text() and run(f"verify card.json -o {outputs}")[:2] == (0, ["equal: 3 systems by GLEU; M2"])
    swapped = outputs.split()
    status, lines, _ = run(f"verify card.json -o AMU={swapped[1]} CAMB={swapped[0]}")
    assert status == 1 and [line.split(":")[1] for line in lines if line.startswith("file")] == [" output AMU", " output CAMB"]
