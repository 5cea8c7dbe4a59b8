"`--on SET`: a public test set by name gives what its files give, and the signature says so; names of systems"
from pathlib import Path
import json
import re
import shlex

import pytest

from gecmetrics_nb import GLEU, M2, compare_systems
from gecmetrics_nb.cli.parser import main, named_systems
from gecmetrics_nb.corpora import registry, test_sets
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.m2 import parse_m2, references_from_m2
from places import ROOT


@pytest.fixture
def data(shared, tmp_path, monkeypatch):
    "The folder of the corpora, which `fetch` looks in"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    monkeypatch.chdir(tmp_path)
    return shared / "data"


@pytest.fixture
def printed(capsys):
    "What a command prints; it must succeed"
    def run(*words):
        assert main([str(word) for word in words]) == 0, capsys.readouterr().err
        return capsys.readouterr()
    return run


def submissions(data, *names): return [data / "conll14/official_submissions" / name for name in names]


def test_jfleg_is_the_files_by_hand(data, printed):
    jfleg, output = data / "jfleg", data / "llm-2026/jfleg/gpt-3.5-turbo.neutral.txt"
    source, references = ["-s", jfleg / "test.src"], ["-r", *(jfleg / f"test.ref{k}" for k in range(4))]
    for command in ("gleu", "-d", "6"), ("sgleu",), ("green", "-b", "2"), ("bleu",), ("meteor",), ("errant",):
        given = [*command, "-o", output]
        assert printed(*given, "--on", "jfleg-test").out == printed(*given, *source, *references).out
    assert printed("edits", "--on", "jfleg-test").out == printed("edits", *source, *references).out
    assert printed("edits", "--on", "jfleg-test", "-o", output).out == printed("edits", *source, "-o", output).out


def test_the_printed_gleu_of_models_on_jfleg(data, printed):
    "Of Türker and Eryiğit (2026), as in `gecnb reproduce llm-2026`"
    out = printed("gleu", "--on", "jfleg-test", "--stream", "python3", "-d", "6", "-o", data / "llm-2026/jfleg/gpt-3.5-turbo.neutral.txt").out
    name, score = out.rstrip("\n").split("\t")
    assert name.endswith("gpt-3.5-turbo.neutral.txt") and round(float(score) / 100, 6) == .646657


def test_conll14_is_its_m2_file_and_the_released_references(data, printed, golden):
    references = [data / "grammaticality-metrics/references" / name for name in ("NUCLEA", "NUCLEB")]
    files = ["-s", *submissions(data, "INPUT"), "-r", *references]
    outputs = ["-o", *submissions(data, "AMU", "CAMB")]
    for command in "gleu", "sgleu", "green", "bleu":
        assert printed(command, *outputs, "--on", "conll14").out == printed(command, *outputs, *files).out
    assert printed("gleu", *outputs, "--on", "conll14", "-d", "4").out == "".join(
        f"{path}\t{golden('gleu.fixseed500.tsv')[path.name]:.4f}\n" for path in outputs[1:])


@pytest.mark.parametrize("name,scores", [("conll14", "41.62\t21.40\t35.01"), ("conll14-alternatives", "45.68\t23.78\t38.58")])
def test_m2_takes_the_gold_of_the_set(name, scores, data, printed):
    "The scores that m2scorer prints (shared task, and with alternatives)"
    assert printed("m2", "--on", name, "-o", *submissions(data, "AMU")).out == f"AMU\t{scores}\n"


def test_errant_and_cleme_take_the_typed_gold(data, printed):
    folder = data / "conll14/errant"
    for command in ("errant", "-cat", "3"), ("cleme",), ("cleme2", "--per", "mean", "--factors", "sentence"):
        given = [*command, "-o", folder / "conll14-AMU.errant"]
        assert printed(*given, "--on", "conll14").out == printed(*given, "-g", folder / "conll14.errant").out
    assert "0.3208" in printed("errant", "--on", "conll14", "-o", folder / "conll14-AMU.errant").out


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


def test_the_example_needs_no_network(monkeypatch, capsys):
    "Nor the package that fetches; its references are what its gold edits make of its source"
    monkeypatch.delenv("GECNB_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    assert main(["data", "get", "example"]) == 0
    paths = {Path(line).name: Path(line) for line in capsys.readouterr().out.split("\n")[:-1]}
    outputs = [str(paths[name]) for name in "AB"]
    texts = ["-s", str(paths["INPUT"]), "-r", str(paths["REF0"]), str(paths["REF1"])]
    for by_name, by_hand in ("gleu --on example", ["gleu", *texts]), ("m2 --on example", ["m2", "-g", str(paths["gold.m2"])]):
        printed = []
        for words in by_name.split(), by_hand:
            assert main([*words, "-o", *outputs]) == 0
            printed.append(capsys.readouterr().out)
        assert printed[0] == printed[1] != ""
    sources, references = references_from_m2(parse_m2(read_lines(paths["gold.m2"])))
    assert [sources, *references] == [read_lines(paths[name]) for name in ("INPUT", "REF0", "REF1")]


def test_in_python(data):
    conll14, [amu, camb] = test_sets.test_set("conll14"), map(read_lines, submissions(data, "AMU", "CAMB"))
    score = GLEU().corpus_score(conll14.corpus({"AMU": amu}))["AMU"]
    assert "|on:conll14|sentences:1312|" in score.signature and score.to_dict()["on"] == "conll14" and round(score.percent, 4) == 58.3256
    assert round(100 * M2().corpus_score(hypotheses=amu, gold=conll14.gold), 2) == 35.01
    assert "|on:conll14|" in compare_systems(GLEU(references="max"), conll14.corpus({"AMU": amu, "CAMB": camb}), draws=100).signature


def test_the_signature_names_the_set(data, printed):
    outputs = ["--on", "conll14", "-o", *submissions(data, "AMU", "CAMB")]
    for command in "sgleu", "mgreen", "m2": assert "|on:conll14|sentences:1312|" in printed(command, *outputs, "--signature").err
    assert "all: on:conll14|sentences:1312|" in printed("compare", *outputs, "--metrics", "gleu:references=max", "m2", "-i", "100").out
    records = json.loads(printed("gleu", *outputs, "--format", "json").out)["scores"]
    assert {record["on"] for record in records} == {"conll14"}


@pytest.mark.parametrize("line,message", [
    ("gleu --on conll14 -s S -r R -o A", "leave -s and -r out"), ("m2 --on conll14 -g G -o A", "leave -g out"),
    ("compare --on conll14 -g G -o A --metrics m2", "leave -g out"), ("edits --on conll14 -r R", "leave -r out"),
    ("gleu --on conll15 -o A", "--on is 'conll15': use one of conll14, conll14-alternatives"),
    ("m2 --on jfleg-test -o A", "jfleg-test has no gold edits: use conll14 or conll14-alternatives"),
    ("compare --on jfleg-test -o A B --metrics gleu m2", "jfleg-test has no gold edits"),
    ("cleme --on conll14-alternatives -o A", "conll14-alternatives has no references: use conll14 or conll14-10"),
    ("gleu -o A", "required: -s"), ("m2 -o A", "required: -g"), ("edits -s S", "required"),
    ("data sets conll15", "test set is 'conll15'"), ("gleu --on example -o SHORT", "SHORT has 1"),
    ("report -O p.html --on '' -o SHORT", "--on is ''")]) # an empty variable
def test_what_is_refused(line, message, tmp_path, monkeypatch, capsys):
    "In one line, before a file is read"
    monkeypatch.chdir(tmp_path)
    Path("SHORT").write_text("a\n")
    words = shlex.split(line)
    try: assert main(words) == 2
    except SystemExit as error: assert error.code == 2
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("\n") == 1 and not shown.out


def test_a_set_that_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GECNB_DATA", str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    assert main(["gleu", "--on", "jfleg-test", "-o", "A"]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and "GECNB_DATA" in shown and "gecmetrics_nb[data]" in shown


def test_data_sets_says_what_is_reported(printed):
    rows = [line.split("\t") for line in printed("data", "sets").out.splitlines()]
    assert [row[0] for row in rows] == list(test_sets.TEST_SETS) and all(len(row) == 4 and all(row) for row in rows)


@pytest.mark.parametrize("paths,names", [
    (["runs/AMU.txt", "other/CAMB.out"], ["AMU", "CAMB"]),
    (["old/AMU.txt", "new/AMU.txt", "CAMB"], ["old/AMU", "new/AMU", "CAMB"]),
    (["AMU.txt", "AMU.m2"], ["AMU.txt", "AMU.m2"]),
    (["GPT-3.5", "gpt-4.1-2025-04-14.neutral.txt", "T5.txt.gz"], ["GPT-3.5", "gpt-4.1-2025-04-14.neutral", "T5"]),
    (["v.a/run.v1", "v.a/run.v2"], ["run.v1", "run.v2"]), (["t5.large"], ["t5.large"]), (["gpt-4.turbo.out", "a.tok", ".txt"], ["gpt-4.turbo", "a", ".txt"]),
    (["out.jsonl:AMU", "out.jsonl:CAMB", "new.jsonl:AMU"], ["out.jsonl:AMU", "CAMB", "new.jsonl:AMU"]),
    (["-", ".hidden", "a"], ["stdin", ".hidden", "a"]),
    (["x/y/a", "z/y/a", "a"], ["x/y/a", "z/y/a", "a"]), (["y/a", "/y/a"], ["y/a", "/y/a"]),
    (["a", "a"], ["a", "a"]), ([""], [""]), (["runs/"], ["runs/"])])
def test_names_are_short_and_differ(paths, names):
    assert named_systems([("", path) for path in paths]) == list(zip(names, paths, strict=True))


def test_a_name_that_is_given_wins():
    pairs = [("AMU", "x.txt"), ("", "runs/AMU.txt"), ("a.txt", "y")]
    assert [name for name, _ in named_systems(pairs)] == ["AMU", "AMU.txt", "a.txt"]


def test_the_baseline_may_be_given_as_it_was_typed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for path in "a/AMU.txt", "a/CAMB.txt", "b/AMU.txt", "S", "R":
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("a b c d e\n" * 3, encoding="utf-8")
    def baseline(name, *outputs):
        words = ["compare", "-s", "S", "-r", "R", "-o", *outputs, "--baseline", name, "-i", "100", "--format", "json"]
        return json.loads(capsys.readouterr().out)["metrics"][0]["baseline"] if main(words) == 0 else capsys.readouterr().err
    for name in "CAMB", "a/CAMB.txt": assert baseline(name, "a/AMU.txt", "a/CAMB.txt") == "CAMB"
    assert baseline("b/AMU.txt", "a/AMU.txt", "b/AMU.txt") == "b/AMU"
    assert "can be a/AMU or b/AMU" in baseline("AMU", "a/AMU.txt", "b/AMU.txt")


def test_files_of_edits_are_called_as_systems_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in "S", "A.txt", "B.out": (tmp_path / name).write_text("a b\n", encoding="utf-8")
    assert main(["edits", "-s", "S", "-o", "A.txt", "B.out", "--out", "m2"]) == 0
    assert sorted(path.name for path in (tmp_path / "m2").iterdir()) == ["A.m2", "B.m2"]


def test_a_slip_in_a_path_makes_no_tree(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "M2").write_text("S a\nA 0 1|||X|||b|||R|||N|||0\n", encoding="utf-8")
    assert main(["refs", "M2", "-o", "a/b"]) == 2
    assert capsys.readouterr().err == "gecnb refs: error: a/b: there is no folder a; make it first\n" and not (tmp_path / "a").exists()
    assert main(["refs", "M2", "-o", "a"]) == 0 == main(["refs", "M2", "-o", "a/b"])


def test_answers_to_some_sentences_are_no_reference(shared, tmp_path, capsys):
    "The alternatives of CoNLL-2014 make five files; three of them are noted"
    assert main(["refs", str(shared / "data/conll14/official-2014.combined-withalt.m2"), "-o", str(tmp_path / "refs")]) == 0
    notes = capsys.readouterr().err.splitlines()
    assert [(line.split()[3], line.split(" line for ")[1].split()[0]) for line in notes] == [("REF2:", "349"), ("REF3:", "59"), ("REF4:", "6")]
    assert main(["refs", str(shared / "data/conll14/official-2014.combined.m2"), "-o", str(tmp_path / "two")]) == 0
    assert not capsys.readouterr().err


def test_the_commands_of_the_readme_run_as_they_stand(shared, monkeypatch, tmp_path, capsys):
    "Each line of its blocks after the installations; scores and table are what they print"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    copied = re.search(r'\ncp "\$\(gecnb (data get \S+)\)" MY_OUTPUT #.*\n', readme)[1]
    assert main(copied.split()) == 0
    Path("MY_OUTPUT").write_bytes(Path(capsys.readouterr().out.strip()).read_bytes())
    scored = re.findall(r"\ngecnb (gleu .*)\n```\n\nThis prints `(.*?)`", readme)
    assert [printed for _, printed in scored] == ["MY_OUTPUT 58.24", "INPUT 40.54"] # as gleu 1.1.0 with -f
    for words, printed in scored:
        fetched = re.search(r'"\$\(gecnb (data get \S+)\)"', words)
        if fetched: assert main(fetched[1].split()) == 0
        path = capsys.readouterr().out.strip()
        assert main((words.replace(fetched[0], path) if fetched else words).split()) == 0
        assert capsys.readouterr().out.split() == printed.split()
    fetched, line = re.search(r"FOLDER=\$\(dirname \$\(gecnb (data get \S+) \| head -1\)\)\ngecnb (compare --on conll14 .*?)\n```", readme, re.DOTALL).groups()
    assert main(fetched.split()) == 0
    folder = str(Path(capsys.readouterr().out.splitlines()[0]).parent)
    assert main(line.replace("\\\n", " ").replace("$FOLDER", folder).split()) == 0
    shown = capsys.readouterr().out.splitlines()
    first = next(k for k, row in enumerate(readme.splitlines()) if re.match(" +GLEU +GREEN", row))
    printed = readme.splitlines()[first:first + 8]
    assert [row.rstrip() for row in shown[:8]] == [row.removeprefix("    ").rstrip() for row in printed]


def test_gleu_and_green_print_what_is_typed_and_sentences_count_from_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    for path in "d/q.h0", "d/q.txt", "S": (tmp_path / path).write_text("a b c d e\n" * 2)
    typed, same = ["d/q.h0", "./d/q.txt", "S"], ["-s", "S", "-r", "S", "-o", "d/q.h0", "./d/q.txt", "S"]
    for command, head in ("gleu", 0), ("mgleu", 0), ("green", 2), ("mgreen", 2), ("bleu", 0):
        assert main([command, *same]) == 0
        names = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[head:]]
        assert names == (["q.h0", "q", "S"] if command == "bleu" else typed)
    for command in ["sgleu"], ["bleu", "--per", "sentence"]:
        assert main([*command, *same, "--format", "tsv"]) == 0
        assert [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()] == ["sentence", *"111222"]


def test_a_shifted_output_is_a_note(tmp_path, monkeypatch, capsys):
    "Once, however many metrics and pieces read it, and with any number of processes"
    monkeypatch.chdir(tmp_path)
    lines = [f"{k} and {k + 1} make {2 * k + 1} ." for k in range(5000)]
    for name, text in ("S", lines), ("A", lines[1:] + lines[:1]), ("B", lines): (tmp_path / name).write_text("\n".join(text) + "\n")
    for command in ["gleu", "-m"], ["gleu", "-m", "--jobs", "2"], ["bleu", "--jobs", "1"], ["compare", "--metrics", "gleu:references=max", "bleu"]:
        assert main([*command, "-s", "S", "-r", "S", "-o", "A", "B"]) == 0
        said = capsys.readouterr().err.splitlines()
        assert [line.partition("A looks shifted from line 1 on")[0] for line in said if "shifted" in line] == [f"gecnb {command[0]}: note: "], said
