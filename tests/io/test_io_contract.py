"What stays when the inside of io is rewritten: every format gives the same corpus, M2 gives references, batches merge, and a bad file is named"
import gzip
import json

import pytest

from gecmetrics_nb.io.batch import merge_batches, score_batch
from gecmetrics_nb.io.files import read_lines, write_files
from gecmetrics_nb.io.m2 import parse_m2, references_from_m2
from gecmetrics_nb.io.readers import read_corpus, read_outputs, read_pieces
from gecmetrics_nb.metrics.green import GREEN

ROWS = [{"s": "He go .", "r": "He goes .", "h": "He goes ."}, {"s": "", "r": "\u00e9 b", "h": "\u00e9"}, {"s": "f  g ", "r": "f g", "h": "x"}]
COLUMNS = {name: [row[name] for row in ROWS] for name in "srh"}


@pytest.fixture
def formats(tmp_path, monkeypatch):
    "Three paths a format: source, reference, hypothesis"
    monkeypatch.chdir(tmp_path)
    for name, lines in COLUMNS.items():
        data = "".join(line + "\n" for line in lines).encode()
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return {"text": [*"srh"], "gzip": [f"{name}.gz" for name in "srh"], "table": [f"t.jsonl:{name}" for name in "srh"]}


@pytest.mark.parametrize("format", ["text", "gzip", "table"])
def test_every_format_gives_the_same_corpus(format, formats):
    s, r, h = formats[format]
    whole, pieces = read_corpus(s, [r], [h]), list(read_pieces(s, [r], [h], rows=2))
    for corpus, rows in (whole, ROWS), (pieces[0], ROWS[:2]), (pieces[1], ROWS[2:]):
        assert [list(corpus.sources), list(corpus.references[0]), list(corpus.systems[0])] == [[row[name] for row in rows] for name in "srh"]
    assert [piece.before for piece in pieces] == [0, 2] and read_lines("h") == COLUMNS["h"]
    assert (whole.source_name, *whole.system_names) == (s, h)
    assert read_corpus(s, [r], [h], names=["A"]).system_names == ("A",)


def test_outputs_are_as_many_as_the_sentences_of_the_gold(formats):
    assert read_outputs(["h", "t.jsonl:h"], 3, "gold") == [COLUMNS["h"]] * 2
    for sentences, count in (2, "3 or more"), (4, "3"):
        says = f"gold has {sentences}, h has {count};"
        with pytest.raises(ValueError, match=says): read_outputs(["h"], sentences, "gold")


def test_edits_are_made_in_the_source():
    edit = "A {}|||X|||{}|||REQUIRED|||-NONE-|||{}".format
    sentences = parse_m2(["S a b c", edit("1 2", "x y", 0), edit("3 3", "z", 0), edit("0 1", "-NONE-", 1), "", "S d", edit("-1 -1", "-NONE-", 0).replace("X", "noop")])
    assert references_from_m2(sentences, "strict") == (["a b c", "d"], [["a x y c z", "d"], ["b c", "d"]])
    assert [[(e.start, e.end, e.correction) for e in s.edits if e.type != "noop"] for s in sentences] == [[(1, 2, ("x", "y")), (3, 3, ("z",)), (0, 1, ())], []]


def test_files_are_written_all_or_none(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(OSError, match="b: Is a directory"): write_files(tmp_path, {"a": ["x"], "b": ["y"]}, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    (tmp_path / "b/x").write_text("mine")
    for folder, said in ("no/c", "no/c: there is no folder .*no;"), ("b/x", "b/x is a file"), ("b", "b already holds x"):
        with pytest.raises(ValueError, match=said): write_files(tmp_path / folder, {"x": ["y"]})
    with pytest.raises(OSError, match="c/d/e: No such"): write_files(tmp_path / "c", {"a": ["x"], "d/e": ["y"]})
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_batches_merge_to_the_score_of_the_whole():
    metric, rows = GREEN(order=1), {"source": COLUMNS["s"], "references": [[text] for text in COLUMNS["r"]], "hypothesis": COLUMNS["h"]}
    whole = metric.corpus_score(sources=COLUMNS["s"], references=[COLUMNS["r"]], hypotheses=COLUMNS["h"])
    batches = [score_batch({name: values[a:b] for name, values in rows.items()}, metric) for a, b in ((0, 1), (1, 3))]
    assert merge_batches(metric, batches) == whole and [len(batch["score"]) for batch in batches] == [1, 2]


@pytest.mark.parametrize("data,said", [(b"a\n\xff\n", "line 2"), (b"a\n", "bad has 1"), (None, "bad")])
def test_a_bad_file_is_named(data, said, formats, tmp_path):
    if data is not None: (tmp_path / "bad").write_bytes(data)
    with pytest.raises(ValueError, match="bad.*") as refused: read_corpus("s", ["r"], ["bad"])
    assert said in str(refused.value) and "\n" not in str(refused.value)
