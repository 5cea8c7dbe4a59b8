"Three hundred bad command lines: one line that names the argument or the file, status 2, nothing printed, nothing written, no traceback"
from itertools import chain
import gzip
import os

import pytest

from gecmetrics_nb.cli import parser
from gecmetrics_nb.metrics.registry import plain_names

SCORERS = [*plain_names(), "sgleu", "mgleu", "sgreen", "mgreen"]
NO_SOURCE = {"google-gleu", "bleu", "meteor"}
EDIT = "A {} {}|||X|||b|||R|||N|||{}\n".format
FILES = {
    "S": "He go home .\nI likes tea .\n", "R": "He goes home .\nI like tea .\n", "H": "He goes home .\nI likes tea .\n",
    "SHORT": "a\n", "LONG": "a\nb\nc\n", "EMPTY": "", "NUL": b"a\n\0\n", "LATIN": b"a\ncaf\xe9\n",
    "UTF16": "a\nb\n".encode("utf-16"), "SURROGATE": b"a\n\xed\xa0\x80\n",
    "cut.gz": gzip.compress(b"a\nb\n" * 99)[:-9], "plain.gz": "a\nb\n", "packed": gzip.compress(b"a\nb\n"), "packed.bz2": b"BZh91AY&SY",
    "packed.xz": b"\xfd7zXZ\0\0", "packed.zst": b"\x28\xb5\x2f\xfd$", "packed.zip": b"PK\x03\x04",
    "rows.jsonl": '{"s": "a", "r": ["a", "b"], "n": 5, "x": null, "d": {"a": 1}, "l": [["a"]]}\n'
                  '{"s": "b", "r": ["b"], "n": 6, "x": null, "d": {}, "l": [["b"]]}\n',
    "bad.jsonl": '{"s": "a"}\n{"s": \n', "list.jsonl": '["a"]\n["b"]\n', "deep.jsonl": "[" * 100_000 + "\n",
    "half.jsonl": '{"s": "\\ud800"}\n{"s": "b"}\n', "none.jsonl": '{"r": []}\n{"r": []}\n',
    "good.m2": "S a\n" + EDIT(0, 1, 0) + "\nS b\n" + EDIT(0, 1, 0), "text.m2": "He goes .\n", "outside.m2": "S a\n" + EDIT(5, 6, 0),
    "overlap.m2": "S a b\n" + EDIT(0, 2, 0) + EDIT(1, 2, 0), "fields.m2": "S a\nA 0 1|||X\n", "nobody.m2": "S a\n\nS b\n",
    "many.m2": "S a\n" + EDIT(0, 1, 2014), "orphan.m2": EDIT(0, 1, 0), "empty.m2": "", "second.m2": "S a\nS b\n", "no.parquet": b"PAR1 nothing",
    "scores.tsv": "system\tG\nA\t1\nB\t2\n", "sentences.tsv": "A\tB\n100.00\t50.00\n100.00\t25.00\n",
    "tabs.tsv": "\n\nsystem\tG, H\nA\t1\nINPUT\t2\n", "twice.tsv": "s,G\nA,1\nA,2\n",
    "itself.csv": "system1Id,system1rank,system2Id,system2rank,srcIndex,judgeID\nA,1,A,2,0,j\n",
}
BAD_FILES = { # as a text, and what is said of it
    "nowhere": "nowhere", "folder": "folder", "": "no such file", "a\0b": "no such file", "S/below": "S/below", "x" * 5000: "xxxx",
    "a\nb": "no such file", "a\rb": "no such file", "a\u2028b": "no such file", "\udcff": "no such file",
    "SHORT": "SHORT has 1", "LONG": "LONG has 3", "EMPTY": "EMPTY", "NUL": "NUL: line 2", "LATIN": "LATIN: line 2", "UTF16": "UTF16",
    "SURROGATE": "SURROGATE: line 2", "cut.gz": "cut.gz", "plain.gz": "plain.gz", "packed": "with gzip", "packed.bz2": "with bzip2",
    "packed.xz": "with xz", "packed.zst": "with Zstandard", "packed.zip": "with zip", "rows.jsonl": "name one of its columns",
    "rows.jsonl:q": "no 'q'", "rows.jsonl:n": "rows.jsonl: line 1, n: int", "rows.jsonl:d": "line 1, d: dict",
    "rows.jsonl:l": "line 1, l: a list that holds list", "rows.jsonl:x": "rows.jsonl:x", "bad.jsonl:s": "bad.jsonl: line 2",
    "list.jsonl:s": "list.jsonl: line 1", "deep.jsonl:s": "deep.jsonl: line 1", "half.jsonl:s": "half.jsonl: line 1",
    "good.m2": "name one of its columns", "good.m2:gold": "no column 'gold'", "text.m2:source": "text.m2: line 1",
    "nobody.m2:strict": "nobody.m2: no A line", "second.m2:source": "second.m2: line 2: a second S", "no.parquet:s": "arquet", "-": "standard input"}
NUMBERS = ["0", "-1", "x", "", "1.5", "nan", "9" * 5000]


def bad_files():
    "A bad file in each place of each kind of command"
    for i, (path, said) in enumerate(BAD_FILES.items()):
        for place in "-s", "-r", "-o":
            command = SCORERS[(i + len(place)) % len(SCORERS)]
            if place == "-s" and said.startswith("nobody.m2"): continue # its source is good
            given = {"-s": "S", "-r": "R", "-o": "H"} | {place: path}
            if path == "-": given = dict.fromkeys(given, "-")
            yield [command, *chain.from_iterable(given.items())], said
    yield ["gleu", "-s", "S", "-r", "R", "-o", "rows.jsonl:r"], "rows.jsonl:r: sentence 1 has a list of texts"
    yield ["gleu", "-s", "rows.jsonl:r", "-r", "R", "-o", "H"], "rows.jsonl:r: sentence 1 has a list of texts"
    yield ["gleu", "-s", "S", "-r", "none.jsonl:r", "-o", "H"], "sentence 1 has no reference at all in none.jsonl:r"
    yield ["gleu", "-s", "S", "-r", "R", "-o", "good.m2:strict"], "good.m2:strict: sentence 1 has a list of texts"


def bad_options():
    "Options of every command that scores"
    for command in SCORERS:
        good = [command, *([] if command in NO_SOURCE else ["-s", "S"]), "-r", "R", "-o", "H"]
        if command != "meteor": yield from (([*good, "-n", value], "-n/--order") for value in NUMBERS)
        yield from (([*good, "-d", value], "-d/--digit") for value in ("-1", "16", "x"))
        yield from (([*good, flag, "wrong"], "wrong") for flag in ("-t", "--format", "--per"))
        yield from (([*good, flag], flag) for flag in ("-r", "-o", "-d", "-t", "--format"))
        yield from (([*good, flag], f"{flag}; see gecnb {command} --help") for flag in ("--foo", "-z"))
        yield from (([*good[:-1], *outputs], "-o (NAME=FILE): two systems are named") for outputs in (["A=H", "A=S"], ["H", "S", "H"], ["S=H", "S"], ["nowhere", "nowhere"]))
        yield [command, "-r", "R", "-s", "S"], "required: -o"
        yield [command, "-o", "H", "-s", "S"], "required: -r"
        if command not in NO_SOURCE: yield [command, "-r", "R", "-o", "H"], "required: -s"


def bad_settings():
    "What the parser refuses, or a class, whose own refusals are tested beside its scores"
    good = ["-s", "S", "-r", "R", "-o", "H"]
    for command, settings in {
        "gleu": [*(("-i", v) for v in NUMBERS), ("--weight", "x"), ("--weight", ".5"), ("--variant", "2017"), ("--choose", "best"), ("--stream", "perl"),
                 ("--variant", "2015", "-m"), ("-m", "--choose", "mean"), ("-p", "0"), ("--beta", "1"), ("-i", "100001")],
        "green": [*(("-b", v) for v in ("-1", "x", "nan", "")), ("-b",), ("-b", "1", "x"), ("--empty-recall", "2"), ("-m",), ("-i", "5")],
        "google-gleu": [*(("--min-order", v) for v in (*NUMBERS, "5")), ("-n", "2", "--min-order", "3")],
        "bleu": [("--smoothing", "laplace"), ("--smooth-value", "x"), ("--weights", "x"), ("--weights", "1/2"), ("--effective-order", "yes")],
        "meteor": [("--alpha", "2"), ("--gamma", "nan"), ("--beta", "-1"), ("--fewest", "lines"), ("--limit", "0"), ("-n", "2")],
    }.items():
        for setting in settings: yield [command, *good, *setting], setting[0] if setting[-1] in ("x", "") and setting[0][1] == "-" else ""


def bad_comparisons():
    good = ["compare", "-s", "S", "-r", "R", "-o", "H", "S"]
    for text, said in {"rouge": "'rouge' is unknown", "": "'' is unknown", "glue": "did you mean gleu?", "gleu:x=1": "no setting 'x=1'",
                       "gleu:varient=2015": "did you mean variant?", "gleu:order": "order has no value", "gleu:order=x": "order is 'x'",
                       "green:beta=-1": "beta", "gleu:variant=2017": "variant is '2017'", "bleu:effective_order=true": "not yes or no",
                       "gleu:per=sentence": "per is 'sentence'", "mgleu:per=": "per is ''", "gleu:unit=bytes": "unit is 'bytes'",
                       "bleu:weights=1": "weights"}.items():
        yield [*good, "--metrics", text], said
    for flag in "-i", "-n": yield from (([*good, flag, value], f"argument {flag}/") for value in NUMBERS)
    yield from (([*good, "--seed", value], "argument --seed") for value in ("-1", "x", "9" * 30))
    yield from (([*good, "--confidence", value], "onfidence") for value in ("0", "1", "nan", "x"))
    yield [*good, "-i", "1000001"], "is not a whole number from 1 to 1000000"
    for line in good, ["plot", "x.svg", *good[1:]]:
        yield [*line, "-o", "A=H", "A=S", "--metrics", "gleu", "green"], "-o (NAME=FILE): two systems are named 'A'"
        yield [*line, "--metrics", "gleu", "green", "gleu"], "--metrics: gleu is given twice"
    for options, said in {"--baseline C": "baseline 'C' is none", "--test t": "'t'", "--format html": "'html'", "--note a|b": "note", "--metrics": "--metrics",
                          "--foo": "see gecnb compare --help", "--iter 9": "did you mean --draws?", "-s SHORT": "SHORT has 1"}.items():
        yield [*good, *options.split()], said
    yield [*good, "--note", "a\nb"], "note"


def bad_others():
    for path, said in {"nowhere": "nowhere", "folder": "folder", "text.m2": "text.m2: line 1", "outside.m2": "outside.m2: line 2", "overlap.m2": "overlap.m2",
                       "fields.m2": "fields.m2: line 2", "nobody.m2": "nobody.m2: no A line", "many.m2": "many.m2: line 2", "orphan.m2": "orphan.m2: line 1",
                       "empty.m2": "empty.m2", "NUL": "NUL: line 2", "packed.bz2": "packed.bz2"}.items():
        yield ["refs", path, "-o", "new"], said
        if path != "overlap.m2": yield ["m2" if len(path) % 2 else "i-measure", "-g", path, "-o", "H"], said
    for names, said in (["conll14/nowhere"], "conll14/nowhere"), ([], "at least one NAME"), (["conll14/official_submissions/XYZ"], "XYZ"):
        yield ["data", "get", *names], said
    for command in "m2", "i-measure", "errant":
        for outputs in ["A=H", "A=S"], ["H", "H"]: yield [command, "-g", "good.m2", "-o", *outputs], "two systems are named"
    for table, said in {"sentences.tsv": "need a line for each system and sentence", "tabs.tsv": "the same systems",
                        "twice.tsv": "two systems are named 'A'", "itself.csv": "compares 'A' with itself"}.items():
        for command in ["correlate"], ["plot", "x.svg"]: yield [*command, "--scores", "scores.tsv", "--human", table], said
    for line, said in {
        "cleme -g good.m2 -o nowhere": "nowhere", "cleme -g - -o -": "standard input", "cleme -g good.m2 -o H good.m2": "one form",
        "m2 -g good.m2 -o H -b -1": "beta is -1", "refs good.m2 -o H": "H is a file; name a folder", "refs good.m2 -o H/below": "H",
        "refs good.m2 -o taken": "already holds", "refs good.m2": "required: -o", "refs -o new": "M2", "refs good.m2 -o new --policy mine": "'mine'",
        "refs good.m2 -o new --foo": "--foo; see gecnb refs --help", "correlate --scores scores.tsv --human scores.tsv -i 1000001": "from 1 to 1000000",
        "correlate --scores scores.tsv --human scores.tsv --systems A A": "two systems are named 'A'",
        "correlate --scores scores.tsv --human scores.tsv --confidence 95": "confidence is 95",
        "plot none/x.svg --scores scores.tsv": "none/x.svg: no such folder as none", "data put": "'put'", "data list nothing": "nothing: not registered",
        "data list --foo": "see gecnb data --help", "data get conll1": "conll1: not registered", "data get conll14/official_submissions/AMU": "could not be downloaded from http://127.0.0.1:9",
        "reproduce table-9": "table-9", "reproduce --from memory": "'memory'", "reproduce --format tsv": "'tsv'",
        "m2 -g good.m2 -o H --format m2scorer --per mean": "leave it or --per mean out", "m2 -g  -o H": "expected one argument",
        "m2 -g good.m2 -o H --max-unchanged-words x": "'x' is not a whole number from 0 on", f"bleu -r R -o H -n {2**63}": f"from 1 to {2**63 - 1}",
        "bleu -r R -o H --weights .25,.25,.25,.25": "is not numbers, as in 0.5/0.5",
        "gleu --on conll14 -s S -r R -o H": "leave -s and -r out", "m2 --on conll14 -g good.m2 -o H": "leave -g out",
        "compare --on conll14 -g good.m2 -o H --metrics m2": "leave -g out", "edits --on conll14 -r R": "leave -r out",
        "gleu --on conll15 -o H": "--on is 'conll15': use one of conll14, conll14-alternatives", "data sets conll15": "test set is 'conll15'",
        "m2 --on jfleg-test -o H": "jfleg-test has no gold edits: use conll14 or conll14-alternatives",
        "compare --on jfleg-test -o H S --metrics gleu m2": "jfleg-test has no gold edits", "edits -s S": "required", "m2 -o H": "required: -g",
        "cleme --on conll14-alternatives -o H": "conll14-alternatives has no references: use conll14 or conll14-10", "gleu --on example -o SHORT": "SHORT has 1",
        "glue": "there is no command 'glue'; did you mean gleu? see gecnb --help", "xyzzy": "there is no command 'xyzzy'; see gecnb --help",
        "gleu -s S -r R -o H --smothing none": "--smothing none; did you mean --smoothing? see gecnb gleu --help",
        "gleu -s S -r R -o H -m --choose mean": "-m and --choose mean contradict each other", "score": "'score'", "": "COMMAND", "--foo": "", "-s": ""}.items():
        yield line.split(), said
    yield from [(["refs", "good.m2", "-o", ""], "is no folder"), (["reproduce", ""], "no such table"), (["report", "-O", "p.html", "--on", "", "-o", "H"], "--on is ''"), ([""], "''"), (["gleu gleu"], "'gleu gleu'"), (["a\nb"], "a")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lines")
    for name, content in FILES.items(): (path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (path / "folder").mkdir()
    (path / "taken").mkdir()
    (path / "taken/INPUT").write_text("mine\n")
    return path


@pytest.fixture
def here(folder, offline, monkeypatch):
    monkeypatch.chdir(folder)
    with open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield folder


def written(folder): return sorted(map(str, folder.rglob("*")))


def check(arguments, said, status, out, err):
    assert (status, out) == (2, ""), (arguments, err)
    assert err.count("\n") == 1 and err.endswith("\n") and err.startswith("gecnb") and ": error: " in err and len(err) < 1200, (arguments, err)
    assert said in err, (arguments, said, err)


@pytest.mark.parametrize("kind", [bad_files, bad_options, bad_settings, bad_comparisons, bad_others], ids=lambda kind: kind.__name__)
def test_a_bad_line_is_refused_in_one_line(kind, here, gecnb, monkeypatch):
    "What stands in files and options is never a TypeError"
    before, kinds, text = written(here), set(), parser._error_text
    monkeypatch.setattr(parser, "_error_text", lambda error: kinds.add(type(error)) or text(error))
    for arguments, said in kind():
        check(arguments, said, *gecnb(arguments))
        assert written(here) == before and TypeError not in kinds, arguments
