"Edits of two texts: the definition on the page, edits that give the text back, files, ERRANT itself, and what is refused"
from functools import cache
from importlib import metadata
from itertools import combinations
from pathlib import Path
import random
import re
import sys

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from gecmetrics_nb.alignment import edits
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.alignment.edits import cut_anew, edits_of, gold_from_texts, linked, m2_lines, sentence_of, system_from_texts
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.lesson import THREE_SENTENCES
from gecmetrics_nb.io.m2 import Edit, Sentence, parse_m2, references_from_m2
from gecmetrics_nb.metrics.errant import compare_edits
from places import ROOT, cells_of
import slow

PAGE = ROOT / "nbs/alignment/05_edits.ipynb"
DEFINED = "common", "links", "letters" # what the cells of the definition begin with

word = st.sampled_from(["a", "b", "ab", "abc", "Abc", "ABC", "a-b", "ab'c", "xyz", "xy", "\u00e9", "\u0130", "."])
line = st.lists(word, max_size=8)


@cache
def page():
    "The definition in plain Python, as the lesson shows it"
    cells = [c["source"] for c in cells_of(PAGE) if c["cell_type"] == "code"]
    imports = "from functools import cache\nfrom itertools import takewhile"
    found, shown = {}, [c for c in cells if any(f"def {name}(" in c for name in DEFINED) and "#| export" not in c]
    assert len(shown) == len(DEFINED)
    for cell in [imports, *shown]: exec(cell, found)
    return found


def both(source, hypothesis): return tuple(source), tuple(hypothesis)


# ---- one sentence


def alignments(n, m):
    "All ways to link places of two texts without crossings"
    for k in range(min(n, m) + 1):
        for some in combinations(range(n), k):
            for others in combinations(range(m), k): yield list(zip(some, others, strict=True))


@given(st.lists(word, max_size=4), st.lists(word, max_size=4))
@settings(max_examples=150)
def test_no_other_links_are_worth_more(source, hypothesis):
    source, hypothesis = both(source, hypothesis)
    def worth(pairs):
        each = [page()["worth"](source[i], hypothesis[j]) for i, j in pairs]
        return sum(each) if all(each) else 0
    assert worth(linked(source, hypothesis)) == max(map(worth, alignments(len(source), len(hypothesis))))


@pytest.mark.slow
def test_what_is_very_long_is_cut_or_refused():
    many = [str(k) for k in range(30_000)]
    changed = " ".join("x" if k in (5, 1990) else word for k, word in enumerate(many))
    assert [edit.start for edit in edits_of(" ".join(many), changed)] == [5, 1990]
    huge = "x" * 1_000_000
    assert len(edits_of(f"{huge} y", f"{huge}z y")) == 1
    for texts in ("a" * 90, "a" * 101), ("a" * 101, "a" * 90): assert linked(*([text] for text in texts)) == []
    assert linked(["a" * 100], ["a" * 99 + "b"]) == [(0, 0)]
    assert linked("abc", "xy", most=6) == []
    with pytest.raises(ValueError, match="3 words became 2 others"): linked("abc", "xy", most=5)
    with pytest.raises(ValueError, match="3,000 words became 2,900 others; give one sentence a line"): edits_of("a " * 3000, "b " * 2900)


# ---- files

def without_lines(sentences): return [Sentence(s.tokens, tuple(e._replace(line=0) for e in s.edits)) for s in sentences]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_read_again(seed):
    sources, references, systems = slow.corpus(seed)
    references[1][3] = None
    gold = gold_from_texts(sources, references)
    assert without_lines(parse_m2(m2_lines(gold))) == gold == cut_anew(gold)
    assert [{e.annotator for e in s.edits} for s in gold] == [{0} if d == 3 else {0, 1} for d in range(len(sources))]
    split = lambda lines: [" ".join(line.split()) for line in lines]
    references[1][3] = sources[3]
    assert references_from_m2(gold, "strict") == (split(sources), list(map(split, references)))
    for d, sentence in enumerate(gold):
        for r, column in enumerate(references):
            if (d, r) != (3, 1): assert tuple(e for e in sentence.edits if e.annotator == r and e.type != "noop") == edits_of(sources[d], column[d], r)
    for column in systems: assert system_from_texts(sources, column) == gold_from_texts(sources, [column])


def test_lines_of_a_file():
    "A sentence without changes has a noop; an edit made by hand has its correction; a text that is absent has no annotator"
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    assert m2_lines(gold_from_texts(["a b", ""], [["a b", "c"]])) == ["S a b", noop, "", "S", "A 0 0|||M|||c|||REQUIRED|||-NONE-|||0", ""]
    by_hand = Sentence(("a",), (Edit(0, 1, "X", ("b", "c"), 2, 0),))
    assert m2_lines([by_hand])[1] == "A 0 1|||X|||b c|||REQUIRED|||-NONE-|||2"
    assert edits.typed_edits("a b", "a  b") == () # nothing to ask ERRANT for
    assert sentence_of("a b", [None, "a c"], ["first", "second"]).edits == (Edit(1, 2, "R", ("c",), 1, 0, "c"),)


def test_a_text_comes_back_from_its_m2_file_or_is_refused():
    rng, words, refused = random.Random(7), ["a", "b", "c", "|", "x|", "|y", "h|i", "a||b", "-NONE-", "S", "A", "\u00a0d", "e\tf", "İ", "ﬁ"], 0
    def line(): return " ".join(rng.choice(words) for _ in range(rng.randint(0, 6)))
    for _ in range(1500):
        source, corrections = line(), [line(), line()]
        try: lines = m2_lines([sentence_of(source, corrections, ["A", "B"])])
        except ValueError as error:
            assert re.match("[AB]: sentence 1: an M2 file cannot hold", str(error))
            refused += 1
            continue
        sources, references = references_from_m2(parse_m2(lines), "strict")
        assert [sources[0], *(texts[0] for texts in references)] == [" ".join(text.split()) for text in (source, *corrections)]
    assert 100 < refused < 1000
    with pytest.raises(ValueError, match="^gold: sentence 2: an M2 file cannot hold"): cut_anew([Sentence(("a",), (Edit(0, 1, "X", (word,), 0, 0),)) for word in ("b", "b||c")])
    overlapping = Edit(0, 2, "X", ("c",), 0, 0), Edit(1, 2, "X", ("d",), 0, 0)
    with pytest.raises(ValueError, match="^gold: .*overlaps"): cut_anew([Sentence(("a", "b"), overlapping)])


# ---- the corpus

@pytest.fixture(scope="module")
def conll(shared):
    "Sources, references, outputs by name, and ERRANT's F of each"
    folder = shared / "data/conll14/errant"
    read = lambda name: parse_m2(read_lines(folder / f"conll14{name}.errant"))
    gold, systems = read(""), {name: read(f"-{name}") for name in CONLL14}
    sources, references = references_from_m2(gold, "strict")
    texts = {name: references_from_m2(sentences, "strict")[1][0] for name, sentences in systems.items()}
    return sources, references, texts, [float(compare_edits(systems[name], gold)) for name in CONLL14]


def scores(conll, cut=edits_of):
    sources, references, texts, _ = conll
    gold = gold_from_texts(sources, references, cut)
    return [float(compare_edits(system_from_texts(sources, text, cut), gold)) for text in texts.values()]


def test_scores_are_near_those_of_errants_edits(shared, conll):
    sources, _, texts, theirs = conll
    for name, text in texts.items(): assert [line.split() for line in text] == [line.split() for line in read_lines(shared / "data/conll14/official_submissions" / name)]
    found = scores(conll)
    assert .0045 < np.abs(np.subtract(found, theirs)).max() < .005
    order = lambda column: [CONLL14[h] for h in np.argsort(-np.array(column), kind="stable")]
    assert order(theirs)[:2] == order(found)[1::-1] and order(theirs)[2:] == order(found)[2:]


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [.6, .75])
def test_the_threshold_matters_little(conll, threshold, monkeypatch):
    @cache
    def likeness(one, other):
        one, other = one.lower(), other.lower()
        row = [0] * (len(other) + 1) # letters in common
        for x in one:
            before = row[:]
            for j, y in enumerate(other, 1): row[j] = before[j - 1] + 1 if x == y else max(before[j], row[j - 1])
        share = 2 * row[-1] / (len(one) + len(other))
        return min(int(1000 * share), 999) if share >= threshold else 0
    monkeypatch.setattr(edits, "likeness", likeness)
    assert .004 < np.abs(np.subtract(scores(conll), conll[3])).max() < .006


# ---- the commands

@pytest.fixture
def files(write): write(THREE_SENTENCES)


def test_the_command_prints_what_the_functions_make(files, gecnb):
    texts = THREE_SENTENCES
    gold = gold_from_texts(texts["INPUT"], [texts["REF0"], texts["REF1"]])
    for line, sentences in ("-o A", system_from_texts(texts["INPUT"], texts["A"])), ("-r REF0 REF1", gold):
        assert gecnb(f"edits -s INPUT {line}") == (0, "\n".join(m2_lines(sentences)) + "\n", "")
    for line in "-o A second=B", "-r REF0 REF1": assert gecnb(f"edits -s INPUT {line} --out m2") == (0, "", "")
    assert sorted(path.name for path in Path("m2").iterdir()) == ["A.m2", "gold.m2", "second.m2"]
    assert without_lines(parse_m2(read_lines("m2/second.m2"))) == system_from_texts(texts["INPUT"], texts["B"])


def test_errant_of_texts_is_errant_of_their_edits(files, gecnb, printed, monkeypatch):
    seen = []
    monkeypatch.setattr("gecmetrics_nb.cli.outputs.progress", lambda parts, unit, total: (seen.append((unit, total)), parts)[1])
    for line in "-o A B", "-r REF0 REF1": printed(f"edits -s INPUT {line} --out m2")
    for more in "", "-cat 1", "--format json", "-ds -b 1":
        expected = printed(f"errant -g m2/gold.m2 -o A=m2/A.m2 B=m2/B.m2 {more}")
        seen.clear()
        found = gecnb(f"errant -s INPUT -r REF0 REF1 -o A B {more}")
        assert found.out.replace(',\n  "edits": "letters"', "") == expected and seen == [("sentence", 3)] * 2
        assert "cut into edits by letters" in found.err


@pytest.mark.parametrize("arguments,message", [
    ("edits -s INPUT -o A B", "--out FOLDER"), ("edits -s INPUT -o A B --out INPUT", "INPUT is a file"), ("edits -s INPUT -o A full/A --out new", "A.m2"),
    ("edits -s INPUT -o A --out full", "--force"), ("edits -s INPUT -r REF0 BARS --out new", "BARS: sentence 2"),
    ("edits -s INPUT -o A --model en_core_web_lg", "--errant"), ("edits -s - -o -", "standard input"), ("edits -s INPUT", "-o"),
    ("edits -s INPUT -o A -r REF0", "-r"), ("errant -s INPUT -o A", "-g GOLD"), ("errant -g full/A.m2 -s INPUT -r REF0 -o A", "one or the other"),
    ("errant -s INPUT -r REF0 -o A -cat 2", "--errant"), ("edits -s INPUT -o A --errant --out new", "pip install 'gecmetrics_nb[errant]'"),
    ("errant -s INPUT -r REF0 -o A --errant", "python -m spacy download en_core_web_sm")])
def test_one_line_says_what_is_wrong_and_nothing_is_written(arguments, message, files, write, refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "errant", None)
    edits.load_errant.cache_clear()
    Path("full").mkdir()
    write({"BARS": "He go home .\nI likes a||b .\nIt rain .\n", "full/A": "S a\n", "full/A.m2": "S a\n"})
    assert message in refused(arguments)


# ---- ERRANT itself, with a small model that is trained here

TAUGHT = """
He goes to school .|PRP VBZ IN NN .|PRON VERB ADP NOUN PUNCT|he go to school .|1 1 1 2 1|nsubj ROOT prep pobj punct
He go to the school .|PRP VBP IN DT NN .|PRON VERB ADP DET NOUN PUNCT|he go to the school .|1 1 1 4 2 1|nsubj ROOT prep det pobj punct
I like tea .|PRP VBP NN .|PRON VERB NOUN PUNCT|I like tea .|1 1 1 1|nsubj ROOT dobj punct
I likes the tea .|PRP VBZ DT NN .|PRON VERB DET NOUN PUNCT|I like the tea .|1 1 3 1 1|nsubj ROOT det dobj punct
She has two cats .|PRP VBZ CD NNS .|PRON VERB NUM NOUN PUNCT|she have two cat .|1 1 3 1 1|nsubj ROOT nummod dobj punct
She have two cat .|PRP VBP CD NN .|PRON VERB NUM NOUN PUNCT|she have two cat .|1 1 3 1 1|nsubj ROOT nummod dobj punct
It rains often here .|PRP VBZ RB RB .|PRON VERB ADV ADV PUNCT|it rain often here .|1 1 1 1 1|nsubj ROOT advmod advmod punct
It often rains .|PRP RB VBZ .|PRON ADV VERB PUNCT|it often rain .|2 2 2 2|nsubj advmod ROOT punct
We went home on Monday .|PRP VBD RB IN NNP .|PRON VERB ADV ADP PROPN PUNCT|we go home on Monday .|1 1 1 1 3 1|nsubj ROOT advmod prep pobj punct
""".strip().split("\n")


@pytest.fixture(scope="module")
def model():
    "A spaCy pipeline that knows nine sentences"
    import spacy
    from spacy.training import Example
    nlp = spacy.blank("en")
    for name, config in ("tagger", {}), ("morphologizer", {}), ("trainable_lemmatizer", {"min_tree_freq": 1}), ("parser", {"min_action_freq": 1}):
        nlp.add_pipe(name, config=config)
    examples = []
    for line in TAUGHT:
        words, tags, pos, lemmas, heads, deps = (field.split() for field in line.split("|"))
        about = {"words": words, "tags": tags, "pos": pos, "lemmas": lemmas, "heads": [*map(int, heads)], "deps": deps}
        examples.append(Example.from_dict(spacy.tokens.Doc(nlp.vocab, words), about))
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30): nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="module")
def program(model):
    import errant
    return errant.load("en", model)


def pairs(seed=0, count=60):
    "Sources and two corrections, of the words that the model knows"
    rng = random.Random(seed)
    taught = [line.split("|")[0].split() for line in TAUGHT]
    known = sorted({word for words in taught for word in words})
    def changed(words):
        words = list(words)
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(words))
            words[at:at + rng.randint(0, 2)] = rng.choices(known, k=rng.randint(0, 2))
        return " ".join(words)
    sources = [" ".join(rng.choice(taught)) for _ in range(count)]
    return sources, [[changed(source.split()) for source in sources] for _ in range(2)]


@pytest.mark.needs("errant", "spacy")
def test_typed_edits_are_what_errant_parallel_writes(program, write, monkeypatch):
    from errant.commands import parallel_to_m2
    sources, references = pairs()
    write(dict(zip(("S", "R0", "R1"), (sources, *references), strict=True)))
    monkeypatch.setattr("errant.load", lambda language: program)
    monkeypatch.setattr(sys, "argv", "errant_parallel -orig S -cor R0 R1 -out theirs".split())
    parallel_to_m2.main()
    found = gold_from_texts(sources, references, lambda *texts: edits.typed_edits(*texts, program=program))
    assert "".join(line + "\n" for line in m2_lines(found)) == Path("theirs").read_text(encoding="utf-8")
    assert len({edit.type for sentence in found for edit in sentence.edits}) > 10


@pytest.mark.needs("errant", "spacy")
def test_the_command_with_errant(model, program, files, gecnb):
    model.to_disk("trained")
    edits.load_errant.cache_clear()
    def run(line): return gecnb(f"{line} --errant --model trained")
    cut, texts = lambda *texts: edits.typed_edits(*texts, program=program), THREE_SENTENCES
    of = {name: system_from_texts(texts["INPUT"], texts[name], cut) for name in "AB"}
    gold = gold_from_texts(texts["INPUT"], [texts["REF0"], texts["REF1"]], cut)
    assert run("edits -s INPUT -o A") == (0, "\n".join(m2_lines(of["A"])) + "\n", "")
    _, table, err = run("errant -s INPUT -r REF0 REF1 -o A B -cse --format tsv")
    scores = {name: compare_edits(sentences, gold, mode="cse") for name, sentences in of.items()}
    assert [row.split("\t") for row in table.splitlines()[1:]] == [[name, *map(str, (*s.totals, *s.rates))] for name, s in scores.items()]
    assert err == "" and gecnb("edits -s INPUT -r REF0 REF1 --out m2").status == 0 # by letters, and cut anew by ERRANT
    assert run("errant -g m2/gold.m2 -o A B -cse --format tsv").out == table
    versions = f"errant {metadata.version('errant')},spacy {metadata.version('spacy')},en_pipeline 0.0.0"
    assert f"|edits:{versions}|" in run("compare -g m2/gold.m2 -o A B --metrics errant:mode=cse cleme").out


@pytest.mark.needs("errant", "spacy")
def test_a_model_that_is_not_there_is_named(files, refused):
    for model, says in ("en_core_web_zz", "is not installed: python -m spacy download en_core_web_zz\n"), ("./nowhere", "is not installed"), ("INPUT", "cannot be loaded"):
        assert f"the spaCy model {model} {says}" in refused(f"edits -s INPUT -o A --errant --model {model} --out new")
