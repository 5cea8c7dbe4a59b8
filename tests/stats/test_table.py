"One table of several metrics: the jackknife beside SciPy and plain loops, the row of the source, outputs as edits, scores of others"
from pathlib import Path
import csv
import io
import json

from scipy import stats
import numpy as np
import pytest

from gecmetrics_nb import Corpus, GLEU, GREEN, compare_systems
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.stats.comparison import ComparisonTable, title_of
from gecmetrics_nb.stats.significance import compare_scores, holm, jackknife_error, student_tail, student_width
import slow

NAMES = ("first", "second", "third")


def texts(seed, sentences=40):
    return Corpus(*slow.corpus(seed, sentences=sentences, systems=3), system_names=NAMES)


@pytest.mark.parametrize("df", [1, 2, 3, 10, 39, 1311, 1999, 2000, 5000, 100_001])
def test_students_t_is_that_of_scipy(df):
    for t in 0., .1, 1., 1.96, 5.: assert student_tail(t, df) == pytest.approx(stats.t.sf(t, df), abs=1e-12)
    for t in 6., 12., 40.: assert student_tail(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-8) # never 0
    for confidence in .5, .9, .95, .999: assert student_width(confidence, df) == pytest.approx(stats.t.ppf((1 + confidence) / 2, df), rel=1e-9)


def test_the_jackknife_leaves_out_one_sentence_after_the_other():
    corpus, metric = texts(5, sentences=50), GLEU(references="max")
    def scores(keep): return np.array(list(map(float, score_corpus(metric, metric.count(corpus.at(keep, [[s[d] for d in keep] for s in corpus.systems]))))))
    without = np.array([scores([d for d in range(50) if d != out]) for out in range(50)])
    gaps = without - without[:, [0]]
    error = np.sqrt(49 / 50 * ((gaps - gaps.mean(axis=0))**2).sum(axis=0))
    found = compare_systems(metric, corpus)
    assert np.isnan(jackknife_error(without[:1])).all() # of one sentence
    assert (np.diff(found.gaps, axis=1)[1:, 0] / 2).tolist() == pytest.approx((stats.t.ppf(.975, 49) * error)[1:].tolist(), abs=1e-12)
    assert found.detectable[1:].tolist() == pytest.approx(((stats.norm.ppf(.975) + stats.norm.ppf(.8)) * error)[1:].tolist())
    p = 2 * stats.t.sf(np.abs(found.differences[1:]) / error[1:], 49)
    assert found.p[1:].tolist() == pytest.approx(p.tolist(), abs=1e-10)


def test_several_metrics_are_one_table():
    corpus = texts(4)
    table = compare_systems([GLEU(), GREEN(beta=.5)], corpus, baseline=corpus.system_names[1])
    assert table.titles == ("GLEU", "GREEN beta=0.5") == tuple(map(title_of, (GLEU(), GREEN(beta=.5))))
    assert "2 metrics: if no system differed, at least one star would be here by chance in up to 10 % of" in table.to_text() # 1 - .95**2
    assert "they hold for these" in compare_systems([GLEU()], Corpus(*slow.corpus(4, systems=1))).to_text()
    both = compare_systems([GLEU()], corpus) + compare_systems([GREEN()], corpus)
    assert both.titles == ("GLEU", "GREEN beta=1")
    with pytest.raises(ValueError, match="metrics is empty; give at least one"): compare_systems([], corpus)
    for other, said in ((table, "other systems or baselines"),
                        (compare_systems([GLEU()], corpus, confidence=.9), "other tests or confidences"),
                        (compare_systems([GLEU()], texts(4, sentences=30)), "GLEU has 40 sentences, GLEU has 30 sentences")):
        with pytest.raises(ValueError, match=said): compare_systems([GLEU()], corpus) + other
    counted = compare_systems([GLEU(), (GLEU(references="max"), "mean")], GLEU().count(corpus), corpus.system_names)
    assert counted.titles == ("GLEU", "GLEU references=max mean")
    assert counted.to_dict()["metrics"][0] == compare_systems([GLEU()], corpus).to_dict()["metrics"][0]


@pytest.fixture
def files(write, printed):
    corpus = texts(7)
    kept = [d for d, line in enumerate(corpus.sources) if line.split()] # CLEME takes no line without words
    corpus = corpus.at(kept, [[lines[d] for d in kept] for lines in corpus.systems])
    columns = corpus.sources, *corpus.references, *corpus.systems
    write({name: [line or "" for line in lines] for name, lines in zip(("S", "R0", "R1", "A", "B", "C"), columns, strict=True)})
    for texts_of in "-r R0 R1", "-o A B C": printed(f"edits -s S {texts_of} --out m2")


def judge(rows, systems="AB"):
    "Write scores of a judge: `rows` lines a system"
    lines = [f"{name}\t{d}\t{d % 7}" for name in systems for d in range(rows)]
    Path("judge.tsv").write_text("\n".join(["system\tsentence\tjudge", *lines]) + "\n")


def length(): return Path("S").read_text(encoding="utf-8").count("\n")


ALL = "compare -s S -r R0 R1 -g m2/gold.m2 -o A B C --metrics gleu green m2 cleme"


def test_the_source_is_a_row_that_is_not_tested(files, printed):
    rows = list(csv.DictReader(io.StringIO(printed(f"{ALL} -d 12 --format tsv")), delimiter="\t"))
    assert [row["system"] for row in rows] == ["INPUT", "A", "B", "C"] and rows[0]["GLEU p"] == rows[1]["GLEU p"] == ""
    plain = list(csv.DictReader(io.StringIO(printed(f"{ALL} -d 12 --format tsv --no-input")), delimiter="\t"))
    assert plain == rows[1:] # with its own correction
    against = list(csv.DictReader(io.StringIO(printed(f"{ALL} --format tsv --baseline INPUT")), delimiter="\t"))
    assert against[0]["GLEU p"] == "" and all(row["GLEU p"] for row in against[1:])
    alone = json.loads(printed("gleu -s S -r R0 R1 -o S --format json"))["scores"][0]["value"]
    assert float(rows[0]["GLEU score"]) == pytest.approx(100 * alone, abs=1e-9)


def test_edits_as_outputs_give_the_scores_of_their_texts(files, printed, refused):
    line = ALL.replace("-o A B C", "-o A=m2/A.m2 B=m2/B.m2 C=m2/C.m2")
    assert printed(f"{line} --format tsv") == printed(f"{ALL} --format tsv").replace("CLEME, edits by letters ", "CLEME ")
    assert "give all outputs in one form" in refused(ALL.replace("-o A B", "-o m2/A.m2 B"))


def test_scores_of_others_are_a_column(files, printed, refused):
    scores = {name: np.random.default_rng(k).random(length()) for k, name in enumerate("ABC")}
    rows = [f"{name}\t{d}\t{x}" for name, each in scores.items() for d, x in enumerate(each)]
    Path("judge.tsv").write_text("\n".join(["system\tsentence\tjudge", *rows]) + "\n")
    out = printed("compare -s S -r R0 R1 -o A B C --metrics gleu --scores judge.tsv -d 12 --format tsv")
    source, *found = csv.DictReader(io.StringIO(out), delimiter="\t")
    assert source["judge score"] == "" and source["GLEU score"]
    for row, each in zip(found, scores.values(), strict=True): assert float(row["judge score"]) == pytest.approx(100 * each.mean())
    assert float(found[2]["judge p"]) == pytest.approx(stats.ttest_rel(scores["C"], scores["A"]).pvalue, abs=6e-5)
    Path("judge.tsv").write_text("system\tjudge\nA\t1\nB\t2\n")
    assert "needs scores of sentences" in refused("compare -o A B --scores judge.tsv")


@pytest.fixture
def record(printed):
    "The metrics that a line compares, as JSON has them"
    return lambda line: json.loads(printed(f"{line} --format json"))["metrics"]


def test_holm_over_all_metrics_is_holm_of_all_p_values(files, printed, record):
    alone, together = (record(f"{ALL} {more}") for more in ("", "--holm all"))
    p = [system["p"] for metric in alone for system in metric["systems"] if system["p"] is not None]
    corrected = [system["p_holm"] for metric in together for system in metric["systems"] if system["p"] is not None]
    assert corrected == pytest.approx(holm(p)) and len(p) == 8
    plain, every = (printed(f"{ALL} {more}") for more in ("", "--holm all"))
    assert "up to 19 %" in plain and "8 comparisons" in every # 1 - .95**4
    corpus = texts(4)
    python = compare_systems([GLEU(), GREEN()], corpus, holm="all")
    assert [part.comparisons for part in python.parts] == [4, 4]
    with pytest.raises(ValueError, match="holm is 'both'"): compare_systems([GLEU()], corpus, holm="both")


def test_a_star_where_rounding_hides_why():
    noise = np.random.default_rng(3).normal(size=400)
    noise *= .0229 / stats.t.ppf(.975, 399) * 20 / noise.std(ddof=1)
    part = compare_scores(np.stack([np.zeros(400), .0232 + noise - noise.mean()]), ["A", "B"], "judge")
    table = ComparisonTable(("judge",), (part,))
    for text in table.to_text(), table.to_markdown(), table._repr_html_():
        assert "+2.32 ±2.29 *" in text.replace("\\*", "*")
    assert "before rounding" not in table.to_text() and "comparisons" not in table.to_text()
    assert "+2.3 ±2.3 *" in table.to_text(1) and "before rounding" in table.to_text(1)


def test_the_fewest_sentences_that_differ_are_those_of_no_baseline():
    scores = np.random.default_rng(0).random((3, 40))
    scores[2, 25:] = scores[0, 25:]
    part = compare_scores(scores, ["A", "B", "C"], "judge")
    assert "Of 40 sentences at least 25 differ from A." in ComparisonTable(("judge",), (part,)).to_text()


def test_a_system_without_scores_has_no_numbers_and_changes_no_other():
    scores = np.random.default_rng(0).random((3, 40))
    scores[1] = np.nan
    part, two = compare_scores(scores, ["A", "B", "C"], "judge"), compare_scores(scores[[0, 2]], ["A", "C"], "judge")
    for name in "values", "intervals", "differences", "gaps", "detectable", "differ", "p", "holm":
        numbers = getattr(part, name)
        assert np.isnan(numbers[1]).all() and np.array_equal(numbers[[0, 2]], getattr(two, name), equal_nan=True), name
    assert part.comparisons == 1 and part.test_signature == two.test_signature


def test_a_table_of_another_test_set_is_refused(files, refused):
    judge(length() + 2)
    assert f"judge.tsv has scores of {length() + 2} sentences" in refused("compare -s S -r R0 -o A B --scores judge.tsv --metrics gleu")
    Path("judge.tsv").rename("first.tsv")
    judge(length())
    assert f"judge.tsv has scores of {length()} sentences, first.tsv has {length() + 2}" in refused("compare -o A B --scores first.tsv judge.tsv")


def test_what_is_not_there_is_null(files, printed, record):
    judge(length())
    line = "compare -s S -r R0 -o A B --metrics gleu --scores judge.tsv"
    source, _, other = record(line)[1]["systems"]
    absent = "value", "difference", "sentences_that_differ", "detectable", "p"
    assert source["hypothesis"] == "INPUT" and source["way"] == "jackknife" and all(source[name] is None for name in absent)
    assert other["sentences_that_differ"] == 0 and other["p"] == 1
    for form in "text", "tsv", "markdown", "latex": assert "nan" not in printed(f"{line} --format {form}")


def test_input_as_a_baseline_needs_a_source(files, refused):
    judge(length())
    for line in "compare -o A B --scores judge.tsv --baseline INPUT", "compare -s S -r R0 -o A --baseline INPUT --no-input":
        assert "--baseline INPUT is the source" in refused(line)


def test_metrics_are_named_in_any_case(files, printed, refused):
    line = ALL.replace("gleu green m2 cleme", "{} --format tsv")
    assert printed(line.format("gleu google-gleu:order=2 i-measure errant")) == printed(line.format("GLEU GoogleGLEU:order=2 I-Measure ERRANT"))
    refused(line.format("gleu GLEU"))
