"Several processes: the same bits as from one, the same errors, and nothing left behind"
from dataclasses import replace
from types import SimpleNamespace
import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, M2, IMeasure, Corpus, parse_m2, compare_systems
from gecmetrics_nb.core import parallel
from gecmetrics_nb.core.metric import CALLS
from gecmetrics_nb.metrics.m2 import GoldCorpus, gold_of
from gecmetrics_nb.stats.identify import try_settings
import slow

BY_REFERENCES = [GLEU(iterations=30), GREEN(), GREEN(references="union"), BLEU(), METEOR()]
BY_EDITS = [M2(), IMeasure()]


@pytest.fixture
def two(monkeypatch):
    "Two processes from the first sentence on, each of which is a batch, whatever machine this is"
    monkeypatch.setattr(parallel, "PIECE_OUTPUTS", 20)
    monkeypatch.setattr(parallel, "SOON", 0)
    monkeypatch.setattr("gecmetrics_nb.core.counts.BATCH", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)


@pytest.fixture(scope="module")
def pool():
    "Two processes that are started once"
    loky = parallel.require_extra("loky", "jobs", "counting in several processes")
    with loky.ProcessPoolExecutor(2, initializer=parallel._is_asked_by, initargs=(os.getpid(),)) as pool: yield pool


@pytest.fixture
def shared_pool(pool, two, monkeypatch):
    "The pool in place of one that is started for each call; the items that it was given"
    asked = []
    submit = lambda function, item: asked.append(item) or pool.submit(function, item)
    ours = SimpleNamespace(submit=submit, shutdown=lambda **how: None)
    loky = SimpleNamespace(ProcessPoolExecutor=lambda *args, **settings: ours)
    monkeypatch.setattr(parallel, "require_extra", lambda *names: loky)
    return asked


def texts(sentences=60):
    sources, references, systems = slow.corpus(1, sentences=sentences)
    return {"sources": sources, "references": references, "hypotheses": {"A": systems[0], "B": sources}}


def corpus(sentences=60):
    data = texts(sentences)
    return Corpus(data["sources"], data["references"], list(data["hypotheses"].values()))


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


@pytest.mark.parametrize("metric", [*BY_REFERENCES, *BY_EDITS], ids=lambda metric: repr(metric)[:40])
def test_bit_for_bit(metric, shared_pool):
    "Corpus scores with their errors and signatures, sentence scores and statistics"
    data = texts()
    if metric in BY_EDITS: data = {"hypotheses": data["hypotheses"], "gold": gold_of(parse_m2(gold_lines()))}
    for call in metric.corpus_score, metric.sentence_scores, metric.statistics:
        one, many = call(**data), call(**data, jobs=2)
        for name in "A", "B":
            assert np.array_equal(one[name], many[name])
            if call == metric.corpus_score: assert one[name].to_dict() == many[name].to_dict()
    assert len(shared_pool) >= 3


def test_all_settings(shared_pool, monkeypatch):
    "What shares its counts is tried in one process: n-grams, METEOR, M2, the I-measure"
    monkeypatch.setattr("gecmetrics_nb.stats.identify.PIECE_OUTPUTS", 1)
    texts = corpus(5)
    texts, gold = replace(texts, references=texts.references[:1], reference_names=()), GoldCorpus(gold_of(parse_m2(gold_lines(5))), texts.systems)
    one, two = try_settings(texts, gold), try_settings(texts, gold, jobs=2)
    assert two.settings == one.settings and two.left_out == one.left_out and len(one) > 600
    assert two.numbers.tobytes() == one.numbers.tobytes()
    assert [{kind.__name__ for kind, *_ in work} for work in shared_pool] == [
        {"GLEU", "GREEN", "GoogleGLEU", "BLEU"}, {"METEOR"}, {"M2"}, {"IMeasure"}]


def test_counts_that_are_sent_arrive_as_they_were():
    "In few bytes: up to 255 one byte holds a number that is 1 now"
    [counts] = GLEU(variant="2015").count(corpus())
    for factor in 1, 255, 256, 10**6:
        large = replace(counts, regions=np.minimum(counts.regions, 1) * factor)
        assert np.array_equal(pickle.loads(pickle.dumps(large)).regions, large.regions)


def test_comparisons_and_pieces_of_pieces(shared_pool):
    whole = corpus()
    pieces = [whole.part(0, 7), whole.part(7, 50), whole.part(50, 99)]
    assert [len(p) for p in pieces] == [7, 43, 10] and [p.before for p in pieces] == [0, 7, 50]
    metrics = [(m, "corpus") for m in BY_REFERENCES]
    one, many = (compare_systems(metrics, pieces, jobs=jobs, draws=20).parts for jobs in (1, 2))
    assert shared_pool and [c.to_dict() for c in one] == [c.to_dict() for c in many]


def test_without_loky_one_process_counts_and_two_are_refused_by_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "loky", None)
    monkeypatch.setattr(parallel, "find_spec", lambda name: None)
    assert parallel.processors() == parallel.processors(1) == 1 and GREEN().corpus_score(**texts(), jobs=None)
    for name in CALLS: assert list(getattr(GREEN(), name)(**texts())) == ["A", "B"] # by one process, unless asked
    with pytest.raises(ImportError, match=r"several processes needs loky: pip install 'gecmetrics_nb\[jobs\]'"): GREEN().corpus_score(**texts(), jobs=2)


def test_no_more_processes_are_asked_than_there_are_processors(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert [parallel.processors(jobs) for jobs in (1, 2, 9, None)] == [1, 2, 3, 3]
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert parallel.processors(9) == 1


def test_progress_counts_each_sentence_once():
    done = []
    def progress(parts, unit, total, size): return (done.append((size(part), total)) or part for part in parts)
    list(parallel.count_pieces(GREEN(), [corpus().part(0, 7), corpus().part(7, 60)], 1, progress))
    assert done == [(7, 60), (53, 60)]


def test_errors_come_in_the_order_of_one_process(tmp_path, shared_pool, refused):
    "A sentence that METEOR gives up, then a line that is not UTF-8, pieces of sentences later"
    first, rest = b"a\n" * 2000, b"a\n" * 700_000 # more than is read at once
    hard, easy = first + b"a b " * 9 + b"\n" + rest, first + b"b a " * 14 + b"\n" + rest
    (tmp_path / "R").write_bytes(easy)
    (tmp_path / "A").write_bytes(hard + b"\xff\n")
    one, two = (refused(f"meteor --limit 60 -r {tmp_path / 'R'} -o {tmp_path / 'A'} --jobs {jobs}") for jobs in (1, 2))
    assert one == two and "sentence 2001" in one


def test_an_error_of_the_items_waits_for_those_before_it(shared_pool):
    def items():
        yield from ["1", "2", "three", "4"]
        raise OSError("no more items")
    results = parallel.in_processes(int, items(), 2, str)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ValueError, match="three"): next(results)
    with pytest.raises(OSError, match="no more items"): list(parallel.in_processes(abs, (yes if yes else items().throw(OSError("no more items")) for yes in (1, 0)), 2, str))


def test_a_process_that_dies_is_named(two):
    with pytest.raises(OSError, match="^a process died while at [0-9]+; use fewer"): list(parallel.in_processes(os._exit, range(9, 20), 2, lambda item: f"at {item}"))
    class Deadly(GREEN):
        def count(self, piece):
            if piece.before >= 30: os.kill(os.getpid(), signal.SIGKILL)
            return super().count(piece)
    with pytest.raises(OSError, match="a process died while sentences [0-9]+ to [0-9]+, or their neighbours, were counted; use fewer jobs"):
        list(parallel.count_pieces(Deadly(), [corpus().part(0, 30), corpus().part(30, 60)], 2))
    assert parallel._counting(corpus().part(30, 40)) == "sentences 31 to 40, or their neighbours, were counted"


def test_others_start_if_as_much_is_left_as_was_counted(monkeypatch):
    "Ten sentences were counted in `SOON`; the next piece says how many follow"
    monkeypatch.setattr(parallel, "SOON", 0)
    monkeypatch.setattr(parallel, "processors", lambda jobs: jobs)
    monkeypatch.setattr(parallel, "in_processes", lambda function, pieces, jobs, doing: (others.append(len(piece)) or function(piece) for piece in pieces))
    for after, by_others in (10, [10]), (9, []):
        others = []
        counts = parallel.count_pieces(GREEN(), [corpus().part(0, 10), corpus().part(10, 10 + after)], 2)
        assert sum(part.rows.shape[1] for part in counts) == 10 + after and others == by_others


SCRIPT = """
from gecmetrics_nb.core import parallel
from gecmetrics_nb.core import counts
parallel.SOON, parallel.PIECE_OUTPUTS, counts.BATCH = 0, 20, 1
print("once")
from gecmetrics_nb import GREEN
texts = ["a b c", "d e"] * {many}
own = lambda text: text.split()
print(GREEN(unit=own).corpus_score(sources=texts, hypotheses=texts, references=[["a c d", "d e"] * {many}], jobs={jobs}).value)
"""


def test_any_program_can_ask_and_none_runs_twice():
    "From standard input without `if __name__ == '__main__':`, and with a unit of its own"
    said = []
    for jobs in 1, 2:
        code = SCRIPT.format(jobs=jobs, many=40)
        done = subprocess.run([sys.executable, "-"], capture_output=True, text=True, timeout=120, input=code)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.split())
    assert said[0] == said[1] and said[0][0] == "once" and len(said[0]) == 2


SLOW = """
import os, sys, time
from gecmetrics_nb.core.parallel import in_processes
def slow(item):
    os.write(2, b"started\\n")
    time.sleep(1)
list(in_processes(slow, range(2), 2, str))
"""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT], ids=str)
def test_no_process_is_left(sent):
    "They share standard error, which is open as long as one of them lives"
    with subprocess.Popen([sys.executable, "-c", SLOW], stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr.readline() == job.stderr.readline() == "started\n"
        job.send_signal(sent)
        job.communicate(timeout=100)
    assert job.returncode
