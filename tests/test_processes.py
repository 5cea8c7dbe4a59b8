"Several processes: the same bits as from one, the same errors, and nothing left behind"
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, M2, GoogleGLEU, IMeasure, commands, count, files, processes, stream
from gecmetrics_nb.cli import main
from gecmetrics_nb.compare import compare_corpus
from gecmetrics_nb.corpus import Corpus
from gecmetrics_nb.m2 import parse_m2
from gecmetrics_nb.metrics.maxmatch import gold_of
from gecmetrics_nb.resample import compare_systems, rank_systems
import slow

BY_REFERENCES = [GLEU(iterations=30), GLEU(references="expected"), GREEN(), GoogleGLEU(), BLEU(), METEOR(), METEOR(aggregate=True)]
BY_EDITS = [M2(), M2(choice="optimal"), IMeasure()]
named = lambda metric: repr(metric)[:40]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(processes, "OUTPUTS", 20)
    monkeypatch.setattr(processes, "FEWEST", 1)


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


@pytest.mark.parametrize("method", ["fork", "spawn"] if sys.platform == "linux" else ["spawn"])
@pytest.mark.parametrize("metric", [*BY_REFERENCES, *BY_EDITS], ids=named)
def test_bit_for_bit(metric, method, monkeypatch):
    "Corpus scores with their errors and signatures, sentence scores and statistics"
    monkeypatch.setattr(processes, "start_method", lambda: method)
    monkeypatch.setattr(processes, "processors", lambda: 2)
    monkeypatch.setattr(processes, "SOON", 0)
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
    sent = bytes(ForkingPickler.dumps(counts))
    there = ForkingPickler.loads(sent)
    assert there.regions.dtype == np.int64 and np.array_equal(there.regions, counts.regions) and len(sent) < counts.regions.nbytes / 4
    large = replace(counts, regions=counts.regions * 10**6)
    assert np.array_equal(ForkingPickler.loads(ForkingPickler.dumps(large)).regions, large.regions)


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
    corpus, counted = Corpus(data["sources"], data["references"], list(data["hypotheses"].values())), processes.in_processes
    def noted(*given): started.append(given[2]); return counted(*given)
    monkeypatch.setattr(processes, "in_processes", noted)
    compared = [compare_systems(GLEU(iterations=20), corpus, draws=100, jobs=jobs).to_dict() for jobs in (1, 2)]
    ranked = [repr(rank_systems(METEOR(), corpus, draws=100, jobs=jobs)) for jobs in (1, 3)]
    assert started == [2, 3] and compared[0] == compared[1] and ranked[0] == ranked[1]
    for function in compare_systems, rank_systems:
        with pytest.raises(ValueError, match="jobs is 0: give a whole number"): function(GREEN(), corpus, jobs=0)


def test_the_first_moments_are_counted_here(monkeypatch):
    "Without `jobs` other processes start only when there has been work for some time, and go on where it was left"
    data, started = texts(), []
    corpus = Corpus(data["sources"], data["references"], list(data["hypotheses"].values()))
    monkeypatch.setattr(processes, "processors", lambda: 2)
    monkeypatch.setattr(processes, "in_processes", lambda function, items, jobs, died: started.append(jobs) or map(function, items))
    whole = GREEN().statistics(corpus)
    assert GREEN().statistics(corpus, jobs=None).keys() == whole.keys() and not started
    pieces = [corpus.part(0, 30), corpus.part(30, 60)]
    monkeypatch.setattr(count, "CHUNK", 500) # so that time is up in the middle of a piece
    for seconds in 0, 1e9:
        monkeypatch.setattr(processes, "SOON", seconds)
        found = np.concatenate([c.regions[c.rows] for c in processes.count_pieces(GREEN(), pieces)], axis=1)
        assert np.array_equal(found, np.concatenate([c.regions[c.rows] for c in GREEN().count(corpus)], axis=1))
        assert started == [2]


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
    for jobs in 0, -1, 1.5, "2":
        with pytest.raises(ValueError, match="jobs is .*: give a whole number, 1 or larger"): GREEN().corpus_score(**texts(), jobs=jobs)
    with pytest.raises(TypeError, match="^GREEN cannot be sent to other processes .*a unit that is defined in a module, or jobs=1"):
        GREEN(unit=lambda text: text.split()).sentence_scores(**texts(), jobs=2)


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


@pytest.mark.skipif(sys.platform != "linux", reason="what is set here is set in copies of this process alone")
@pytest.mark.parametrize("block", [40, 1500]) # bytes read at a time: what lies ahead is read with a piece, or not
@pytest.mark.parametrize("wrong", FILES)
def test_files_read_by_other_processes_say_what_one_says(wrong, block, tmp_path, monkeypatch, capsys):
    "The same output, and of a mistake the same line, at whatever size of the pieces"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processes, "start_method", lambda: "fork")
    for module in commands, processes: monkeypatch.setattr(module, "processors", lambda: 2)
    for module in files, stream:
        monkeypatch.setattr(module, "PIECE", block)
        monkeypatch.setattr(module, "LONGEST_LINE", 2000)
    monkeypatch.setattr(stream.read_pieces, "__defaults__", (64,))
    monkeypatch.setattr(commands, "ROWS", 64)
    monkeypatch.setattr(processes, "SOON", 0) # without --jobs the first piece is read here
    for name, data in zip("SRA", FILES[wrong], strict=True):
        if data is not None: (tmp_path / name).write_bytes(data)
    refused = []
    for command in "gleu -m -s S -r R -o A", "meteor --limit 60 -r R -o A B=A --per sentence --format json":
        said = []
        for jobs, outputs in ("--jobs 1", 20), ("--jobs 2", 2), ("", 16):
            monkeypatch.setattr(processes, "OUTPUTS", outputs)
            said.append((main([*command.split(), *jobs.split()]), *capsys.readouterr()))
        assert said.count(said[0]) == 3, said
        refused.append(said[0][0] == 2)
    assert any(refused) == (list(FILES).index(wrong) > 3)


DEADLY = """
import os, sys, time
from gecmetrics_nb import processes
from gecmetrics_nb.metrics.green import GREEN
processes.OUTPUTS, processes.FEWEST = 10, 1
count = GREEN.count
def deadly(self, piece):
    if {before} in (None, piece.before): {what}
    return count(self, piece)
GREEN.count = deadly
if __name__ == "__main__":
    from gecmetrics_nb.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def started(tmp_path, what, before=None, **options):
    "A command in two processes, in which something happens; they share its standard output, which is open as long as one of them lives"
    (tmp_path / "job.py").write_text(DEADLY.format(what=what, before=before))
    for name in "S", "A": (tmp_path / name).write_text("a b c d e\n" * 60)
    command = [sys.executable, "job.py", "green", "-s", "S", "-r", "S", "-o", "A", "--jobs", "2"]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_process_that_dies_is_named(tmp_path):
    with started(tmp_path, "os._exit(9)", before=32) as job: out, err = job.communicate(timeout=60)
    assert job.returncode == 2 and out == "" and "a process died while sentences " in err and "use fewer jobs" in err


SLOW = "os.write(1, b'started\\n'); time.sleep(60)"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sent,status", [(signal.SIGTERM, -15), (signal.SIGKILL, -9), (signal.SIGINT, 130)], ids=str)
def test_a_command_that_is_killed_leaves_no_process(sent, status, tmp_path):
    with started(tmp_path, SLOW) as job:
        assert job.stdout.readline() == job.stdout.readline() == "started\n"
        job.send_signal(sent)
        out, err = job.communicate(timeout=20)
    assert (job.returncode, out, err) == (status, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_control_c_at_any_moment_prints_nothing(tmp_path):
    "To the whole group, as a terminal sends it, from when Python has started"
    for wait in .2, .25, .3, .35, .4, .5, .7, 1.:
        with started(tmp_path, SLOW, start_new_session=True) as job:
            time.sleep(wait)
            os.killpg(job.pid, signal.SIGINT)
            _, err = job.communicate(timeout=20)
        assert job.returncode in (130, -2) and ("Traceback" not in err or "in main" not in err), (wait, err)
