"An option changes what is printed, or is refused, or is said to have no effect"
from pathlib import Path
import re

import pytest

TEXTS = {
    "S": ["He go home now .", "She like tea  ", "I has a two cat and dog .", "Yes", "They was here yesterday .", "a b c d e", "the the cat sat on the mat"],
    "R0": ["He goes home now .", "She likes tea", "I have two cats and a dog .", "Yes .", "They were here yesterday .", "a b c d e", "the cat sat on the mat"],
    "R1": ["He went home .", "She likes tea .", "I have two cats and dogs .", "Yes", "They had been here yesterday .", "a x c d", "the cat sat down on the mat"],
    "A": ["He goes .", "She like teas", "I have two cat and a dog .", "No", "They were .", "x c a b", "the the cat sat on the mat"],
    "B": ["He go home now .", "She likes tea", "I has two cats and dog .", "Yes .", "They had been here .", "a b c d e", "the the cat sat on a mat"],
    "C": ["He gone home now .", "She liked tea .", "I had two cat and dog .", "Yes yes", "They is here yesterday .", "a c d e", "the cat"],
}
EDIT = "A {}|||{}|||{}|||REQUIRED|||-NONE-|||{}"
WANTED = {0: [("1 2", "R:VERB", "goes"), ("4 5", "U:PUNCT", "")], 1: [("1 2", "R:VERB", "likes||liked")], 2: [("1 2", "R:VERB:SVA", "have"), ("2 3", "U:DET", "-NONE-"), ("4 5", "R:NOUN", "cats"), ("6 6", "M:DET", "a")],
        4: [("1 2", "R:VERB", "were"), ("2 3", "UNK", "there")], 5: [("1 2", "R:X", "x"), ("0 0", "M:X", "x y")]}


ORDER = [("0 4", "X", "x b c y", 0), ("0 1", "X", "x", 1), ("3 4", "X", "y", 1), ("5 6", "X", "z", 1)] # the best annotator depends on what follows


def m2(change=lambda edit: edit, others=True):
    "Annotator 0, and another one for two sentences"
    lines = []
    for d, source in enumerate(TEXTS["S"]):
        lines += [f"S {source}", *(EDIT.format(*change(edit), 0) for edit in WANTED.get(d, []))]
        if d == 0 and others: lines += [EDIT.format("1 3", "R:VERB", "went home", 1), EDIT.format("3 4", "U:ADV", "-NONE-", 1)]
        if d == 2 and others: lines.append(EDIT.format("-1 -1", "noop", "-NONE-", 1))
        lines.append("")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("idle")
    for name, lines in TEXTS.items(): (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "g.m2").write_text(m2(), encoding="utf-8")
    other = m2(lambda edit: (edit[0], edit[1].replace("R:", "M:"), edit[2].replace("cats", "cat s")), others=False)
    wrong = EDIT.format("4 5", "M:NOUN", "cat s", 0)
    (folder / "a.m2").write_text(other.replace(wrong, "\n".join([wrong] + 2 * [EDIT.format("5 6", "R:X", "q", 0)])), encoding="utf-8")
    (folder / "g2.m2").write_text("\n".join(["S a b c d e f", *(EDIT.format(*edit) for edit in ORDER), "", "S a b c d e f", EDIT.format("2 3", "X", "z", 0),
                                               "", "S a b c d e f", *(EDIT.format(f"{k} {k + 1}", "X", "x", 0) for k in range(4))]) + "\n")
    (folder / "D").write_text("x b c y e f\nx b c d e y\nx b c d e y\n")
    metric = lambda seed: [f"{'PQRTUVWX'[h]}\t{((h * 7 + seed) % 11) / 7}\t{((h * 5 + seed) % 13) / 3}" for h in range(8)]
    for name, seed in ("scores", 1), ("human", 2): (folder / f"{name}.tsv").write_text("\n".join(["system\tG\tH", *metric(seed)]) + "\n")
    return folder


SCORED = "-s S -r R0 R1 -o A B"
FORMATS = ["", "--format json", "--format tsv"]
PER = ["--per sentence", "--per mean"]
BOTH = [*FORMATS, *PER, "--per sentence --format json", "--per mean --format tsv"]
ERRANT = [*(f"{way} {form}" for way in ("", "-ds", "--type R:* M:*") for form in FORMATS)]
CASES = { # what is run, what it is run with, and what is added to that
    "gleu": (f"gleu {SCORED}", [*BOTH, "-m", "-m -v", "--choose expected", "--choose mean", "--variant 2015-corrected --brevity standard", "-v --per sentence", "-v --format tsv", "-v"],
             ["-n 2", "-t char", "-d 5", "--variant paper", "--choose max", "-i 7", "--brevity none", "--smoothing official", "--stream python3", "-m", "-v"]),
    "sgleu": (f"sgleu {SCORED}", ["", "-m", "--format json"], ["-i 7", "--stream python3", "--smoothing official", "-d 5", "-v"]),
    "green": (f"green {SCORED}", [*BOTH, "-v", "-v --per sentence", "-v --format json"],
              ["-n 2", "-t char", "-d 5", "-b 2", "-l", "-v", "--empty-recall 1", "--choose union"]),
    "google-gleu": (f"google-gleu {SCORED}", BOTH, ["-n 2", "-t char", "-d 5", "--min-order 2", "-v"]),
    "bleu": (f"bleu {SCORED}", [*BOTH, "--smoothing floor"], ["-n 2", "-t char", "-d 5", "--smoothing exp", "--smooth-value 0.5", "--weights 0.7/0.1/0.1/0.1", "--effective-order", "-v"]),
    "meteor": (f"meteor {SCORED}", [*BOTH, "-v --per sentence"], ["-t char", "-d 5", "--alpha 0.3", "--beta 1", "--gamma 0.2", "--fewest chunks", "--lowercase", "--aggregate", "-v"]),
    "m2": ("m2 -g g2.m2 -o D", [*BOTH, "--format m2scorer", "--format m2scorer --per sentence"],
           ["-d 5", "-b 2", "--choice optimal", "--release 2016-04", "--max-unchanged-words 0", "--ignore-whitespace-casing", "--format m2scorer"]),
    "i-measure": ("i-measure -g g.m2 -o A B", BOTH, ["-d 5", "--weight 5", "--candidates mix"]),
    "errant": ("errant -g g.m2 -o a.m2", ERRANT, ["-cse", "-dt", "-b 2", "-cat 2", "-single", "-multi", "-filt R:VERB", "-filt R:NUON", "--once", "--type R:*"]),
    "compare": (f"compare {SCORED} --test bootstrap -i 100", ["", "--format json", "--format latex", "--metrics m2 -g g.m2", "--metrics m2 gleu -g g.m2", "--metrics meteor", "--metrics gleu:order=3,unit=char", "--metrics bleu:per=mean"],
                ["-n 2", "-t char", "-d 5", "-g g.m2", "--seed 3", "--confidence 0.5", "--note x", "--baseline B", "--test randomisation"]),
    "correlate": ("correlate --scores scores.tsv --human human.tsv -i 100", FORMATS, ["-d 5", "--seed 3", "--confidence 0.5", "--families 3", "--systems P Q R T U V W", "-i 150"]),
    "plot": ("plot x.svg", ["--scores scores.tsv", "--scores scores.tsv --human human.tsv", SCORED, f"{SCORED} C --metrics m2 i-measure -g g.m2"],
             ["-n 2", "-t char", "-d 5", "-g g.m2", "-r R0"]),
    "reproduce": ("reproduce gleu-readme/corpus", ["", "--list", "--format json"], ["--full", "--from snapshot", "--format json"]),
}
SAME = { # on other texts they do something
    ("green", "--empty-recall 1"), ("bleu", "--effective-order"), ("bleu", "--smoothing exp"), ("bleu", "--smooth-value 0.5"), # an order of the corpus would have to be empty
    ("m2", "--ignore-whitespace-casing"), ("m2", "--release 2016-04"), ("i-measure", "--candidates mix"), ("meteor", "--lowercase"), ("meteor", "--fewest chunks"),
    ("reproduce", "--from snapshot"), # never
}


@pytest.fixture
def run(here, monkeypatch, gecnb):
    "Status, what is printed or drawn, and what is said"
    monkeypatch.chdir(here)
    picture = Path("x.svg")

    def run(line):
        picture.unlink(missing_ok=True)
        status, out, said = gecnb(line)
        if picture.exists(): out += re.sub(r"<dc:date>.*|clip-path|id=\"[^\"]*\"|#[pm]\w+", "", picture.read_text(encoding="utf-8"))
        out += "".join(re.findall("places by.*", said)) # the numbers behind the picture
        return status, out, said
    return run


@pytest.mark.parametrize("name", CASES)
def test_options_change_something_or_are_named(name, run):
    if name == "plot": pytest.importorskip("matplotlib")
    command, contexts, options = CASES[name]
    silent, idle = [], 0
    for context in contexts:
        status, shown, _ = run(f"{command} {context}")
        if status: continue
        for option in options:
            if option.split()[0] in f"{command} {context}".split() or (option, context[:2]) == ("--choose max", "-m"): continue # it stands there
            flag = option.split()[0]
            status, with_it, said = run(f"{command} {context} {option}")
            if status == 2: continue # refused
            named = re.search(rf"note: {flag}\b", said)
            if with_it == shown and not named and (name, option) not in SAME: silent.append((context, option, said))
            repeats = "json" in context or "tsv" in context # the settings, in the head or beside the score
            if with_it != shown and not repeats: assert not named, (context, option, said)
            idle += f"note: {flag} has no effect" in said
    assert not silent, "\n".join(map(repr, silent))
    assert idle or name in ("google-gleu", "bleu", "meteor") and "-d 5" not in options


@pytest.mark.parametrize("line,notes", [
    (f"compare {SCORED} --test bootstrap -i 100 --metrics gleu:references=max,iterations=7,stream=python3 mgleu:smoothing=official gleu:smoothing=official",
     ["iterations of gleu has no effect where no references are drawn", "stream of gleu has no effect where no references are drawn", "smoothing of gleu has no effect on the score of a corpus"]),
    (f"compare {SCORED} --test bootstrap -i 100 --metrics m2 meteor -g g.m2 -n 3 -t char", ["-n has no effect on m2, meteor"]),
    (f"compare {SCORED} --test bootstrap -i 100 --metrics green:order=2,unit=char -n 3 -t char", ["-n has no effect on green:order=2,unit=char", "-t has no effect on green:order=2,unit=char"]),
    (f"sgleu {SCORED} --iterations 7", ["-i has no effect where no references are drawn"]),
    ("errant -g g.m2 -o a.m2 G=g.m2 --format tsv -filt R:NUON UNK M:NOUN -cat 3", # M:NOUN is in a.m2 alone
     ["-filt R:NUON has no effect: no edit is of this type", "-cat has no effect on --format tsv"]),
    (f"gleu {SCORED} -m -f -p 2 --jobs 2", []), # what is accepted for old scripts, as the help says, or does not matter as it says
    ("reproduce --list --full --from snapshot", ["--full has no effect with --list", "--from has no effect with --list"]),
])
def test_notes(line, notes, run):
    "One line each, in this order or another"
    status, _, said = run(line)
    lines = sorted(x.split(": note: ")[1] for x in said.splitlines())
    lines = [x for x in lines if not x.startswith(("a.m2: ", "some lines end in blanks"))] # which is said besides
    assert status == 0 and lines == sorted(notes), said


def test_edits_of_two_annotators_and_edits_that_are_there_twice_are_named(run):
    assert "G: sentence 1 has the edits of 2 annotators; an output has one" in run("compare -s S -r R0 -o G=g.m2")[2]
    Path("one.m2").write_text(m2(others=False), encoding="utf-8")
    for more in "", " --type M:*":
        assert "note: a.m2: sentence 3: annotator 0 has 5 6 'q' 2 times" in run(f"errant -g a.m2 -o one.m2{more}")[2]
