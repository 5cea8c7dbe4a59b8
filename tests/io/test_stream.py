"Corpora read in pieces: every format gives the same columns, the cut changes nothing, and what is wrong is named by its place in the whole"
from io import BytesIO
from itertools import chain
from pathlib import Path
import gzip
import json
import os
import random
import sys

import pytest

try: import pyarrow as pa, pyarrow.parquet as pq
except ImportError: pa = None

from gecmetrics_nb import EditCorpus, parse_m2, references_from_m2, BLEU, GLEU, GREEN, METEOR
from gecmetrics_nb.io.m2 import Sentence, annotators, read_m2, write_references
from gecmetrics_nb.core.metric import score_corpora, score_corpus
from gecmetrics_nb.io.readers import column, read_outputs, read_pieces, table_columns
from gecmetrics_nb.io.files import PIECE, read_lines, text_column, whole_lines, write_whole
import slow


def texts():
    sources, references, systems = slow.corpus(3, sentences=50)
    return tuple(sources), tuple(map(tuple, references)), tuple(map(tuple, systems))


@pytest.fixture
def files(tmp_path):
    "The same corpus as text, gzip, JSON lines and Parquet: {format: (source, references, hypotheses)}"
    sources, references, systems = texts()
    columns = {"s": sources, "r0": references[0], "r1": references[1], "a": systems[0], "b": systems[1]}
    for name, lines in columns.items():
        data = "".join(line + "\n" for line in lines).encode()
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    rows = [dict(source=s, references=[x, y], a=a, b=b) for s, x, y, a, b in zip(*columns.values(), strict=True)]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress((tmp_path / "d.jsonl").read_bytes()))
    if pa: pq.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet", row_group_size=7)
    at = lambda *names: [str(tmp_path / n) for n in names]
    table = lambda file: (at(f"{file}:source")[0], at(f"{file}:references"), at(f"{file}:a", f"{file}:b"))
    return {"text": (at("s")[0], at("r0", "r1"), at("a", "b")), "gzip": (at("s.gz")[0], at("r0.gz", "r1.gz"), at("a.gz", "b.gz")),
            "jsonl": table("d.jsonl"), "jsonl.gz": table("d.jsonl.gz"), "parquet": table("d.parquet")}


METRICS = [GLEU(iterations=20), GLEU(references="expected"), GREEN(), METEOR(), BLEU()]


@pytest.mark.parametrize("format", ["text", "gzip", "jsonl", "jsonl.gz", pytest.param("parquet", marks=pytest.mark.needs("pyarrow"))])
def test_formats_and_cuts_change_nothing(files, format):
    expected, = read_pieces(*files["text"])
    assert (expected.sources, expected.references, expected.systems) == texts()
    for rows in 1, 7, 50, 4096:
        pieces = list(read_pieces(*files[format], rows=rows))
        assert [p.before for p in pieces] == list(range(0, 50, rows))
        for field in "references", "systems": assert [sum((p[i] for p in (getattr(p, field) for p in pieces)), ()) for i in range(2)] == list(getattr(expected, field))
        assert sum((p.sources for p in pieces), ()) == expected.sources
        for metric in METRICS:
            [streamed] = score_corpora([metric], chain.from_iterable(metric.count(p) for p in pieces))
            assert [s.value for s in streamed] == [s.value for s in score_corpus(metric, metric.count(expected))]


def test_errors_name_the_place_in_the_whole(tmp_path):
    "Whatever the piece; what is wrong with a file by itself is in test_bad_lines"
    def write(name, data):
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)
    many = b"one two three\n" * (PIECE // 7)
    for end, said in (b"bad \xff\n", "is not UTF-8"), (b"\0\n", "holds a NUL"):
        with pytest.raises(ValueError, match=f"line {PIECE // 7 + 1} {said}"): list(column(write("long", many + end)))
    ten, eleven, six = (write(name, b"x\n" * n) for name, n in (("ten", 10), ("eleven", 11), ("six", 6)))
    with pytest.raises(ValueError, match="ten has 10, .*eleven has 11, .*ten has 10"): list(read_pieces(ten, [eleven], [ten], rows=4))
    lists = write("lists.jsonl", b'{"s": "x", "r": ["x"]}\n' * 5 + b'{"s": null, "r": []}\n')
    for files, said in (((ten, [ten], [f"{lists}:s"]), "lists.jsonl:s: sentence 6 has no text"),
                        ((six, [f"{lists}:r"], [six]), "sentence 6 has no reference at all in .*lists.jsonl:r"),
                        ((f"{lists}:r", [six], [six]), "lists.jsonl:r: sentence 1 has a list of texts")):
        with pytest.raises(ValueError, match=said): list(read_pieces(*files, rows=2))
    with pytest.raises(ValueError, match="s.jsonl: line 1 has no 'q'; it has s, r"): list(column(f"{lists}:q"))
    with pytest.raises(ValueError, match="r: sentence 1 has a list"): read_outputs([f"{lists}:r"], 6, "gold")
    with pytest.raises(ValueError, match="ten: not a table; give a file that ends in"): table_columns(ten, ["s"])


def test_references_are_as_many_as_any_sentence_of_the_table_has(tmp_path):
    "Of the first piece, too, which is read before the sentence that has two"
    one, two = b'{"s": "x", "r": ["x"]}\n', b'{"s": "x", "r": ["x", "y"]}\n'
    (tmp_path / "late.jsonl").write_bytes(one * (PIECE // len(one) + 1) + two)
    text, references = (f"{tmp_path}/late.jsonl:{name}" for name in "sr")
    assert {len(piece.references) for piece in read_pieces(text, [references], [text])} == {2}


def test_counts_are_given_as_far_as_they_were_read(tmp_path):
    "Ten million lines against three: the first piece shows it, and nobody waits for the rest"
    (tmp_path / "long.gz").write_bytes(gzip.compress(b"\n" * 10_000_000))
    (tmp_path / "short").write_text("a\n" * 3)
    with pytest.raises(ValueError, match="short has 3, .*long.gz has 4096 or more, .*short has 3"):
        list(read_pieces(tmp_path / "short", [tmp_path / "long.gz"], [tmp_path / "short"]))


def test_a_line_has_at_most_16_mebibytes():
    longest = b"a" * (1 << 24)
    assert list(whole_lines(BytesIO(longest), "x")) == [longest]
    with pytest.raises(ValueError, match="x: line 1 has more than 16,777,216 bytes"):
        list(whole_lines(BytesIO(longest + b"a"), "x"))


def test_a_line_has_a_limit(tmp_path, monkeypatch):
    "A packed bomb of one line is refused, by its line, before it is unpacked; a line of as many bytes as may be is read"
    for name, size in ("PIECE", 1000), ("LONGEST_LINE", 20_000): monkeypatch.setattr(f"gecmetrics_nb.io.files.{name}", size)
    read, original = [], gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda file, size=-1: read.append(size) or original(file, size))
    path = tmp_path / "bomb.gz"
    for data in b"a" * 10_000_000, b"a b " * 2_500_000 + b"\nc\n", b"a" * 20_001:
        path.write_bytes(gzip.compress(b"one\n" * 600 + data)) # in the third piece
        with pytest.raises(ValueError, match="bomb.gz: line 601 has more than 20,000 bytes"): list(column(path))
    assert len(read) < 80 and set(read) == {1000}
    path.write_bytes(gzip.compress(b"one\n" + b"a" * 20_000 + b"\nb"))
    assert [line for lines in column(path) for line in lines] == ["one", "a" * 20_000, "b"]


@pytest.mark.parametrize("format", ["jsonl", pytest.param("parquet", marks=pytest.mark.needs("pyarrow"))])
def test_later_sentences_may_have_more_references(format, tmp_path):
    "In any order: the first look through the column finds the most, and the score is that of the padded columns"
    sources, references, systems = slow.corpus(5, sentences=30)
    rows = [dict(s=s, h=h, r=[x, y][:1 + (i > 20)]) for i, (s, h, x, y) in enumerate(zip(sources, systems[0], *references, strict=True))]
    table = tmp_path / f"d.{format}"
    if format == "jsonl": table.write_text("\n\n".join(json.dumps(r) for r in rows) + "\n\n")
    else: pq.write_table(pa.Table.from_pylist(rows), table)
    padded = [references[0], [y if i > 20 else None for i, y in enumerate(references[1])]]
    pieces = list(read_pieces(f"{table}:s", [f"{table}:r"], [f"{table}:h"], rows=4))
    for metric in METRICS:
        expected = metric.corpus_score(sources=sources, references=padded, hypotheses=systems[0])
        assert float(score_corpus(metric, chain.from_iterable(map(metric.count, pieces)))[0]) == float(expected)


def test_annotators_are_those_who_have_a_line(tmp_path, monkeypatch):
    "No reference for a number that never occurs; the number stands in names"
    monkeypatch.chdir(tmp_path)
    edit = "A 1 2|||SVA|||{}|||REQUIRED|||-NONE-|||{}\n".format
    two = f"S He go home .\n{edit('goes', 1)}\nS They was late .\n{edit('were', 1)}\nS It rain .\n{edit('rains', 1)}{edit('rained', 4)}"
    Path("two.m2").write_text(two)
    Path("h").write_text("He goes home .\nThey were late .\nIt rained .\n")
    assert annotators(parse_m2(two.split("\n"))) == [1, 4]
    for policy, last in ("strict", "They was late ."), ("nuclea-b", "They were late ."):
        piece, = read_pieces("two.m2:source", [f"two.m2:{policy}"], ["h"])
        assert piece.reference_names == (f"two.m2:{policy}[annotator 1]", f"two.m2:{policy}[annotator 4]")
        assert [r[1] for r in piece.references] == ["They were late .", last]
    written = [(path.name, *counts) for path, *counts in write_references("two.m2", "out")]
    assert written == [("INPUT", 3, 3), ("REF1", 3, 3), ("REF4", 3, 1)] and len([*Path("out").iterdir()]) == 3
    assert Path("out/REF4").read_text(encoding="utf-8") == Path("h").read_text()


def test_an_m2_file_is_read_once_for_all_its_columns(tmp_path, monkeypatch):
    path, read = tmp_path / "gold.m2", []
    path.write_text("S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\nA 1 2|||U||||||REQUIRED|||-NONE-|||1\n\nS c\n")
    sentences = parse_m2(path.read_text().split("\n"))
    monkeypatch.setattr("gecmetrics_nb.io.m2.read_m2", lambda path: read.append(path) or sentences)
    corpus, = read_pieces(f"{path}:source", [f"{path}:nuclea-b", f"{path}:strict", f"{path}:nuclea-b"], [f"{path}:source"])
    sources, first = references_from_m2(sentences, "nuclea-b")
    assert read == [str(path)] and [*corpus.sources] == [*corpus.systems[0]] == sources
    assert [[*column] for column in corpus.references] == [*first, *references_from_m2(sentences, "strict")[1], *first]


@pytest.mark.needs("pyarrow")
def test_a_broken_row_group_is_named(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"s": [f"sentence number {i} " * 20 for i in range(4000)]}), path, row_group_size=1000, compression="zstd", use_dictionary=False)
    data = bytearray(path.read_bytes())
    offset = pq.ParquetFile(path).metadata.row_group(2).column(0).data_page_offset
    data[offset:offset + 500] = b"\xff" * 500
    path.write_bytes(data)
    with pytest.raises(ValueError, match="d.parquet: row group 3 of 4 cannot be read"): list(column(f"{path}:s"))
    (tmp_path / "no.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(ValueError, match="no.parquet: not Parquet"): list(column(f"{tmp_path}/no.parquet:s"))
    pq.write_table(pa.table({"s": [None, None, None, 7]}), path, row_group_size=1)
    with pytest.raises(ValueError, match="d.parquet: row 4, s: int"): list(column(f"{path}:s"))


def test_memory_does_not_grow(tmp_path, monkeypatch):
    import tracemalloc
    monkeypatch.setattr("gecmetrics_nb.io.files.PIECE", 1 << 16)
    peaks = []
    for copies in 3, 12:
        path = tmp_path / f"{copies}.txt"
        path.write_text("".join(f"sentence {i} has some words in it .\n" for i in range(4096)) * copies)
        metric = GLEU(references="max")
        tracemalloc.start()
        score_corpus(metric, (c for piece in read_pieces(path, [path], [path]) for c in metric.count(piece)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_lines_of_json_are_read_as_one_by_one(tmp_path):
    "Regular lines, and others that need a second look: as json.loads has them"
    draw, path = random.Random(5), tmp_path / "rows.jsonl"
    cells = ["a b", "", None, "\u00e9 \U0001f600", ["a", None], [], ["\u2028"]]
    for _ in range(300):
        rows = [{"s": draw.choice(cells), "r": draw.choice(cells), "n": draw.choice([1, {}])} for _ in range(draw.randrange(1, 6))]
        lines = [json.dumps(row, ensure_ascii=draw.random() < .5) for row in rows]
        if draw.random() < .3: lines.insert(draw.randrange(len(lines)), draw.choice(["", "  "]))
        if draw.random() < .3: lines[-1] = f" {lines[-1]} "
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        for fields in ["s"], ["r", "s"], ["s", "r", "s"]:
            [found] = table_columns(path, fields)
            assert found == [[row[field] for row in rows] for field in fields]


def test_empty_lines_without_end_are_no_table(tmp_path):
    "600 MB of them can be packed into 600 kB, and take a minute to skip"
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b'{"s": "a"}\n' + b"\n" * 3_000_000))
    with pytest.raises(ValueError, match="t.jsonl.gz: 1,048,576 empty lines from line 1048567 on; give one object a line"): list(column(f"{tmp_path}/t.jsonl.gz:s"))
    path, most = tmp_path / "u.jsonl", b"\n" * 100_000
    for data, expected in (most, []), (most[1:] + b'{"s": "a"}\n' + most[1:], ["a"]):
        path.write_bytes(data)
        assert list(column(f"{path}:s")) == [expected]
    path.write_bytes(most + b"\n")
    with pytest.raises(ValueError, match="100,001 empty lines from line 1 on"): list(column(f"{path}:s"))


def test_what_is_read_at_once_is_bounded_by_memory(tmp_path):
    "As Python counts it: text, and a place in a list; a compressed file and a plain one alike"
    lines = ["", "a b", "\u00e9" * 100, "\u4e2d" * 100] * 1000
    path, memory = tmp_path / "FILE", sum(map(sys.getsizeof, lines)) + 8 * len(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [line for some in text_column(path, memory) for line in some] == lines
    with pytest.raises(ValueError, match=f"FILE: its lines are read at once, and take more than {memory - 1:,} bytes of memory; cut the file up"): list(text_column(path, memory - 1))


@pytest.mark.parametrize("read,most", [(read_lines, "268,435,456"), (read_m2, "536,870,912")])
def test_what_is_read_at_once_has_a_limit(read, most, write, monkeypatch):
    write({"F": "of which only the name is read"})
    mebibyte = f"S {'x' * (1 << 20)}" # and as many of them as there are in the limit, each with a few bytes more
    lines = [mebibyte, ""] * (int(most.replace(",", "")) >> 20)
    monkeypatch.setattr("gecmetrics_nb.io.files.decode_lines", lambda data, name, before: lines)
    with pytest.raises(ValueError, match=f"^F: its lines .* take more than {most} bytes"): read("F")


@pytest.mark.parametrize("line", ['{"s": 5}', '{"s": ["a", 5]}', '{"s": {}}', '{"s": "\\ud800"}', '{"s": "a"}, {"s": "a"}', '["s"]', '"s"', "5", '{"r": "a"}', '{"s": "a"} x'])
def test_a_line_that_is_not_regular_is_named(line, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"s": "a"}\n' + line + "\n")
    with pytest.raises(ValueError, match="line 2"): list(table_columns(tmp_path / "rows.jsonl", ["s"]))


# ---- writing

def test_a_file_is_written_beside_under_a_name_that_nobody_knows(tmp_path, monkeypatch):
    "No link is followed there, the rights of the file stay, and a new file has those that the umask leaves"
    victim, page, seen, real = tmp_path / "victim", tmp_path / "page", [], os.replace
    victim.write_text("mine")
    monkeypatch.setattr(os, "replace", lambda one, other: (seen.append(str(one)), real(one, other)))
    for number in range(os.getpid() - 3, os.getpid() + 3): (tmp_path / f"page.{number}.tmp").symlink_to(victim)
    before = os.umask(0o027)
    try: write_whole(page, b"new")
    finally: os.umask(before)
    assert page.read_bytes() == b"new" and victim.read_text() == "mine" and not page.is_symlink() and page.stat().st_mode & 0o777 == 0o640
    page.chmod(0o600)
    write_whole(page, b"newer")
    assert page.read_bytes() == b"newer" and page.stat().st_mode & 0o777 == 0o600 and len(set(seen)) == 2 and not any(map(os.path.exists, seen))
    monkeypatch.setattr(os, "urandom", bytes) # zeros
    (tmp_path / f"page.{bytes(8).hex()}.tmp").symlink_to(victim)
    with pytest.raises(OSError, match="page: File exists"): write_whole(page, b"bad")
    assert victim.read_text() == "mine" and page.read_bytes() == b"newer"


def test_bound_of_a_piece_keeps_a_mark_that_is_no_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr("gecmetrics_nb.io.files.PIECE", 5)
    (tmp_path / "f").write_bytes("\ufeffa\n\ufeffb\n\ufeffc\n".encode())
    assert [line for lines in column(tmp_path / "f") for line in lines] == ["a", "\ufeffb", "\ufeffc"]


def test_bounds_of_annotators_and_of_edits_at_one_place():
    edit = "A {} {}|||X|||{}|||REQUIRED|||-NONE-|||{}".format
    [sentence] = parse_m2(["S a b c", edit(1, 2, "x", 99), edit(1, 1, "y", 99), edit(2, 3, "z", 99)])
    assert references_from_m2([sentence])[1] == [["a y x z"]]
    with pytest.raises(ValueError, match="annotator 100; number them from 0 to 99"): parse_m2(["S a", edit(0, 1, "x", 100)])


def test_bounds_of_a_part_of_a_part():
    corpus = EditCorpus([Sentence((word,), ()) for word in "abcdef"], {"A": [Sentence((word,), ()) for word in "abcdef"]})
    part = corpus.part(1, 5).part(2, 4)
    assert (part.before, part.sources, len(part)) == (3, ["d", "e"], 2)


def test_other_edits_of_some_sentences_may_have_the_types_of_all():
    gold, system = (parse_m2(["S a", f"A 0 1|||{kind}|||b|||R|||N|||0"]) for kind in ("G", "H"))
    assert [*EditCorpus(gold, [system]).at([0], [system, gold]).types] == [{"G"}, {"G", "H"}, {"G", "H"}]
