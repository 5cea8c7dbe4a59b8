"ERRANT's comparison against the prints of errant 3.0.2; an API, a macro average, and what is refused"
from collections import Counter, defaultdict
from random import Random
import json
import re

import pytest

from gecmetrics_nb import ERRANT, EditCorpus
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.io.m2 import parse_m2, write_references
from gecmetrics_nb.metrics.errant import compare_edits, compare_lines, rates
from gecmetrics_nb.metrics.m2 import read_gold
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.readers import m2_columns
from gecmetrics_nb.stats.significance import compare_systems
from places import ROOT, cells_of

PRINTED = {"cs": {}, "cse": {"mode": "cse"}, "ds": {"mode": "ds"}, "dt": {"mode": "dt"}, "single": {"single": True}, "multi": {"multi": True},
           "filt": {"skip": ("R:NOUN", "M:PUNCT")}, "beta1": {"beta": 1}}
@pytest.fixture(scope="module")
def files(shared):
    folder = shared / "data/conll14/errant"
    read = lambda path: parse_m2(read_lines(path), str(path))
    return read(folder / "conll14.errant"), {name: read(folder / f"conll14-{name}.errant") for name in CONLL14}


@pytest.mark.parametrize("name", CONLL14)
def test_prints(shared, files, name):
    "All lines of 13 systems in 8 modes with -cat 3: 104 of 104; the golden files hold what was printed twice"
    gold, systems = files
    for mode, options in PRINTED.items():
        printed = (shared / f"golden/errant/{name}.{mode}.txt").read_text(encoding="utf-8")
        score = compare_edits(systems[name], gold, **options)
        assert ("\n".join(compare_lines(score, 3)) + "\n") * 2 == printed, mode


def test_thirteen_outputs_are_those_of_the_program(shared, files):
    "The lesson's F0.5 in three modes are printed by errant_compare, and CAMB is ahead of CUUI by one common word"
    [cell] = (cell["source"] for cell in cells_of(ROOT / "nbs/metrics/09_errant.ipynb") if "printed = {" in cell["source"])
    said = dict(re.findall(r'"([A-Z]+)": \(([\d., ]+)\)', cell))
    for name in CONLL14:
        texts = [(shared / f"golden/errant/{name}.{mode}.txt").read_text(encoding="utf-8") for mode in ("cs", "ds", "dt")]
        assert [100 * float(re.search(r"^\d+\t.*\t(\S+)$", text, re.M)[1]) for text in texts] == pytest.approx([float(x) for x in said[name].split(",")])
    gold, systems = files
    two = EditCorpus(gold, {name: systems[name] for name in ("CUUI", "CAMB")})
    found = compare_systems(ERRANT(mode="dt"), two)
    assert f"{100 * found.differences[1]:.2f}" == "2.74" and f"{found.p[1]:.2f}" == "0.02"


def test_rounding_decides_nowhere_in_conll14(files, monkeypatch):
    gold, systems = files
    score = lambda system: compare_edits(system, gold)
    rounded = {name: score(system) for name, system in systems.items()}
    monkeypatch.setattr("gecmetrics_nb.metrics.errant.round", lambda x, digits: x, raising=False)
    exact = {name: score(system) for name, system in systems.items()}
    assert all((exact[name].counts == rounded[name].counts).all() for name in systems) and exact["AMU"] != rounded["AMU"]


GOLD = ["S a b c", "A 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0", "A 1 3|||R:Y:Z|||e f|||REQUIRED|||-NONE-|||0", "A 2 2|||UNK|||-NONE-|||REQUIRED|||-NONE-|||1", "", "S g"]
SYSTEM = ["S a b c", "A 0 1|||R:X|||d|||REQUIRED|||-NONE-|||0", "A 2 3|||U:Y|||-NONE-|||REQUIRED|||-NONE-|||0", "", "S g", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]


def score(gold=GOLD, system=SYSTEM, **options): return compare_edits(parse_m2(system), parse_m2(gold), **options)


def rule_keys(start, end, kind, words, mode):
    "What errant_compare 3.0.2 stores for a line A: a noop is an edit like the others, at the place that is written there"
    if mode == "dt" and start == -1: return [(-1, -1)]
    if mode == "dt": return [(start, start + 1)] if start == end >= 0 else [(word, word + 1) for word in range(start, end)]
    return [{"cs": (start, end, words), "cse": (start, end, words, kind), "ds": (start, end)}[mode]]


def rule_block(block, mode, single=False, multi=False, skip=()):
    "{annotator: {key: types, in the order of the file}} of one sentence; without a line annotator 0 has a noop"
    found = defaultdict(lambda: defaultdict(list))
    for line in block.split("\n")[1:] or ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]:
        span, kind, words, *_, annotator = line[2:].split("|||")
        mine, (start, end) = found[annotator], map(int, span.split())
        several = end - start >= 2 or len(words.split()) >= 2
        left_out = kind == "UNK" and mode in ("cs", "cse") or single and several or multi and not several or kind in skip
        if not left_out:
            for key in rule_keys(start, end, kind, words, mode): mine[key].append(kind)
    return found


def rule_counts(system, gold, mode="cs", beta=.5, **options):
    "{(type, 'TP' or 'FP' or 'FN'): count} of two M2 files: noop or not goes by the first edit of a key alone"
    whole = Counter()
    for one, other in zip(system.strip().split("\n\n"), gold.strip().split("\n\n"), strict=True):
        ways = []
        for ours in rule_block(one, mode, **options).values():
            for theirs in rule_block(other, mode, **options).values():
                way = Counter()
                for key in ours:
                    if ours[key][0] == "noop": continue
                    way.update((kind, "TP") for kind in theirs[key]) if key in theirs else way.update((kind, "FP") for kind in ours[key])
                for key in theirs:
                    if theirs[key][0] != "noop" and key not in ours: way.update((kind, "FN") for kind in theirs[key])
                TP, FP, FN = [rule_sum(whole + way, what) for what in ("TP", "FP", "FN")]
                ways.append((round(rule_f(TP, FP, FN, beta), 4), TP, -FP, -FN, way))
        whole += max(ways, key=lambda way: way[:4])[-1]
    return whole


def rule_f(TP, FP, FN, beta):
    precision, recall = TP / (TP + FP) if FP else 1, TP / (TP + FN) if FN else 1
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if precision + recall else 0


def rule_sum(counts, what): return sum(count for (_, side), count in counts.items() if side == what)


def rule_groups(counts, level):
    "{group: [TP, FP, FN]}: the operation before the first colon's place, what comes after it, or all; UNK by itself"
    found = defaultdict(lambda: [0, 0, 0])
    for (kind, side), count in counts.items():
        group = kind if kind == "UNK" or level == 3 else kind[0] if level == 1 else kind[2:]
        found[group][("TP", "FP", "FN").index(side)] += count
    return {group: tuple(numbers) for group, numbers in sorted(found.items())}


def random_m2(random, sizes):
    "An M2 file with noops that have spans, edits of type UNK, edits that stand twice, and several annotators"
    lines = []
    for size in sizes:
        lines.append("S " + "w " * size)
        for _ in range(random.choice([0, 1, 1, 2, 3, 5])):
            kind, start = random.choice(["R:NOUN", "M:DET", "U:DET", "U", "R:VERB:TENSE", "UNK", "UNK", "noop", "noop"]), random.randint(0, size)
            end = min(size, start + random.choice([0, 1, 1, 2, 3]))
            if kind == "noop" and random.random() < .5: start, end = random.choice([(-1, -1), (-1, 2), (-3, 2), (2, 0), (-2, -2), (0, size + 2)])
            lines.append(f"A {start} {end}|||{kind}|||{random.choice(['a', 'b', 'a b', '-NONE-', ''])}|||REQUIRED|||-NONE-|||{random.choice([0, 0, 1, 2])}")
        lines.append("")
    return "\n".join(lines)


@pytest.mark.parametrize("mode", ["cs", "cse", "ds", "dt"])
def test_noops_with_spans_and_unk_by_the_rules_of_errant(mode):
    "errant_compare 3.0.2 (compareEdits, processCategories), written anew: 200 random corpora a mode, by type, by group and summed"
    random, seen = Random(mode), Counter()
    for _ in range(200):
        sizes = [random.randint(1, 5) for _ in range(random.randint(1, 6))]
        system, gold = (random_m2(random, sizes) for _ in range(2))
        options = random.choice([{}, {}, {"single": True}, {"multi": True}, {"skip": ("R:NOUN", "noop")}, {"skip": ("UNK",)}]) | {"beta": random.choice([.5, 1, 2])}
        counts, found = rule_counts(system, gold, mode, **options), compare_edits(parse_m2(system.split("\n")), parse_m2(gold.split("\n")), mode=mode, **options)
        assert found.totals == tuple(rule_sum(counts, side) for side in ("TP", "FP", "FN")), (system, gold)
        for level in 1, 2, 3:
            groups = rule_groups(counts, level)
            assert list(found.grouped(level).items()) == list(groups.items())
            assert found.macro(level) == pytest.approx(sum(round(rule_f(*numbers, options["beta"]), 4) for numbers in groups.values()) / len(groups) if groups else 1)
        seen.update(kind for kind, _ in counts)
    assert seen["R:NOUN"] and bool(seen["noop"]) == (mode != "cse") and bool(seen["UNK"]) == (mode in ("ds", "dt"))


NOOP = "S He go home .\nA {}|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"


@pytest.mark.parametrize("mode", ["cs", "cse", "ds", "dt"])
def test_a_noop_is_none_of_the_three_wherever_it_is(mode):
    "errant_compare prints 0 0 0 1.0 1.0 1.0 for each pair; a span of a billion words takes no time"
    sides = [parse_m2(NOOP.format(span).split("\n")) for span in ("-1 -1", "0 0", "0 2", "3 1", "-999999999 999999999")]
    for system in sides:
        for gold in sides: assert compare_edits(system, gold, mode=mode).rates == (1, 1, 1) and compare_edits(system, gold, mode=mode).totals == (0, 0, 0)


def test_precision_is_all_that_beta_0_asks_for():
    "Where recall is 0 errant_compare divides by 0"
    assert rates((0, 0, 1), 0) == (1, 0, 1) and rates((0, 1, 1), 0) == (0, 0, 0) and rates((2, 1, 1), 0)[::2] == (.6667, .6667)


def test_duplicates_are_named():
    twice = [GOLD[0], GOLD[1], *GOLD[1:]]
    assert score(gold=twice).totals == (2, 1, 1) and score(gold=twice, once=True).totals == (1, 1, 1)
    assert score(gold=twice).duplicates == ("gold: sentence 1: annotator 0 has 0 1 'd' 2 times; each counts, as in errant",)
    assert score().duplicates == score(gold=twice, skip=("R:X",)).duplicates == ()


def test_files_are_named(tmp_path):
    paths = [tmp_path / name for name in ("system.m2", "gold.m2")]
    for path, lines in zip(paths, (SYSTEM, GOLD), strict=True): path.write_text("\n".join(lines), encoding="utf-8")
    assert compare_edits(*paths).totals == (1, 1, 1)
    paths[0].write_text("\n".join(SYSTEM[:3]), encoding="utf-8")
    with pytest.raises(ValueError, match="system.m2 has 1, .*gold.m2 has 2"): compare_edits(*paths)
    paths[0].write_text("S a b\n\nS g", encoding="utf-8")
    with pytest.raises(ValueError, match="sentence 1: .*system.m2 has 'a b', .*gold.m2 has 'a b c'"): compare_edits(*paths)
    paths[0].write_text("S a b c\nA 1 5|||X|||c|||REQUIRED|||-NONE-|||0\n\nS g", encoding="utf-8")
    with pytest.raises(ValueError, match="system.m2: line 2: edit 1 5 lies outside its sentence of 3 tokens"): compare_edits(*paths)


READERS = {"errant": lambda path: compare_edits(path, path), "m2": read_gold, "columns": lambda path: list(m2_columns(path, ["source"])),
           "refs": lambda path: write_references(path, path.parent / "refs")}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("end", ["\r", "\r\r\n"])
def test_carriage_returns_alone_are_refused(tmp_path, end, reader):
    "errant_compare reads two lines, or three; as one line S the file would score 1"
    path, edit = tmp_path / "mac.m2", "A 0 1|||R:X|||c|||REQUIRED|||-NONE-|||0"
    path.write_bytes(f"S a b{end}{edit}{end}".encode())
    with pytest.raises(ValueError, match=r"mac.m2.* U\+000D|mac.m2 is one line with carriage returns"): READERS[reader](path)
    assert [p.name for p in tmp_path.iterdir()] == ["mac.m2"]
    with pytest.raises(ValueError, match=r"M2: line 1 holds U\+000D"): parse_m2([f"S a b\r{edit}\r"])
    assert parse_m2(["S a b\r", f"{edit}\r", "\r"])[0].edits[0].annotator == 0


def test_a_level_is_1_2_or_3():
    with pytest.raises(ValueError, match="level is 4"): score().grouped(4)


def test_command(write, gecnb):
    write({"s.m2": SYSTEM, "g.m2": [GOLD[0], GOLD[1], *GOLD[1:]]})
    def run(line): return gecnb(f"errant -g g.m2 -o {line}")
    done = run("s.m2 -cse -cat 2 --once")
    assert done.out.split("\n") == [*compare_lines(compare_edits("s.m2", "g.m2", mode="cse", once=True), 2), ""]
    assert "note: g.m2: sentence 1: annotator 0 has 0 1 'd' 2 times; counted once\n" in done.err
    assert run("x=s.m2 -single -filt R:X --format tsv").out.split("\n")[1] == "x\t0\t1\t0\t0.0\t1.0\t0.0"
    [found] = json.loads(run("s.m2 --format json").out)["scores"]
    assert found["types"]["R:X"] == {"TP": 2, "FP": 0, "FN": 0} and found["macro"]["3"] == pytest.approx(1 / 3)


def test_edits_without_a_part_of_speech_are_not_grouped_by_it(write, gecnb, refused):
    "Those of files that were cut by letters; UNK is a group"
    edits = {"R": "R", "UNK": "UNK", "R:X": "R:X"}
    write({name.replace(":", ""): ["S a b", f"A 0 1|||{kind}|||c|||REQUIRED|||-NONE-|||0"] for name, kind in edits.items()})
    for files in "-g R -o RX", "-g RX -o R": assert "part of speech, which only ERRANT's types have; type them by ERRANT" in refused(f"errant {files} -cat 2")
    assert gecnb("errant -g UNK -o RX -cat 2").status == gecnb("errant -g R -o R -cat 1").status == 0
