"Nothing breaks it: every reader and every command gets rubbish, and either has a result or says in one line what is wrong"
from pathlib import Path
import argparse
import gzip
import io
import os
import random
import shutil
import sys

import pytest

from gecmetrics_nb.cli.parser import commands, parser
from gecmetrics_nb.corpora.registry import Entry, check
from gecmetrics_nb.reproduce.tables import choose_tables
from gecmetrics_nb.stats.human import from_rankings, read_judgments, read_rankings
from gecmetrics_nb.io.m2 import POLICIES, parse_m2, references_from_m2
from gecmetrics_nb.io.readers import m2_columns, read_corpus
from gecmetrics_nb.io.files import read_lines

pytestmark = pytest.mark.filterwarnings("error")
SPACES = [c for c in map(chr, range(0x3001)) if c.isspace()]
WORDS = ["a", "the", "|||", "S", "A", "caf\u00e9", "\U0001f600", "e\u0301", "\u202e", "\ufeff", "\ufffd", "-NONE-", "%s", "{0}", "<x>", '"', "\\"]
PIECES = [b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\x1c", b"S ", b"A 0 1|||X|||a|||R|||N|||0\n", b"A -1 -1|||noop|||-NONE-|||R|||N|||1\n",
          b"|||", b'"', b",", b"<ranking-item", b"<x>", b"</x>", b"1", b"a", b" ", "\u2028\u00e9".encode()]


def line(rng, longest=8): return "".join(rng.choice(WORDS) + "".join(rng.choices([c for c in SPACES if c != "\n"], k=rng.randint(1, 2))) for _ in range(rng.randint(0, longest)))


def text(rng, lines):
    "Lines as a file may have them: with or without byte order mark, CRLF, last line feed"
    end = rng.choice(["\n", "\r\n"])
    whole = end.join(line(rng) for _ in range(lines)) + (end if lines else "")
    if lines and rng.random() < .3 and not whole.endswith(end * 2): whole = whole[:-len(end)] or end
    return whole.encode("utf-8-sig" if rng.random() < .2 else "utf-8")


def rubbish(rng): return b"".join(rng.choice(PIECES) if rng.random() < .9 else rng.randbytes(9) for _ in range(rng.randint(0, 40)))


def mutated(rng, data):
    "A good file with a few bytes changed, taken away or put in"
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(data))
        data[at:at + rng.randint(0, 4)] = rng.choice(PIECES) if rng.random() < .5 else rng.randbytes(rng.randint(0, 3))
    return bytes(data)


M2 = "S a b c\nA 1 2|||X|||d e|||REQUIRED|||-NONE-|||0\nA 3 3|||Um|||g|||REQUIRED|||-NONE-|||1\n\nS q\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n".encode()
XML = b'<r><ranking-item src-id="7" user="u"><translation rank="1" system="A B"/><translation rank="2" system="C"/></ranking-item></r>\n'
CSV = b"srcIndex,judgeID,system1Id,system1rank,system2Id,system2rank\n7,u,A,1,t.B.en,2\n9,v,B,3,A,1\n"


def read_m2(path): return list(m2_columns(path, ["source", *POLICIES]))


READERS = {
    "lines": (b"a b\nc\n", read_lines),
    "corpus": (b"a b\nc\n", lambda path: read_corpus(path, [path], [path])),
    "m2": (M2, read_m2),
    "rankings": (XML, lambda path: from_rankings(read_rankings(path))),
    "judgments": (CSV, read_judgments),
    "judgments.gz": (gzip.compress(CSV, mtime=0), read_judgments),
    "check": (b"a\n", lambda path: check(path, Entry("x", "0" * 64, 2, "r", "c", "p", "none"))),
}


@pytest.mark.parametrize("name", READERS)
def test_readers_read_or_refuse(name, tmp_path):
    "A ValueError of one line that names the file; nothing else ever comes out"
    good, read = READERS[name]
    path, results = tmp_path / name, set()
    for seed in range(400):
        rng = random.Random(seed)
        path.write_bytes(mutated(rng, good) if seed % 3 else rubbish(rng) if seed % 2 else mutated(rng, rubbish(rng)))
        try: read(path)
        except ValueError as error:
            assert name in str(error) and "\n" not in str(error), seed
            results.add("refused")
        else: results.add("read")
    assert results == {"refused"} if name == "check" else {"read", "refused"}


BIG = "9" * 30


@pytest.mark.parametrize("data,read,message", [
    (b"S a\nA 0 1|||X|||b|||R|||N|||" + BIG.encode(), read_m2, "line 2: annotator"),
    (b"S a\nA 0 1|||X|||b|||R|||N|||1000000", read_m2, "line 2: annotator"),
    (b"S a\nA 0 " + b"9" * 5000 + b"|||X|||b|||R|||N|||0", read_m2, "line 2"),
    (b"S a\nA 0 1|||X" + b"|||" * 30_000 + b"x", read_m2, "line 2 is not an M2 edit"),
    (XML.replace(b'"1"', f'"{BIG}"'.encode()), lambda p: from_rankings(read_rankings(p)), "ranking-item 1"),
    (XML.replace(b'"7"', f'"-{BIG}"'.encode()), lambda p: from_rankings(read_rankings(p)), "ranking-item 1"),
    (b"<r>" * 300_000, read_rankings, "not XML"),
    (CSV.replace(b",1,", f",{BIG},".encode()), read_judgments, "line 2"),
    (CSV.replace(b"A,", b"A" * 200_000 + b","), read_judgments, "not CSV after line"),
    (CSV.replace(b"u,A", b'"u,A'), read_judgments, "line"),
    (CSV.replace(b"u,A", b"u\r,A"), read_judgments, "not CSV after line"),
], ids=range(11))
def test_numbers_and_fields_beyond_measure(data, read, message, tmp_path):
    path = tmp_path / "FILE"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"FILE: .*{message}") as refused: read(path)
    assert len(str(refused.value)) < 400


class Endless(io.RawIOBase):
    "Standard input that repeats itself, and counts what is read of it"
    def __init__(self, text): self.text, self.bytes = text * (1_000_000 // len(text)), 0

    def read(self, size=-1):
        assert 0 < size, "read to the end"
        self.bytes += min(size, len(self.text))
        return self.text[:size]


@pytest.mark.parametrize("line,text,message,most", [
    ("i-measure -g g.m2 -o A -", b"a b\n", "g.m2 has 2, A has 2, standard input has 3 or more", 1),
    ("compare --metrics m2 -g g.m2 -o A -", b"a b\n", "standard input has 3 or more", 1),
    ("m2 -g - -o A", b"S a\n\n", "standard input: its lines are read at once, and take more than 20,000,000 bytes", 4),
    ("errant -g g.m2 -o -", b"\n", "standard input: its lines are read at once, and take more than 20,000,000 bytes", 2),
    ("refs - -o r", b"A", "standard input: line 1 has more than 16,777,216 bytes", 18),
    ("correlate --scores - --human A", b"a,b\n", "standard input: its lines are read at once, and take more than 10,000,000 bytes", 2),
    ("gleu -v --per sentence -s - -r A -o A", b"a b\n", "standard input has 4096 or more, A has 2, A has 2", 1),
])
def test_input_without_end_is_refused_early(line, text, message, most, write, monkeypatch, refused):
    "After so many megabytes"
    monkeypatch.setattr("gecmetrics_nb.io.m2.M2_AT_ONCE", 20_000_000)
    monkeypatch.setattr("gecmetrics_nb.io.files.LINES_MEMORY", 10_000_000)
    write({"g.m2": "S a b\nA 0 1|||X|||c|||R|||N|||0\n\nS c\n", "A": "a b\nc\n"})
    endless = Endless(text)
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": endless})())
    assert message in refused(line) and endless.bytes <= most * 1_000_000, endless.bytes


def test_an_m2_file_with_very_many_edits_is_linear(tmp_path):
    "Else it would take hours"
    words = 200_000
    lines = ["S " + " ".join(["a"] * words), *(f"A {i} {i + 1}|||X|||b|||R|||N|||{i % 50}" for i in range(words)), ""]
    _, references = references_from_m2(parse_m2(lines))
    assert len(references) == 50 and all(r[0].count("b") == words // 50 for r in references)


NUMBERS = ["0", "1", "2", "20", "-1", "x", "", "nan", "inf", "1e-300", "0.5", "\u0663", "9" * 5000]


def values(rng, action, files):
    "Arguments for one option, good or bad"
    if action.nargs == 0: return []
    if action.choices: one = lambda: rng.choice([*map(str, action.choices)] * 4 + ["rubbish"])
    elif action.metavar in ("FILE", "M2", "FOLDER") or action.type is None: one = lambda: rng.choice(files)
    else: one = lambda: rng.choice(NUMBERS)
    return [one() for _ in range(rng.randint(0, 3) if action.nargs in ("*", "+") else 1)]


def command_line(rng, command, files):
    "A command with its required options, some others, and sometimes one too few or too many"
    arguments = [command]
    for action in parser(command)[1][command]._actions:
        if isinstance(action, argparse._HelpAction) or rng.random() > (.97 if action.required else .2): continue
        arguments += [*action.option_strings[-1:], *values(rng, action, files)]
    return arguments + (["--frobnicate"] if rng.random() < .02 else [])


@pytest.mark.parametrize("command", commands())
def test_commands_answer_or_refuse(command, offline, write, gecnb, monkeypatch):
    "Status 0 and no error; or status 2, no output, one line of error, and no file written"
    files = lambda: {*os.listdir()} - {"cache"}
    monkeypatch.setattr("gecmetrics_nb.reproduce.tables.choose_tables", lambda names: choose_tables(names)[:1]) # one says as much as all
    seen = set()
    for seed in range(60):
        rng = random.Random(f"{command} {seed}")
        lines = rng.choice([0, 1, 2, 5])
        for name in "SRHT": Path(name).write_bytes(text(rng, lines) if rng.random() < .95 else rubbish(rng))
        Path("M2").write_bytes(M2 if rng.random() < .5 else mutated(rng, M2))
        before = files()
        arguments = command_line(rng, command, [*"SRHTSRHT"] * 3 + ["M2", "M2", "nowhere", ".", "a\nb", "", "new"])
        status, out, err = gecnb(arguments)
        assert status in (0, 2), arguments
        if status == 2:
            assert out == "" and err.count("\n") == 1 and err.endswith("\n"), (arguments, out, err)
            assert files() == before, arguments
        else: assert all(line.startswith(f"gecnb {command}: note: ") or "--signature" in arguments for line in err.splitlines()), (arguments, err)
        shutil.rmtree("new", ignore_errors=True)
        seen.add(status)
    assert 2 in seen
