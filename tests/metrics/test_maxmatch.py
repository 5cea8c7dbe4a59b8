"MaxMatch against m2scorer's counts, brute force and a slow program; what it refuses"
from pathlib import Path
from fractions import Fraction
from itertools import product
from random import Random
import gzip
import io
import json

import numpy as np
import pytest
import slow_m2

from gecmetrics_nb import (GLEU, M2, Corpus, IMeasure, compare_systems, parse_m2, rank_systems,
                           references_from_m2)
from gecmetrics_nb.core.parallel import count_pieces
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.alignment.edit_lattice import GoldEdit, ProposedEdit, TooLarge
from gecmetrics_nb.io.m2 import apply_edits
from gecmetrics_nb.metrics.m2 import (CHOOSE, Gold, GoldCorpus, f_score, gold_of, match_corpus,
                                      match_sequence, optimal_choice, precision_recall, sentence_choice)
from gecmetrics_nb.core.metric import collect
from gecmetrics_nb.io.files import read_lines


def golden_table(shared, release, kind, name):
    with gzip.open(shared / f"golden/m2/m2scorer-{release}.{kind}.{name}.tsv.gz", "rt", encoding="utf-8") as file: first, _, *lines = file.read().split("\n")
    return first, [tuple(map(int, line.split("\t"))) for line in lines if line]


def as_table(statistics, present, annotators):
    "Rows as in the golden tables: sentence, annotator, correct, proposed, gold, chosen"
    [chosen] = CHOOSE["official"](statistics[None, ..., 0, :], present, .5)
    return [(d, annotators[r], *statistics[d, r, 0].tolist(), int(chosen[d] == r)) for d in range(len(present)) for r in np.flatnonzero(present[d])]


@pytest.mark.parametrize("kind,releases", [("combined", {"3.2": 13, "2016-04-29": 12}), ("combined-withalt", {"3.2": 11})])
def test_official_counts(shared, kind, releases):
    "Each number of 36 tables: 13 outputs, 12 and 11"
    outputs = [read_lines(shared / "data/conll14/official_submissions" / name) for name in CONLL14]
    corpus = GoldCorpus(shared / f"data/conll14/official-2014.{kind}.m2", outputs)
    metrics = [M2(release=release[:7]) for release in releases]
    matched = zip(*match_corpus(metrics, corpus), strict=True)
    for metric, parts, (release, many) in zip(metrics, matched, releases.items(), strict=True):
        names = [name for name in CONLL14 if (shared / f"golden/m2/m2scorer-{release}.{kind}.{name}.tsv.gz").exists()]
        assert len(names) == many
        statistics, present = collect(metric, parts)
        for name in names:
            first, rows = golden_table(shared, release, kind, name)
            mine = statistics[CONLL14.index(name)]
            assert as_table(mine, present, corpus.gold.annotators) == rows, name
            totals = metric.aggregation().whole(mine[None], present).sums
            (p,), (r,) = precision_recall(totals)
            assert first == f"# precision {p:.4f} recall {r:.4f} F0.5 {metric.score(totals)[0]:.4f}"


TEXT = """S a b c
A 0 1|||X|||d||e|||REQUIRED|||-NONE-|||0
A 2 3|||Y|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2

S f g
""".split("\n")


def test_settings_that_are_counted_together():
    "As each alone, where words are put before the first one and where case alone changes"
    gold = gold_of(parse_m2("S b c\nA 0 0|||X|||x y|||REQUIRED|||-NONE-|||0\n\nS f g\nA 0 1|||X|||F|||REQUIRED|||-NONE-|||0\n".split("\n")))
    corpus = GoldCorpus(gold, [["x y b c", "F g"], ["x b", "y z f G"], ["b c", "f g"]])
    metrics = [M2(release=release, ignore_whitespace_casing=ignore) for release in ("3.2", "2016-04") for ignore in (False, True)]
    together = [collect(metric, parts) for metric, parts in zip(metrics, zip(*match_corpus(metrics, corpus), strict=True), strict=True)]
    for metric, (statistics, _) in zip(metrics, together, strict=True): assert (statistics == collect(metric, metric.count(corpus))[0]).all()
    assert len({statistics.tobytes() for statistics, _ in together}) == 4


NOOP = "S He go home .\nA {}|||noop|||{}|||REQUIRED|||-NONE-|||0\n"


@pytest.mark.parametrize("span", ["-1 -1", "0 0", "3 1", "7 9", "-5 2"])
@pytest.mark.parametrize("words", ["-NONE-", "She goes||He goes"])
def test_a_noop_is_no_edit_wherever_it_is(span, words):
    "m2scorer (load_annotation) puts every noop at -1 -1, and prints 1 1 1; so do the others that read M2 files"
    sentences = parse_m2(NOOP.format(span, words).split("\n"))
    gold, right = gold_of(sentences), ["He go home ."]
    assert gold.edits == ({0: []},) and references_from_m2(sentences) == (right, [right]) and apply_edits(["a", "b"], sentences[0].edits) == ["a", "b"]
    plain = gold_of(parse_m2(NOOP.format("-1 -1", "-NONE-").split("\n")))
    for metric in M2(), IMeasure():
        for texts in right, ["He gone home ."]:
            assert metric.corpus_score(hypotheses=texts, gold=gold) == metric.corpus_score(hypotheses=texts, gold=plain)


def random_gold(random):
    "An M2 file with alternatives, up to three annotators, insertions made twice and noops with spans; and outputs"
    lines, outputs = [], []
    for _ in range(random.randint(1, 4)):
        source = random.choices("abc", k=random.randint(1, 5))
        lines.append("S " + " ".join(source))
        for annotator in random.sample(range(3), random.randint(0, 3)):
            start = 0
            while start <= len(source) and random.random() < .7:
                start += random.randint(0, 2)
                end = start + random.randint(0, 2)
                if end > len(source): break
                words = "||".join(" ".join(random.choices("abc", k=random.randint(0, 2))) or "-NONE-" for _ in range(random.randint(1, 2)))
                twice = start == end and random.random() < .5
                lines += [f"A {start} {end}|||X|||{words}|||REQUIRED|||-NONE-|||{annotator}"] * (1 + twice)
                start = end + (start == end)
            if random.random() < .5:
                start, end = random.choice([(-1, -1), (0, 0), (0, len(source)), (1, 2), (len(source), len(source))])
                lines.append(f"A {start} {end}|||noop|||{random.choice(['-NONE-', 'a'])}|||REQUIRED|||-NONE-|||{annotator}")
        lines.append("")
        outputs.append(" ".join(random.choice([source, random.choices("abc", k=random.randint(0, 5))])))
    return "\n".join(lines), outputs


@pytest.mark.parametrize("release", ["3.2", "2016-04"])
def test_random_corpora_against_the_slow_program(release):
    "200 small M2 files: the sums of the annotators that are chosen; `slow_m2` is compared with m2scorer in test_lattice"
    random, noops = Random(release), 0
    for _ in range(200):
        text, outputs = random_gold(random)
        beta, most = random.choice([.5, 1, 2]), random.randrange(4)
        expected = slow_m2.m2scorer(text, outputs, beta, most=most, release=release)
        found = M2(beta=beta, release=release, max_unchanged_words=most).corpus_score(hypotheses=outputs, gold=parse_m2(text.split("\n")))
        assert found.totals[0].tolist() == np.sum(expected, axis=0).tolist(), (text, outputs)
        noops += "|||noop|||" in text.replace("A -1 -1|||noop", "")
    assert noops > 100


def test_an_edit_that_is_wanted_once_is_matched_once():
    "And one that the annotator has twice is matched twice by one edit, as in m2scorer's matchSeq"
    made, wanted = ProposedEdit(0, 0, "", "x"), GoldEdit(0, 0, "", ("x",))
    assert match_sequence([made] * 2, [wanted]) == [wanted]
    assert match_sequence([made], [wanted] * 2) == [wanted] * 2


def test_blanks_and_case():
    gold = gold_of(parse_m2(["S On line shops", "A 1 1|||X|||-|||REQUIRED|||-NONE-|||0"]))
    counts = lambda text, **settings: M2(**settings).statistics(hypotheses=[text], gold=gold)[0, 0, 0].tolist()
    assert counts("Online shops") == [0, 1, 1] and counts("Online shops", ignore_whitespace_casing=True) == [0, 0, 1]
    assert counts("On line Shop", ignore_whitespace_casing=True) == [0, 1, 1]


@pytest.mark.parametrize("beta", [.5, 1, .3])
def test_optimal_choice_against_all_choices(beta):
    rng = np.random.default_rng(1)
    for _ in range(100):
        correct = rng.integers(0, 3, (1, 5, 3, 1))
        statistics, present = np.concatenate([correct, correct + rng.integers(0, 3, (1, 5, 3, 2))], axis=3), rng.random((5, 3)) < .7
        present[:, 1] |= ~present.any(axis=1)
        best = max(f_score(statistics[0, range(5), c].sum(axis=0), beta) for c in product(*map(np.flatnonzero, present)))
        [chosen] = optimal_choice(statistics, present, beta)
        assert present[range(5), chosen].all() and np.isclose(f_score(statistics[0, range(5), chosen].sum(axis=0), beta), best, atol=1e-12)


def test_the_sentence_choice_by_its_definition():
    "Random counts of three annotators, some absent: exact F, then more correct, then fewer others, then the first"
    random = Random(1)
    for _ in range(200):
        rows = [[(correct := random.randrange(3), correct + random.randrange(3), correct + random.randrange(3)) for _ in range(3)] for _ in range(7)]
        present = np.array([[True, random.random() < .8, random.random() < .8] for _ in rows])
        expected = []
        for row, here in zip(rows, present, strict=True):
            others = [proposed + Fraction(gold, 4) for _, proposed, gold in row]
            f = [Fraction(5 * correct, 4) / other if other else 1 for (correct, *_), other in zip(row, others, strict=True)]
            expected.append(max(np.flatnonzero(here), key=lambda r: (f[r], row[r][0], -others[r])))
        assert sentence_choice(np.array([rows]), present, .5)[0].tolist() == expected


def test_a_sentence_that_is_too_long_is_named():
    long = Gold((("a",), tuple("a" * 3000)), ({0: []}, {0: []}))
    with pytest.raises(TooLarge, match="^sentence 2: 3,000 words against 3,001"): M2().corpus_score(hypotheses=["b", "a " * 3001], gold=long)
    later = GoldCorpus(long, [["b", "a " * 3001]]).part(1, 2)
    for metric in M2(), IMeasure():
        with pytest.raises(ValueError, match="^sentence 2: "): list(metric.count(later))


@pytest.mark.parametrize("metric", [M2(), IMeasure()], ids=["M2", "I-measure"])
def test_other_corpora_are_refused_by_name(metric):
    "What needs a GoldCorpus says so, wherever it meets a Corpus; the other metrics likewise"
    corpus = Corpus(["a b"], [["a c"]], [["a c"], ["a b"]])
    gold = GoldCorpus(parse_m2(["S a b", "A 1 2|||X|||c|||REQUIRED|||-NONE-|||0"]), corpus.systems)
    scorers = [lambda metric, corpus: metric.count(corpus), lambda metric, corpus: count_pieces(metric, [corpus], None),
               lambda metric, corpus: compare_systems([(metric, "corpus")], corpus), rank_systems]
    for call in scorers:
        with pytest.raises(TypeError, match=f"^corpus is Corpus: {type(metric).__name__} takes GoldCorpus"): list(call(metric, corpus))
        with pytest.raises(TypeError, match="^corpus is GoldCorpus: give a Corpus"): list(call(GLEU(), gold))
    assert compare_systems(metric, gold, draws=10).values.tolist() == [1, 0]
    assert rank_systems(metric, gold, draws=100).names == ("systems[0]", "systems[1]")


@pytest.fixture
def files(write): write({"g.m2": TEXT, "A": ["e b", "f h"], "B": ["a b c", "f g"]})


def test_command(files, gecnb):
    def printed(more): return gecnb(f"m2 -g g.m2 -o A B {more}").out
    assert printed("-d 1") == "A\t66.7\t100.0\t71.4\nB\t100.0\t100.0\t100.0\n" # B: annotator 2 wants nothing
    assert printed("-b 1 --format tsv") == "system\tprecision\trecall\tF\nA\t66.67\t100.00\t80.00\nB\t100.00\t100.00\t100.00\n"
    assert printed("--format m2scorer").split("\n")[:4] == ["A", "Precision   : 0.6667", "Recall      : 1.0000", "F_0.5       : 0.7143"]
    assert printed("--per sentence") == "100.00\t100.00\n0.00\t100.00\n" and printed("--per mean") == "A\t50.00\nB\t100.00\n"
    found = json.loads(printed("--format json --choice optimal --release 2016-04"))["scores"]
    assert found[0]["totals"] == {"correct": [2], "proposed": [3], "gold": [2]} and "|choice:optimal|release:2016-04|" in found[0]["signature"]
    assert gecnb("m2 -g g.m2 -o A --signature").err.startswith("M2|beta:0.5|choice:official|")


def test_tables_and_standard_input(files, gecnb, monkeypatch):
    "Outputs may be columns of tables, packed or not, with their names in the errors; standard input is called that"
    Path("t.jsonl").write_text('{"h": "e b", "n": null}\n\n{"h": "f h", "n": "x"}\n')
    for name in "g.m2", "t.jsonl": Path(f"{name}.gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    def run(line, text=b""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        status, out, err = gecnb(line)
        return err if status else out
    assert run("m2 -g g.m2.gz -o A t.jsonl:h t.jsonl.gz:h g.m2:source g.m2.gz:source -d 0") == (
        "A\t67\t100\t71\n" "t.jsonl:h\t67\t100\t71\n" "t.jsonl.gz:h\t67\t100\t71\n" "g.m2:source\t100\t100\t100\n" "g.m2.gz:source\t100\t100\t100\n")
    assert "t.jsonl:n: sentence 1 has no text, where one string belongs" in run("m2 -g g.m2 -o t.jsonl:n")
    assert "t.jsonl: line 1 has no 'x'; it has h, n" in run("i-measure -g g.m2 -o t.jsonl:x")
    for line, text, said in (("m2 -g - -o A", b"", "no sentences\n"), ("errant -g - -o g.m2", b"x\n", "line 1 is neither S, A nor empty"),
                             ("refs - -o r", b"S a\n", "no A line"), ("m2 -g - -o A", b"S a\nA 0 9|||X|||b|||R|||N|||0\n", "line 2: edit 0 9 lies outside")):
        assert f"standard input: {said}" in run(line, text)
