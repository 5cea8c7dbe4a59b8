"Batches: one process, several, and Ray give the same bits; a job goes on where it stopped; what breaks is named"
from functools import partial
import json
import os
import signal
import subprocess
import sys
import time

import pytest

try: import pyarrow as pa, pyarrow.parquet as pq
except ImportError: pass # as the mark below says

from gecmetrics_nb.batch import Columns, merge_batches, score_batch, score_columns, score_dataset, score_files
from gecmetrics_nb.cli import main
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.metrics.meteor import METEOR
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


def test_a_full_disk_is_named_with_the_part(table, tmp_path, monkeypatch):
    def full(*given, **options): raise OSError(28, "No space left on device")
    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="part-000000.parquet: No space left on device"): score_files([table], tmp_path / "out", GREEN())
    assert not (tmp_path / "out").exists()


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


def test_a_process_that_dies_is_named_and_the_job_can_go_on(table, tmp_path):
    "One part kills its process; when the killer is gone, the same call finishes with the same score"
    script = tmp_path / "job.py"
    script.write_text(f"""
import os, sys
import gecmetrics_nb.batch as batch
from gecmetrics_nb.metrics.green import GREEN
original = batch.score_batch
def deadly(rows, metric, columns, place, before):
    if before == 20 and os.path.exists({str(tmp_path / 'killer')!r}): os._exit(9)
    return original(rows, metric, columns, place, before)
batch.score_batch = deadly
if __name__ == "__main__":
    try: print(batch.score_files([{str(table)!r}], {str(tmp_path / 'out')!r}, GREEN(), jobs=2, rows=10).value)
    except OSError as error: sys.exit(str(error))
""")
    (tmp_path / "killer").write_text("")
    run = lambda: subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    died = run()
    assert died.returncode == 1 and "a process died while" in died.stderr and "in.parquet, rows" in died.stderr and "go on" in died.stderr
    assert not (tmp_path / "out/scores.json").exists()
    (tmp_path / "killer").unlink()
    assert float(run().stdout) == direct(GREEN(), records())[0]


SLOW = """
import sys, time
import gecmetrics_nb.batch as batch
def slow(*given):
    print("started", flush=True)
    time.sleep(300)
batch.score_batch = slow
if __name__ == "__main__":
    from gecmetrics_nb.cli import main
    sys.exit(main(sys.argv[1:]))
"""


def started(table, tmp_path, **options):
    "A batch in two processes that would take minutes; they share its standard output, which is open as long as one of them lives"
    (tmp_path / "job.py").write_text(SLOW)
    command = [sys.executable, tmp_path / "job.py", "batch", table, "-o", tmp_path / "out", "--metric", "green", "--jobs", "2", "--rows", "10"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("sent,status", [(signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGINT, 130)], ids=str)
def test_a_killed_batch_leaves_no_process(sent, status, table, tmp_path):
    with started(table, tmp_path) as job:
        assert job.stdout.readline() == job.stdout.readline() == "started\n"
        job.send_signal(sent)
        out, err = job.communicate(timeout=20)
    assert job.returncode == status and out == ""
    assert err == "" or sent == signal.SIGKILL and "Traceback" not in err
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
            _, err = job.communicate(timeout=20)
        assert (job.returncode, err) == (130, ""), wait


def test_the_command(table, tmp_path, capsys):
    arguments = ["batch", str(table), "-o", str(tmp_path / "out"), "--metric", "gleu:references=max,order=3", "-d", "6"]
    assert main(arguments) == 0
    expected = direct(GLEU(references="max", order=3), records())[0]
    assert f"{100 * expected:.6f}\t60 sentences" in capsys.readouterr().out
    assert main([*arguments[:-2], "--source", "src"]) == 2
    assert "another job: columns differ" in capsys.readouterr().err
    assert main(["batch", str(table), "-o", str(tmp_path / "new"), "--metric", "mgleu"]) == 2
    assert "give the metric itself" in capsys.readouterr().err and not (tmp_path / "new").exists()
