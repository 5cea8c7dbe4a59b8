"Batches of rows: any cut gives the same score, by any tool that hands over columns; what is none is refused"
import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, GoogleGLEU, Corpus
from gecmetrics_nb.io.batch import merge_batches, score_batch
import slow

METRICS = [GLEU(iterations=30), GLEU(references="expected"), GLEU(variant="2015"), GREEN(), GREEN(beta=2, references="union"), GoogleGLEU(), BLEU(), METEOR()]


@pytest.fixture(scope="module")
def rows():
    "60 rows with one to three references"
    sources, references, [hypotheses, *_] = slow.corpus(1, sentences=60)
    known = [[column[d] for column in references if column[d] is not None] for d in range(60)]
    return {"source": sources, "references": known, "hypothesis": hypotheses}


def direct(metric, rows):
    "What the metric says of the whole"
    most = max(map(len, rows["references"]))
    sets = [[known[r] if r < len(known) else None for known in rows["references"]] for r in range(most)]
    corpus = Corpus(rows["source"], sets, [rows["hypothesis"]])
    return metric.corpus_score(corpus)["systems[0]"], metric.sentence_scores(corpus)["systems[0]"]


def cut(rows, *ends): return [{name: values[a:b] for name, values in rows.items()} for a, b in zip((0, *ends), (*ends, 60), strict=True)]


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: type(m).__name__ + str(getattr(m, "references", "")))
@pytest.mark.parametrize("ends", [(), (1,), (17, 18, 59)], ids=str)
def test_any_cut(metric, ends, rows):
    score, sentences = direct(metric, rows)
    results = [score_batch(batch, metric) for batch in cut(rows, *ends)]
    assert np.array_equal(np.concatenate([r["score"] for r in results]), sentences)
    merged = merge_batches(metric, iter(results))
    assert (merged.value, merged.signature, merged.standard_error) == (score.value, score.signature, score.standard_error)


def test_columns_may_be_arrays_of_arrays(rows):
    "As of Ray; pandas, Polars and PyArrow give lists"
    arrays = {name: np.array([np.array(v) if isinstance(v, list) else v for v in values], dtype=object) for name, values in rows.items()}
    theirs, ours = score_batch(arrays, GREEN()), score_batch(rows, GREEN())
    assert all(np.array_equal(theirs[name], ours[name]) for name in ours)


@pytest.mark.needs("ray")
def test_ray_is_bit_for_bit_the_same(rows):
    import ray
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        ray.data.DataContext.get_current().execution_options.preserve_order = True
        dataset = ray.data.from_items([dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]).repartition(4)
        for metric in GLEU(iterations=30), METEOR():
            scored = dataset.map_batches(score_batch, fn_kwargs={"metric": metric}, batch_size=11)
            score, sentences = direct(metric, rows)
            batches = list(scored.iter_batches(batch_size=None))
            assert np.array_equal(np.concatenate([b["score"] for b in batches]), sentences)
            assert merge_batches(metric, batches).value == score.value
    finally: ray.shutdown()


@pytest.mark.needs("datasets")
def test_hugging_face_datasets(rows):
    from functools import partial
    from datasets import Dataset
    scored = Dataset.from_dict(rows).map(partial(score_batch, metric=GREEN()), batched=True, batch_size=7)
    assert scored["score"] == direct(GREEN(), rows)[1].tolist()


@pytest.mark.parametrize("changed,kind,said", [
    ({"hypothesis": ["a"]}, ValueError, "line counts differ: source has 60, references has 60, hypothesis has 1"),
    ({"hypothesis": "a" * 60}, TypeError, "is one string"), ({"hypothesis": [["a"]] * 60}, TypeError, "list, not a string"),
    ({"source": ["a"] * 59 + [float("nan")]}, ValueError, "row 60: source is nan"),
    ({"references": ["a"] * 58 + [[], "a"]}, ValueError, r"row 59: references is \[\]")], ids=lambda x: str(x)[:30])
def test_what_is_no_batch_is_refused(changed, kind, said, rows):
    with pytest.raises(kind, match=said): score_batch({**rows, **changed}, GREEN())


@pytest.mark.parametrize("call,kind,said", [
    (lambda rows: score_batch([1], GREEN()), TypeError, "batch is list: give a dict"),
    (lambda rows: score_batch({name: [] for name in rows}, GREEN()), ValueError, "no rows"),
    (lambda rows: merge_batches(GREEN(), [3]), TypeError, "batches holds int"),
    (lambda rows: merge_batches(GREEN(), []), ValueError, "no sentences to score"),
    (lambda rows: merge_batches(GREEN(), [{}]), ValueError, "a batch has no column 'statistics', 'present', 'ref"),
    (lambda rows: merge_batches(GLEU(), [score_batch(rows, GREEN())]), ValueError, r"by GREEN\|.* not by GLEU\|"),
    (lambda rows: merge_batches(GREEN, [3]), TypeError, r"the class GREEN: give a metric, such as GREEN\(\)")])
def test_what_cannot_be_scored_or_merged_is_refused(call, kind, said, rows):
    with pytest.raises(kind, match=said): call(rows)


def test_columns_are_named_as_they_are_called(rows):
    "And one column may be several"
    result = score_batch({"text": rows["source"], "refs": rows["references"]}, GLEU(), source="text", references="refs", hypothesis="text")
    assert np.array_equal(result["score"], direct(GLEU(), {**rows, "hypothesis": rows["source"]})[1])
    one = GLEU().corpus_score(sources=["a"], hypotheses=["a"], references=[["a"], ["b"]]) # of as many as it may have
    assert {*result["metric"]} == {one.signature}
