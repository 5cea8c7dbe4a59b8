"`--on SET`: a public test set by name gives what its files give, and the signature says so; names of systems"
from pathlib import Path
import json
import re
import shutil
import sys

import pytest

from gecmetrics_nb import GLEU, M2, compare_systems, parse_m2, references_from_m2
from gecmetrics_nb.cli.parser import named_systems
from gecmetrics_nb.corpora import registry, test_sets
from gecmetrics_nb.io.files import read_lines
from places import ROOT


@pytest.fixture
def data(shared, tmp_path, monkeypatch):
    "The folder of the corpora, which `fetch` looks in"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    monkeypatch.chdir(tmp_path)
    return shared / "data"


JFLEG = "-s jfleg/test.src -r jfleg/test.ref0 jfleg/test.ref1 jfleg/test.ref2 jfleg/test.ref3"
REWRITTEN = "-o llm-2026/jfleg/gpt-3.5-turbo.neutral.txt"
RELEASED = "-s INPUT -r ../../grammaticality-metrics/references/NUCLEA ../../grammaticality-metrics/references/NUCLEB"


@pytest.mark.parametrize("folder,name,files,outputs,commands", [
    (".", "jfleg-test", JFLEG, REWRITTEN, ["gleu -d 6", "sgleu", "green -b 2", "bleu", "meteor", "errant"]),
    (".", "jfleg-test", JFLEG, "", ["edits"]), (".", "jfleg-test", "-s jfleg/test.src", REWRITTEN, ["edits"]),
    ("conll14/official_submissions", "conll14", RELEASED, "-o AMU CAMB", ["gleu", "sgleu", "green", "bleu"]),
    ("conll14/official_submissions", "conll14", "-g ../official-2014.combined.m2", "-o AMU", ["m2"]),
    ("conll14/official_submissions", "conll14-alternatives", "-g ../official-2014.combined-withalt.m2", "-o AMU", ["m2"]),
    ("conll14/errant", "conll14", "-g conll14.errant", "-o conll14-AMU.errant", ["errant -cat 3", "cleme", "cleme2 --per mean --factors sentence"])])
def test_a_set_is_its_files_by_hand(folder, name, files, outputs, commands, data, monkeypatch, printed):
    monkeypatch.chdir(data / folder)
    for command in commands: assert printed(f"{command} {outputs} --on {name}") == printed(f"{command} {outputs} {files}") != ""


def test_all_sets_have_what_they_say(data):
    for each in test_sets.TEST_SETS.values():
        if each.name.startswith("gmeg-"): continue # in a folder of its own: tests/corpora/test_gmeg.py
        corpus = each.corpus(each.sources) if "references" in each.files else None
        assert len(each.sources) == {"jfleg-test": 747, "example": 5}.get(each.name, 1312)
        if each.name.startswith("conll14"): assert each.sources == test_sets.test_set("conll14").sources
        if corpus: assert len(each.references) == {"jfleg-test": 4, "conll14-10": 10}.get(each.name, 2)
        if "gold" in each.files: assert each.gold.endswith(".m2")
    names = [name.partition(":")[0] for each in test_sets.TEST_SETS.values() for part in each.files.values() for name in part]
    assert set(names) <= set(registry.registry())


def test_data_sets_says_what_is_reported(printed):
    rows = [line.split("\t") for line in printed("data sets").splitlines()]
    assert [row[0] for row in rows] == list(test_sets.TEST_SETS) and all(len(row) == 4 and all(row) for row in rows)


@pytest.mark.parametrize("paths,names", [
    (["runs/AMU.txt", "other/CAMB.out"], ["AMU", "CAMB"]),
    (["GPT-3.5", "gpt-4.1-2025-04-14.neutral.txt", "T5.txt.gz"], ["GPT-3.5", "gpt-4.1-2025-04-14.neutral", "T5"]),
    (["v.a/run.v1", "v.a/run.v2"], ["run.v1", "run.v2"]), (["t5.large"], ["t5.large"]), (["gpt-4.turbo.out", "a.tok", ".txt"], ["gpt-4.turbo", "a", ".txt"]),
    (["out.jsonl:AMU", "out.jsonl:CAMB", "new.jsonl:AMU"], ["out.jsonl:AMU", "CAMB", "new.jsonl:AMU"]),
    (["-", ".hidden", "a"], ["stdin", ".hidden", "a"]),
    (["x/y/a", "z/y/a", "a"], ["x/y/a", "z/y/a", "a"]), (["y/a", "/y/a"], ["y/a", "/y/a"]),
    (["a", "a"], ["a", "a"]), ([""], [""]), (["runs/"], ["runs/"])])
def test_names_are_short_and_differ(paths, names):
    assert named_systems([("", path) for path in paths]) == list(zip(names, paths, strict=True))
    pairs = [("AMU", "x.txt"), ("", "runs/AMU.txt"), ("a.txt", "y")] # a name that is given wins
    assert [name for name, _ in named_systems(pairs)] == ["AMU", "AMU.txt", "a.txt"]


def test_the_example_needs_no_network(monkeypatch, printed):
    "Nor the package that fetches; its references are what its gold edits make of its source"
    monkeypatch.delenv("GECNB_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)
    paths = {Path(line).name: line for line in printed("data get example").splitlines()}
    texts = f"-s {paths['INPUT']} -r {paths['REF0']} {paths['REF1']}"
    for by_name, by_hand in ("gleu --on example", f"gleu {texts}"), ("m2 --on example", f"m2 -g {paths['gold.m2']}"):
        outputs = f" -o {paths['A']} {paths['B']}"
        assert printed(by_name + outputs) == printed(by_hand + outputs) != ""
    sources, references = references_from_m2(parse_m2(read_lines(paths["gold.m2"])))
    assert [sources, *references] == [read_lines(paths[name]) for name in ("INPUT", "REF0", "REF1")]


def test_the_signature_names_the_set(gecnb, printed):
    example = test_sets.test_set("example")
    outputs = {name: read_lines(registry.fetch(f"example/{name}")) for name in "AB"}
    line = f"{{}} --on example -o {' '.join(str(registry.fetch(f'example/{name}')) for name in outputs)}"
    for command in "sgleu", "mgreen", "m2":
        assert "|on:example|sentences:5|" in gecnb(line.format(command) + " --signature").err
    assert "all: on:example|sentences:5|" in printed(line.format("compare") + " --metrics gleu:references=max m2 -i 100")
    records = json.loads(printed(line.format("gleu") + " --format json"))["scores"]
    scores = GLEU().corpus_score(example.corpus(outputs)) # in Python, too
    for record, (name, score) in zip(records, scores.items(), strict=True):
        assert record["on"] == "example" == score.to_dict()["on"] and record["hypothesis"] == name
        assert record["value"] == score and "|on:example|sentences:5|" in score.signature
    assert M2().corpus_score(hypotheses=outputs, gold=example.gold).keys() == scores.keys()
    assert "|on:example|" in compare_systems(GLEU(references="max"), example.corpus(outputs), draws=100).signature


def test_the_baseline_may_be_given_as_it_was_typed(tmp_path, write, printed, refused):
    for name in "a", "b": (tmp_path / name).mkdir()
    write(dict.fromkeys(("a/AMU.txt", "a/CAMB.txt", "b/AMU.txt", "a/S", "S", "R"), ["a b c d e"] * 3))
    line = "compare -s S -r R -o a/AMU.txt {} --baseline {} -i 100 --format json"
    for other, name, short in [("a/CAMB.txt", "CAMB", "CAMB"), ("a/CAMB.txt", "a/CAMB.txt", "CAMB"),
                               ("b/AMU.txt", "b/AMU.txt", "b/AMU")]:
        assert json.loads(printed(line.format(other, name)))["metrics"][0]["baseline"] == short
    assert "can be a/AMU or b/AMU" in refused(line.format("b/AMU.txt", "AMU"))
    assert "  to S " in printed("compare -s S -r R -o a/S S --baseline S") # its whole name


def test_answers_to_some_sentences_are_no_reference(data, gecnb):
    "The alternatives of CoNLL-2014 make five files; three of them are noted"
    status, _, said = gecnb(f"refs {data}/conll14/official-2014.combined-withalt.m2 -o refs")
    notes = [re.search(r" (REF\d): .* line for (\d+) ", line).groups() for line in said.splitlines()]
    assert status == 0 and notes == [("REF2", "349"), ("REF3", "59"), ("REF4", "6")]
    assert gecnb(f"refs {data}/conll14/official-2014.combined.m2 -o two").err == ""


def test_the_commands_of_the_readme_run_as_they_stand(data, printed):
    "Each line of its blocks after the installations; scores and table are what they print"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    copied = re.search(r'\ncp "\$\(gecnb (data get \S+)\)" MY_OUTPUT #.*\n', readme)[1]
    shutil.copy(printed(copied).strip(), "MY_OUTPUT")
    scored = re.findall(r"\ngecnb (gleu .*)\n```\n\nThis prints `(.*?)`", readme)
    assert [result for _, result in scored] == ["MY_OUTPUT 58.24", "INPUT 40.54"] # as gleu 1.1.0 with -f
    fetched = re.compile(r'"\$\(gecnb (data get \S+)\)"')
    for line, result in scored:
        assert printed(fetched.sub(lambda get: printed(get[1]).strip(), line)).split() == result.split()
    listed, line = re.search(r"FOLDER=\$\(dirname \$\(gecnb (data get \S+) \| head -1\)\)\ngecnb (compare --on conll14 .*?)\n```", readme, re.DOTALL).groups()
    folder = Path(printed(listed).splitlines()[0]).parent
    shown = printed(line.replace("\\\n", " ").replace("$FOLDER", str(folder))).splitlines()
    first = next(k for k, row in enumerate(readme.splitlines()) if re.match(" +GLEU +GREEN", row))
    table = readme.splitlines()[first:first + 8]
    assert [row.rstrip() for row in shown[:8]] == [row.removeprefix("    ").rstrip() for row in table]


def test_gleu_and_green_print_what_is_typed_and_sentences_count_from_1(tmp_path, write, printed):
    (tmp_path / "d").mkdir()
    write(dict.fromkeys(("d/q.h0", "d/q.txt", "S"), ["a b c d e"] * 2))
    texts, typed = "-s S -r S -o d/q.h0 ./d/q.txt S", ["d/q.h0", "./d/q.txt", "S"]
    for command, head in ("gleu", 0), ("mgleu", 0), ("green", 2), ("mgreen", 2), ("bleu", 0):
        names = [line.split("\t")[0] for line in printed(f"{command} {texts}").splitlines()[head:]]
        assert names == (["q.h0", "q", "S"] if command == "bleu" else typed)
    for command in "sgleu", "bleu --per sentence":
        rows = printed(f"{command} {texts} --format tsv").splitlines()
        assert [row.split("\t")[1] for row in rows] == ["sentence", *"111222"]


def test_a_shifted_output_is_a_note(write, gecnb):
    "Once, however many metrics and pieces read it, and with any number of processes"
    lines = [f"{k} and {k + 1} make {2 * k + 1} ." for k in range(5000)]
    write({"S": lines, "A": lines[1:] + lines[:1], "B": lines})
    for command in "gleu -m", "gleu -m --jobs 2", "bleu --jobs 1", "compare --metrics gleu:references=max bleu":
        status, _, said = gecnb(f"{command} -s S -r S -o A B")
        notes = [line.partition("A looks shifted from line 1 on")[0] for line in said.splitlines() if "shifted" in line]
        assert status == 0 and notes == [f"gecnb {command.split()[0]}: note: "], said


def test_files_of_edits_are_called_as_systems_are(write, printed):
    write(dict.fromkeys(("S", "A.txt", "B.out"), ["a b"]))
    printed("edits -s S -o A.txt B.out --out m2")
    assert sorted(path.name for path in Path("m2").iterdir()) == ["A.m2", "B.m2"]
