"Batches: one process, several, and Ray give the same bits; a job goes on where it stopped; what breaks is named"
from functools import partial
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

try: import pyarrow as pa, pyarrow.parquet as pq
except ImportError: pass # as the mark below says

from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.io import batch, files
from gecmetrics_nb.io.batch import Columns, merge_batches, score_batch, score_columns, score_dataset, score_files
from gecmetrics_nb.cli.parser import main
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.metrics.i_measure import IMeasure
from gecmetrics_nb.metrics.meteor import METEOR
from gecmetrics_nb.io.readers import read_corpus
import slow

pytestmark = pytest.mark.needs("pyarrow")
METRICS = [GLEU(iterations=30), GLEU(references="expected"), GREEN(), METEOR()]


def records(sentences=60, seed=1):
    sources, references, systems = slow.corpus(seed, sentences=sentences)
    return [{"source": s, "references": [a, b] if i % 3 else [a], "hypothesis": h} for i, (s, a, b, h) in enumerate(zip(sources, *references, systems[0], strict=True))]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(pa.Table.from_pylist(records()), path, row_group_size=13)
    return path


def direct(metric, rows):
    "The score by the usual call, and the sentence scores"
    given = dict(sources=[r["source"] for r in rows], hypotheses=[r["hypothesis"] for r in rows],
                 references=[[r["references"][0] for r in rows], [(r["references"] + [None])[1] for r in rows]])
    return metric.corpus_score(**given).value, metric.sentence_scores(**given).tolist()


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: type(m).__name__ + str(getattr(m, "references", "")))
def test_any_cut_and_any_number_of_processes(metric, table, tmp_path):
    corpus, sentences = direct(metric, records())
    for name, jobs, rows in ("one", 1, 60), ("seven", 1, 7), ("processes", 2, 11):
        score = score_files([table], tmp_path / name, metric, jobs=jobs, rows=rows)
        assert score.value == corpus and score.sentences == 60
        parts = sorted((tmp_path / name).glob("part-*.parquet"))
        assert sum((pq.read_table(p).column("score").to_pylist() for p in parts), []) == sentences
        assert json.loads((tmp_path / name / "scores.json").read_text(encoding="utf-8"))["value"] == corpus
        assert not list((tmp_path / name).glob("*.tmp"))


@pytest.mark.needs("ray")
def test_ray_is_bit_for_bit_the_same(table):
    import ray
    with pytest.raises(TypeError, match="dataset is a Table; give one of Ray"): score_dataset(pa.Table.from_pylist(records()), GREEN())
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}})
    def first_is_last(batch):
        time.sleep(2 * (batch.column("source")[0].as_py() == records()[0]["source"]))
        return batch
    try:
        for metric in METRICS[0], METRICS[3]:
            late = ray.data.read_parquet(str(table)).repartition(4).map_batches(first_is_last, batch_format="pyarrow", batch_size=None)
            scored = score_dataset(late, metric, rows=9)
            parts = [b for b in scored.iter_batches(batch_format="pyarrow", batch_size=None)]
            corpus, sentences = direct(metric, records())
            assert sum((p.column("score").to_pylist() for p in parts), []) == sentences
            assert merge_batches(metric, parts).value == corpus
    finally: ray.shutdown()


@pytest.mark.needs("datasets")
def test_hugging_face_datasets():
    import datasets
    dataset = datasets.Dataset.from_list(records())
    scored = dataset.map(partial(score_columns, metric=GREEN()), batched=True, batch_size=8)
    assert scored["score"][:] == direct(GREEN(), records())[1]


def test_a_job_goes_on_where_it_stopped(table, tmp_path):
    metric, out = GLEU(references="max"), tmp_path / "out"
    whole = score_files([table], out, metric, rows=10)
    times = {p.name: p.stat().st_mtime_ns for p in out.glob("part-*")}
    (out / "part-000002.parquet").unlink()
    assert score_files([table], out, metric, rows=10).value == whole.value
    assert [n for n, t in times.items() if (out / n).stat().st_mtime_ns != t] == ["part-000002.parquet"]


@pytest.mark.parametrize("array", [np.arange(5.), np.arange(-9, 9), np.arange(7, dtype=np.int32), np.arange(12).reshape(3, 4).T[1], np.arange(20) % 3 == 0, np.zeros(0, bool), np.zeros(0)],
                         ids=lambda array: f"{array.dtype}{array.shape}")
def test_numbers_pass_to_arrow_and_back_as_by_its_own_functions(array):
    there = batch._numbers(array)
    assert there.equals(pa.array(array))
    for part in there, there[1:3], there[11:]:
        back = batch._numpy(part)
        assert np.array_equal(back, part.to_numpy(zero_copy_only=False)) and back.dtype == array.dtype
    for other in pa.array([1, None]), pa.array(["a"]), pa.nulls(3), pa.array([], pa.bool_()):
        assert repr(batch._numpy(other)) == repr(other.to_numpy(zero_copy_only=False))


def test_a_batch_does_not_load_pandas(table, tmp_path):
    code = f"import sys; from gecmetrics_nb.cli.parser import main; main(['batch', {str(table)!r}, '-o', 'out', '--metric', 'green']); sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.DEVNULL, timeout=600).returncode == 0


def test_another_job_does_not_mix_with_it(table, tmp_path):
    score_files([table], tmp_path / "out", GREEN(), rows=10)
    for metric, rows, message in (GREEN(beta=2.0), 10, "metric differ"), (GREEN(), 11, "rows differ"):
        with pytest.raises(ValueError, match=message): score_files([table], tmp_path / "out", metric, rows=rows)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("x")
    with pytest.raises(ValueError, match="holds no job"): score_files([table], tmp_path / "other", GREEN())
    with pytest.raises(ValueError, match="is a file"): score_files([table], tmp_path / "other/file", GREEN())
    with pytest.raises(ValueError, match="no such file"): score_files([tmp_path / "absent.parquet"], tmp_path / "new", GREEN())
    assert not (tmp_path / "new").exists()


def test_batches_are_merged_by_the_metric_that_made_them():
    batch = pa.Table.from_pylist(records(4))
    made = score_batch(batch, GLEU())
    for other in GREEN(), GLEU(unit="char"), GLEU(variant="paper"), GLEU(order=2):
        with pytest.raises(ValueError, match=r"was made by GLEU\|variant:code\|order:4.*, not by G"): merge_batches(other, [made])
    assert merge_batches(GLEU(), [made.slice(0, 2), made.slice(2), score_batch(batch.slice(0, 0), GLEU())]) == merge_batches(GLEU(), [made])
    assert merge_batches(GLEU(), [made.replace_schema_metadata(None)]) == merge_batches(GLEU(), [made])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_job_that_failed_before_its_first_part_leaves_nothing(jobs, table, tmp_path):
    out, made = tmp_path / "out", tmp_path / "made"
    made.mkdir()
    for folder in out, made:
        with pytest.raises(ValueError, match="has no column 'wrong'"): score_files([table], folder, GREEN(), Columns(source="wrong"), jobs=jobs)
    assert not out.exists() and made.is_dir() and not list(made.iterdir())
    assert score_files([table], made, GREEN(), jobs=jobs).sentences == 60
    bad = tmp_path / "bad.jsonl"
    bad.write_text("".join(json.dumps(r) + "\n" for r in records(12)) + "oops\n")
    with pytest.raises(ValueError, match="line 13 is not JSON"): score_files([bad], out, GREEN(), rows=5, jobs=jobs)
    assert not out.exists() or list(out.glob("part-*.parquet"))
    with pytest.raises(ValueError, match="is a directory; name the files inside it"): score_files([tmp_path], out, GREEN())


def test_one_column_may_be_several(tmp_path):
    "The input that nobody changed, a reference as a system: whatever reads columns takes a name more than once"
    rows = [{**r, "references": r["references"][0]} for r in records()]
    texts = {name: [r[name] for r in rows] for name in Columns().names}
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet", row_group_size=13)
    for given in ({"hypothesis": "source"}, {"references": "source"}, {"references": "hypothesis"}, {"source": "hypothesis"}, {"source": "references"},
                  {"hypothesis": "references"}, dict.fromkeys(Columns().names, "hypothesis")):
        columns = Columns(**given)
        source, references, hypothesis = (texts[name] for name in columns.names)
        expected = GLEU().corpus_score(sources=source, references=[references], hypotheses=hypothesis)
        scores = GLEU().sentence_scores(sources=source, references=[references], hypotheses=hypothesis).tolist()
        for table in "in.jsonl", "in.parquet":
            for jobs in 1, 2: assert score_files([tmp_path / table], tmp_path / f"{table}{jobs}{sorted(given.items())}", GLEU(), columns, jobs=jobs, rows=17) == expected
            column = {name: f"{tmp_path / table}:{getattr(columns, name)}" for name in Columns().names}
            assert GLEU().corpus_score(read_corpus(column["source"], [column["references"]], [column["hypothesis"]])) == {column["hypothesis"]: expected}
        arrow = pa.table(texts)
        assert merge_batches(GLEU(), [score_batch(arrow, GLEU(), columns)]) == merge_batches(GLEU(), [score_batch(texts, GLEU(), columns)]) == expected
        for rows_ in arrow, arrow.to_batches()[0], texts: assert score_columns(rows_, GLEU(), columns) == {"score": scores}
        assert list(GLEU().corpus_score(Corpus.from_frame(arrow, sources=columns.source, references=columns.references, hypotheses=columns.hypothesis)).values()) == [expected]
    gold = tmp_path / "gold.m2"
    gold.write_text("".join(f"S {s}\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{a}\n\n" for a, s in enumerate(["a b", "c d"])))
    assert score_files([gold], tmp_path / "m2", GLEU(order=2), Columns(references="strict", hypothesis="source")) == 1
    with pytest.raises(ValueError, match="row 1: hypothesis is dict, not a string"): score_files([gold], tmp_path / "m3", GLEU(), Columns(references="strict", hypothesis="strict"))


def test_a_column_that_a_table_has_twice_is_refused(tmp_path):
    twice = pa.table([pa.array(["a"])] * 4, names=[*Columns().names, "source"])
    pq.write_table(twice, tmp_path / "in.parquet")
    for call in (lambda: score_batch(twice, GREEN()), lambda: score_columns(twice, GREEN()), lambda: score_files([tmp_path / "in.parquet"], tmp_path / "out", GREEN()),
                 lambda: read_corpus(*[f"{tmp_path / 'in.parquet'}:source"], [f"{tmp_path / 'in.parquet'}:references"], [f"{tmp_path / 'in.parquet'}:hypothesis"])):
        with pytest.raises(ValueError, match="has more than one column 'source'; give each a name of its own"): call()


def test_calls_that_are_no_batches():
    texts = {name: ["a b", "c"] for name in Columns().names}
    for wrong in None, "a", [texts], 3:
        with pytest.raises(TypeError, match="batch is .*: give an Arrow table, or a dict from column to list"): score_batch(wrong, GREEN())
        with pytest.raises(TypeError, match="batch is .*: give an Arrow table, or a dict from column to list"): score_columns(wrong, GREEN())
    for change, kind, said in (({"source": "a b"}, TypeError, r"batch\['source'\] is one string; give a list"), ({"source": None}, TypeError, r"batch\['source'\] is NoneType; give a list"),
                               ({"source": ["a"]}, ValueError, "batch: line counts differ: source has 1, references has 2, hypothesis has 2"), ({"source": []}, ValueError, "line counts differ"),
                               ({"source": ["a", None]}, ValueError, "row 2: source is null")):
        for call in score_batch, score_columns:
            with pytest.raises(kind, match=said): call({**texts, **change}, GREEN())
    for call in score_batch, score_columns:
        with pytest.raises(ValueError, match="batch has no column 'references', 'hypothesis'; it has source"): call({"source": ["a"]}, GREEN())
        with pytest.raises(TypeError, match="metric is 'green': give a metric, such as GLEU"): call(texts, "green")
        with pytest.raises(TypeError, match="metric is IMeasure: give one that compares with references"): call(texts, IMeasure())
    for metric in "green", GREEN, None:
        with pytest.raises(TypeError, match="metric is .*: give a metric, such as G"): score_batch(texts, metric)
        with pytest.raises(TypeError, match="metric is .*: give a metric, such as G"): merge_batches(metric, [score_batch(texts, GREEN())])
    assert score_columns(dict.fromkeys(texts, []), GREEN()) == {"score": []} and len(score_batch(dict.fromkeys(texts, []), GREEN())) == 0


def test_batches_that_are_no_results():
    made = score_batch(pa.Table.from_pylist(records(4)), GLEU())
    for wrong in None, 3, made, [None], [3], ["a"], [[1]]:
        with pytest.raises(TypeError, match="batches (is|holds) .*(give a list of results|give results) of score_batch"): merge_batches(GLEU(), wrong)
    with pytest.raises(ValueError, match="a batch has no column 'statistics', 'present'; it has a"): merge_batches(GLEU(), [pa.table({"a": [1]})])
    bare = made.replace_schema_metadata(None)
    with pytest.raises(ValueError, match="a batch has 48 statistics in a row of 2 references, which GREEN does not: merge it with"): merge_batches(GREEN(), [bare])
    for name, column in ("present", [True] * 4), ("statistics", [[1], [1, 2, 3], [1, 2], [1, 2]]), ("present", [[True]] * 3 + [None]), ("present", [[]] * 4):
        broken = bare.set_column(bare.column_names.index(name), name, pa.array(column))
        with pytest.raises(ValueError, match=f"a batch has a column {name} that does not hold lists of one length"): merge_batches(GLEU(), [broken])


def job(table, out, metric=None, **options):
    "The score of a job of six parts, and their paths"
    score = score_files([table], out, metric or GREEN(), rows=10, **options)
    return score, [out / f"part-{k:06}.parquet" for k in range(6)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_part_that_is_not_its_own_is_refused_by_name(jobs, table, tmp_path):
    whole, parts = job(table, tmp_path / "out")
    other, foreign = job(table, tmp_path / "other", GREEN(beta=2.0))
    more = tmp_path / "more.parquet"
    pq.write_table(pa.Table.from_pylist(records(60, seed=2)), more)
    later, elsewhere = job(more, tmp_path / "later")
    right = parts[2].read_bytes()
    short = pq.read_table(parts[2])
    files.write_whole(tmp_path / "short", b"")
    pq.write_table(short.slice(1), tmp_path / "short")
    pq.write_table(short.replace_schema_metadata(None), tmp_path / "bare")
    flipped = bytearray(right)
    flipped[200] ^= 255
    for wrong, said in ((parts[4].read_bytes(), r"holds .*in.parquet, rows 41 to 50, job \w+, not .*in.parquet, rows 21 to 30"), (foreign[2].read_bytes(), "holds .*rows 21 to 30, job"), (elsewhere[2].read_bytes(), "holds .*more.parquet, rows 21"),
                        ((tmp_path / "short").read_bytes(), "holds 9 of .*rows 21 to 30"), ((tmp_path / "bare").read_bytes(), "holds no part of a job, not .*rows 21 to 30"),
                        (table.read_bytes(), "holds no part of a job"), (b"", "cannot be read"), (right[:-100], "cannot be read"), (right[:50], "cannot be read"), (bytes(flipped), "cannot be read")):
        parts[2].write_bytes(wrong)
        with pytest.raises(ValueError, match=f"part-000002.parquet {said}.*: delete it, and give the same command again"): job(table, tmp_path / "out", jobs=jobs)
        parts[2].unlink()
        assert job(table, tmp_path / "out", jobs=jobs)[0] == whole and parts[2].read_bytes() == right
    parts[2].unlink()
    parts[2].mkdir()
    with pytest.raises(ValueError, match="part-000002.parquet cannot be read"): job(table, tmp_path / "out", jobs=jobs)
    parts[2].rmdir()
    (tmp_path / "out/part-000006.parquet").write_bytes(right)
    with pytest.raises(ValueError, match="part-000006.parquet: no part of this job, which has 6: delete it, and give the same command again"): job(table, tmp_path / "out", jobs=jobs)


def test_a_part_that_is_lost_is_made_again_and_its_neighbour_does_not_take_its_place(table, tmp_path):
    whole, parts = job(table, tmp_path / "out")
    os.replace(parts[5], parts[0])
    with pytest.raises(ValueError, match="part-000000.parquet holds .* delete it"): job(table, tmp_path / "out")
    parts[0].unlink()
    assert job(table, tmp_path / "out")[0] == whole


def test_a_job_that_is_not_one(table, tmp_path):
    for text in "", "[]", "{", "\0", "3":
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        (out / "job.json").write_text(text)
        with pytest.raises(ValueError, match="job.json is not what a job wrote: delete the folder, or choose another one"): job(table, out)
        assert (out / "job.json").read_text() == text
    for options, said in ({"jobs": True}, "jobs is True: give a whole number"), ({"jobs": 0}, "jobs is 0"), ({"jobs": "2"}, "jobs is '2'"), ({"rows": 0}, "rows is 0"), ({"rows": True}, "rows is True"), ({"rows": 1.5}, "rows is 1.5"):
        with pytest.raises(ValueError, match=said): score_files([table], tmp_path / "new", GREEN(), **options)
    with pytest.raises(TypeError, match="paths is one string; give a list of paths"): score_files(str(table), tmp_path / "new", GREEN())
    with pytest.raises(ValueError, match="paths is empty; give at least one file"): score_files([], tmp_path / "new", GREEN())
    assert not (tmp_path / "new").exists()
    assert score_files((path for path in [table]), tmp_path / "new", GREEN()).sentences == 60


def test_what_dead_processes_left_is_cleared_and_nothing_else(table, tmp_path):
    whole, parts = job(table, tmp_path / "out")
    parts[3].unlink()
    left = [tmp_path / "out" / name for name in ("part-000003.592.tmp", "job.json.1.tmp", "scores.json.2.tmp")]
    mine = [tmp_path / "out" / name for name in ("notes.tmp", "part-000003.parquet.bak", "my.part-000003.592.tmp")]
    for path in left + mine: path.write_text("x")
    assert job(table, tmp_path / "out")[0] == whole
    assert not any(p.exists() for p in left) and all(p.exists() for p in mine)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    (fresh / "job.json.7.tmp").write_text("killed at the first moment")
    assert job(table, fresh)[0] == whole and not list(fresh.glob("*.tmp"))


def test_two_equal_jobs_at_once(table, tmp_path, monkeypatch):
    "Another process finishes a part, and clears what this one had written beside it"
    whole, parts = job(table, tmp_path / "out")
    before = [path.read_bytes() for path in parts]
    parts[3].unlink()
    real = os.replace
    def replace(beside, place):
        if str(place).endswith("part-000003.parquet"):
            os.unlink(beside)
            parts[3].write_bytes(before[3])
        real(beside, place)
    monkeypatch.setattr(os, "replace", replace)
    assert job(table, tmp_path / "out")[0] == whole and [path.read_bytes() for path in parts] == before


def words(text): return text.split()
class Words:
    def __call__(self, text): return text.split()


def test_a_job_with_a_unit_of_its_own_goes_on(table, tmp_path, monkeypatch):
    for name, unit in ("function", words), ("object", Words()):
        whole, parts = job(table, tmp_path / name, GREEN(unit=unit))
        parts[1].unlink()
        assert "0x" not in (tmp_path / name / "job.json").read_text()
        assert job(table, tmp_path / name, GREEN(unit=unit if name == "function" else Words()))[0].value == whole.value
        with pytest.raises(ValueError, match="metric differ"): job(table, tmp_path / name, GREEN(unit="char"))


def test_errors_name_file_and_row_and_leave_no_half_part(tmp_path):
    rows = records(30)
    def write(name, change):
        changed = [dict(r) for r in rows]
        change(changed)
        (tmp_path / name).write_text("".join(json.dumps(r) + "\n" for r in changed))
        return tmp_path / name
    for name, change, message in (("null.jsonl", lambda r: r[25].update(source=None), "null.jsonl: row 26: source is null"),
                                  ("none.jsonl", lambda r: r[25].update(references=[]), "none.jsonl: row 26: references is an empty list"),
                                  ("list.jsonl", lambda r: r[25].update(hypothesis=["a"]), "list.jsonl: row 26: hypothesis is list, not a string"),
                                  ("lacks.jsonl", lambda r: r[25].pop("source"), "lacks.jsonl: line 26 has no 'source'")):
        for jobs in 1, 2:
            out = tmp_path / f"{name}-{jobs}"
            with pytest.raises((ValueError, TypeError), match=message): score_files([write(name, change)], out, GLEU(references="max"), rows=10, jobs=jobs)
            assert not list(out.glob("*.tmp")) and not (out / "scores.json").exists()
            assert all(len(pq.read_table(p)) == 10 for p in out.glob("part-*"))
    with pytest.raises(ValueError, match="no column 'references', 'hypothesis'"): score_batch(pa.table({"source": ["a"]}), GREEN())
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(ValueError, match="nothing to score"): score_files([tmp_path / "empty.jsonl"], tmp_path / "e", GREEN())


DEADLY = """
import os, time
def words(text):
    if {when}: {what}
    return text.split()
"""


def test_a_process_that_dies_is_named_and_the_job_can_go_on(table, tmp_path):
    "One part kills its process; when the killer is gone, the same script finishes with the same score"
    (tmp_path / "deadly.py").write_text(DEADLY.format(when=f"text == {records()[20]['hypothesis']!r} and os.path.exists('killer')", what="os._exit(9)"))
    (tmp_path / "job.py").write_text("""
import sys, deadly
from gecmetrics_nb import GREEN
from gecmetrics_nb.core import parallel
parallel.JOINS = False
from gecmetrics_nb.io.batch import score_files
try: print(score_files(["in.parquet"], "out", GREEN(unit=deadly.words), jobs=2, rows=10).value)
except OSError as error: sys.exit(str(error))
""")
    (tmp_path / "killer").write_text("")
    run = lambda: subprocess.run([sys.executable, "job.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    died = run()
    assert died.returncode == 1 and "a process died while" in died.stderr and "in.parquet, rows" in died.stderr and "go on" in died.stderr
    assert not (tmp_path / "out/scores.json").exists()
    (tmp_path / "killer").unlink()
    again = run()
    assert again.stderr == "" and float(again.stdout) == direct(GREEN(), records())[0]


SLOW = """
import sys
from gecmetrics_nb.core import parallel
parallel.JOINS = False
parallel.WORK = parallel.WORK.replace("; from", "; import slow; from")
from gecmetrics_nb.cli.parser import main
sys.exit(main(sys.argv[1:]))
"""


def started(table, tmp_path, **options):
    "A batch in two processes that would take an hour; they share its standard error, which is open as long as one of them lives"
    (tmp_path / "slow.py").write_text("""
import os, time
import gecmetrics_nb.io.batch as batch
def slow(*given, **options):
    os.write(2, b"started\\n")
    time.sleep(3600)
batch.score_lists = slow
""")
    (tmp_path / "job.py").write_text(SLOW)
    command = [sys.executable, tmp_path / "job.py", "batch", table, "-o", tmp_path / "out", "--metric", "green", "--jobs", "2", "--rows", "10"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sent,status", [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGINT, 130)], ids=str)
def test_a_killed_batch_leaves_no_process(sent, status, table, tmp_path):
    with started(table, tmp_path) as job:
        assert job.stderr.readline() == job.stderr.readline() == "started\n"
        job.send_signal(sent)
        out, err = job.communicate(timeout=600)
    assert (job.returncode, out, err) == (status, "", "")
    assert not list((tmp_path / "out").glob("*.tmp"))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_control_c_at_any_moment_prints_nothing(table, tmp_path):
    "To the whole group, as a terminal sends it; the first moment is when the folder of the job is there, which is after the start of Python"
    for wait in 0, .05, .1, .2, .3, .4, .6, .8, 1.2:
        out = tmp_path / str(wait)
        out.mkdir()
        with started(table, out, start_new_session=True) as job:
            while not (out / "out").exists() and job.poll() is None: time.sleep(.005)
            time.sleep(wait)
            os.killpg(job.pid, signal.SIGINT)
            _, err = job.communicate(timeout=600)
        assert (job.returncode, err.replace("started\n", "")) == (130, ""), wait


def test_the_command(table, tmp_path, capsys):
    arguments = ["batch", str(table), "-o", str(tmp_path / "out"), "--metric", "gleu:references=max,order=3", "-d", "6"]
    assert main(arguments) == 0
    expected = direct(GLEU(references="max", order=3), records())[0]
    assert f"{100 * expected:.6f}\t60 sentences" in capsys.readouterr().out
    assert main([*arguments[:-2], "--source", "src"]) == 2
    assert "another job: columns differ" in capsys.readouterr().err
    assert main(["batch", str(table), "-o", str(tmp_path / "new"), "--metric", "mgleu"]) == 2
    assert "give the metric itself" in capsys.readouterr().err and not (tmp_path / "new").exists()
