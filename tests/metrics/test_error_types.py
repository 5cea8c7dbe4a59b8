"ERRANT as a metric and by type: against what errant 3.0.2 and GECLens 1.0.1 print, and against rules written anew"
from collections import Counter
from fnmatch import fnmatch
from math import isclose
from random import Random
import json

import numpy as np
import pytest

from gecmetrics_nb import ERRANT, EditCorpus, compare_edits, parse_m2, rank_systems
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.metrics.errant import MODES
from gecmetrics_nb.metrics.error_types import MEASURES, ErrorTypes, is_changed, measures, selected
from gecmetrics_nb.stats.type_table import frequent_categories, type_table
from test_errant import rule_counts, rule_f, rule_sum


@pytest.fixture(scope="module")
def corpus(shared):
    folder = shared / "data/conll14/errant"
    return EditCorpus(folder / "conll14.errant", {name: folder / f"conll14-{name}.errant" for name in CONLL14})


def same(ours, theirs):
    "Equal, floats to the last digits but one"
    if isinstance(theirs, dict): return list(ours) == list(theirs) and all(same(ours[key], value) for key, value in theirs.items())
    return isclose(ours, theirs, rel_tol=1e-12) if isinstance(theirs, float) else ours == theirs


@pytest.fixture(scope="module")
def geclens(shared):
    return json.loads((shared / "golden/geclens/scores.json").read_text(encoding="utf-8"))


def test_all_rows_of_geclens(geclens, corpus):
    "Ten systems, ten selectors, seven measures; and the counts of each type"
    types, found, equal = ErrorTypes(corpus), {}, 0
    for selector in {row["selector"] for row in geclens if "selector" in row}:
        found |= {(record["system"], selector): record for record in measures(types, selector)}
    by_type = dict(zip(corpus.system_names, types.by_type(), strict=True))
    for row in geclens:
        ours = found[row["system"], row["selector"]] if "selector" in row else {"system": row["system"], "per_type": dict(sorted(by_type[row["system"]].items()))}
        assert same(ours, row), (row["system"], row.get("selector"))
        equal += 1
    assert equal == 110


EDIT = "A {} {}|||{}|||{}|||REQUIRED|||-NONE-|||{}"
KINDS = "M:DET", "R:DET", "R:VERB", "R:VERB:SVA", "UNK", "noop"


def random_file(random, sizes, annotators):
    "The lines of an M2 file with at most one edit a word of each annotator, and noops"
    lines = []
    for size in sizes:
        lines.append("S " + " ".join(f"w{k}" for k in range(size)))
        for annotator in random.sample(range(3), random.choice(annotators)):
            for start in random.sample(range(size), random.randint(0, size)):
                kind = random.choice(KINDS)
                span = (-1, -1) if kind == "noop" else (start, start + 1)
                lines.append(EDIT.format(*span, kind, random.choice(["x", "y"]), annotator))
        lines.append("")
    return lines


@pytest.mark.parametrize("selector", ["DET", "R:VERB", "R:VERB*", "R:VERB:SVA/M:DET", "UNK"])
def test_random_files_by_the_definitions(selector):
    "All measures of 60 pairs of files, in plain Python"
    random, seen = Random(selector), Counter()
    asked = lambda kind: any(fnmatch(kind, part) or fnmatch(kind, f"?:{part}") for part in selector.split("/"))
    for _ in range(60):
        sizes, beta = [random.randint(1, 4) for _ in range(random.randint(1, 12))], random.choice([.5, 1, 2])
        lines = [random_file(random, sizes, annotators) for annotators in ([1, 1, 0], [1, 2, 2, 3])]
        texts, (system, gold) = ["\n".join(file) for file in lines], map(parse_m2, lines)
        kinds = [{e.type for sentence in file for e in sentence.edits} - {"noop"} for file in (gold, system)]
        if not any(map(asked, kinds[0] | kinds[1])) or {"UNK"} in kinds and selector != "UNK": continue # is refused
        [record] = measures(ErrorTypes(EditCorpus(gold, {"A": system}), beta=beta), selector)
        others = [kind for kind in KINDS if not asked(kind)]
        for name, skip, not_counted in ("overall", (), ()), ("type", (), others), ("type_only", others, others):
            found = rule_counts(*texts, beta=beta, skip=skip)
            counts = [rule_sum({key: n for key, n in found.items() if key[0] not in not_counted}, side) for side in ("TP", "FP", "FN")]
            assert [record[name][key] for key in ("tp", "fp", "fn")] == counts, name
            assert isclose(record[name][f"F{beta:g}"], rule_f(*counts, beta))
        count = Counter()
        for ours, theirs in zip(system, gold, strict=True):
            made, wanted = any(asked(e.type) for e in ours.edits), any(asked(e.type) for e in theirs.edits)
            count[made, wanted] += 1
            places = {(e.start, e.written) for e in ours.edits if e.type not in ("noop", "UNK")}
            lists = [[(e.start, e.written) for e in theirs.edits if e.annotator == who and e.type != "UNK" and asked(e.type)] for who in range(3)]
            count["success"] += any(want and places >= set(want) for want in lists)
            changed, touched = any(e.type != "noop" for e in ours.edits), any(e.type != "noop" for e in theirs.edits)
            count["changed"] += changed
            count["untouched"] += not touched
            count["over"] += changed and not touched
        assert [record["detection"][key] for key in ("tp", "fp", "fn")] == [count[True, True], count[True, False], count[False, True]]
        of = count[True, True] + count[False, True]
        assert record["success"] == {"rate": count["success"] / of if of else None, "count": count["success"], "of": of}
        assert list(record["overcorrection"].values())[1:] == [count["over"], count["untouched"]]
        assert list(record["change_rate"].values())[1:] == [count["changed"], len(sizes)]
        seen.update(name for name in MEASURES if record[name].get("count") or record[name].get("tp"))
    assert set(seen) >= set(MEASURES) - ({"type", "type_only", "success"} if selector == "UNK" else set())


@pytest.mark.parametrize("selector,meant", [("R:VERB", "R:VERB"), ("VERB", "M:VERB R:VERB"), ("VERB:SVA", "R:VERB:SVA"), ("*VERB*", "M:VERB R:VERB R:VERB:SVA"),
                                            ("VERB*", ""), ("R:*", "R:VERB R:VERB:SVA"), ("[MU]:*", "M:VERB"), ("UNK", "UNK"), ("K", ""), ("R", "R"),
                                            ("UNK, VERB", "UNK M:VERB R:VERB"), (["UNK", "R:VERB"], "UNK R:VERB"), ("UNK/R:VERB", "UNK R:VERB")])
def test_selectors(selector, meant):
    assert selected(selector, ["M:VERB", "R:VERB", "R:VERB:SVA", "UNK", "R"]) == frozenset(meant.split())


def test_changed_texts():
    changed = lambda text, *edits: is_changed(parse_m2([f"S {text}", *[EDIT.format(*edit, 0) for edit in edits]])[0])
    assert not changed("a b") and not changed("a b", (-1, -1, "noop", "-NONE-")) and changed("a b", (0, 1, "R:X", "c"))
    assert not changed("a b", (0, 1, "R:X", "a")) and changed("ab", (0, 1, "R:ORTH", "a b"))
    for one, other in ("“", '"'), ("''", '"'), ("’", "'"), ("`", "‘"): assert not changed(f"{one} b", (0, 1, "R:PUNCT", other))
    assert changed("' b", (0, 1, "R:PUNCT", '"'))


GOLD = parse_m2(["S a b", EDIT.format(0, 1, "R:DET", "c", 0), EDIT.format(1, 2, "R:X", "d", 1), "", "S e"])
OUTPUT = parse_m2(["S a b", EDIT.format(0, 1, "R:DET", "c", 0), "", "S e", EDIT.format(0, 1, "M:DET", "f", 0)])


def test_calls():
    metric = ERRANT(types=["DET"])
    score = metric.corpus_score(hypotheses=OUTPUT, gold=GOLD)
    assert score.totals.tolist() == [[1, 1, 0]] and score.value == .5556 and metric.unrounded(score.totals) == pytest.approx(5 / 9)
    assert metric.sentence_scores(hypotheses={"A": OUTPUT}, gold=GOLD)["A"].tolist() == [1, 0]
    assert "types:DET" in score.signature and "refs:1-2,in order" in score.signature
    rates = metric.rates([[[0, 0, 0]], [[0, 1, 0]], [[0, 0, 1]]])
    assert rates["P"].tolist() == [1, 0, 1] and rates["R"].tolist() == [1, 1, 0]
    both = EditCorpus(GOLD, {"A": OUTPUT, "B": [s._replace(edits=()) for s in GOLD]})
    assert ErrorTypes(both).types == ["M:DET", "R:DET", "R:X"]
    assert rank_systems(ERRANT(), both, draws=100).names == ("A", "B")
    [part] = [part for part in ERRANT(types="X").count(both.part(1, 2))] # whose own edits have no such type
    assert part.statistics.sum() == 0


def test_the_choice_where_rounding_decides():
    "As compare_edits, where 600 sentences leave F as it is to four digits, and on random files, where ties are many"
    edits = lambda *starts, who=0: [EDIT.format(start, start + 1, "R:X", start, who) for start in starts]
    noop, words = EDIT.format(-1, -1, "noop", "-NONE-", 1), "S " + "a " * 13
    parts = [(edits(0), edits(0)), (edits(0), []), ([], edits(0))] * 200 + [(edits(0), [*edits(*range(13)), noop])]
    pairs = [[parse_m2([line for part in parts for line in (words, *part[side], "")]) for side in (0, 1)]]
    random = Random(3)
    for _ in range(150):
        sizes = [random.randint(1, 4) for _ in range(9)]
        pairs.append([parse_m2(random_file(random, sizes, annotators)) for annotators in ([0, 1], [1, 2, 3])])
    for system, gold in pairs:
        for mode in MODES:
            metric, found = ERRANT(mode=mode), compare_edits(system, gold, mode=mode)
            score = metric.corpus_score(hypotheses=system, gold=gold)
            rates = [round(float(rate), 4) for rate in metric.rates(score.totals).values()]
            assert (tuple(score.totals[0]), *rates, score) == (found.totals, *found.rates)


@pytest.mark.parametrize("types,output,gold,message", [
    ("DET", [GOLD[1]], [GOLD[1]], "of type DET; they have no edits"), (" / ", OUTPUT, GOLD, "types is empty"),
    ("noop", [s._replace(edits=(s.edits[0]._replace(type="noop"),)) for s in OUTPUT], GOLD, "of type noop; they have R:DET, R:X")])
def test_refusals(types, output, gold, message):
    with pytest.raises(ValueError, match=message): ERRANT(types=types).corpus_score(hypotheses={"A": output}, gold=gold)


def test_parts_count_sentences_of_the_whole_and_unk_is_a_type_that_can_be_asked_for():
    later = EditCorpus(GOLD[1:] + GOLD[:1], {"A": GOLD[1:] + GOLD[:1]}).part(1, 2)
    with pytest.raises(ValueError, match="A: sentence 2 has the edits of 2 annotators"): list(ERRANT().count(later))
    both = parse_m2(["S a b", EDIT.format(0, 2, "R:X", "c", 0), EDIT.format(1, 2, "R:X", "d", 0)])
    with pytest.raises(ValueError, match="^A: .*overlap"): ErrorTypes(EditCorpus(GOLD[:1], {"A": both}))
    unknown = parse_m2(["S a b", EDIT.format(0, 1, "UNK", "a", 0)])
    score = ERRANT(types="UNK", mode="ds").corpus_score(hypotheses=unknown, gold=unknown)
    assert score.totals.tolist() == [[1, 0, 0]]


def test_the_command_prints_the_rows_of_geclens(shared, geclens, printed):
    "JSON has an object a system and selector with the keys of GECLens; text has them times 100, tsv in a line"
    folder = shared / "data/conll14/errant"
    files = [f"{name}={folder / f'conll14-{name}.errant'}" for name in ("AMU", "INPUT")]
    line = f"errant -g {folder / 'conll14.errant'} -o {' '.join(files)} --type DET PREP,DET"
    scores = json.loads(printed(f"{line} --format json"))["scores"]
    wanted = {(row["system"], row["selector"]): row for row in geclens if "selector" in row}
    by_type = {row["system"]: row["per_type"] for row in geclens if "per_type" in row}
    assert [(record["system"], record["selector"]) for record in scores] == [(name, kind) for kind in ("DET", "PREP,DET") for name in ("AMU", "INPUT")]
    for record in scores:
        assert dict(sorted(record.pop("per_type").items())) == by_type[record["system"]]
        assert same(record, wanted[record["system"], record["selector"]])
    head, first, *_ = [line.split("\t") for line in printed(f"{line} --format tsv").split("\n")]
    assert dict(zip(head, first, strict=True))["overcorrection.rate"] == repr(wanted["AMU", "DET"]["overcorrection"]["rate"])
    cells = "32.08 33.12 14.02 26.03 28.54 30.56 8.70 22.06 55.79".split()
    assert next(line for line in printed(line).split("\n") if "AMU" in line).replace("|", " ").split() == ["AMU", *cells]


def test_the_choice_at_four_digits():
    "n right, n wrong, n missed so far: the one who wants thirteen things has the smaller F, but as many digits, and a match more"
    for n, annotator in (1000, 1), (100_000, 0):
        statistics = np.array([[[[n, n, n], [0, 0, 0]], [[1, 0, 12], [0, 1, 0]]]])
        assert ERRANT().chosen(statistics, np.array([[True, False], [True, True]])).tolist() == [[0, annotator]]


def test_the_table_of_types(corpus, geclens):
    "Values are those of GECLens; the room of statistics has the intervals"
    wanted = {(row["system"], row["selector"]): row for row in geclens if "selector" in row}
    small = EditCorpus(corpus.gold, corpus.systems[:3], corpus.system_names[:3])
    types = ErrorTypes(small)
    table = type_table(types, ["DET", "PREP,DET"], draws=100, seed=2)
    assert table.values.tolist() == [[pytest.approx(wanted[name, kind]["type_only"]["F0.5"]) for kind in ("DET", "PREP,DET")] for name in small.system_names]
    over = type_table(types, ["DET"], "overcorrection", draws=50)
    assert over.values.tolist() == [[wanted[name, "DET"]["overcorrection"]["rate"]] for name in small.system_names]
    assert (over.intervals[:, 0, 0] < over.values[:, 0]).all() and (over.values[:, 0] < over.intervals[:, 0, 1]).all()
    assert frequent_categories(types, 2) == ["OTHER", "DET"]


@pytest.mark.parametrize("call", [lambda x: measures(x, "V"), frequent_categories, type_table], ids=["measures", "frequent_categories", "type_table"])
@pytest.mark.parametrize("wrong", [[], EditCorpus(parse_m2(["S a"]), {"A": parse_m2(["S a"])}), ErrorTypes], ids=lambda x: type(x).__name__)
def test_anything_but_error_types_is_one_line(call, wrong):
    with pytest.raises(TypeError, match=rf"types is {type(wrong).__name__}; give ErrorTypes\(corpus\)"): call(wrong)
