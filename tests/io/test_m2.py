"Lines and M2 files: what they hold, and what is refused with its line, its name or its argument"
import pytest

from gecmetrics_nb import EditCorpus, parse_m2, read_corpus, references_from_m2
from gecmetrics_nb.io.files import decode_lines, path_names, read_lines
from gecmetrics_nb.io.m2 import Edit, apply_edits


@pytest.mark.parametrize("data,lines", [(b"", []), (b"\n", [""]), (b"a", ["a"]), (b"a\n", ["a"]), (b"a\n\nb", ["a", "", "b"]), (b"a\r\nb\r\n", ["a\r", "b\r"]),
                                        (b"\xef\xbb\xbfa\n", ["a"]), ("a\u2028b\x0b\x0c\x85\n".encode(), ["a\u2028b\x0b\x0c\x85"])])
def test_lines_end_at_the_line_feed(data, lines): assert decode_lines(data, "x") == lines


def test_standard_input_may_be_closed(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ValueError, match="is closed"): read_lines("-")


def test_standard_input_can_be_one_of_the_files():
    assert path_names("-", ["r"], ("h",)) == ("-", ["r"], ["h"]) and path_names(None, ["r"], ["-"])[2] == ["-"]


EDIT = "A {} {}|||X|||b|||R|||N|||0".format
ONE, OTHER = parse_m2(["S a"]), parse_m2(["S b"])


@pytest.mark.parametrize("call,error,says", [
    (lambda: decode_lines(b"a\rb\r", "x"), ValueError, r"x is one line with carriage returns \(U\+000D\)"),
    (lambda: parse_m2(["S a", "", "S b\rc"], "x"), ValueError, r"x: line 3 holds U\+000D"),
    (lambda: parse_m2(["S a", 3]), TypeError, "lines holds something that is not a string"),
    (lambda: references_from_m2(parse_m2(["S a b", EDIT(0, 2), EDIT(1, 2)])), ValueError, "line 2: edit 0 2 overlaps"),
    (lambda: references_from_m2([]), TypeError, "sentences is not what parse_m2 returns"),
    (lambda: references_from_m2([*ONE, "b"]), TypeError, "sentences is not what parse_m2 returns"),
    (lambda: EditCorpus(ONE, [ONE + OTHER]), ValueError, r"line counts differ: gold has 1, systems\[0\] has 2"),
    (lambda: EditCorpus(ONE, {"A": OTHER}), ValueError, "sentence 1: gold has 'a', A has 'b'"),
    (lambda: EditCorpus(ONE, {"A": ["a"]}), TypeError, "A is no list of Sentences"),
    (lambda: EditCorpus([], [[]]), ValueError, "gold has no sentences"),
    (lambda: EditCorpus(ONE, []), ValueError, "there are no systems"),
    (lambda: read_corpus("s", "r", ["h"]), TypeError, r"references is one path; give a list of paths: \['r'\]"),
    (lambda: read_corpus("s", ["r"], ["h", 3]), TypeError, "hypotheses holds int; give a path"),
    (lambda: read_corpus("s", [], ["h"]), ValueError, "references is empty; give at least one path"),
    (lambda: read_corpus("-", ["r"], ["-"]), ValueError, r"standard input \(-\) can stand for one file only")])
def test_what_is_no_file_no_list_or_not_the_same_text_is_named(call, error, says):
    with pytest.raises(error, match=f"^{says}"): call()


def test_insertions_at_one_place_keep_their_order():
    edits = [Edit(1, 1, "X", (w,), 0, 1) for w in "xyz"]
    assert apply_edits(["a", "b"], edits) == list("axyzb")
    assert apply_edits(["a", "b"], [Edit(0, 1, "X", ("A",), 0, 1), Edit(1, 1, "X", ("i",), 0, 2), Edit(1, 2, "X", ("B",), 0, 3)]) == list("AiB")


def test_one_or_two_fields_before_the_annotator_are_not_looked_at():
    [sentence] = parse_m2(["S a", "A 0 1|||X|||b|||0|||1", "A 0 1|||X|||b|||0|||2|||3"])
    assert [edit.annotator for edit in sentence.edits] == [1, 3]


@pytest.mark.parametrize("text,message", [
    ("S a\nA 1 0|||X|||b|||R|||N|||0", "x.m2: line 2: edit 1 0 lies outside"), ("S a\nA 0 1|||X|||b|||R|||N|||x", "line 2 is not an M2 edit"),
    ("S a\nA 0 1|||X|||b ||| c|||R|||N|||0", "line 2 is not an M2 edit.*a correction cannot hold"),
    ("S a\nA 1 1|||M|||||||R|||N|||0", "line 2 is not an M2 edit.*nor end in"), ("A 0 1|||X|||b|||R|||N|||0", "line 1: an A line without an S line"), ("", "no sentences")])
def test_bad_m2(text, message):
    with pytest.raises(ValueError, match=message): parse_m2(text.split("\n"), "x.m2")


@pytest.mark.parametrize("policy,files", [
    ("nuclea-b", ("grammaticality-metrics/references/NUCLEA", "grammaticality-metrics/references/NUCLEB")),
    ("nus", ("conll14/c18-1231/conll14st-test.tok.trg0", "conll14/c18-1231/conll14st-test.tok.trg1"))])
def test_policies_give_the_published_references(policy, files, shared):
    data = shared / "data"
    sources, references = references_from_m2(parse_m2(read_lines(data / "conll14/official-2014.combined.m2")), policy)
    assert references == [read_lines(data / f) for f in files]
    assert sources == read_lines(data / "conll14/c18-1231/conll14st-test.tok.src")
