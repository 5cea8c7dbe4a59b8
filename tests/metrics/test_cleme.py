"CLEME and CLEME2.0 against what the authors' program printed, and against a slow definition; commands, and what is refused"
from functools import cache
from itertools import product
from random import Random
import csv
import gzip
import json
import math

import numpy as np
import pytest

from gecmetrics_nb.corpora.gold_counts import count_cleme, stored_cleme
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.io.m2 import parse_m2
from gecmetrics_nb.core.metric import collect, score_corpus, score_sentences
from gecmetrics_nb.metrics.cleme import (ASSUMPTIONS, CLEME, CLEME2, CURVES, FACTORS, EditCorpus, chunk_table,
                                         mean_length, target_of, targets_of, weighed)
from gecmetrics_nb.metrics.m2 import GoldCorpus
import slow_cleme

NAMES = {"f": "F", "p": "P", "r": "R", "acc": "accuracy"} # the program's, and ours where they differ
PER = {"corpus": "corpus", "sentence": "mean"}


def same(ours, theirs):
    "Numbers of a table, by the program's names: equal to 1e-12 of them, nan to nan; how many"
    for name, value in theirs.items():
        mine, value = ours[NAMES.get(name, name)], math.nan if value is None else float(value)
        if math.isnan(value): assert math.isnan(mine), name
        else: assert abs(mine - value) <= 1e-12 * max(1, abs(value)), (name, mine, value)
    return len(theirs)


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file: return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def cleme(shared): return shared / "golden/cleme"


@pytest.fixture(scope="module")
def counted(shared):
    "Counts of the 13 systems by assumption, from the text"
    return {assumption: count_cleme(assumption, lambda name: shared / "data" / name) for assumption in ASSUMPTIONS}


@pytest.fixture(scope="module")
def row_of(counted):
    "Function from a metric, `per` and a system to its numbers, of which those of all systems are computed at once"
    @cache
    def table(metric, per): return dict(zip(CONLL14, chunk_table(metric, counted[metric.assumption], PER[per]), strict=True))
    return lambda metric, per, system: table(metric, per)[system]


@pytest.mark.parametrize("file,numbers", [("cleme", 1280), ("cleme2", 6240)])
def test_what_the_program_prints(cleme, row_of, file, numbers):
    "Ten systems, both assumptions, four tables; both settings of CLEME, both factors of CLEME2.0 and ways to weigh"
    compared, settings = 0, ("system", "assumption", "settings", "factors", "weigher", "table")
    for row in rows_of(cleme / f"{file}.tsv"):
        _, per, weights = row["table"].split("_")
        how = dict(assumption=row["assumption"], weights=row.get("weigher", "length") if weights == "weighted" else "none")
        if file == "cleme2": metric = CLEME2(**how, factors=row["factors"])
        else: metric = CLEME(**how, settings="paper" if "applied" in row["settings"] else "program")
        compared += same(row_of(metric, per, row["system"]), {name: value for name, value in row.items() if name not in settings})
    assert compared == numbers


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_precision_and_recall_beside_a_score_are_those_of_the_program(cleme, counted, assumption):
    metric, compared = CLEME(assumption=assumption), ("main.py corpus (=sentence, as run)", "prf_corpus_weighted", assumption)
    totals = np.array([score.totals for score in score_corpus(metric, [counted[assumption]])])
    rates = {name: dict(zip(CONLL14, values, strict=True)) for name, values in metric.rates(totals).items()}
    rows = [row for row in rows_of(cleme / "cleme.tsv") if (row["settings"], row["table"], row["assumption"]) == compared]
    assert len(rows) == 10
    assert [(rates["P"][row["system"]], rates["R"][row["system"]]) for row in rows] == [(float(row["p"]), float(row["r"])) for row in rows]


def test_mean_lengths(cleme, counted):
    for row in rows_of(cleme / "bias.tsv"):
        counts, h = counted[row["assumption"]], CONLL14.index(row["system"])
        lengths = counts.statistics[counts.rows[h]][:, 0, :, -1].sum(axis=0, dtype=int)
        assert abs(mean_length(lengths) - float(row["length_bias"])) <= 1e-12


def test_counts_of_each_sentence_and_reference(cleme, counted):
    names, compared = ("tp", "fp", "fn", "tn", "ne", "un"), 0
    tables = {}
    for assumption in ASSUMPTIONS:
        every = collect(CLEME(assumption=assumption), counted[assumption])[0]
        for name in "AMU", "CAMB", "INPUT":
            statistics = every[CONLL14.index(name)]
            lengths = statistics[:, 0, :, -1].sum(axis=0, dtype=int)
            metrics = CLEME(assumption=assumption, weights="none"), CLEME(assumption=assumption)
            tables[name, assumption] = [weighed(metric, statistics, lengths).tolist() for metric in metrics]
    with gzip.open(cleme / "sentences.jsonl.gz", "rt", encoding="utf-8") as lines:
        for name, assumption, d, references in map(json.loads, lines):
            for r, pair in enumerate(references):
                for table, theirs in zip(tables[name, assumption], pair, strict=True):
                    right, wrong, needless, missed, still = table[d][r]
                    ours = right, wrong + needless, missed, still, wrong, needless
                    compared += same(dict(zip(names, ours, strict=True)), dict(zip(names, theirs, strict=True)))
    assert compared == 188_712


def metric_of(title, assumption, weighted):
    "Of a block of the fuzz file, such as 'prf length beta 1'"
    weights = "length" if weighted and "none" not in title else "none"
    if title.startswith("heuo"): return CLEME2(assumption=assumption, weights=weights, factors=title.split()[-1])
    return CLEME(assumption=assumption, weights=weights, settings="paper" if "applied" in title else "program",
                 beta=1. if "beta 1" in title else .5)


def test_small_files(cleme):
    "240 pairs, with overlaps, gaps in the numbers of annotators, edits that change nothing, nan; two raise in both"
    compared = refused = 0
    with gzip.open(cleme / "fuzz.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            sentences = [parse_m2(case[side].strip().split("\n")) for side in ("ref", "hyp")]
            try: counts = {each: list(CLEME(assumption=each).count(EditCorpus(sentences[0], sentences[1:]))) for each in ASSUMPTIONS}
            except ValueError: counts = {}
            assert bool(counts) == ("error" not in case)
            refused += not counts
            for assumption, parts in counts.items():
                for title, tables in case[assumption].items():
                    if title == "bias": continue
                    for table, numbers in tables.items():
                        per, weights = table.split("_")
                        metric = metric_of(title, assumption, weights == "weighted")
                        compared += same(chunk_table(metric, parts, PER[per])[0], numbers)
    assert refused == 2 and compared > 200_000


def drawn(random, D):
    "Sentences with edits of a system and of one to three annotators, sorted and apart; a full stop stays"
    def edits(size):
        ends, found = sorted(random.choices(range(size + 1), k=random.choice((0, 2, 4, 6)))), []
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            new = random.choices("abc", k=random.randrange(3))
            if not found or start >= found[-1][1] + random.randrange(2): found.append((start, end, new))
        return found
    corpus = []
    for _ in range(D):
        source = [*random.choices("abc", k=random.randrange(1, 9)), "."]
        corpus.append((source, edits(len(source) - 1), [edits(len(source) - 1) for _ in range(random.randrange(1, 4))]))
    return corpus


def as_m2(source, *annotators):
    lines = [f"A {start} {end}|||X|||{' '.join(new) or '-NONE-'}|||REQUIRED|||-NONE-|||{who}" for who, edits in enumerate(annotators)
             for start, end, new in edits] # with a noop where an annotator has none
    noops = [f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{who}" for who, edits in enumerate(annotators) if not edits]
    return parse_m2([f"S {' '.join(source)}", *sorted(lines + noops, key=lambda line: line.rpartition("|")[2])])[0]


@pytest.mark.parametrize("seed", range(6))
def test_the_slow_definition(seed):
    corpus = drawn(Random(seed), 40)
    gold, system = [as_m2(source, *wanted) for source, _, wanted in corpus], [as_m2(source, mine) for source, mine, _ in corpus]
    settings_and_factors = (None, None), ("program", None), ("paper", None), (None, "corpus"), ("program", "sentence")
    near = lambda row, names, numbers: np.allclose([row[name] for name in names], numbers, rtol=0, atol=1e-12)
    for assumption in ASSUMPTIONS:
        counts = list(CLEME(assumption=assumption).count(EditCorpus(gold, {"A": system})))
        for per, (settings, factors) in product(("corpus", "mean"), settings_and_factors):
            how = dict(assumption=assumption, weights="length" if settings else "none")
            metric = CLEME2(**how, factors=factors) if factors else CLEME(**how, settings=settings or "program")
            numbers, total = slow_cleme.score(corpus, assumption, settings, factors=FACTORS.get(factors), per=per)
            [row] = chunk_table(metric, counts, per)
            wrong, needless = total["FPne"], total["FPun"]
            assert near(row, metric.measures, numbers) and near(row, ("tp", "fp", "fn", "tn"), [total["TP"], wrong + needless, total["FN"], total["TN"]])
            if factors: assert near(row, ("fp_ne", "fp_un"), [wrong, needless])


@pytest.fixture(scope="module")
def small():
    "Forty sentences, two systems"
    corpus, other = drawn(Random(7), 40), Random(8)
    systems = {"A": [as_m2(source, mine) for source, mine, _ in corpus],
               "B": [as_m2(source, mine if other.random() < .5 else wanted[0]) for source, mine, wanted in corpus]}
    return EditCorpus([as_m2(source, *wanted) for source, _, wanted in corpus], systems)


METRICS = [CLEME(), CLEME(assumption="independent", settings="paper"), CLEME(weights="none"), CLEME2(), CLEME2(weights="length", factors="sentence")]


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_scores_of_the_corpus_of_sentences_and_of_parts_are_the_same_numbers(metric, small):
    texts = {"hypotheses": dict(zip(small.system_names, small.systems, strict=True)), "gold": small.gold}
    scores, first = metric.corpus_score(**texts), next(iter(metric.measures))
    table = dict(zip(small.system_names, chunk_table(metric, metric.count(small)), strict=True))
    means = dict(zip(small.system_names, chunk_table(metric, metric.count(small), "mean"), strict=True))
    sentences = metric.sentence_scores(**texts)
    [mean] = [score_corpus(metric, metric.count(small), per="mean")]
    for h, name in enumerate(small.system_names):
        assert float(scores[name]) == table[name][first] and float(metric.score(scores[name].totals)) == table[name][first]
        assert math.isclose(means[name][first], sentences[name].mean()) and math.isclose(means[name][first], mean[h])
    parts = [counts for start in range(0, 40, 7) for counts in metric.count(small.part(start, start + 7))]
    assert len({part.statistics.shape[1] for part in parts}) > 1 and len({part.statistics.shape[2] for part in parts}) > 1
    for per in "corpus", "mean":
        whole, cut = score_corpus(metric, metric.count(small), per=per), score_corpus(metric, parts, per=per)
        assert list(map(float, whole)) == list(map(float, cut))
    assert (score_sentences(metric, parts) == np.array(list(sentences.values()))).all()


def test_a_resample_has_its_sentences_their_references_and_a_mean_length_of_its_own(small):
    for metric in METRICS:
        suffstats, score = metric.aggregation().suffstats(*collect(metric, metric.count(small)))
        exact = score(suffstats[:, [*range(20)] * 2].sum(axis=1)) # the first half twice; not rounded
        half = list(map(float, score_corpus(metric, metric.count(small.part(0, 20)))))
        assert np.allclose(exact.round(4) if isinstance(metric, CLEME) else exact, half)


def table_of(metric, corpus): return chunk_table(metric, metric.count(corpus))[0]


@pytest.mark.parametrize("assumption", ASSUMPTIONS)
def test_a_function_gives_the_weights(assumption, small):
    "1 is no weight; the program's curve, given as a function, is the program's"
    statistics, _ = collect(CLEME(), CLEME().count(small))
    for h, system in enumerate(small.systems):
        one, mean = EditCorpus(small.gold, [system]), mean_length(statistics[h, :, 0, :, -1].sum(axis=0, dtype=int))
        def curve(chunks, mean=mean):
            weight = lambda chunk, n: slow_cleme.weight(chunk.kind, n, mean, "program", assumption)
            old = [chunk.end - chunk.start for chunk in chunks]
            return [weight(c, n if c.kind == "FN" else max(n, len(c.words))) for c, n in zip(chunks, old, strict=True)]
        for kind in CLEME, CLEME2:
            plain, ones, by_length, by_curve = (table_of(kind(assumption=assumption, weights=weights), one)
                                                for weights in ("none", lambda chunks: np.ones(len(chunks)), "length", curve))
            same(ones, plain)
            assert by_curve == pytest.approx(by_length, abs=1e-12)


def test_weights_that_are_0_or_none(small):
    "0 counts 1 in CLEME and 0 in CLEME2.0"
    zero = lambda chunks: [0] * len(chunks)
    assert table_of(CLEME(weights=zero), small)["tp"] == table_of(CLEME(weights="none"), small)["tp"]
    assert table_of(CLEME2(weights=zero), small)["tp"] == 0
    for wrong, said in ((lambda chunks: [1.], r"an array \(1,\) for \d+ chunks"),
                        (lambda chunks: [math.nan] * len(chunks), "nan"),
                        (lambda chunks: [-1.] * len(chunks), "-1")):
        with pytest.raises(ValueError, match=f"weights gave {said}"): list(CLEME(weights=wrong).count(small))
    counts = list(CLEME(weights=zero).count(small))
    for metric in CLEME(), CLEME2(weights=zero), CLEME(assumption="independent", weights=zero):
        with pytest.raises(ValueError, match="count with this metric"): score_corpus(metric, counts)


@pytest.mark.parametrize("settings,assumption", CURVES)
def test_weights_have_kinks_where_the_curve_meets_a_limit(settings, assumption):
    "The paper's curve at the mean length at which the weight of n words is lowest or highest"
    curves, totals = CURVES[settings, assumption], np.arange(24).reshape(4, 6)
    limits = [(sign, alpha, limit) for sign, (alpha, *both) in zip((1, -1, 1), curves, strict=True)
              for limit in both if limit < alpha]
    zeros = CLEME(settings=settings, assumption=assumption).zero_at_kinks(totals)[-4 * len(limits):]
    means = mean_length(totals[:, -1]) - np.array(zeros).reshape(4, -1) / totals[:, -1].sum()
    for n, row in enumerate(means):
        met = [alpha / (1 + (alpha - 1) * math.exp(sign * (mean - n)))
               for mean, (sign, alpha, _) in zip(row, limits, strict=True)]
        assert met == pytest.approx([limit for *_, limit in limits])


def test_what_a_function_is_asked():
    asked, source = [], "a b c d e".split()
    gold = [as_m2(source, [(0, 1, ["x"]), (2, 3, ["y", "z"])])]
    metric = CLEME2(weights=lambda chunks: (asked.extend(chunks), [1.] * len(chunks))[1])
    metric.corpus_score(hypotheses=[as_m2(source, [(0, 1, ["x"]), (4, 5, [])])], gold=gold)
    found = [(chunk.kind, chunk.start, chunk.end, chunk.words) for chunk in asked]
    assert found == [("TP", 0, 1, ("x",)), ("FN", 2, 3, ("y", "z")), ("FP needless", 4, 5, ())]
    assert {(chunk.source, chunk.reference) for chunk in asked} == {(tuple(source), tuple("x b y z d e".split()))}


LINE = "|||REQUIRED|||-NONE-|||"


def test_an_edit_before_those_above_it_is_refused():
    gold = parse_m2(["S a b", "A 0 1|||X|||x" + LINE + "0"])
    output = parse_m2(["S a b", "A 0 2|||X|||-NONE-" + LINE + "0", "A 0 1|||X|||z" + LINE + "0"])
    later = EditCorpus(gold * 2, {"A": gold + output}).part(1, 2)
    with pytest.raises(ValueError, match="A: sentence 2: edit 0 1 cannot be made after those above it"): list(CLEME().count(later))


@pytest.mark.parametrize("make,error,says", [
    (lambda gold: list(CLEME().count(EditCorpus(parse_m2(["S"]), [parse_m2(["S"])]))), ValueError, "gold: sentence 1 has no words"),
    (lambda gold: list(CLEME().count(EditCorpus(gold * 2, {"A": [*gold, as_m2("ab", [], [])]}))),
     ValueError, "^A: sentence 2 has the edits of 2 annotators"),
    (lambda gold: CLEME().corpus_score(hypotheses=gold, gold=gold, sources=["a c"]), ValueError, "sentence 1: the source is 'a c'"),
    (lambda gold: list(CLEME().count(GoldCorpus(gold, [["a b"]]))), TypeError, "corpus is GoldCorpus: CLEME takes EditCorpus"),
    (lambda gold: stored_cleme("both"), ValueError, "assumption is 'both': use one of dependent, independent"),
    (lambda gold: CLEME2(factors=(.5, .5)), ValueError, "four numbers")])
def test_bad_calls(make, error, says):
    with pytest.raises(error, match=says): make(parse_m2(["S a b"]))


@pytest.mark.parametrize("metric,settings", [
    (CLEME(), "CLEME|assumption:dependent|weights:length|settings:program|beta:0.5|refs:2,in order"),
    (CLEME(assumption="independent", weights="none", settings="paper"), "CLEME|assumption:independent|weights:none|beta:0.5|refs:2,all"),
    (CLEME2(factors=[.1, .2, .3, .4]), "CLEME2|assumption:dependent|weights:none|factors:(0.1, 0.2, 0.3, 0.4)|refs:2,in order")], ids=str)
def test_signatures(metric, settings):
    "Settings that play no part are not in them; a mean over sentences is of the beta of the program"
    corpus = EditCorpus([as_m2(["a"], [(0, 1, ["b"])], [])], [[as_m2(["a"], [])]])
    [score] = score_corpus(metric, metric.count(corpus))
    [mean] = score_corpus(CLEME(beta=2), CLEME().count(corpus), per="mean")
    assert score.signature.startswith(f"{settings}|sentences") and "|beta:0.5|refs:2,best|per:mean|" in mean.signature


@pytest.fixture
def files(write):
    "Files of edits of two sentences, and a text"
    source, right, edit = "S They has many informations", "They have many informations", f"A {{}}|||X|||{{}}{LINE}0".format
    have, noop = edit("1 2", "have"), edit("-1 -1", "-NONE-").replace("X", "noop")
    write({"gold.m2": [source, have, edit("3 4", "information"), "", source, edit("1 2", "had")], "A.m2": [source, have, "", source, have],
           "none.m2": [source, "", source], "noop.m2": [source, noop, "", source], "other.m2": [source], "text": [right, right]})


def test_the_command_of_cleme(files, gecnb):
    status, out, err = gecnb("cleme -g gold.m2 -o A.m2 N=none.m2 --weights none --format json --signature")
    page = json.loads(out)
    assert page["scores"][0] == {"system": "A", "F": .5, "P": .5, "R": .5, "accuracy": .7143, "tp": 1, "fp": 1, "fn": 1, "tn": 4}
    assert status == 0 and page["signature"] in err and "note: N has no edit, so it changes nothing" in err
    header, row = (line.split("\t") for line in gecnb("cleme -g gold.m2 -o A.m2 --format tsv --per mean")[1].splitlines())
    assert dict(zip(header, row, strict=True)) | {"F": "41.67", "system": "A"} == dict(zip(header, row, strict=True))
    assert "--settings paper is for --per mean" in gecnb("cleme -g gold.m2 -o A.m2 --settings paper -d 1")[2]
    for command in "cleme -g noop.m2 -o A.m2", "compare -g noop.m2 -o A.m2 --metrics cleme":
        assert gecnb(command)[2].count("use weights none") == 1
    assert '"accuracy": null' in gecnb("cleme -g noop.m2 -o none.m2 --format json")[1]


def test_the_command_of_cleme2(files, gecnb):
    status, out, _ = gecnb("cleme2 -g gold.m2 -o A.m2 --factors sentence --per mean --format json")
    [row] = json.loads(out)["scores"]
    assert status == 0 and list(row) == ["system", "com", "hit", "err", "und", "ove", "tp", "fp", "fn", "tn", "fp_ne", "fp_un", "necessary", "unnecessary"]
    assert row["hit"] == .25 and row["err"] == .5 and row["und"] == .25


@pytest.mark.parametrize("line,says", [
    ("compare -g gold.m2 -o A.m2 text --metrics cleme m2", "A is an M2 file, and text is text: give all outputs in one form"),
    ("compare -s text -r text -o A.m2 --metrics cleme2", "-g GOLD.m2"), ("cleme -o text", "give -g GOLD"),
    ("cleme2 -g A.m2 -o other.m2", "line counts differ: A.m2 has 2, other.m2 has 1")])
def test_commands_refuse_in_one_line(files, refused, line, says): assert says in refused(line)


def test_annotators_and_targets():
    "A number that is skipped begins no annotator; noops and -NONE-; alternatives are one word; words are those that are written"
    sentence = parse_m2(["S a b", f"A 0 1|||X|||x||y{LINE}1", f"A 1 2|||X|||-NONE-{LINE}3", f"A -1 -1|||noop|||-NONE-{LINE}0"])[0]
    assert [target.words for target in targets_of(sentence)] == [("x||y",), ("a", "b")]
    assert target_of(("a",), []).words == ("a",) and targets_of(parse_m2(["S a"])[0])[0].spans == ()
    unordered = parse_m2(["S a b c", f"A 2 3|||X|||x{LINE}0", f"A 0 1|||X|||-NONE-{LINE}0"])[0]
    assert targets_of(unordered)[0].words == ("b", "x")
