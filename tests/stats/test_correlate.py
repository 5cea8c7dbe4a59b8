"`correlate`: coefficients against SciPy, resamples against loops over repeated sentences, files in any order, and what is refused"
from dataclasses import replace
from itertools import combinations
import json
import math

import numpy as np
import pytest
from scipy import stats

from gecmetrics_nb import BLEU, GLEU, GREEN
from gecmetrics_nb.corpora import test_sets
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.metrics.registry import metric_named
from gecmetrics_nb.stats import significance
from gecmetrics_nb.stats.meta_evaluation import SentenceTable, correlate, parse_sentence_scores, read_table
from gecmetrics_nb.stats.human import expected_wins, wins
from gecmetrics_nb.corpora.judgments import stored_judgments
from gecmetrics_nb.stats.correlation import ScoreTable, agreement, pairwise_williams, williams
from gecmetrics_nb.stats.significance import bootstrap_weights

NAMES = tuple("ABCDEFG")


def invented(seed, D=30, H=7):
    "Sentence scores of two metrics and of people, with ties"
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 5, size=(H, D)).astype(float) + rng.normal(size=(H, 1))
    return {"near": people + rng.integers(-1, 2, size=(H, D)), "far": people + rng.normal(scale=9, size=(H, D))}, people


def table(columns, name="t.tsv", H=7): return SentenceTable(name, NAMES[:H], tuple(map(str, range(30))), columns)


def basic(found, metric, name, again):
    "Twice the value minus the percentiles of the resamples; of rho the percentiles"
    low, high = np.percentile(again, [2.5, 97.5])
    if name == "rho": return low, high
    value, lowest = of(found, metric, name).value, 0 if name == "accuracy" else -1
    return max(lowest, 2 * value - high), min(1, 2 * value - low)


def of(found, metric, name): return next(c for c in found.coefficients if (c.metric, c.name) == (metric, name))


def test_over_systems_by_scipy():
    columns, people = invented(0)
    means = {title: column.mean(axis=1) for title, column in columns.items()}
    human = people.mean(axis=1)
    found = correlate(ScoreTable("m", NAMES, means), ScoreTable("h", NAMES, {"mean": human}), confidence=.9)
    for metric, column in means.items():
        r, rho = stats.pearsonr(column, human), stats.spearmanr(column, human).statistic
        assert (of(found, metric, "r").value, of(found, metric, "rho").value) == pytest.approx((r.statistic, rho))
        assert of(found, metric, "r").systems == pytest.approx(tuple(r.confidence_interval(.9)))
        if rho == 1: assert np.isnan(of(found, metric, "rho").systems).all(); continue
        half = 1.6448536 * ((1 + rho**2 / 2) / 4)**.5 # Bonett and Wright's variance of artanh rho, of seven systems
        assert of(found, metric, "rho").systems == pytest.approx((math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)))
        assert all(np.isnan(of(found, metric, name).sentences).all() for name in ("r", "rho")) and metric == "far"
    assert found.tests["mean", "Williams", "r"].holm == pytest.approx(pairwise_williams(list(means.values()), human).holm)
    assert list(found.tests) == [("mean", "Williams", "r")] and "|families:" not in found.signature
    assert found.sentences == correlate(table(columns), ScoreTable("h", NAMES, {"mean": human})).sentences == 0


def test_families_widen_the_interval():
    "Eight systems in two families count as five"
    sides = [ScoreTable("t", tuple("ABCDEFGH"), {"G": x}) for x in np.random.default_rng(0).normal(size=(2, 8))]
    found = correlate(*sides, families=2)
    half = stats.norm.ppf(.975) / 2**.5
    ends = np.tanh(np.arctanh(of(found, "G", "r").value) + np.array([-half, half]))
    assert of(found, "G", "r").systems == pytest.approx(ends) and found.signature.startswith("systems:8|families:2|")


@pytest.mark.parametrize("judged", [[*range(30)], [27, 3, 4, 11, 12, 19, 20, 1]], ids=["all", "some, in an order of their own"])
def test_over_sentences_by_repeating_them(judged):
    "Sentences of the metric are drawn; those that people did not judge count for the metric alone"
    columns, people = invented(1)
    human = SentenceTable("h.tsv", NAMES, tuple(map(str, judged)), {"mean": people[:, judged]})
    found, [weights] = correlate(table(columns), human, draws=40, seed=2), bootstrap_weights(30, 40, 2)
    pairs = np.array(list(combinations(range(7), 2)))
    for metric, column in columns.items():
        again = {"r": [], "rho": [], "tau": [], "accuracy": []}
        for row in weights:
            picked, heard = (np.repeat(some, row[some]) for some in (np.arange(30), np.array(judged)))
            means = column[:, picked].mean(axis=1), people[:, heard].mean(axis=1)
            again["r"].append(stats.pearsonr(*means).statistic)
            again["rho"].append(stats.spearmanr(*(mean.round(9) for mean in means)).statistic)
            mine, theirs = (np.sign((x[pairs[:, 0]] - x[pairs[:, 1]])[:, heard].round(9)) for x in (column, people))
            right, wrong = (mine * theirs > 0).sum(), (mine * theirs < 0).sum()
            again["tau"].append((right - wrong) / (theirs != 0).sum())
            again["accuracy"].append(right / (theirs != 0).sum())
        for name, values in again.items():
            assert of(found, metric, name).sentences == pytest.approx(basic(found, metric, name, values)), name
    assert "|draws:40|seed:2|" in found.signature
    kinds = {"systems and sentences": ("r", "rho"), "sentences": ("accuracy", "tau")}
    assert set(found.tests) == {("mean", test, name) for test, names in kinds.items() for name in names}


def test_an_interval_ends_where_the_coefficient_ends():
    "Right in one of five sentences: twice .2 less the upper percentile is below 0; tau, -.6, goes down to -1"
    sentences = tuple("12345")
    human = SentenceTable("h", ("A", "B"), sentences, {"mean": np.array([[2.] * 5, [1.] * 5])})
    ours = SentenceTable("m", ("A", "B"), sentences, {"m": np.array([[6., 1, 1, 1, 1], [1., 2, 2, 2, 2]])})
    found = correlate(ours, human, draws=500)
    again = np.random.default_rng(0).binomial(5, .2, 5000) / 5
    assert 2 * .2 - np.percentile(again, 97.5) < 0 and of(found, "m", "accuracy").value == .2
    assert [of(found, "m", name).sentences[0] for name in ("accuracy", "tau")] == [0, -1]


def test_two_metrics_with_systems_and_sentences_drawn():
    "Sentences and systems repeated as often as they are drawn, by SciPy"
    columns, people = invented(1)
    found = correlate(table(columns), table({"mean": people}), draws=60, seed=2).tests["mean", "systems and sentences", "r"]
    [weights], chosen, gaps = bootstrap_weights(30, 60, 2), np.random.default_rng([2, 1]).integers(7, size=(60, 7)), []
    for row, systems in zip(weights, chosen, strict=True):
        picked = np.repeat(np.arange(30), row)
        means = [x[np.ix_(systems, picked)].mean(axis=1) for x in (*columns.values(), people)]
        gaps.append(stats.pearsonr(means[0], means[2]).statistic - stats.pearsonr(means[1], means[2]).statistic)
    assert found.interval[0] == pytest.approx(np.percentile(gaps, [2.5, 97.5]))
    rarer = min(sum(gap <= 0 for gap in gaps), sum(gap >= 0 for gap in gaps))
    assert found.p[0] == pytest.approx(min(1, 2 * (1 + rarer) / 61))


def test_judgments_are_people_and_are_drawn_with_their_sentences():
    "Of six systems, chosen among all"
    systems, every = ["T5", "BART", "PIE", "TransGEC", "UEDIN-MS", "REF-M"], stored_judgments("seeda-sentence")
    judged, chosen = every.of(systems), list(map(every.systems.index, systems))
    numbers = np.unique(judged.sentences)
    scores = np.random.default_rng(0).normal(size=(15, len(numbers))) + np.arange(15)[:, None] / 20
    found = correlate(SentenceTable("m", every.systems, tuple(map(str, numbers + 1)), {"m": scores}), every, systems, draws=8)
    scores = scores[chosen]
    def r_of(picked, people): return stats.pearsonr(scores[:, picked].mean(axis=1), expected_wins(wins(people))).statistic
    assert of(found, "m", "r").value == pytest.approx(r_of(slice(None), judged))
    agreed = agreement(scores, judged.pairs, judged.outcome, np.searchsorted(numbers, judged.sentences))
    assert (of(found, "m", "tau").value, of(found, "m", "accuracy").value) == pytest.approx((agreed.tau, agreed.accuracy))
    [weights], again = bootstrap_weights(len(numbers), 8, 0), []
    for row in weights:
        picked = np.repeat(np.arange(len(numbers)), row)
        several = np.concatenate([np.flatnonzero(judged.sentences == numbers[d]) for d in picked])
        again.append(r_of(picked, judged.where(several)))
    assert of(found, "m", "r").sentences == pytest.approx(basic(found, "m", "r", again))


def test_few_systems_have_no_interval_and_the_better_metric_stands_first():
    columns, people = invented(8)
    for count in 3, 4:
        sides = [ScoreTable("t", NAMES[:count], {t: c[:count].mean(axis=1) for t, c in side.items()}) for side in (columns, {"mean": people})]
        found = correlate(*sides, draws=50)
        assert np.isnan(of(found, "near", "r").systems).all() == (count == 3)
        assert any(line.startswith("no interval") for line in repr(found).splitlines()) == (count == 3)
        if count == 3: assert not found.tests; continue
        values = {c.metric: c.value for c in found.coefficients if c.name == "r"}
        better, worse = sorted(values, key=values.get, reverse=True)
        assert found.test_rows()[1][1:6] == ["Williams", "r", better, worse, f"{values[better] - values[worse]:.3f}"]


def test_the_interval_is_that_of_what_the_better_metric_has_more():
    "In whichever order the metrics are given"
    columns, people = invented(0)
    one, other = (correlate(table(dict(each)), table({"mean": people}), draws=100).test_rows() for each in (columns.items(), reversed(columns.items())))
    assert one == other and any(row[6] for row in one[1:])


def lines_of(columns, rng=None):
    "The lines of a sentence table, in any order"
    titles, values = list(columns), np.array(list(columns.values()))
    rows = [[NAMES[h], str(d), *map(repr, values[:, h, d].tolist())] for h in range(7) for d in range(30)]
    if rng: rng.shuffle(rows)
    return ["\t".join(cells) for cells in (["system", "sentence", *titles], *rows)]


def test_the_order_of_lines_does_not_matter(tmp_path):
    columns, people = invented(3)
    rng = np.random.default_rng(1)
    results = []
    for shuffle in None, rng:
        for name, given in ("m.tsv", columns), ("h.tsv", {"mean": people}):
            (tmp_path / name).write_text("\n".join(lines_of(given, shuffle)))
        results.append(correlate(read_table(tmp_path / "m.tsv"), read_table(tmp_path / "h.tsv"), draws=10))
    for one, other in zip(*(sorted(r.coefficients, key=lambda c: (c.metric, c.name)) for r in results), strict=True):
        assert one.value == pytest.approx(other.value)


def test_three_formats_say_the_same(write, printed):
    columns, people = invented(5)
    write({"m.tsv": lines_of(columns), "h.tsv": lines_of({"mean": people})})
    text, page, tsv = (printed(f"correlate --scores m.tsv --human h.tsv -i 100 --format {form}") for form in ("text", "json", "tsv"))
    page, found = json.loads(page), correlate(read_table("m.tsv"), read_table("h.tsv"), draws=100)
    assert {key: page[key] for key in found.to_dict()} == found.to_dict() and page["signature"] in text
    first, second = (part.strip().split("\n")[1:] for part in tsv.split("\n\n"))
    assert len(first) == 8 == len(page["coefficients"])
    for row in (*first, *second): assert all(cell in text for cell in row.split("\t"))


def test_tables_without_an_answer_are_refused():
    columns, people = invented(0)
    scores, human = (ScoreTable(name, NAMES, {name[0]: each.mean(axis=1)}) for name, each in (("m.tsv", columns["near"]), ("h.tsv", people)))
    judged, one = stored_judgments("seeda-edit"), ScoreTable("one.tsv", ("A",), {"mean": np.ones(1)})
    flat = SentenceTable("flat.tsv", ("BART", "PIE"), ("7", "9"), {"length": np.array([[3, 4], [4, 3.]])})
    less = SentenceTable("less.tsv", NAMES, tuple(map(str, range(29))), {"m": columns["near"][:, :29]})
    twice = SentenceTable("twice.tsv", (*NAMES[:6], "A"), tuple(map(str, range(30))), columns)
    for sides, said in (((less, table({"mean": people})), r"less.tsv has no sentence 29 \(1 missing\)"),
                        ((twice, table({"mean": people})), "twice.tsv: two systems are named 'A'"),
                        ((table(columns), twice), "twice.tsv: two systems are named 'A'"), ((scores, replace(human, systems=("T", *NAMES[1:]))), "h.tsv has no A, which m.tsv has: give both the same systems"),
                        ((one, one), "one.tsv has one system, A: give at least two"), ((scores, human, ["A", "Z"]), "m.tsv has no Z; it has A, B"),
                        ((scores, replace(human, columns={"mean": np.ones(7)})), "h.tsv: column mean has the same score for every system"),
                        ((flat, judged, ["BART", "PIE"]), "flat.tsv: column length has the same score for every system")):
        with pytest.raises(ValueError, match=said): correlate(*sides)
    with pytest.raises(TypeError, match="scores is Judgments: give them as human"): correlate(judged, human)
    for wrong in 0, 8, 2.5:
        with pytest.raises(ValueError, match=f"families is {wrong}: give a whole number"):
            correlate(scores, human, families=wrong)


def test_sentence_tables_with_gaps_or_words_are_refused():
    for row, said in ("A,9,many", "scores: line 3, column length: 'many' is not a number"), ("B,9,2", "no score of A, sentence 9 .2 missing.: give every system the same"), \
            ("A,7,2", "line 3: a second score of A for sentence 7"):
        with pytest.raises(ValueError, match=said): parse_sentence_scores(["system,sentence,length", "A,7,3", row])
    with pytest.raises(ValueError, match="t.tsv: two columns are named 'G': give each a name of its own"): parse_sentence_scores(["s,sentence,G,F,G", "A,7,3,4,5"], "t.tsv")


def test_a_small_p_is_not_printed_as_none():
    people = np.array([1., 2, 4, 3, 6, 5, 7])
    noise = np.array([1., -1, 1, -1, 1, -1, 1])
    near, far = people + noise / 1e5, people + noise / 10
    found = correlate(ScoreTable("m", NAMES, {"near": near, "far": far}), ScoreTable("h", NAMES, {"mean": people}))
    [tested] = found.tests.values()
    assert 0 < tested.holm[0] < .00005 and found.test_rows()[1][-2:] == ["<0.0001"] * 2


def test_blocks_of_draws_and_of_pairs_change_nothing(monkeypatch):
    columns, people = invented(4)
    sides, by_number = (table(columns), table({"mean": people, "other": people[::-1]})), lambda c: (c.value, *c.systems, *c.sentences)
    whole = correlate(*sides, draws=40)
    monkeypatch.setattr(significance, "BLOCK", 70)
    seen = {}
    def progress(blocks, unit, total=None, size=len):
        for block in blocks:
            seen.setdefault(unit, []).append(size(block))
            yield block
    again = correlate(*sides, draws=40, progress=progress)
    for one, other in zip(whole.coefficients, again.coefficients, strict=True): assert by_number(one) == pytest.approx(by_number(other), nan_ok=True)
    for key, one in whole.tests.items(): assert one.p == pytest.approx(again.tests[key].p)
    assert sum(seen["draw"]) == 40 and sum(seen["judgment"]) == 2 * 21 * 30
    assert max(seen["draw"]) == 2 and max(seen["judgment"]) == 60


THREE = {"S": ["He go home .", "I likes tea .", "It rain ."], "R": ["He goes home .", "I like tea .", "It rains ."],
         "A": ["He goes home .", "I likes tea .", "It rains ."], "B": ["He go home .", "I like tea .", "It rain ."],
         "C": ["He went home .", "I liked the tea .", "Rain ."]}


@pytest.fixture
def three(write): write(THREE)


@pytest.mark.parametrize("words, metrics", [
    ("sgleu", {"gleu": GLEU()}), ("sgreen -b 1 2", {"green": GREEN(), "green:beta=2": GREEN(beta=2)}),
    ("sgleu -n 2 -m", {"gleu:order=2,references=max": GLEU(order=2, references="max")})])
def test_scores_of_sentences_from_our_own_commands(words, metrics, three, write, printed):
    "What sgleu and sgreen print as TSV is read back: the scores that Python gives, by system and sentence"
    write({"scores.tsv": printed(f"{words} -s S -r R -o A B C -d 15 --format tsv")})
    table, outputs = read_table("scores.tsv"), {name: THREE[name] for name in "ABC"}
    assert (table.systems, table.sentences, tuple(table.columns)) == (("A", "B", "C"), ("1", "2", "3"), tuple(metrics))
    for title, metric in metrics.items():
        expected = metric.sentence_scores(sources=THREE["S"], hypotheses=outputs, references=[THREE["R"]])
        assert table.columns[title] == pytest.approx(100 * np.array([*expected.values()]), abs=1e-12)


@pytest.mark.parametrize("words, metric, per", [
    ("gleu --variant 2015 --weight .1", GLEU(variant="2015", weight=.1), "corpus"), ("mgreen -t char", GREEN(unit="char"), "mean"),
    ("bleu -n 2 --weights .5/.5 --smoothing none", BLEU(order=2, weights=(.5, .5)), "corpus")])
def test_titles_of_columns_are_what_metrics_takes(words, metric, per, three, printed):
    title = printed(f"{words} -s S -r R -o A --format tsv").split("\n")[0].split("\t")[1]
    assert metric_named(title) == (metric, per)


def test_sentences_are_numbered_as_in_the_judgments(shared, monkeypatch, write, printed):
    "GLEU of thirteen systems on CoNLL-2014 and the judgments of 2015, from two files, and in memory"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    judged = read_table(shared / "data/gjg15/judgments.xml")
    paths = [shared / "data/conll14/official_submissions" / name for name in judged.systems]
    write({"scores.tsv": printed(["sgleu", "--on", "conll14", "-o", *paths, "-d", "15", "--format", "tsv"])})
    corpus = test_sets.test_set("conll14").corpus({path.name: read_lines(path) for path in paths})
    scores = np.array(list(GLEU().sentence_scores(corpus).values()))
    agreed = agreement(scores, judged.pairs, judged.outcome, judged.sentences)
    found = correlate(read_table("scores.tsv"), judged, draws=100)
    assert of(found, "gleu", "accuracy").value == pytest.approx(agreed.accuracy, abs=1e-12) and of(found, "gleu", "tau").value == pytest.approx(agreed.tau, abs=1e-12)


def test_pairs_that_cannot_be_significant_for_want_of_draws_are_told():
    "The smallest p of 38 draws is 2/39; of one pair that is above .05, of 39 draws it is .05; three pairs need 120"
    columns, people = invented(5)
    for draws, more, said in (38, {}, ["make at least 39"]), (39, {}, []), (118, {"own": people}, ["make at least 119"]), (119, {"own": people}, []):
        found = correlate(table(columns | more), table({"mean": people}), draws=draws)
        assert ("mean", "systems and sentences", "r") in found.tests
        assert [note.partition(": ")[2] for note in found.notes[1:]] == said


def test_williams_needs_four_systems():
    with pytest.raises(ValueError, match="of 3 systems: .* needs at least 4"): williams([1, 2, 3], [2, 1, 3], [1, 3, 2])
