"Several processes: the same bits as from one, the same errors, and nothing left behind"
from dataclasses import replace
from itertools import repeat
import gzip
import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, M2, GoogleGLEU, IMeasure
from gecmetrics_nb.cli import scoring
from gecmetrics_nb.core import counts, parallel
from gecmetrics_nb.io import files, readers
from gecmetrics_nb.cli.parser import main
from gecmetrics_nb.stats.significance import compare_corpus
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.io.m2 import parse_m2
from gecmetrics_nb.metrics.m2 import gold_of
from gecmetrics_nb.stats.significance import compare_systems, rank_systems
import slow

def working_after(code, monkeypatch):
    "What other processes run before they work"
    start, work = parallel.WORK.split("from gecmetrics_nb.core.parallel import work")
    monkeypatch.setattr(parallel, "WORK", f"{start}{code}; from gecmetrics_nb.core.parallel import work{work}")


BY_REFERENCES = [GLEU(iterations=30), GLEU(references="expected"), GREEN(), GoogleGLEU(), BLEU(), METEOR(), METEOR(aggregate=True)]
BY_EDITS = [M2(), M2(choice="optimal"), IMeasure()]
named = lambda metric: repr(metric)[:40]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(parallel, "PIECE_OUTPUTS", 20)
    monkeypatch.setattr(parallel, "SLICE_SENTENCES", 1)


def texts(sentences=60):
    sources, references, systems = slow.corpus(1, sentences=sentences)
    return {"sources": sources, "references": references, "hypotheses": {"A": systems[0], "B": sources}}


def gold_lines(sentences=60):
    "An M2 file in which annotator 2 has looked at one sentence alone, the last but one"
    lines = []
    for d, source in enumerate(texts(sentences)["sources"]):
        source = " ".join(source.split())
        lines.append(f"S {source}")
        for a in (0, 1, 2) if d == sentences - 2 else (0, 1):
            start = (d + a) % max(len(source.split()), 1)
            lines.append(f"A {start} {start + (start < len(source.split()))}|||X|||w{(d + a) % 3}|||REQUIRED|||-NONE-|||{a}")
        lines.append("")
    return lines


def given(metric):
    if metric not in BY_EDITS: return texts()
    return {"hypotheses": texts()["hypotheses"], "gold": gold_of(parse_m2(gold_lines()))}


@pytest.mark.parametrize("metric", [*BY_REFERENCES, *BY_EDITS], ids=named)
def test_bit_for_bit(metric, monkeypatch):
    "Corpus scores with their errors and signatures, sentence scores and statistics"
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    monkeypatch.setattr(parallel, "SOON", 0)
    data = given(metric)
    for call in metric.corpus_score, metric.sentence_scores, metric.statistics:
        one = call(**data)
        for jobs in [2, None] if call == metric.corpus_score else [2]:
            many = call(**data, jobs=jobs)
            for name in "A", "B":
                assert np.array_equal(one[name], many[name])
                if call == metric.corpus_score: assert one[name].to_dict() == many[name].to_dict()


def test_counts_are_sent_in_few_bytes_and_arrive_as_they_were():
    data = texts()
    [counts] = GLEU(variant="2015").count(Corpus(data["sources"], data["references"], list(data["hypotheses"].values())))
    sent = pickle.dumps(counts)
    there = pickle.loads(sent)
    assert there.regions.dtype == np.int64 and np.array_equal(there.regions, counts.regions) and len(sent) < counts.regions.nbytes / 4
    large = replace(counts, regions=counts.regions * 10**6)
    assert np.array_equal(pickle.loads(pickle.dumps(large)).regions, large.regions)


def test_comparisons_and_pieces_of_pieces():
    data = texts()
    corpus = Corpus(data["sources"], data["references"], list(data["hypotheses"].values()))
    pieces = [corpus.part(0, 7), corpus.part(7, 50), corpus.part(50, 99)]
    assert [len(p) for p in pieces] == [7, 43, 10] and [p.before for p in pieces] == [0, 7, 50]
    metrics = [(m, "corpus") for m in BY_REFERENCES]
    one, two = (compare_corpus(pieces, metrics, jobs, draws=20) for jobs in (1, 2))
    assert [c.to_dict() for c in one] == [c.to_dict() for c in two]


def test_what_compares_counts_in_processes_too(monkeypatch):
    data, started = texts(), []
    corpus, counted = Corpus(data["sources"], data["references"], list(data["hypotheses"].values())), parallel.in_processes
    def noted(*given): started.append(given[2]); return counted(*given)
    monkeypatch.setattr(parallel, "in_processes", noted)
    compared = [compare_systems(GLEU(iterations=20), corpus, draws=100, jobs=jobs).to_dict() for jobs in (1, 2)]
    ranked = [repr(rank_systems(METEOR(), corpus, draws=100, jobs=jobs)) for jobs in (1, 3)]
    assert started == [2, 3] and compared[0] == compared[1] and ranked[0] == ranked[1]
    for function in compare_systems, rank_systems:
        for jobs in 0, True, 1.0:
            with pytest.raises(ValueError, match=f"jobs is {jobs}: give a whole number"): function(GREEN(), corpus, jobs=jobs)


def test_the_first_moments_are_counted_here(monkeypatch):
    "Without `jobs` other processes start only when there has been work for some time, and go on where it was left"
    data, started = texts(), []
    corpus = Corpus(data["sources"], data["references"], list(data["hypotheses"].values()))
    monkeypatch.setattr(parallel, "SOON", 1e9)
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    monkeypatch.setattr(parallel, "in_processes", lambda function, items, jobs, *_: started.append(jobs) or map(function, items))
    whole = GREEN().statistics(corpus)
    assert GREEN().statistics(corpus, jobs=None).keys() == whole.keys() and not started
    pieces = [corpus.part(0, 30), corpus.part(30, 60)]
    monkeypatch.setattr(counts, "BATCH", 500) # so that time is up in the middle of a piece
    for seconds in 0, 1e9:
        monkeypatch.setattr(parallel, "SOON", seconds)
        found = np.concatenate([c.regions[c.rows] for c in parallel.count_pieces(GREEN(), pieces)], axis=1)
        assert np.array_equal(found, np.concatenate([c.regions[c.rows] for c in GREEN().count(corpus)], axis=1))
        assert started == [2]


@pytest.mark.parametrize("joins", [False, True])
def test_the_longest_piece_is_given_out_first(joins, monkeypatch):
    "Of the pieces that are given out ahead; their results come in the order of the pieces"
    given, ask = [], parallel._Others.ask
    monkeypatch.setattr(parallel._Others, "ask", lambda others, task: given.append(task.item) or ask(others, task))
    monkeypatch.setattr(parallel, "JOINS", joins)
    monkeypatch.setattr(parallel, "processors", lambda: 1)
    monkeypatch.setattr(parallel, "AHEAD", 4)
    assert list(parallel.in_processes(abs, [3, 1, 9], 5, str)) == [3, 1, 9] and not given # with one processor here
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    items = [*range(8), 3, 100, 5]
    assert list(parallel.in_processes(abs, items, 5, str, float)) == items
    assert given == [*range(7, -1, -1), 100, 5, 3]
    assert list(parallel.in_processes(abs, items, 5, str)) == items == given[11:] # whatever takes equally long, one after another


def pid(item):
    time.sleep(.01)
    return os.getpid()


def pid_after(path):
    "The process that works at this, once there is such a file"
    while not os.path.exists(path): time.sleep(.01)
    return os.getpid()


@pytest.fixture
def made(monkeypatch):
    "The other processes that were started, where this one works until they are ready"
    new, made = parallel._new_python, []
    monkeypatch.setattr(parallel, "_new_python", lambda: made.append(new()) or made[-1])
    monkeypatch.setattr(parallel, "JOINS", True)
    return made


@pytest.fixture
def others(monkeypatch):
    "What knows how many of three others are ready; the last of the list is of the last call"
    new, others = parallel._Others, []
    monkeypatch.setattr(parallel, "_Others", lambda *given: others.append(new(*given)) or others[-1])
    monkeypatch.setattr(parallel, "processors", lambda: 3)
    return others


def test_this_process_works_until_the_others_are_ready(made, others, monkeypatch, tmp_path):
    "With the last items first"
    here, answer, found, gate = [], parallel._here, [], tmp_path / "open"
    monkeypatch.setattr(parallel, "_here", lambda *given: here.append((given[1], others[-1].ready)) or answer(*given))
    working_after(f"import os, time; [time.sleep(.01) for _ in iter(lambda: os.path.exists({str(gate)!r}), True)]", monkeypatch)
    def items():
        yield from range(24)
        while len(set(found)) < 4: yield None
    for process in parallel.in_processes(pid, items(), 3, str):
        found.append(process)
        gate.touch()
    assert set(found) == {os.getpid(), *(p.pid for p in made)} and len(made) == 3
    assert here[:24] == [(item, 0) for item in range(23, -1, -1)] and [ready for _, ready in here].count(3) <= 1


def test_all_others_start_though_the_items_were_given_out_before_one_was_ready(made, others, monkeypatch, tmp_path):
    "Each of them is at its first item until all are ready; this process takes an item when one more is"
    here, gate = [], tmp_path / "open"
    def answer(function, item):
        here.append(item)
        while others[-1].ready < len(here): time.sleep(.01)
        if len(here) == 3: gate.touch()
        return os.getpid(), None
    monkeypatch.setattr(parallel, "_here", answer)
    assert set(parallel.in_processes(pid_after, [str(gate)] * 24, 3, str)) == {os.getpid(), *(p.pid for p in made)} and len(made) == 3


def test_what_takes_a_moment_is_done_before_another_process_is_ready(made, monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    working_after("import time; time.sleep(60)", monkeypatch)
    here, answer = [], parallel._here
    monkeypatch.setattr(parallel, "_here", lambda function, item: here.append(item) or answer(function, item))
    assert list(parallel.in_processes(abs, range(-99, 0), 2, str, float)) == list(range(99, 0, -1))
    with pytest.raises(ValueError, match="invalid literal for .*: 'two'"): list(parallel.in_processes(int, ["1", "two", "three"], 2, str))
    assert len(here) == 99 + 3 and len(made) == 2 # all of them; one each time


def test_few_items_start_no_other_process(made, monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    for items, started in (3, 0), (4, 1):
        assert len(list(parallel.in_processes(abs, range(items), 2, str, float, least=4))) == items and len(made) == started
    corpus = Corpus(["a b"] * 80, [["a c"] * 80], [["a c"] * 80])
    for texts, started in (corpus.part(0, 60), 1), (corpus, 2): # 20 in a piece
        assert sum(c.rows.shape[1] for c in parallel.count_pieces(GREEN(), [texts], 2)) == len(texts) and len(made) == started


@pytest.mark.parametrize("joins", [False, True])
def test_a_process_that_never_gets_ready_is_named(joins, monkeypatch):
    monkeypatch.setattr(parallel, "JOINS", joins)
    working_after("sys.exit(3)", monkeypatch)
    with pytest.raises(OSError, match="^died over [0-9]+$"): list(parallel.in_processes(time.sleep, repeat(.05), 2, lambda item: f"died over {round(100 * item)}"))


def test_a_long_sentence_has_its_piece_first():
    texts = ["a b c"] * 30 + ["a " * 99] + ["a b c"] * 9
    pieces = list(parallel._small_pieces([Corpus(texts, [texts], [texts])]))
    assert max(pieces, key=parallel._squares).before == 20


def test_errors_are_those_of_one_process(tmp_path):
    long = "a b " * 900
    lines = [*["S a b", ""] * 41, f"S {long}", "A 0 1|||X|||b a|||REQUIRED|||-NONE-|||0", ""]
    gold, outputs = gold_of(parse_m2(lines)), ["a c"] * 41 + ["b " * 1700]
    mixed = gold_of(parse_m2(["S a b", ""] * 41 + [f"S {'a ' * 30}", *(f"A {i} {i + 1}|||X|||{'b' * (a + 1)}|||REQUIRED|||-NONE-|||{a}" for i in range(30) for a in (0, 1)), ""]))
    for metric, data, said in (
        (IMeasure(), {"hypotheses": outputs, "gold": gold}, "sentence 42: 1,800 words of the source"),
        (IMeasure(candidates="mix"), {"hypotheses": ["a c"] * 42, "gold": mixed}, "sentence 42: [0-9,]+ combinations")):
        for jobs in 1, 2:
            with pytest.raises(ValueError, match=f"^{said}"): metric.corpus_score(**data, jobs=jobs)
    for jobs in 0, -1, 1.5, "2", True, False, float("nan"), [2]:
        with pytest.raises(ValueError, match="jobs is .*: give a whole number, 1 or larger"): GREEN().corpus_score(**texts(), jobs=jobs)


def test_the_command(tmp_path, capsys):
    data = texts()
    columns = {"S": data["sources"], "R0": data["references"][0], "A": data["hypotheses"]["A"], "G.m2": gold_lines()}
    for name, column in columns.items(): (tmp_path / name).write_text("".join(f"{line}\n" for line in column), encoding="utf-8")
    path = lambda name: str(tmp_path / name)
    files, gold = ["-s", path("S"), "-r", path("R0"), "-o", path("A")], ["-g", path("G.m2"), "-o", path("A")]
    for command in (["sgleu", *files, "-m"], ["green", *files], ["meteor", *files, "--per", "sentence"], ["m2", *gold], ["i-measure", *gold, "--per", "mean"],
                    ["compare", *files, "--metrics", "meteor", "-i", "10"], ["compare", *files, *gold[:2], "--metrics", "gleu", "m2", "-i", "10", "--format", "json"]):
        said = []
        for jobs in "1", "2":
            assert main([*command, "--jobs", jobs]) == 0
            said.append(capsys.readouterr().out)
        assert said[0] == said[1] != ""
    (tmp_path / "A").write_bytes(b"a\n" * 40 + b"\xff\n" * 20)
    assert main(["sgleu", *files, "--jobs", "2"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and f"{path('A')}: line 41 is not UTF-8" in shown.err


def lines(n, first=0): return b"".join(b"word %d of it\n" % (d % 7) for d in range(first, first + n))


FILES = { # S, R and A, of which something is wrong in some
    "right": (lines(100), lines(100, 1), lines(100, 2)),
    "no line feed at the end, a mark at the beginning": (b"\xef\xbb\xbf" + lines(65)[:-1], lines(65).replace(b"\n", b"\r\n"), lines(65)),
    "no line feed at the end of a piece": (lines(64)[:-1], lines(64), lines(64)[:-1]),
    "empty lines": (b"\n" * 70, b"\n" * 70, lines(69) + b"\n"),
    "empty": (b"", b"", b""), "one empty": (lines(50), b"", lines(50)), "marks alone": (b"\xef\xbb\xbf",) * 3,
    "short": (lines(100), lines(100), lines(99)), "shorter by pieces": (lines(100), lines(20), lines(99)),
    "short at the end of a piece": (lines(64), lines(64), lines(65)),
    "not UTF-8": (lines(100), lines(100), lines(70) + b"a\xff\n" + lines(29)),
    "a byte cut in two": (lines(31) + b"caf\xc3\n" + lines(40), lines(72), lines(72)),
    "NUL": (lines(100), lines(40) + b"\0\n" + lines(59), lines(100)),
    "not UTF-8, and short after that": (lines(100), lines(50) + b"\xff\n" + lines(49), lines(90)),
    "short, and not UTF-8 after that": (lines(60), lines(80) + b"\xff\n" + lines(19), lines(100)),
    "two that are not UTF-8": (lines(100), lines(90) + b"\xff\n" + lines(9), lines(10) + b"\xff\n" + lines(89)),
    "packed": (lines(100), b"\x1f\x8b" + lines(100), lines(100)),
    "long": (lines(100), lines(70) + b"a" * 2100 + b"\n" + lines(29), lines(100)),
    "long, after a word too many": (lines(20) + b"b a " * 14 + b"\n" + lines(79), lines(20) + b"a b " * 9 + b"\n" + lines(40) + b"a" * 2100 + lines(39), lines(100)),
    "missing": (lines(100), None, lines(100)),
    "a word too many": (lines(100), lines(40) + b"b a " * 14 + b"\n" + lines(59), lines(40) + b"a b " * 9 + b"\n" + lines(59)),
    "a word too many, and not UTF-8 after that": (lines(100), lines(40) + b"b a " * 14 + b"\n" + lines(59),
                                                lines(40) + b"a b " * 9 + b"\n" + lines(30) + b"\xff\n" + lines(28)),
}


PROCESSES = [("right", 40), ("not UTF-8", 1500), ("short", 40), ("a word too many", 1500)] # the pairs with processes


@pytest.mark.parametrize("block", [40, 1500]) # bytes read at a time: what lies ahead is read with a piece, or not
@pytest.mark.parametrize("wrong", FILES)
def test_files_read_by_other_processes_say_what_one_says(wrong, block, tmp_path, monkeypatch, capsys):
    "The same output, and of a mistake the same line, at whatever size of the pieces"
    monkeypatch.chdir(tmp_path)
    for module in scoring, parallel: monkeypatch.setattr(module, "processors", lambda: 2)
    for module in files, readers:
        monkeypatch.setattr(module, "PIECE", block)
        monkeypatch.setattr(module, "LONGEST_LINE", 2000)
    monkeypatch.setattr(readers.read_pieces, "__defaults__", (64, ()))
    monkeypatch.setattr(parallel, "_working", (wrong, block) not in PROCESSES) # else what others would do is done here
    same = f"import files, readers; files.PIECE = readers.PIECE = {block}; files.LONGEST_LINE = readers.LONGEST_LINE = 2000"
    working_after(f"from gecmetrics_nb.io {same}; readers.read_pieces.__defaults__ = (64, ())", monkeypatch)
    monkeypatch.setattr(scoring, "ROWS", 64)
    monkeypatch.setattr(parallel, "SOON", 0) # without --jobs the first piece is read here
    for name, data in zip("SRA", FILES[wrong], strict=True):
        if data is not None: (tmp_path / name).write_bytes(data)
    refused = []
    for command in "gleu -m -s S -r R -o A", "meteor --limit 60 -r R -o A B=A --per sentence --format json":
        said = []
        for jobs, outputs in ("--jobs 1", 20), ("--jobs 2", 2), ("", 16):
            monkeypatch.setattr(parallel, "PIECE_OUTPUTS", outputs)
            said.append((main([*command.split(), *jobs.split()]), *capsys.readouterr()))
        assert said.count(said[0]) == 3, said
        refused.append(said[0][0] == 2)
    assert any(refused) == (list(FILES).index(wrong) > 3)


DEADLY = """
import os, time
from gecmetrics_nb.metrics.green import GREEN
count = GREEN.count
def deadly(self, piece):
    if {before} in (None, piece.before): {what}
    return count(self, piece)
GREEN.count = deadly
"""
COMMAND = """
import os, sys
os.write(2, b"up\\n")
from gecmetrics_nb.core import parallel
parallel.PIECE_OUTPUTS, parallel.SLICE_SENTENCES, parallel.JOINS = 10, 1, False
parallel.WORK = parallel.WORK.replace("; from", "; import deadly; from")
from gecmetrics_nb.cli.parser import main
sys.exit(main(sys.argv[1:]))
"""


def started(tmp_path, what, before=None, **options):
    "A command in two processes, in which something happens; they share its standard error, which is open as long as one of them lives"
    (tmp_path / "deadly.py").write_text(DEADLY.format(what=what, before=before))
    (tmp_path / "job.py").write_text(COMMAND)
    for name in "S", "A": (tmp_path / name).write_text("a b c d e\n" * 60)
    command = [sys.executable, "job.py", "green", "-s", "S", "-r", "S", "-o", "A", "--jobs", "2"]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_process_that_dies_is_named(tmp_path):
    with started(tmp_path, "os._exit(9)", before=30) as job: out, err = job.communicate(timeout=600)
    assert job.returncode == 2 and out == "" and "a process died while sentences " in err and "use fewer jobs" in err


SLOW = "os.write(2, b'started\\n'); time.sleep(3600)"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sent,status", [(signal.SIGTERM, -15), (signal.SIGKILL, -9), (signal.SIGINT, 130)], ids=str)
def test_a_command_that_is_killed_leaves_no_process(sent, status, tmp_path):
    with started(tmp_path, SLOW) as job:
        assert [job.stderr.readline() for _ in range(3)] == ["up\n", "started\n", "started\n"]
        job.send_signal(sent)
        out, err = job.communicate(timeout=600)
    assert (job.returncode, out, err) == (status, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_control_c_at_any_moment_prints_nothing(tmp_path):
    "To the whole group, as a terminal sends it, from when Python has started"
    for wait in 0, .05, .1, .15, .2, .3, .5, .8:
        with started(tmp_path, SLOW, start_new_session=True) as job:
            assert job.stderr.readline() == "up\n"
            time.sleep(wait)
            os.killpg(job.pid, signal.SIGINT)
            _, err = job.communicate(timeout=600)
        assert job.returncode in (130, -2) and ("Traceback" not in err or "in main" not in err), (wait, err)


SCRIPT = """
print("once")
from gecmetrics_nb import GREEN
texts = ["a b c", "d e"] * 1500
found = GREEN({given}).corpus_score(sources=texts, hypotheses=texts, references=[["a c d", "d e"] * 1500], jobs={jobs})
print(found.value)
"""


def script(tmp_path, way="script", given="", jobs=2):
    "What a script of three lines prints, by the way in which it is run"
    code = SCRIPT.format(given=given, jobs=jobs)
    (tmp_path / "job.py").write_text(code)
    ways = {"script": ["job.py"], "-m": ["-m", "job"], "-c": ["-c", code], "standard input": ["-"]}
    threads = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"} # NumPy starts as many as it likes
    done = subprocess.run([sys.executable, "-W", "error", *ways[way]], cwd=tmp_path, capture_output=True, text=True, timeout=600, env=threads,
                          input=code if way == "standard input" else "")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("way", ["script", "-m", "-c", "standard input"])
def test_any_program_can_ask_and_none_runs_twice(way, tmp_path):
    "Without `if __name__ == '__main__':`"
    status, out, err = script(tmp_path, way)
    assert (status, err) == (0, "") and out.split() == ["once", repr(float(out.split()[1]))] == script(tmp_path, jobs=1)[1].split()


OWN = """
print("imported")
def words(text): return print("seen") or text.split()
class Words:
    def __call__(self, text): return text.split()
"""


@pytest.mark.parametrize("given,seen", [("unit=own.words", True), ("unit=own.Words()", True), ("unit=words", False), ("unit=lambda text: text.split()", False)])
def test_what_a_module_defines_is_found_and_what_the_script_defines_is_refused(given, seen, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.setitem(globals(), "SCRIPT", "import own\ndef words(text): return text.split()\n" + SCRIPT)
    status, out, err = script(tmp_path, given=given)
    if seen: assert status == 0 and [line for line in out.split() if line != "seen"] == ["imported", *script(tmp_path)[1].split()[1:]], err
    else: assert status == 1 and "is defined in the main script or in a function" in err.splitlines()[-1] and "give jobs=1" in err


def test_without_jobs_what_cannot_be_sent_is_counted_here(monkeypatch):
    monkeypatch.setattr(parallel, "processors", lambda: 2)
    monkeypatch.setattr(parallel, "SOON", 0)
    score = lambda jobs: GREEN(unit=lambda text: text.split()).corpus_score(**texts(), jobs=jobs)
    assert score(None) == score(1)
    with pytest.raises(TypeError, match="<lambda> is defined in the main script or in a function: .* or give jobs=1"): score(2)


def test_a_module_that_asks_when_it_is_imported_does_not_start_processes_without_end(tmp_path):
    (tmp_path / "own.py").write_text("def words(text): return text.split()\n" + SCRIPT.format(given="unit=words", jobs=2))
    done = subprocess.run([sys.executable, "-c", "import own"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and len(done.stdout.split()) == 2


def exits(text): sys.exit(f"{text} is the end")
def unkind(text):
    class Unkind(Exception): pass
    raise Unkind(f"{text}!")
def file_ends(text): raise EOFError(text)


@pytest.mark.parametrize("function,kind,said", [(exits, SystemExit, "a is the end"), (unkind, RuntimeError, "Unkind: a!"), (file_ends, EOFError, "a"), (int, ValueError, "invalid literal")])
def test_any_error_arrives(function, kind, said):
    with pytest.raises(kind, match=said): list(parallel.in_processes(function, ["a"], 2, str))


def test_what_cannot_be_sent_back_is_an_error_too():
    with pytest.raises(Exception, match="pickle"): list(parallel.in_processes(memoryview, [b"a"], 2, str))


def test_an_error_of_the_items_waits_for_those_before_it():
    def items():
        yield from ["1", "2", "three", "4"]
        raise OSError("no more items")
    found = parallel.in_processes(int, items(), 2, str)
    assert [next(found), next(found)] == [1, 2]
    with pytest.raises(ValueError, match="three"): next(found)
    with pytest.raises(OSError, match="no more items"): list(parallel.in_processes(abs, (yes if yes else items().throw(OSError("no more items")) for yes in (1, 0)), 2, str))


def test_errors_of_packed_files_come_in_the_order_of_one_process(tmp_path, monkeypatch, capsys):
    "A sentence that METEOR gives up stands before a line that is not UTF-8; the files are read here"
    hard, easy = b"a b " * 9 + b"\n" + b"a\n" * 4999, b"b a " * 14 + b"\n" + b"a\n" * 4999
    (tmp_path / "R.gz").write_bytes(gzip.compress(easy))
    (tmp_path / "A.gz").write_bytes(gzip.compress(hard + b"\xff\n"))
    said = []
    monkeypatch.setattr(files, "PIECE", 1500)
    monkeypatch.setattr(parallel, "PIECE_OUTPUTS", 1024) # so that the second is read before the first is counted
    for jobs in "1", "2":
        assert main(["meteor", "--limit", "60", "-r", str(tmp_path / "R.gz"), "-o", str(tmp_path / "A.gz"), "--jobs", jobs]) == 2
        said.append(capsys.readouterr().err)
    assert said[0] == said[1] and "sentence 1" in said[0]


def test_only_as_many_processes_as_items_start_and_none_is_left(monkeypatch):
    new, made = parallel._new_python, []
    monkeypatch.setattr(parallel, "_new_python", lambda: made.append(new()) or made[-1])
    assert list(parallel.in_processes(abs, [-1, -2], 1000, str)) == [1, 2] and len(made) <= 2
    some = parallel.in_processes(abs, range(100), 2, str)
    assert next(some) == 0
    some.close()
    assert len(made) <= 4 and all(p.returncode is not None and p.stdin.closed and p.stdout.closed for p in made)


def test_where_no_python_can_be_started(monkeypatch):
    for name, value in ("executable", ""), ("frozen", True), ("platform", "emscripten"):
        with monkeypatch.context() as patch:
            patch.setattr(sys, name, value, raising=False)
            assert parallel.processors() == 1
            with pytest.raises(OSError, match="^no other Python can be started from this one: give jobs=1"): GREEN().corpus_score(**texts(), jobs=2)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(OSError, match=r"^no other Python can be started \(No such file or directory\): give fewer jobs, or jobs=1"): GREEN().corpus_score(**texts(), jobs=2)


@pytest.mark.skipif(os.name == "nt", reason="the shell of POSIX")
def test_standard_error_may_be_closed(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "job.py").write_text("import own\n" + SCRIPT.format(given="unit=own.words", jobs=2))
    done = subprocess.run(f"{sys.executable} job.py 2>&-", shell=True, cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.split()[:2] == ["imported", "once"]


def test_a_script_ends_though_results_are_left(tmp_path):
    code = "import time\nfrom gecmetrics_nb.core import parallel\nparallel.JOINS = False\n" # else it would sleep itself
    code += "some = parallel.in_processes(time.sleep, [0] + [3600] * 99, 2, str)\nprint(next(some))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "None\n", "")
