"""Measure what each metric costs as a corpus grows, and write nbs/about/costs.json, which the page "What scales how" draws

Each point is a process of its own: seconds of the processor, with those of its children, and its peak memory, from the files to the printed
scores; the start of Python and NumPy is left out. A series ends at the first point that costs more than --most seconds, or a GB, or is refused.
Corpora are made of CoNLL-2014, its two annotators and twelve systems as ERRANT's edits (GECNB_DATA, ../shared/data or the network).
"""
from collections import Counter
from itertools import chain, count, islice
from math import log10
from pathlib import Path
import argparse
import json
import os
import random
import sys
import tempfile

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from bench_scale import machine, process
from gecmetrics_nb.alignment.edits import m2_lines
from gecmetrics_nb.corpora.conll14 import CONLL14
from gecmetrics_nb.corpora.registry import fetch
from gecmetrics_nb.io.m2 import Edit, Sentence, apply_edits, read_m2

MOST_MEMORY = 1000 # MB of a point that is not the last of its series
KILLED = 60      # seconds after which a point is given up
SENTENCES = 1000 # of a corpus whose references, systems or draws grow
WORDS = 10_000   # of the lines of one length together, or one line

AXES = {"sentences": [*(k * 10**n for n in range(2, 6) for k in (1, 3)), 10**6],
        "words": [*(k * 10**n for n in range(1, 5) for k in (1, 3)), 10**5],
        "references": [1, 3, 10, 30, 100],
        "systems": [1, 3, 10, 30, 50],
        "draws": [*(k * 10**n for n in range(2, 6) for k in (1, 3)), 10**6]}


# --- what is run ------------------------------------------------------------------------------------------------------

TEXTS = "-s S -r {R} -o {H} --jobs 1"
GOLD = "-g gold.m2 -o {H} --jobs 1"
EDITS = "-g gold.m2 -o {M} --jobs 1"
COMMANDS = { # name: arguments of gecnb
    "BLEU": f"bleu {TEXTS}", "Google-GLEU": f"google-gleu {TEXTS}", "GLEU": f"gleu {TEXTS}", "GLEU, best reference": f"gleu -m {TEXTS}",
    "GREEN": f"green {TEXTS}", "METEOR": f"meteor {TEXTS}", "M2": f"m2 {GOLD}", "I-measure": f"i-measure {GOLD}",
    "ERRANT": "errant -g gold.m2 -o {M}", "CLEME": f"cleme {EDITS}", "CLEME2.0": f"cleme2 {EDITS}"}
COMPARED = f"compare {TEXTS} --metrics gleu:references=max"
DRAWN = { # the same, where draws grow
    "GLEU": f"gleu {TEXTS} -i {{B}}", "bootstrap": f"{COMPARED} --test bootstrap -i {{B}}",
    "randomisation": f"{COMPARED} --test randomisation -i {{B}}"}

# The command in a warm process: a run on three sentences loads what is needed, and its time is not counted
POINT = """
import contextlib, io, json, os, resource, signal, sys, time
from gecmetrics_nb.cli.parser import main
first, words, most = json.loads(sys.argv[1])
def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
def give_up(*_): raise KeyboardInterrupt
with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(io.StringIO()) as said:
    os.chdir("warm")
    if main(first): sys.exit(said.getvalue())
    os.chdir("..")
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, most)
    start = used()
    status = main(words)
    spent = used() - start
print(json.dumps([status, spent, said.getvalue().strip().split("\\n")[-1]]))
"""


def point(command, names, folder):
    "Status, seconds, MB and the last line of errors of one run of a command; the least seconds of three runs if they are short"
    def words(where, draws): return command.format(**{k: " ".join(v) for k, v in where.items() if k != "B"}, B=draws).split()
    few = {**names, **{k: names[k][:2] for k in "RHM"}}
    given = json.dumps([words(few, min(names["B"], 10)), words(names, names["B"]), KILLED])
    found = []
    while not found or len(found) < 3 and found[0][1] < 1:
        ran = process([sys.executable, "-c", POINT, given], folder)
        found.append([*json.loads(ran["output"]), ran["memory"] * 1.048576])
    status, spent, said, memory = min(found, key=lambda each: each[1])
    return status, spent, memory, said


# --- corpora ----------------------------------------------------------------------------------------------------------

def authors():
    "The words of each sentence, and what its two annotators and twelve systems change: lists of (start, end, type, words)"
    files = [read_m2(str(fetch(f"conll14/errant/{name}.errant"))) for name in ("conll14", *(f"conll14-{system}" for system in CONLL14[:12]))]
    for gold, *outputs in zip(*files, strict=True):
        edits = [[e for e in gold.edits if e.annotator == k] for k in (0, 1)] + [output.edits for output in outputs]
        yield gold.tokens, [[(e.start, e.end, e.type, e.correction) for e in some if not e.is_noop] for some in edits]


def another(known, rng):
    "One more author: three in four edits of one that is known, and half of those of another one, as far as they do not touch"
    first, second = rng.sample(known, 2)
    made = [edit for edit in first if rng.random() < .75]
    apart = lambda edit: all(edit[1] < start or end < edit[0] for start, end, *_ in made)
    return sorted(made + [edit for edit in second if rng.random() < .5 and apart(edit)], key=lambda edit: edit[:2])


def originals(annotators, systems):
    "Pairs of the words of a sentence and the edits of so many annotators and systems"
    rng = random.Random(0)
    more = lambda own, size, known: [*own[:size], *(another(known, rng) for _ in range(size - len(own)))]
    for tokens, known in authors(): yield tokens, more(known[:2], annotators, known) + more(known[2:], systems, known)


def renaming(frequency, copy):
    "Words change places with words that are about as frequent; so no text of one copy is one of another, and equal words stay equal"
    rng, classes, renamed = random.Random(copy), {}, {}
    for word, times in frequency.items(): classes.setdefault(times.bit_length() if word.isalpha() else word, []).append(word)
    for words in classes.values(): renamed |= zip(words, rng.sample(words, len(words)), strict=True)
    return renamed


def named(words, new): return tuple([new[word] for word in words])


def endless(annotators, systems):
    "The sentences of CoNLL-2014, then renamed copies of them"
    base = list(originals(annotators, systems))
    frequency = Counter(word for tokens, edits in base for words in (tokens, *(e[3] for some in edits for e in some)) for word in words)
    for copy in count():
        new = renaming(frequency, copy) if copy else {word: word for word in frequency}
        for tokens, edits in base:
            yield named(tokens, new), [[(i, j, kind, named(words, new)) for i, j, kind, words in some] for some in edits]


def joined(sentences, size):
    "Successive sentences in lines of `size` words, the last one of a line cut; an edit beyond its end is left out"
    while True:
        words, edits = [], None
        while len(words) < size:
            tokens, new = next(sentences)
            k = len(words)
            moved = [[(i + k, j + k, *rest) for i, j, *rest in some if j + k <= size] for some in new]
            edits = [a + b for a, b in zip(edits, moved, strict=True)] if edits else moved
            words += tokens
        yield tuple(words[:size]), edits


NOTHING = (-1, -1, "noop", ("-NONE-",))


def sentence(tokens, several):
    "A Sentence with the edits of several annotators"
    return Sentence(tokens, tuple(Edit(*edit, a, 0) for a, edits in enumerate(several) for edit in edits or [NOTHING]))


def write(sentences, annotators, systems, folder):
    "A corpus as texts and as M2 files, and three sentences in a folder `warm`; the names of its files"
    names = {"R": [f"R{k}" for k in range(annotators)], "H": [f"H{k}" for k in range(systems)], "M": [f"H{k}.m2" for k in range(systems)]}
    (folder / "warm").mkdir()
    for place, some in (folder, sentences), (folder / "warm", islice(endless(annotators, systems), 3)):
        files = {name: open(place / name, "w", encoding="utf-8") for name in ("S", "gold.m2", *chain(*names.values()))}
        for tokens, edits in some:
            of_each = [sentence(tokens, [each]) for each in edits]
            texts = zip(("S", *names["R"], *names["H"]), (sentence(tokens, [[]]), *of_each), strict=True)
            for name, each in texts: files[name].write(" ".join(apply_edits(tokens, each.edits)) + "\n")
            marked = zip(("gold.m2", *names["M"]), (sentence(tokens, edits[:annotators]), *of_each[annotators:]), strict=True)
            for name, each in marked: files[name].writelines(line + "\n" for line in m2_lines([each]))
        for file in files.values(): file.close()
    return names


def corpus(axis, value, folder):
    "The corpus of one point, written; the names of its files, and its number of draws"
    annotators, systems = value if axis == "references" else 2, value if axis == "systems" else 1 + (axis == "draws")
    lines = {"sentences": value, "words": max(1, WORDS // value)}.get(axis, SENTENCES)
    sentences = endless(annotators, systems)
    if axis == "words": sentences = joined(sentences, value)
    return {**write(islice(sentences, lines), annotators, systems, folder), "B": value if axis == "draws" else 10}, lines


# --- all of it --------------------------------------------------------------------------------------------------------

def round_2(x): return round(x, 1 - int(log10(x) // 1)) if x else 0


def series(axis, chosen, most, say):
    "For each metric its points [value, seconds, MB], and what was refused behind the last: [value, seconds, message]"
    commands = {name: words for name, words in (DRAWN if axis == "draws" else COMMANDS).items() if not chosen or name in chosen}
    found = {name: {"metric": name, "axis": axis, "points": []} for name in commands}
    for value in AXES[axis]:
        if not commands: break
        with tempfile.TemporaryDirectory() as place:
            names, lines = corpus(axis, value, Path(place))
            for name, command in list(commands.items()):
                status, spent, memory, said = point(command, names, place)
                say(f"{axis:10} {value:>9,} {name:22} {spent:8.3f} s {memory:6.0f} MB {said if status else ''}")
                if status: found[name]["refused"] = [value, round_2(spent), said.partition("error: ")[2] or f"given up after {KILLED} s"]
                else: found[name]["points"].append([value, round_2(spent / (lines if axis == "words" else 1)), round(memory, -1)])
                if status or spent > most or memory > MOST_MEMORY: del commands[name]
    return list(found.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", default=ROOT / "nbs/about/costs.json", type=Path, help="file for the figures")
    parser.add_argument("--axes", nargs="+", default=list(AXES), choices=AXES, help="those to measure anew (all)")
    parser.add_argument("--most", type=float, default=20, help="seconds of a point that is not the last of its series (20)")
    parser.add_argument("metrics", nargs="*", help="those to measure anew (all)")
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    say = lambda *words: print(*words, flush=True)
    measured = [each for axis in args.axes for each in series(axis, args.metrics, args.most, say)]
    of = lambda each: (each["axis"], each["metric"])
    known = {of(each): each for each in json.loads(args.out.read_text())["series"]} if args.out.exists() else {}
    known |= {of(each): each for each in measured}
    order = [(axis, name) for axis in AXES for name in (DRAWN if axis == "draws" else COMMANDS)]
    rows = ",\n".join(json.dumps(known[key]) for key in order if key in known)
    args.out.write_text(f'{{"machine": "{machine()}", "corpus": "CoNLL-2014", "series": [\n{rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__": main()
