"Texts that become a corpus, and those that are refused with a message that names them"
import random
import re
import warnings

import numpy as np
import pytest

from gecmetrics_nb import parse_m2, GLEU, GREEN, M2 as MaxMatch, METEOR, Corpus
from gecmetrics_nb.core.corpus import spread_columns
from gecmetrics_nb.io.files import read_lines

GOOD = dict(sources=["a b", "c"], hypotheses=["a b", "c"], references=[["a b", "c"], ["a", "c"]])


def test_blanks_at_the_end_count_only_where_asked():
    texts = dict(sources=["ab"], references=[["ab"]])
    score = lambda h, unit: float(GLEU(order=1, unit=unit).sentence_scores(hypotheses=[h], **texts)[0])
    assert score("ab \r", "char") == 1 and score("ab \r", "char-blanks") == pytest.approx(2 / 3)
    assert score("ab", lambda line: [line]) == 1 and score("ab ", lambda line: [line]) == 0


@pytest.mark.parametrize("references,message", [([["a b", "c"], None], r"references\[1\]"), ([["a", 3]], r"references\[0\]\[1\]")])
def test_what_is_no_column_of_texts_is_refused(references, message):
    with pytest.raises(TypeError, match=message): GLEU().corpus_score(**GOOD | {"references": references})


@pytest.mark.parametrize("sources,references,outputs,message", [
    ([], [[]], [], "^sources has no sentences"), (None, [[]], [], r"^systems\[0\] has no sentences"),
    (["a", "b"], [["a"], ["b"]], ["a", "b"], "transposed: 2 lists of 1 for 2 sources"),
    (None, [["a"], ["b"]], ["a", "b"], "transposed: 2 lists of 1 for 2 hypotheses"),
    (["a", "b"], [["a"], ["a", "b"]], ["a", "b"], r"^line counts differ: .*\[0\] has 1, references\[1\] has 2")])
def test_columns_that_do_not_belong_together_are_refused(sources, references, outputs, message):
    with pytest.raises(ValueError, match=message): Corpus(sources, references, [outputs])


def test_any_sequence_of_strings_will_do():
    arrays = {k: np.array(v) if k != "references" else map(iter, v) for k, v in GOOD.items()}
    assert GLEU().corpus_score(**arrays) == GLEU().corpus_score(**GOOD)


@pytest.mark.parametrize("missing", [float("nan"), np.nan, np.float32("nan")])
def test_nan_is_a_missing_reference(missing):
    assert Corpus(["a", "b"], [["a", missing], ["b", "c"]], [["a", "b"]]).references == (("a", None), ("b", "c"))


@pytest.mark.needs("pandas")
def test_missing_references_of_pandas():
    import pandas
    frame = pandas.DataFrame({"s": ["a b", "c"], "one": ["a b", None], "two": ["a", "c"]})
    expected = GREEN().corpus_score(sources=["a b", "c"], hypotheses=["a", "c"], references=[["a b", None], ["a", "c"]])
    for one in frame.one, frame.one.astype("string"), frame.one.astype(object).fillna(pandas.NaT):
        assert GREEN().corpus_score(sources=frame.s, hypotheses=["a", "c"], references=[one, frame.two]) == expected
    with pytest.raises(TypeError, match=r"sources\[1\] is missing \(nan\)|sources\[1\] is missing \(None\)"):
        GREEN().corpus_score(sources=frame.one, hypotheses=["a", "c"], references=[frame.two])


@pytest.mark.parametrize("unit,message", [
    (lambda line: None, r"unit <lambda>\(\) returns NoneType for 'a.*': let it return a list"), (iter, "unit iter\\(\\) returns str_"), (str.upper, "returns str for"),
    (lambda line: [list(line)], "unit <lambda>\\(\\) returns tokens for 'a.*' that are lists themselves"), (lambda line: (c for c in line), "returns generator"), (int, "unit int\\(\\) fails on 'a.*': ValueError: invalid")])
@pytest.mark.parametrize("metric", [GREEN, METEOR])
def test_a_unit_of_ones_own_returns_a_list(metric, unit, message):
    with pytest.raises((TypeError, ValueError), match=message): metric(unit=unit).corpus_score(**GOOD)


def test_parts_of_a_corpus():
    "The sentences asked for, under the same names, counted on from where the corpus itself begins"
    whole = Corpus(list("abcde"), [list("fghij"), ["k", None, "l", "m", "n"]], [list("opqrs"), list("tuvwx")], "S", ("R0", "R1"), ("A", "B"), before=10)
    part = whole.part(1, 3).part(0, 2)
    assert part == Corpus(("b", "c"), (("g", "h"), (None, "l")), (("p", "q"), ("u", "v")), "S", ("R0", "R1"), ("A", "B"), 11) and len(part) == 2
    assert whole.part(1, 3).part(1, 2).before == 12 and whole.part(3, 99).systems == (("r", "s"), ("w", "x"))
    assert Corpus(None, [list("ab")], [list("cd")]).part(1, 2) == Corpus(None, [["b"]], [["d"]], before=1)
    with pytest.raises(ValueError, match="^sentence 12 has no reference"):
        Corpus(None, [["a", None]], [["c", "d"]], before=10)


def test_a_column_with_lists_is_several_columns():
    "As many as the longest list, or as are asked for; a row with more is counted from the first piece"
    rows = [["x"], [None, "y", "z"]]
    assert spread_columns([[*rows, None]], ["r"])[0] == [["x", None, None], [None, "y", None], [None, "z", None]]
    cells, names = spread_columns([["x", None], [["y"], "z"]], ["r", "q"], [2, 1])
    assert cells == [["x", None], [None, None], ["y", "z"]] and names == ["r[0]", "r[1]", "q"]
    assert spread_columns([[{"a": "x", 2: None}]], ["r"]) == ([["x"], [None]], ["r[a]", "r[2]"])
    with pytest.raises(ValueError, match="r: row 12 has 3 ref"): spread_columns([rows], ["r"], [2], before=10)


# Outputs that are surely wrong

LINES = [f"{k} and {k + 1} make {2 * k + 1} , I say ." for k in range(120)]
JOINED = [line.replace(" ,", ",").replace(" .", ".") for line in LINES]


def looked_at(sources, output, references=None):
    "What a corpus with this output warns of"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        Corpus(sources, references or [LINES], [output], system_names=["A"])
    return [str(warning.message) for warning in said]


@pytest.mark.parametrize("output,message", [
    (JOINED, "A is not tokenized as its source is: 0% of its full stops .* 100% of those of the source"),
    (LINES[1:] + LINES[:1], "A looks shifted from line 1 on: at least 119 .* next source"),
    (LINES[-1:] + LINES[:-1], "A looks shifted from line 2 on: at least 119 .* previous source"),
    (LINES[:70] + LINES[71:] + [""], "A looks shifted from line 71 on: at least 49 .* next source"),
    (LINES[:100] + LINES[99:-1], "A looks shifted from line 101 on: at least 20 .* previous source"),
    (LINES[:70] + ["Yes ."] + LINES[70:-1], "A looks shifted from line 72 on: at least 49 .* previous source")])
def test_an_output_that_is_surely_wrong_is_noticed(output, message):
    [said] = looked_at(LINES, output)
    assert re.match(message, said), said
    [said] = looked_at(None, output)
    assert re.match(message.replace("source", "reference"), said), said
    with pytest.warns(UserWarning, match=message): GLEU(references="max").corpus_score(sources=LINES, references=[LINES], hypotheses={"A": output})
    gold = parse_m2([line for text in LINES for line in (f"S {text}", "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0", "")])
    with pytest.warns(UserWarning, match=message): MaxMatch().corpus_score(gold=gold, hypotheses={"A": output})


def test_other_outputs_are_not():
    rng = random.Random(3)
    def sentences(words): return [" ".join(rng.choice("abcdefghijklmnop.,"[-words:]) for _ in range(rng.randint(0, 9))) for _ in range(120)]
    same = ["Thank you ."] * 120
    assert not looked_at(same, same[1:] + ["Thank you"]) and not looked_at(JOINED, JOINED) and not looked_at(LINES, [""] * 120)
    assert not looked_at(LINES, ["banana ."] * 120) and not looked_at(LINES, [line.upper() for line in LINES])
    for words in 3, 8, 18: assert not looked_at(sentences(words), sentences(words))
    few = LINES[:20]
    for output in few[1:] + few[:1], JOINED[:20]: assert not looked_at(few, output, [few])
    few = LINES[:21] # with one line more, 20 of them are nearer to the next
    assert len(looked_at(few, few[1:] + few[:1], [few])) == 1
    for marks, half, noticed in (100, 25, 1), (98, 25, 0), (100, 26, 0): # lines that keep their blanks
        few = LINES[:marks // 2]
        assert len(looked_at(few, few[:half] + JOINED[half:marks // 2], [few])) == noticed
    one, joined = ([" ".join(lines[:50])] for lines in (LINES, JOINED)) # a line of a hundred marks
    assert len(looked_at(one, joined, [one])) == 1


def test_a_line_that_shares_as_much_with_both_neither_shifts_an_output_nor_holds_it():
    few = LINES[:31]
    [said] = looked_at(few, [line if k % 3 else "banana" for k, line in enumerate(LINES[1:32])], [few])
    assert "at least 20 lines" in said


def test_a_part_or_a_version_of_a_corpus_is_not_looked_at_again():
    with pytest.warns(UserWarning): corpus = Corpus(LINES, [LINES], [JOINED])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus.part(0, 110).at(range(110), [JOINED[:110]])


def test_real_outputs_are_noticed_only_when_they_are_spoilt(shared):
    "83 outputs of CoNLL-2014 and JFLEG, each of them whole, detokenized, rotated, and with a line lost or put in"
    data, count = shared / "data", 0
    for source, folders in {"conll14/official_submissions/INPUT": ("conll14/official_submissions", "grammaticality-metrics/references"),
                            "seeda/outputs/all/INPUT.txt": ("seeda/outputs/all",), "seeda/outputs/subset/INPUT.txt": ("seeda/outputs/subset",),
                            "jfleg/test.src": ("jfleg", "llm-2026/jfleg")}.items():
        sources = read_lines(data / source)
        for path in sorted(path for folder in folders for path in (data / folder).iterdir() if path.suffix != ".tsv"):
            whole, middle = read_lines(path), len(sources) // 2
            joined = [re.sub(r" ([.,])(?!\S)", r"\1", line) for line in whole]
            bad = [whole[1:] + whole[:1], whole[:-50] + whole[-49:] + [""], whole[:middle] + ["Thank you ."] + whole[middle:-1]]
            assert not looked_at(sources, whole, [sources]), path
            assert ["tokenized" in said for said in looked_at(sources, joined, [sources])] == [True], path
            for output in bad: assert ["shifted" in said for said in looked_at(sources, output, [sources])] == [True], path
            count += 1
    assert count == 83


@pytest.mark.parametrize("names,says", [(["Z", "B"], "system_names is .*systems is a dict"), (["B", "A"], "system_names is"),
                                        (["A"], "system_names has 1 names for 2 columns"), ("AB", "system_names is one string")])
def test_systems_have_names_once(names, says):
    systems = {"A": ["a"], "B": ["b"]}
    with pytest.raises((ValueError, TypeError), match=f"^{says}"): Corpus(["a"], [["a"]], systems, system_names=names)
    for same in (), ("A", "B"), ["A", "B"]: assert Corpus(["a"], [["a"]], systems, system_names=same).system_names == ("A", "B")
