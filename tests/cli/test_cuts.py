"Outputs and gold that are compared are cut into edits by one rule, and titles and signatures say by which"
from pathlib import Path
from types import SimpleNamespace
import json
import random

import pytest

from gecmetrics_nb.cli.outputs import _errant_cut
from gecmetrics_nb import CLEME, ERRANT, EditCorpus, compare_systems, rank_systems
from gecmetrics_nb.alignment import edits
from gecmetrics_nb.alignment.edits import cut_anew, gold_from_texts, system_from_texts
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.io.m2 import apply_edits, parse_m2, read_m2, references_from_m2
from gecmetrics_nb.metrics.errant import compare_edits

WHOLE = """S He go to school by bus every day .
A 1 8|||R:OTHER|||goes to the school by bus everyday|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||went||goes|||REQUIRED|||-NONE-|||1

S I like tea .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S It rain .
""".splitlines()
TEXTS = {"A": ["He goes to the school by bus everyday .", "I like tea .", "It rain ."], # as annotator 0, and then as nobody
         "B": ["He went to school by bus every day .", "I like the tea .", "It rains ."]}


@pytest.fixture
def files(write): write({**TEXTS, "gold.m2": WHOLE})


@pytest.fixture
def errant(monkeypatch):
    "In the place of ERRANT a program that makes one edit of each sentence, and knows its versions"
    class Program:
        nlp = SimpleNamespace(meta={"lang": "en", "name": "small", "version": "7"})
        def parse(self, text): return text.split()
        def annotate(self, before, after):
            return [SimpleNamespace(o_start=0, o_end=len(before), type="R:OTHER", c_toks=[SimpleNamespace(text=word) for word in after])]
    program = Program()
    monkeypatch.setattr("gecmetrics_nb.cli.outputs.load_errant", lambda model: program)
    monkeypatch.setattr(edits.metadata, "version", {"errant": "3.9", "spacy": "4.5"}.get)
    _errant_cut.cache_clear()
    yield
    _errant_cut.cache_clear()


def made(tokens, found): # what each annotator makes of a sentence
    return {r: tuple(apply_edits(tokens, [edit for edit in found if edit.annotator == r])) for r in {edit.annotator for edit in found}}


def test_the_same_annotators_make_the_same_corrections():
    anew = cut_anew(parse_m2(WHOLE))
    source = [" ".join(sentence.tokens) for sentence in anew]
    references = [[TEXTS["A"][0], None], [TEXTS["B"][0], "I like tea ."]]
    assert anew[:2] == gold_from_texts(source[:2], references) and [len(sentence.edits) for sentence in anew] == [4, 1, 0]
    rng, words = random.Random(0), "a b ab abc".split()
    for _ in range(200):
        size = rng.randint(1, 6)
        lines = [f"S {' '.join(rng.choices(words, k=size))}"]
        for r in rng.sample(range(4), rng.randint(0, 4)):
            start = rng.randint(0, size)
            lines.append(f"A {start} {rng.randint(start, size)}|||X|||{' '.join(rng.choices(words, k=rng.randint(0, 4)))}|||REQUIRED|||-NONE-|||{r}")
        [before], [after] = parse_m2(lines), cut_anew(parse_m2(lines))
        assert before.tokens == after.tokens and made(*before) == made(*after)


def test_edits_that_overlap_are_refused_with_the_file():
    lines = ["S a b c", *(f"A {k} {k + 2}|||X|||d|||REQUIRED|||-NONE-|||0" for k in (0, 1))]
    with pytest.raises(ValueError, match="g.m2: line 2: edit 0 2 overlaps another edit of annotator 0"): cut_anew(parse_m2(lines), name="g.m2")


@pytest.mark.parametrize("more", ["", " --errant"])
def test_a_text_that_is_the_correction_has_its_edits(more, files, errant, gecnb, printed):
    "However the gold file was cut: A has what annotator 0 wants of the first sentence, and needs no more"
    shown = gecnb(f"errant -g gold.m2 -o A B --format tsv{more}")
    edits_of_a, rows = 1 if more else 3, shown.out.splitlines()
    assert rows[1] == f"A\t{edits_of_a}\t0\t0\t1.0\t1.0\t1.0" and rows[2].startswith("B\t1\t2\t0\t")
    assert ("add --errant" in shown.err) == (not more)
    for command in "cleme", "cleme2": assert "\t100.00\t" in printed(f"{command} -g gold.m2 -o A --weights none --format tsv{more}")
    page = json.loads(printed(f"compare -g gold.m2 -o A B --metrics errant cleme:weights=none --format json{more}"))
    assert [metric["systems"][1]["value"] for metric in page["metrics"]] == [1, 1]


def named(gecnb, more):
    "A table, a page, scores with their signature"
    given = "-g gold.m2 -o A B --metrics errant cleme:beta=1"
    table = gecnb(f"compare {given}{more}").out
    gecnb(f"report {given} -i 100 -O page.html{more}")
    page = Path("page.html").read_text(encoding="utf-8").partition("<script")[0]
    return table, page, gecnb(f"cleme -g gold.m2 -o A B --signature{more}").err


def test_by_letters_no_title_says_errant(files, gecnb):
    texts = named(gecnb, "")
    for text in texts: assert "CLEME, edits by letters" in text and "edits:letters|" in text and "ERRANT" not in text
    for shown in texts[-1], gecnb("m2 -g gold.m2 -o A --per sentence --signature").err:
        assert "|refs:1-2," in shown # of a sentence


def test_the_signature_names_errant_spacy_and_the_model(files, errant, gecnb):
    for text in named(gecnb, " --errant"): assert "edits:errant 3.9,spacy 4.5,en_small 7" in text and "by letters" not in text


def test_m2_files_are_compared_as_they_are(files, errant, gecnb, printed):
    Path("A.m2").write_text("\n".join(line for line in WHOLE if not line.endswith("|||1")) + "\n", encoding="utf-8")
    shown = gecnb("compare -g gold.m2 -o A.m2 --metrics errant cleme --errant")
    assert "edits:" not in shown.out and shown.out.split()[0] == "ERRANT"
    assert shown.err == "gecnb compare: note: --errant has no effect on M2 files, which have their edits\n"
    assert printed("errant -g gold.m2 -o A.m2 --format tsv").splitlines()[1] == "A\t1\t0\t0\t1.0\t1.0\t1.0" # one edit, as in the gold
    assert not printed("errant -g gold.m2 -o A.m2").startswith("A\n") # one output needs no name
    [score] = json.loads(printed("errant -g gold.m2 -o A.m2 --json"))["scores"]
    assert score["macro"] == {"1": 1, "2": 1, "3": 1}
    assert "F is F2; of 3 sentences 1 have such an edit in the gold" in printed("errant -g gold.m2 -o A.m2 -b 2 --type R:*")
    [score] = json.loads(printed("errant -g gold.m2 -o A.m2 --type R:* --json"))["scores"]
    rows = [line.split("\t")[3:] for line in printed("errant -g gold.m2 -o A.m2 --type R:* --tsv").splitlines()]
    numbers = {f"{name}.{key}": x for name, parts in [*score.items()][3:-1] for key, x in parts.items()}
    assert rows == [[*numbers], ["" if x is None else str(x) for x in numbers.values()]]
    noop = "\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    Path("none.m2").write_text("".join(line + noop for line in WHOLE if line[:2] == "S "), encoding="utf-8")
    assert "note: CLEME: no reference changes anything" in gecnb("cleme -g none.m2 -o A.m2").err


def test_a_corpus_in_python_says_what_cut_it():
    gold = cut_anew(parse_m2(WHOLE))
    sources = [" ".join(sentence.tokens) for sentence in gold]
    systems = {name: system_from_texts(sources, lines) for name, lines in TEXTS.items()}
    corpus, plain = EditCorpus(gold, systems, cut="letters"), EditCorpus(gold, systems)
    table = compare_systems([ERRANT(), CLEME(beta=1)], corpus)
    assert table.titles == ("edits, by letters", "CLEME, edits by letters, beta=1")
    for part in table.parts: assert "|edits:letters|" in part.signature
    assert "|edits:letters|" in rank_systems(ERRANT(), corpus, draws=100).signature
    for part in corpus, corpus.part(0, 2), corpus.at([1, 0], [[sentences[1], sentences[0]] for sentences in corpus.systems]):
        for score in score_corpus(ERRANT(), ERRANT().count(part)): assert score.cut == "letters" and score.signature.startswith("edits, by letters|")
    assert compare_systems([ERRANT()], plain).titles == ("ERRANT",)
    with pytest.raises(ValueError, match="give one line without"): compare_systems(ERRANT(), EditCorpus(gold, systems, cut="a|b"))


def test_texts_of_conll14_are_cut_as_the_functions_cut_them(shared, monkeypatch, printed):
    "The references of the official file, whose annotators have no line where they agree; the gold of ERRANT has one for each"
    data = shared / "data/conll14"
    monkeypatch.setenv("GECNB_DATA", str(shared / "data"))
    outputs = {name: data / "official_submissions" / name for name in ("AMU", "CAMB")}
    sources, references = references_from_m2(read_m2(data / "official-2014.combined.m2"), "nuclea-b")
    gold = gold_from_texts(sources, references)
    scores = [compare_edits(system_from_texts(sources, path.read_text(encoding="utf-8").splitlines()), gold) for path in outputs.values()]
    rows = printed(f"errant --on conll14 -o {' '.join(map(str, outputs.values()))} --format tsv").splitlines()[1:]
    assert rows == ["\t".join(map(str, (name, *score.totals, *score.rates))) for name, score in zip(outputs, scores, strict=True)]


def test_a_command_of_gold_edits_prints_its_signature_for_one_output(files, gecnb):
    done = gecnb("m2 -g gold.m2 -o A --signature")
    assert done.status == 0 and done.err.startswith("M2|beta:0.5|") and done.err.count("\n") == 1


def test_a_card_of_edits_has_no_texts_beside_the_gold_file(files, write, gecnb):
    write({"S": ["He go to school by bus every day .", "I like tea .", "It rain ."], "R": TEXTS["A"]})
    assert gecnb("compare -s S -r R -g gold.m2 -o A B --metrics errant --no-input --card card.json").status == 0
    assert json.loads(Path("card.json").read_text(encoding="utf-8"))["files"].keys() == {"gold", "outputs"}


@pytest.mark.parametrize("line,message", [
    ("errant -g gold.m2 -o gold.m2 A", "gold is an M2 file, and A is text: give all outputs in one form"),
    ("cleme -g gold.m2 -s A -o A", "give one or the other"), ("cleme -g gold.m2 -r A -o A", "give one or the other"),
    (["refs", "gold.m2", "-o", " "], "' ' is no folder")])
def test_what_does_not_go_together_is_refused(files, refused, line, message): assert message in refused(line)
