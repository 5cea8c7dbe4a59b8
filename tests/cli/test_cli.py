"The command gecnb: what it prints, and how it refuses"
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
import ast
import gzip
import inspect
import io
import json
import os
import re
import subprocess
import sys

import pytest

import gecmetrics_nb
from gecmetrics_nb import CLEME, compare_edits
from gecmetrics_nb.cli.parser import commands, message_line, parser
from gecmetrics_nb.viz.sentence import ScoredSentence
from gecmetrics_nb.metrics.registry import ALL, EDIT_METRICS, METRICS, SYSTEM_EDIT_METRICS, MetricEntry, class_of
from gecmetrics_nb.metrics.registry import metric_named, plain_names
from places import ROOT, cells_of
import slow


@pytest.fixture
def files(tmp_path, write):
    "S, R0, R1, A, B in the current folder"
    sources, references, systems = slow.corpus(21, blanks=False)
    write(dict(zip(("S", "R0", "R1", "A", "B"), (sources, *references, *systems), strict=True)))
    return tmp_path


TEXTS = "-s S -r R0 R1 -o A B"
ARGUMENTS = TEXTS.split()


def python(*words, **options):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, **options)


@pytest.mark.parametrize("program", ["gleu", "sgleu", "mgleu"])
def test_json_and_tsv_say_what_the_text_says(program, files, printed):
    line = f"{program} {TEXTS} -d 6 -i 20"
    text = printed(line).split("\n")
    rows = [row.split("\t") for row in printed(f"{line} --format tsv").split("\n")[1:-1]]
    if program == "sgleu": # a row a sentence and system
        assert [row[:2] for row in rows] == [[system, str(d)] for d in range(1, len(rows) // 2 + 1) for system in "AB"]
        rows = [[a[2], b[2]] for a, b in zip(rows[::2], rows[1::2], strict=True)]
    assert ["\t".join(row) for row in rows] == text[:-1]
    data = json.loads(printed(f"{line} --format json"))
    signature = data["signatures"][0] if program == "sgleu" else data["scores"][0]["signature"]
    assert ("|per:sentence|" in signature, "|per:mean|" in signature) == (program == "sgleu", program == "mgleu")
    numbers = data["sentences"] if program == "sgleu" else [[s["hypothesis"], s["value"]] for s in data["scores"]]
    assert ["\t".join(x if isinstance(x, str) else f"{100 * x:.6f}" for x in row) for row in numbers] == text[:-1]


def test_two_metrics_of_one_name_have_a_column_each(write, printed, refused):
    rows = [f"{name}\t{d}\t{{}}" for name in "AB" for d in (1, 2)]
    write({f"{k}.tsv": ["system\tsentence\tM", *(row.format(k) for row in rows)] for k in (0, 1)})
    write(dict.fromkeys("AB", ["a", "b"]))
    assert "0.tsv has no scores of C: it has those of A, B" in refused("compare --scores 0.tsv -o A C")
    assert printed("compare -s A -r B -o A B --scores 0.tsv --tsv").startswith("system\tGLEU score\t")
    head, row, _ = (line.split("\t") for line in printed("compare --scores 0.tsv 1.tsv -o A B --tsv").splitlines())
    assert [value for title, value in zip(head, row, strict=True) if title == "M score"] == ["0.00", "100.00"]


def test_refs_are_written_whole_or_not_at_all(write, printed, refused):
    write({"M2": "S a b\nA 0 1|||X|||c|||R|||N|||0\nA 1 2|||Um|||d|||R|||N|||1\n\nS e\n\n"})
    texts = lambda: {path.name: path.read_text(encoding="utf-8") for path in Path("out").iterdir()}
    printed("refs M2 -o out")
    assert texts() == {"INPUT": "a b\ne\n", "REF0": "c b\ne\n", "REF1": "a d\ne\n"}
    refused("refs M2 -o out --policy nus")
    printed("refs M2 -o out --policy nus --force")
    assert texts() == {"INPUT": "a b\ne\n", "REF0": "c b\ne\n", "REF1": "a b\ne\n"}


def test_an_option_that_is_given_twice_adds_to_the_first(write, printed):
    write({"S": ["a b c d e"] * 2, "R0": ["a b c d e"] * 2, "R1": ["a x c d e"] * 2, "A": ["a x c d e"] * 2, "B": ["a y c d e"] * 2})
    assert printed("gleu -s S -r R0 -r R1 -o A -o B") == printed("gleu -s S -r R0 R1 -o A B") != printed("gleu -s S -r R1 -o A B")
    twice = printed("compare -s S -r R0 R1 -o A B --metrics gleu --metrics green")
    assert twice == printed("compare -s S -r R0 R1 -o A B --metrics gleu green")


@pytest.mark.parametrize("line", [
    *(f"{command} {options}" for command in ("compare", "report -O p.html") for options in
      ("-s - -r S -o A --metrics gleu cleme", "-g - -o A --metrics m2 errant", "-s S -r S -o - --metrics gleu cleme")),
    "report -O p.html -g - -o A --metrics m2", "report -O p.html -s S -r S -g g.m2 -o - --metrics m2", "identify -g - -o A --printed A=1"])
def test_standard_input_is_read_once(line, write, refused):
    "By one kind of metric, or by the page"
    write({"S": ["a b"], "A": ["a c"], "g.m2": "S a b\nA 0 1|||X|||c|||R|||N|||0\n"})
    assert "standard input (-) can be read once: give files" in refused(line)


def test_source_from_standard_input_beside_outputs_that_are_m2_files(write, printed, refused, monkeypatch):
    "It is read once; if its lines are too many, the error says so, of each file once"
    write({"S": "a b\nd\n", "R": "a c\nd\n", "A.m2": "S a b\nA 1 2|||X|||c|||R|||N|||0\n\nS d\n"})
    def give(text): monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text), "utf-8"))
    line = "compare -s {} -r R -o A.m2 --metrics gleu --no-input"
    give(b"a b\nd\n")
    assert printed(line.format("-")) == printed(line.format("S"))
    give(b"a b\nd\ne\n")
    assert "line counts differ: R has 2, standard input has 3;" in refused(line.format("-"))


def test_line_counts_name_an_m2_file_once(write, refused):
    write({"g.m2": "S a b\nA 1 2|||X|||c|||R|||N|||0\n\nS d\n", "A": "a b\n"})
    assert "line counts differ: g.m2 has 2, A has 1;" in refused("gleu -s g.m2:source -r g.m2:strict -o A")


def test_edits_are_read_with_any_end_of_line_and_packed_and_written_as_utf_8(write, printed, tmp_path):
    write({"S": ["\u00e9 a b", "c"], "A": ["\u00e9 x b", "c"]})
    words = sys.executable, "-m", "gecmetrics_nb", "edits", "-s", "S", "-o", "A"
    made = subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}).stdout
    assert made.decode("utf-8").startswith("S \u00e9 a b\nA 1 2|||R")
    Path("A.m2").write_bytes(made)
    Path("A.m2.gz").write_bytes(gzip.compress(made))
    late = b"".join(b"S a\n\n" for _ in range(30)) + made # its first edit is far below
    Path("crlf").write_bytes(late.replace(b"\n", b"\r\n"))
    Path("lf.m2").write_bytes(late)
    assert printed("errant -g A.m2 -o A=A.m2.gz") == printed("errant -g A.m2 -o A=A.m2")
    assert printed("errant -g lf.m2 -o A=crlf") == printed("errant -g lf.m2 -o A=lf.m2")


def test_a_reader_that_goes_away_is_no_error(files):
    (files / "BIG").write_text("the cat sat\n" * 60_000)
    command = f"{sys.executable} -m gecmetrics_nb sgleu -s BIG -r BIG -o BIG | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout == "100.00\n" and done.stderr == ""


def test_starting_loads_only_what_it_needs(files):
    "No NumPy for help, lists and edits"
    (files / "g.m2").write_text("S a\nA 0 1|||X|||b|||R|||N|||0\n")
    code = """
import contextlib, sys
from gecmetrics_nb.cli.parser import main
for line in "--help", "data list conll14", "refs --help", "refs g.m2 -o refs", "errant -g g.m2 -o g.m2":
    with contextlib.suppress(SystemExit): main(line.split())
print({"numpy", "matplotlib", "scipy", "pooch", "IPython"} & {*sys.modules}, file=sys.stderr)
"""
    assert python("-c", code).stderr == "set()\n"


def test_scoring_loads_nothing_that_it_does_not_use(files):
    def loaded(code): return set(python("-c", f"import sys; {code}; print(*sys.modules, file=sys.stderr)").stderr.split())
    ours = loaded(f"from gecmetrics_nb.cli.parser import main; main({['gleu', *ARGUMENTS]!r})") - loaded("import numpy")
    unused = {"json", "gzip", "shutil", "gecmetrics_nb.metrics.green", "gecmetrics_nb.stats.significance"}
    assert "gecmetrics_nb.metrics.gleu" in ours and not ours & unused


def test_an_interrupt_while_a_module_is_loaded_comes_after_it(files):
    "NumPy makes an ImportError of it, about a broken installation"
    (files / "sitecustomize.py").write_text("""
import builtins, os, signal
load = builtins.__import__
def interrupted(name, *rest, **more):
    if name == "numpy":
        builtins.__import__ = load
        try: os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt: raise ImportError("this installation is broken") from None
    return load(name, *rest, **more)
builtins.__import__ = interrupted
""")
    place = {**os.environ, "PYTHONPATH": os.pathsep.join([str(files), str(ROOT)])}
    done = python("-m", "gecmetrics_nb", "gleu", *ARGUMENTS, env=place)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_data_list(printed):
    lines = printed("data list conll14/official_submissions").splitlines()
    assert len(lines) == 13 and all(line.count("\t") == 3 and "https://" in line for line in lines)
    assert "\ngleu-readme/corpus\t" in printed("reproduce --list") # a name that reproduce takes


NEW = '''
from dataclasses import dataclass
import numpy as np
from gecmetrics_nb.core.formulas import ratio
from gecmetrics_nb.core.metric import NgramMetric

@dataclass(frozen=True, kw_only=True)
class Kept(NgramMetric):
    "How many n-grams of the source are kept"
    side: str = "both" # which n-grams of the source
    power: float = 1.0 # of the share

    columns = ("kept", "source")
    choices = {"side": ("both", "reference")}

    def from_counts(self, counts):
        kept = counts["TK"] + (self.side == "both") * counts["UD"]
        return np.stack([kept, counts["TK"] + counts["TD"] + counts["OD"] + counts["UD"]], axis=-1)

    def score(self, totals): return ratio(totals[..., 0].sum(axis=-1), totals[..., 1].sum(axis=-1), empty=1) ** self.power
'''


def test_a_metric_in_the_list_is_seen_everywhere(files, monkeypatch, printed, refused):
    "A module and a line in the list: command, settings with choices and help, compare, a sentence"
    from types import ModuleType
    import linecache
    module = ModuleType("gecmetrics_nb.metrics.kept")
    linecache.cache["kept.py"] = (len(NEW), None, NEW.splitlines(True), "kept.py")
    module.__file__ = "kept.py"
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(NEW, "kept.py", "exec"), module.__dict__)
    monkeypatch.setitem(METRICS, "kept", MetricEntry("metrics.kept", "Kept", "what is kept"))
    monkeypatch.setattr("gecmetrics_nb.cli.parser.commands", commands.__wrapped__) # which remembers the list
    corpus = gecmetrics_nb.read_corpus("S", ["R0", "R1"], ["A", "B"])
    for options, metric in ("", module.Kept()), ("--side reference --power .5", module.Kept(side="reference", power=.5)):
        scores = metric.corpus_score(corpus)
        assert printed(f"kept {TEXTS} {options} -d 9") == "".join(f"{name}\t{100 * score:.9f}\n" for name, score in scores.items())
    page = printed("kept --help")
    assert "--side {both,reference}" in page and "which n-grams of the source (both)" in page and re.search(r"-h, --help  +show", page)
    for wrong in "--side left", "--power x": assert "gecnb kept: error: argument --" in refused(f"kept {TEXTS} {wrong}")
    first, second = json.loads(printed(f"compare {TEXTS} --metrics kept:power=2 kept:per=mean -i 100 --format json"))["metrics"]
    assert first["signature"].startswith("Kept|order:4|unit:word|side:both|power:2|") and "|per:mean|" in second["signature"]
    scored = ScoredSentence("He go home .", "He goes home .", "He goes home .", order=2)
    assert scored.scores["Kept"] == module.Kept(order=2).sentence_scores(sources=["He go home ."], hypotheses=["He goes home ."], references=[["He goes home ."]])[0]


def test_systems_have_names_if_they_are_given_some(files, printed):
    (files / "x=A").write_bytes((files / "B").read_bytes()) # a file that is there is no name
    named = printed("gleu -s S -r R0 R1 -o first=A x=A")
    assert named == printed(f"gleu {TEXTS}").replace("A\t", "first\t").replace("B\t", "x=A\t")


def test_two_ways_to_say_the_same(files, gecnb):
    gleu, bleu = f"gleu {TEXTS}", f"compare {TEXTS} --metrics bleu:"
    for one, other in [(f"{gleu} --json", f"{gleu} --format json"), (f"{gleu} --tsv", f"{gleu} --format tsv"), ("data", "data sets"),
                       (f"{gleu} -f -p 1", gleu), (f"{gleu} --fix-seed", gleu), # of old scripts
                       (f"{gleu} -n {2:030d}", f"{gleu} -n 2"), (f"{gleu} --unit char", f"{gleu} -t char"), (f"{bleu}effective-order=yes", f"{bleu}effective_order=yes")]:
        said = gecnb(one)
        assert said.status == 0 and said.out and said == gecnb(other), one


def test_a_terminal_sees_the_signature_unless_it_is_not_wanted(files, gecnb, printed, monkeypatch):
    out = printed(f"gleu {TEXTS}")
    for terminal, option, shown in (False, "", 0), (True, "", 1), (True, "--no-signature", 0), (False, "--signature", 1):
        with monkeypatch.context() as patched:
            patched.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
            said = gecnb(f"gleu {TEXTS} {option}")
        assert said.out == out and said.err.count("GLEU|") == said.err.count("\n") == shown


def test_a_setting_has_one_name_in_python_in_its_option_and_in_metric_setting():
    "But for the references of GLEU and GREEN, whose option is --choose, since --references are files"
    exceptions = set()
    for metric in *plain_names(), *EDIT_METRICS, *SYSTEM_EDIT_METRICS:
        kind, its = class_of(metric), parser(metric)[1][metric]
        for setting in fields(kind):
            with pytest.raises(ValueError, match=f"{setting.name} has no value"):
                metric_named(f"{metric}:{setting.name}", known=ALL)
            dests = {option.dest for option in its._actions} & {f"set_{setting.name}"} or {setting.name}
            options = [option for option in its._actions if option.dest in dests]
            names = {flag.lstrip("-").replace("-", "_") for option in options for flag in option.option_strings}
            values = {option.const for option in options} & set(kind.choices.get(setting.name, ()))
            if setting.name not in names and not values: exceptions.add((setting.name, *names))
    assert exceptions == {("references", "choose")}
    for name in "gleu", "green":
        assert "references= in Python and in metric:setting" in " ".join(parser(name)[1][name].format_help().split())
    for text in "gleu:choose=max", "mgleu:choose=max", "green:choose=union":
        with pytest.raises(ValueError, match="no setting 'choose=.*'; did you mean references?"): metric_named(text)


def test_few_draws_are_noted_and_n_is_the_order(files, gecnb):
    done = gecnb(f"compare {TEXTS} -n 2 --test bootstrap -i 99")
    assert "|order:2|" in done.out and "draws:99" in done.out and "an interval of 99 resamples is rough" in done.err
    assert "the standard error of the drawn references is at most" in done.out
    done = gecnb(f"compare {TEXTS} --test bootstrap -i 100 --metrics green")
    assert done.err == "" and "standard error of the drawn" not in done.out


def test_warnings_are_beside_the_numbers_that_programs_read(files, gecnb):
    "On standard error, by metric: what the text says below its table"
    line = f"compare {TEXTS} --metrics gleu green"
    warning = "Fewer than 20 sentences differ from A ("
    assert warning in gecnb(line).out
    for style in "json", "tsv":
        status, out, err = gecnb(f"{line} --format {style}")
        assert status == 0 and warning not in out
        assert [f"gecnb compare: note: {name}: {warning}" in err for name in ("GLEU", "GREEN beta=1")] == [True, True]


def test_a_row_over_several_orders_says_which(files, printed):
    for options, label in ("", "1-4"), ("-n 3 --min-order 2", "2-3"), ("-n 2 --min-order 2", "2"), ("-n 1", "1"):
        assert printed(f"google-gleu -r R0 -o A -v {options}").splitlines()[4].split("|")[1].strip() == label
    orders = [row.split("|")[1].strip() for row in printed("bleu -r R0 -o A -v").splitlines() if row.startswith("|")]
    assert orders == ["", "1", "2", "3", "4"]


def test_penalties_are_those_taken_off_where_the_program_stops_at_0(write, printed):
    "b and c are left of the first sentence, whose one match (d) can lose no more than 1; four sentences match"
    write({"S": ["c d b", *"efg"], "R": ["a d", *"efg"], "H": ["c b d", *"efg"]})
    row = next(line for line in printed("gleu -s S -r R -o H -m -v -n 1").splitlines() if line.startswith("|   1"))
    assert [int(cell) for cell in row.split("|")[2:6]] == [4, 1, 3, 6]


def test_blanks_at_the_end_of_a_line_are_noted_where_they_matter(files, gecnb):
    (files / "C").write_text("".join(f"{line} \n" for line in (files / "A").read_text(encoding="utf-8").split("\n")[:-1]), encoding="utf-8")
    (files / "D").write_bytes((files / "A").read_bytes().replace(b"\n", b"\r\n"))
    for line, noted in (("-s S -o C -t char", 1), ("-s C -o A -t char", 1), ("-s S -o D -t char", 0),
                        ("-s S -o C -t char-blanks", 0), ("-s S -o C -t word", 0)):
        assert gecnb(f"gleu {line} -r R0 -m").err.count("-t char-blanks counts them\n") == noted


CLOSED = [("2>&-", 0, "A\t"), (">&-", 2, "standard output is closed"), ("<&-", 0, "A\t"), ("-s - <&-", 2, "standard input"),
          (">/dev/full", 2, "standard output: No space left"), ("--help >/dev/full", 2, "standard output: No space left"),
          ("2>&- >&-", 2, ""), ("<&- >&- 2>&-", 2, "")]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("how,status,said", CLOSED)
def test_closed_standard_streams(how, status, said, files):
    done = subprocess.run(["sh", "-c", f"{sys.executable} -m gecmetrics_nb gleu -s S -r R0 -o A {how}"], capture_output=True, text=True, check=False)
    assert done.returncode == status and said in done.stdout + done.stderr
    assert (done.stdout + done.stderr).count("\n") == (said != "")


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from gecmetrics_nb.cli.parser import main
if sys.argv[1] == "plot": # before the limit, since it writes, too
    try: import matplotlib.pyplot, matplotlib.font_manager
    except ImportError: pass
resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes}, {bytes}))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("words,size,named", [("plot old.svg", 5000, "old.svg"), ("refs M2 -o a", 10, "a/INPUT"), ("refs M2 -o made", 10, "made/INPUT")])
def test_a_disk_that_fills_is_named_with_the_file_and_nothing_is_left(words, size, named, files, write):
    "The size of a file is limited, which is the same error as a full disk to a program"
    write({"M2": f"S {'word ' * 9}\nA 0 1|||X|||c|||R|||N|||0\n\n" * 9, "old.svg": "old"})
    (files / "made").mkdir()
    before = {str(path): path.is_dir() or path.read_bytes() for path in files.rglob("*")}
    texts = ARGUMENTS if words.split()[0] == "plot" else []
    place = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"} # Python itself writes half a module to a full disk
    done = python("-c", LIMITED.format(bytes=size), *words.split(), *texts, env=place)
    said = rf"gecnb {words.split()[0]}: error: \S*{named}: File too large\n"
    assert (done.returncode, done.stdout) == (2, "") and re.fullmatch(said, done.stderr), done.stderr
    assert {str(path): path.is_dir() or path.read_bytes() for path in files.rglob("*")} == before


STRANGE = "a\tb\nc\x1b[31m\x85\u2028d"
TAME = r"a\tb\nc\x1b[31m\x85\u2028d"


def test_a_name_does_not_break_a_line_or_reach_the_terminal(files, gecnb, printed):
    "In every format that has lines; JSON has the name as it is"
    (files / STRANGE).write_bytes((files / "A").read_bytes())
    (files / "M2").write_text("".join(f"S {line}\nA -1 -1|||noop|||-NONE-|||R|||N|||0\n\n" for line in (files / "S").read_text().splitlines()))
    (files / f"{STRANGE}.m2").write_bytes((files / "M2").read_bytes())
    texts, gold = ["-s", "S", "-r", "R0", "-o", STRANGE, "B"], ["-g", "M2", "-o", STRANGE, "B"]
    lines = [["gleu", *texts, "-m", "-v"], ["green", *texts, "-v"], ["bleu", *texts, "-v"], ["m2", *gold, "--format", "m2scorer"],
             *([*command, "--format", style] for command in (["gleu", *texts], ["green", *texts], ["m2", *gold], ["i-measure", *gold]) for style in ("text", "tsv")),
             *([*command, "--format", "tsv"] for command in (["sgleu", *texts], ["mgleu", *texts], ["m2", *gold, "--per", "sentence"])),
             *(["compare", *texts, "-i", "100", "--note", "n\x1b[1m", "--format", style] for style in ("text", "markdown", "latex")), ["refs", "M2", "-o", STRANGE + "e"],
             *(["errant", "-g", "M2", "-o", f"{STRANGE}.m2", "M2", *more] for more in ([], ["--format", "tsv"], ["-cat", "1"]))]
    (files / "scores").write_text("id\tG\x1b[1m\tH\nx\x1b[31m\t1\t2\ny\t2\t3\nz\t4\t1\n")
    lines += [["correlate", "--scores", "scores", "--human", "scores", "-i", "100", "--format", style] for style in ("text", "tsv")]
    for line in lines:
        shown = gecnb(line)
        control = {c for c in shown.out + shown.err if not c.isprintable()} - {"\n", "\t"}
        assert shown.status == 0 and not control, (line, shown.err, control)
        plain = shown.out.replace(r"\textbackslash{}", "\\").replace(r"\\", "\\").replace(r"\[", "[").replace("{[}", "[")
        assert (r"G\x1b[1m" if line[0] == "correlate" else TAME) in plain, line
        if "tsv" in line: assert len({row.count("\t") for row in shown.out.split("\n\n")[0].strip("\n").split("\n")}) == 1, line
    assert json.loads(printed(["gleu", *texts, "--format", "json"]))["scores"][0]["hypothesis"] == STRANGE


@pytest.mark.filterwarnings("ignore:Glyph")
def test_a_picture_of_strange_names_is_a_picture(files, printed):
    from xml.dom import minidom
    (files / "scores").write_text("id\tG\tH\nx\x1b[31m\t1\t2\ny\t2\t3\n")
    printed("plot x.svg --scores scores")
    printed(["plot", "y.svg", "-s", "S", "-r", "R0", "-o", "A", "a\x1b=B"])
    for name in "x.svg", "y.svg": assert r"\x1b" in "".join(node.firstChild.data for node in minidom.parse(name).getElementsByTagName("text") if node.firstChild)


@pytest.mark.parametrize("style", ["text", "tsv", "json"])
def test_of_an_error_on_the_way_nothing_is_seen(style, write, refused):
    "The outputs are read in pieces, and one of them is longer in the last piece"
    write({"S": ["a b"] * 5000, "A": ["a b"] * 5001})
    assert "A has 5001" in refused(f"sgleu -s S -r S -o A -m --format {style}")


def test_an_output_without_unicode(files):
    if sys.getfilesystemencoding() == "ascii": pytest.skip("no file can be called so in this locale")
    (files / "caf\u00e9").write_bytes((files / "A").read_bytes())
    words = "-m gecmetrics_nb compare -s S -r R0 R1 -o caf\u00e9 B".split()
    done = python(*words, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and " +-" in done.stdout and "caf\\xe9" in done.stdout and done.stderr == ""


# ---- the page of the command line: nbs/cli/01_command_line.ipynb

def the_page():
    "Its sources and its outputs, in one text each"
    cells = cells_of(ROOT / "nbs/cli/01_command_line.ipynb")
    shown = [data for c in cells for o in c.get("outputs", []) for data in ([o["text"]] if "text" in o else o["data"].values())]
    return "\n".join(c["source"] for c in cells), "\n".join("".join(text) for text in shown)


def flag_rows():
    "The rows of its table: (flag, Python, commands)"
    return [row.strip("| \n").split(" | ") for row in the_page()[1].split("\n") if row.startswith("| `") and row.count(" | ") == 2]


def test_the_page_runs_every_command_and_shows_its_help():
    sources, shown = the_page()
    assert not [name for name in commands() if not re.search(rf'(gecnb\("|\$ gecnb ){name} ', sources)]
    assert not [name for name in commands() if f"<summary><code>gecnb {name} --help</code></summary><pre>usage: gecnb {name} " not in shown]


def test_the_page_has_every_flag_of_every_command_with_what_it_is_in_python():
    table = {(command, flag) for flags, _, used in flag_rows() for command in used.split(", ") for flag in re.findall("`(.+?)`", flags)}
    asked = {(name, flag) for name, its in parser()[1].items() if name[1:] not in commands()
             for option in its._actions[1:] for flag in option.option_strings or [option.metavar or "list"]}
    assert asked <= table
    assert not [flags for flags, python, _ in flag_rows() if python.strip("`") == ""]


def test_what_the_page_says_of_python_is_so():
    "Each call that stands beside a flag is one of a function of ours, and has a parameter of that name"
    from gecmetrics_nb.metrics.errant import Comparing
    modules = [import_module(name) for _, name, is_room in walk_packages(gecmetrics_nb.__path__, "gecmetrics_nb.")
               if not is_room and ".lessons" not in name and "__main__" not in name]
    named = {name: value for module in modules for name, value in vars(module).items()} | {"compare_edits": Comparing}
    for _, python, _ in flag_rows():
        if not python.startswith("`") or python.endswith("=`"): continue
        for node in ast.walk(ast.parse(python.strip("`"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name): continue
            known = inspect.signature(named[node.func.id]).parameters
            assert "options" in known or {k.arg for k in node.keywords} <= set(known), python


def test_bounds_of_numbers_names_and_kinds(write, gecnb, printed, refused):
    "Sentences are numbered over pieces; a text may begin as an M2 file does; half of the lines are enough for a reference"
    write({"S": "S is a letter .\nThe b c .\n", "A": "S is a letter .\nThe b .\n", "long": "a b\n" * 4100,
           "half.m2": "S a\nA 0 1|||X|||b|||R|||N|||0\nA 0 1|||X|||c|||R|||N|||1\n\nS d\nA 0 1|||X|||b|||R|||N|||0\n"})
    rows = [row.split("\t")[:2] for row in printed("sgleu -s long -r long -o A=long B=long -m --tsv").splitlines()[1:]]
    assert rows == [[name, str(d)] for d in range(1, 4101) for name in "AB"]
    assert json.loads(printed("sgleu -s long -r long -o A=long B=long -m --json"))["sentences"] == [[1, 1]] * 4100
    assert message_line("x" * 1000) == "x" * 1000 and message_line("ab" * 501) == f"{'ab' * 300} ... {'ab' * 100}"
    for line in "compare -s S -r S -o A --metrics bleu", "refs half.m2 -o refs": assert gecnb(line)[::2] == (0, "")
    for line in "m2 -g - -o -", "errant -g - -o A -", "correlate --scores - --human -", "compare -s - -r S -o A --scores -":
        assert "standard input (-) can stand for one file only" in refused(line)


@pytest.mark.parametrize("line,said", [
    ("errant -g g.m2 -s S -r S -o S", "-s and -r the same as texts; give one or the other"),
    ("compare -g g.m2 -o S", "gleu needs -s SOURCE and -r REFERENCES"),
    ("compare -s S -r S -o S --metrics m2", "error: m2 needs -g GOLD.m2"),
    ("edits -s S -o S R", "2 outputs need a file each; add --out FOLDER"),
    ("edits -s S -o folder.json/S S --out m2", "written to S.m2; give them names, as in A=folder.json/S"),
    ("edits -s S -r R R", "R (1): sentence 1: an M2 file cannot hold"),
    ("compare -s S -r S -o S --card folder.json", "folder.json is a folder"),
    ("compare -s S -r S -o R --baseline INPUT --no-input", "--baseline INPUT is the source")])
def test_what_cannot_be_done_is_refused_in_one_line(line, said, tmp_path, write, refused):
    (tmp_path / "folder.json").mkdir()
    write({"S": "a b\n", "R": "a -NONE-\n", "g.m2": "S a b\nA 0 1|||X|||c|||R|||N|||0\n", "folder.json/S": "a\n"})
    assert said in refused(line)


def test_tables_of_sentences_say_whose_they_are(write, gecnb):
    "Sentences, systems and references count from 1, and a star marks the best reference"
    one, two = "a b c e\n", "a b f d\n"
    write({"S": "a b c d\n" * 2, "R0": one + two, "R1": two + one, "A": one * 2, "B": two * 2})
    done = gecnb("gleu -s S -r R0 R1 -o A B -v --per sentence")
    labels = [row.split()[0] for row in done.out.splitlines() if row[:2] in ("S-", "H-", "R-")]
    assert labels == [label for d in (1, 2) for h in (1, 2) for r in (1, 2)
                      for label in (f"S-{d}", f"H-{d}-{h}", f"R-{d}-{r}{'*' * ((d == h) == (r == 1))}")]
    table, plain = (gecnb(f"gleu -s S -r R0 R1 -o A -m --signature {v}").err for v in ("-v", ""))
    assert table == plain != ""


def test_gold_without_annotators_is_refused_as_refs_refuses_it(write, printed, refused):
    "A sentence without an A line is right as it is, but a file without one has no annotator"
    write({"none.m2": "S a\n\nS b\n", "one.m2": "S a\n\nS b\nA 0 1|||X|||c|||R|||N|||0\n", "A": "a\nc\n"})
    of_edits = [f"{name} -g none.m2 -o one.m2" for name in ("errant", "errant -dt", "cleme", "cleme2", "compare --metrics errant")]
    for line in "m2 -g none.m2 -o A", "i-measure -g none.m2 -o A", "refs none.m2 -o refs", *of_edits:
        assert ": error: none.m2: no A line, so no annotator" in refused(line)
    assert "100.00" in printed("m2 -g one.m2 -o A")
    for score in compare_edits, lambda *files: CLEME().corpus_score(hypotheses=files[0], gold=files[1]):
        with pytest.raises(ValueError, match="^none.m2: no A line"): score("one.m2", "none.m2")
        assert float(score("none.m2", "one.m2")) == 0 and float(score("one.m2", "one.m2")) == 1
