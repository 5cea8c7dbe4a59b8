"""Time gecmetrics_nb beside the programs people use (nbs/benchmark.json), and as a corpus grows (nbs/about/costs.json)

make bench measures the sections races, start and processes; make costs the axes along which a corpus grows.
What is measured replaces what the file has of it. A pair is timed only if both print or return the same numbers.
The corpus is CoNLL-2014 (GECNB_DATA, or the network).
"""
from collections import Counter
from functools import partial
from importlib.metadata import version
from itertools import chain, count, islice
from math import log10
from pathlib import Path
from statistics import median
import argparse
import contextlib
import gc
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

from gecmetrics_nb.alignment.edits import m2_lines
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.core.metric import score_corpus, score_sentences
from gecmetrics_nb.core.parallel import processors
from gecmetrics_nb.corpora.conll14 import CONLL14, conll14
from gecmetrics_nb.corpora.registry import fetch
from gecmetrics_nb.io.m2 import Edit, Sentence, apply_edits, read_m2
from gecmetrics_nb.metrics.bleu import BLEU
from gecmetrics_nb.metrics.google_gleu import GoogleGLEU
from gecmetrics_nb.metrics.meteor import METEOR
from gecmetrics_nb.stats.significance import compare_systems

NBS = Path(__file__).parent.parent / "nbs"
BENCHMARK, COSTS = NBS / "benchmark.json", NBS / "about/costs.json"
SYSTEMS = CONLL14[:12]
OUTPUTS = [f"H{i}" for i in range(len(SYSTEMS))]


# --- one process, measured from outside -------------------------------------------------------------------------------

# A small process starts the one to be measured, since memory is counted from that of the process it was forked from
LAUNCH = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, status, file=sys.stderr)
"""


def process(command, folder):
    "Of a process and its children: seconds, seconds of processors, peak memory in MiB, output"
    launch = [sys.executable, "-S", "-c", LAUNCH, *command]
    done = subprocess.run(launch, cwd=folder, capture_output=True, check=False)
    spent, cpu, memory, status = map(float, done.stderr.decode().strip().split("\n")[-1].split())
    if status: sys.exit(f"{' '.join(command[:4])} ... failed: {done.stderr.decode()[-500:]}")
    return {"seconds": spent, "cpu": cpu, "memory": memory, "output": done.stdout}


def gecnb(*words): return [sys.executable, "-m", "gecmetrics_nb", *words]


def script(text, *words): return [sys.executable, "-c", text, *words]


def say(*words): print(*words, flush=True)


def machine(): return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def write_lines(path, lines): path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def files_of(corpus):
    "The columns of a corpus by the names of their files: S, R0, R1, H0, ..."
    return dict(zip(("S", "R0", "R1", *OUTPUTS), (corpus.sources, *corpus.references, *corpus.systems), strict=True))


def token_count(corpus): return sum(len(line.split()) for column in files_of(corpus).values() for line in column)


# --- races ------------------------------------------------------------------------------------------------------------
# (name, program, theirs, ours): both are commands of whole processes, or both calls in this one

ERRANT_COMPARE = """
import subprocess, sys
program, gold, *paths = sys.argv[1:]
for path in paths:
    if len(paths) > 1: print(path.split("/")[-1].removesuffix(".errant"), flush=True)
    subprocess.run([program, "-hyp", path, "-ref", gold, "-cat", "3"], check=True)
"""


def program_races():
    "The programs of gleu and ERRANT, each as it is run: what remembers texts is fast at a second call alone"
    files = ["-s", "S", "-r", "R0", "R1", "-o", *OUTPUTS]
    for name, command, flags in (("corpus GLEU, 500 draws", "gleu", "-d 4 -f"),
                                 ("corpus GLEU, best reference", "gleu", "-d 4 -m"),
                                 ("sentence GLEU", "sgleu", "-d 4"), ("mean of sentence GLEU", "mgleu", "-d 4"),
                                 ("GLEU of characters, n = 6", "gleu", "-d 4 -m -n 6 -t char")):
        words = [*files, *flags.split()]
        theirs = script(f"from gleu.main import {command}; {command}()", *words)
        yield name, "gleu 1.1.0", theirs, gecnb(command, *words)
    gold, *paths = edit_files("conll14", *(f"conll14-{system}" for system in SYSTEMS))
    program = str(Path(sys.executable).parent / "errant_compare")
    for name, some in ("one system", paths[:1]), ("twelve systems", paths):
        ours = gecnb("errant", "-g", gold, "-o", *some, "-cat", "3")
        yield f"ERRANT's compare, {name}", "errant 3.0.2", script(ERRANT_COMPARE, program, gold, *some), ours


class NoHelp:
    "No stems and no synonyms, so that NLTK's METEOR matches words as they are"
    def synsets(self, word): return []
    def stem(self, word): return word


def library_races(corpus):
    "Calls of NLTK and sacrebleu, from texts in memory"
    from nltk.translate import gleu_score, meteor_score
    from sacrebleu.significance import PairedTest
    import sacrebleu
    scored = lambda metric: [score.value for score in score_corpus(metric, metric.count(corpus))]
    tokens = lambda column: [line.split() for line in column]
    by_sentence = list(zip(*map(tokens, corpus.references), strict=True))
    systems = list(map(tokens, corpus.systems))
    yield ("Google-GLEU", "NLTK", lambda: [gleu_score.corpus_gleu(by_sentence, s) for s in systems],
           lambda: scored(GoogleGLEU()))
    settings = dict(tokenize="none", smooth_method="none", force=True)
    yield ("BLEU", "sacrebleu",
           lambda: [sacrebleu.corpus_bleu(s, corpus.references, **settings).score for s in corpus.systems],
           lambda: [100 * value for value in scored(BLEU())])
    def bootstrap():
        metric = sacrebleu.metrics.BLEU(**settings, references=corpus.references)
        test = PairedTest(named, {"BLEU": metric}, None, test_type="bs", n_samples=1000)
        return [row.score for row in test()[1]["BLEU"]]
    named = list(zip(corpus.system_names, map(list, corpus.systems), strict=True))
    resampled = partial(compare_systems, BLEU(), corpus, baseline=SYSTEMS[0], test="bootstrap", draws=1000)
    yield "BLEU, 1,000 paired resamples", "sacrebleu", bootstrap, lambda: [100 * value for value in resampled().values]
    theirs = partial(meteor_score.single_meteor_score, stemmer=NoHelp(), wordnet=NoHelp(), preprocess=str)
    yield ("METEOR, every pair", GREEDY,
           lambda: [max(theirs(reference, hypothesis) for reference in references) for system in systems
                    for hypothesis, references in zip(system, by_sentence, strict=True)],
           lambda: score_sentences(METEOR(), METEOR().count(corpus)).ravel().tolist())


GREEDY = "NLTK, greedy" # one sentence in five gets a lower score for its alignment; it is checked that three in four are equal


def edit_files(*names): return [str(fetch(f"conll14/errant/{name}.errant").resolve()) for name in names]


def measured(side, folder):
    "Seconds and result of a call, or what `process` says of a command"
    if not callable(side): return process(side, folder)
    gc.collect()
    start = time.perf_counter()
    result = side()
    return {"seconds": time.perf_counter() - start, "output": result}


def in_turn(theirs, ours, runs, most=30):
    "Pairs of what both give, `runs` of them, or two if that would take more than `most` seconds"
    start, pairs = time.perf_counter(), []
    while len(pairs) < runs and (len(pairs) < 2 or time.perf_counter() - start < most): pairs.append((theirs(), ours()))
    return pairs


def same(ours, theirs, share):
    if isinstance(ours, bytes): return ours == theirs
    close = [abs(a - b) < 1e-9 * max(1, abs(b)) for a, b in zip(ours, theirs, strict=True)]
    return sum(close) >= share * len(close)


def races(corpus, folder, runs):
    "A row for each race: medians of seconds, of their ratios, and of MiB where both are processes"
    for name, program, *sides in chain(program_races(), library_races(corpus)):
        theirs, ours = (partial(measured, side, folder) for side in sides)
        ours() # so that all is loaded, or in the cache of the disk
        pairs = in_turn(theirs, ours, runs)
        if not all(same(b["output"], a["output"], .75 if program == GREEDY else 1) for a, b in pairs):
            sys.exit(f"{name}: the numbers differ")
        seconds = [(a["seconds"], b["seconds"]) for a, b in pairs]
        ratio = median(a / b for a, b in seconds)
        say(f"  {name}: {ratio:.1f} times {program}")
        row = {"name": name, "program": program, "seconds": [*map(median, zip(*seconds, strict=True))], "ratio": ratio,
               "ratios": [round(a / b, 2) for a, b in seconds]}
        if "memory" in pairs[0][0]: row["memory"] = [median(pair[k]["memory"] for pair in pairs) for k in (0, 1)]
        yield row


# --- beside the races -------------------------------------------------------------------------------------------------

STARTS = {"python": ("-c", "pass"), "numpy": ("-c", "import numpy"), "import": ("-c", "import gecmetrics_nb"),
          "help": ("-m", "gecmetrics_nb", "--help"),
          "all that sentence scores load": ("-c", "import gecmetrics_nb.cli.scoring, gecmetrics_nb.metrics.gleu")}


def starts(corpus, folder, runs):
    "[Seconds, MiB] until Python, NumPy and the package are there; NumPy has one thread, as in gecnb"
    one = ["/usr/bin/env", "OPENBLAS_NUM_THREADS=1", sys.executable]
    for name, words in STARTS.items():
        ran = [process([*one, *words], folder) for _ in range(max(runs, 9))]
        yield name, [median(run[key] for run in ran) for key in ("seconds", "memory")]


def processes(corpus, folder, runs):
    "Seconds with one process and with as many as there are processors, in turn"
    gold = fetch("conll14/official-2014.combined.m2").read_text(encoding="utf-8").rstrip("\n") + "\n\n"
    many = processors()
    for name, command, copies in (("METEOR", "meteor", 10), ("METEOR", "meteor", 40), ("M2", "m2", 1), ("M2", "m2", 3),
                                  ("I-measure", "i-measure", 1)):
        with tempfile.TemporaryDirectory() as place:
            for file, column in files_of(corpus).items(): write_lines(Path(place) / file, column * copies)
            (Path(place) / "gold.m2").write_text(gold * copies, encoding="utf-8")
            given = ["-s", "S", "-r", "R0", "R1", "--per", "sentence"] if command == "meteor" else ["-g", "gold.m2"]
            run = [partial(process, gecnb(command, *given, "-o", *OUTPUTS, "--jobs", str(n)), place) for n in (1, many)]
            pairs = in_turn(*run, runs, 60)
        if any(one["output"] != several["output"] for one, several in pairs): sys.exit(f"{name}: --jobs changes the output")
        middle = {key: [median(pair[k][key] for pair in pairs) for k in (0, 1)] for key in ("seconds", "cpu", "memory")}
        ratio = median(one["seconds"] / several["seconds"] for one, several in pairs)
        say(f"  {name}, {len(corpus) * copies:,} sentences: {ratio:.2f} times as fast with {many} processes")
        yield {"name": name, "sentences": len(corpus) * copies, "systems": len(SYSTEMS), "processes": many, "ratio": ratio,
               "pool": f"loky {version('loky')}", **middle}


SECTIONS = {"races": races, "start": starts, "processes": processes}


def bench(names, runs):
    "Measure sections and write them"
    strip = lambda column: [line.strip() for line in column] # whitespace must not decide a race
    corpus = conll14(systems=SYSTEMS)
    columns = strip(corpus.sources), map(strip, corpus.references), map(strip, corpus.systems)
    corpus = Corpus(*columns, system_names=SYSTEMS)
    figures = json.loads(BENCHMARK.read_text(encoding="utf-8"))
    figures |= {"machine": machine(), "runs": runs, "corpus": "CoNLL-2014", "tokens": token_count(corpus)}
    with tempfile.TemporaryDirectory() as folder:
        for name, column in files_of(corpus).items():
            write_lines(Path(folder) / name, column)
        for name in names:
            say(name)
            figures[name] = list(SECTIONS[name](corpus, folder, runs))
    BENCHMARK.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


# --- growth: what is run ----------------------------------------------------------------------------------------------

MOST_SECONDS, MOST_MEMORY = 20, 1000 # of the processor, and MB, of a point that is not the last of its series
KILLED = 60      # seconds after which a point is given up
SENTENCES = 1000 # of a corpus whose references, systems or draws grow
WORDS = 10_000   # of the lines of one length together, or one line

AXES = {"sentences": [*(k * 10**n for n in range(2, 6) for k in (1, 3)), 10**6],
        "words": [*(k * 10**n for n in range(1, 5) for k in (1, 3)), 10**5],
        "references": [1, 3, 10, 30, 100],
        "systems": [1, 3, 10, 30, 50],
        "draws": [*(k * 10**n for n in range(2, 6) for k in (1, 3)), 10**6]}
TEXTS, GOLD = "-s S -r {R} -o {H} --jobs 1", "-g gold.m2 -o {H} --jobs 1"
EDITS, COMPARED = "-g gold.m2 -o {M} --jobs 1", f"compare {TEXTS} --metrics gleu:references=max -i {{B}} --test"
COMMANDS = { # name: arguments of gecnb
    "BLEU": f"bleu {TEXTS}", "Google-GLEU": f"google-gleu {TEXTS}", "GLEU": f"gleu {TEXTS} -i {{B}}",
    "GLEU, best reference": f"gleu -m {TEXTS}", "GREEN": f"green {TEXTS}", "METEOR": f"meteor {TEXTS}",
    "M2": f"m2 {GOLD}", "I-measure": f"i-measure {GOLD}", "ERRANT": "errant -g gold.m2 -o {M}",
    "CLEME": f"cleme {EDITS}", "CLEME2.0": f"cleme2 {EDITS}",
    "bootstrap": f"{COMPARED} bootstrap", "randomisation": f"{COMPARED} randomisation"}
DRAWN = "GLEU", "bootstrap", "randomisation"

# The command in a warm process: a run on the smallest corpus loads what is needed, and its time is not counted
POINT = """
import contextlib, io, json, os, resource, signal, sys, time
from gecmetrics_nb.cli.parser import main
warm, words, most = json.loads(sys.argv[1])
def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
def give_up(*_): raise KeyboardInterrupt
with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(io.StringIO()) as said:
    os.chdir("warm")
    if main(warm): sys.exit(said.getvalue())
    os.chdir("../point")
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, most)
    start = used()
    status = main(words)
    spent = used() - start
print(json.dumps([status, spent, said.getvalue().strip().split("\\n")[-1]]))
"""


def point(command, warm, names, folder):
    "Status, seconds, the last line of errors, and MB of a run of a command, the fastest of three if they are short"
    given = script(POINT, json.dumps([command.format(**warm).split(), command.format(**names).split(), KILLED]))
    runs = []
    while not runs or len(runs) < 3 and runs[0][1] < 1:
        ran = process(given, folder)
        runs.append([*json.loads(ran["output"]), ran["memory"] * 1.048576])
    return min(runs, key=lambda run: run[1])


# --- growth: corpora --------------------------------------------------------------------------------------------------

def authors():
    "The words of each sentence, and what its two annotators and twelve systems change: lists of (start, end, type, words)"
    for gold, *outputs in zip(*map(read_m2, edit_files("conll14", *(f"conll14-{name}" for name in SYSTEMS))), strict=True):
        edits = [[e for e in gold.edits if e.annotator == k] for k in (0, 1)] + [output.edits for output in outputs]
        yield gold.tokens, [[(e.start, e.end, e.type, e.correction) for e in some if not e.is_noop] for some in edits]


def another(known, rng):
    "One more author: three in four edits of one author, and half of those of another one, as far as they do not touch"
    first, second = rng.sample(known, 2)
    made = [edit for edit in first if rng.random() < .75]
    apart = lambda edit: all(edit[1] < start or end < edit[0] for start, end, *_ in made)
    return sorted(made + [edit for edit in second if rng.random() < .5 and apart(edit)], key=lambda edit: edit[:2])


def renaming(frequency, copy):
    """Words change places with words that are about as frequent

    So no text of one copy is one of another, and equal words stay equal."""
    rng, classes, renamed = random.Random(copy), {}, {}
    for word, times in frequency.items():
        classes.setdefault(times.bit_length() if word.isalpha() else word, []).append(word)
    for words in classes.values(): renamed |= zip(words, rng.sample(words, len(words)), strict=True)
    return renamed


def endless(annotators, systems):
    "The sentences of CoNLL-2014 with edits of that many authors, then renamed copies of them"
    rng = random.Random(0)
    more = lambda own, size, known: [*own[:size], *(another(known, rng) for _ in range(size - len(own)))]
    base = [(tokens, more(known[:2], annotators, known) + more(known[2:], systems, known)) for tokens, known in authors()]
    texts = (words for tokens, edits in base for words in (tokens, *(e[3] for some in edits for e in some)))
    frequency = Counter(chain.from_iterable(texts))
    for copy in count():
        new = renaming(frequency, copy) if copy else {word: word for word in frequency}
        named = lambda words, new=new: tuple([new[word] for word in words])
        for tokens, edits in base: yield named(tokens), [[(*edit[:3], named(edit[3])) for edit in some] for some in edits]


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


def sentence(tokens, several):
    "A Sentence with the edits of several annotators"
    nothing = [(-1, -1, "noop", ("-NONE-",))]
    return Sentence(tokens, tuple(Edit(*edit, a, 0) for a, edits in enumerate(several) for edit in edits or nothing))


def written(axis, value, folder):
    "The corpus of one point as texts and as M2 files: the names of its files, its draws and sentences"
    annotators, systems = value if axis == "references" else 2, value if axis == "systems" else 1 + (axis == "draws")
    lines = {"sentences": value, "words": max(1, WORDS // value)}.get(axis, SENTENCES)
    R, H = [f"R{i}" for i in range(annotators)], [f"H{i}" for i in range(systems)]
    M = [f"{name}.m2" for name in H]
    sentences = endless(annotators, systems)
    folder.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(folder / name, "w", encoding="utf-8")) for name in ("S", *R, *H, "gold.m2", *M)]
        for tokens, edits in islice(joined(sentences, value) if axis == "words" else sentences, lines):
            authored = [sentence(tokens, [some]) for some in edits]
            texts = [" ".join(apply_edits(tokens, one.edits)) + "\n" for one in (sentence(tokens, [[]]), *authored)]
            judged = sentence(tokens, edits[:annotators]), *authored[annotators:]
            marked = ["\n".join([*m2_lines([one]), ""]) for one in judged]
            for file, text in zip(files, texts + marked, strict=True): file.write(text)
    return {"R": " ".join(R), "H": " ".join(H), "M": " ".join(M), "B": value if axis == "draws" else 10, "lines": lines}


def series(axis):
    "For each metric its points [value, seconds, MB], and what was refused behind the last: [value, seconds, message]"
    round_2 = lambda x: round(x, 1 - int(log10(x) // 1)) if x else 0
    running = [*DRAWN] if axis == "draws" else [name for name in COMMANDS if name == "GLEU" or name not in DRAWN]
    rows = {name: {"metric": name, "axis": axis, "points": []} for name in running}
    with tempfile.TemporaryDirectory() as place:
        warm = written(axis, AXES[axis][0], Path(place) / "warm")
        for value in AXES[axis]:
            names = written(axis, value, Path(place) / "point") if running else {}
            for name in [*running]:
                status, spent, error, memory = point(COMMANDS[name], warm, names, place)
                say(f"{axis:10} {value:>9,} {name:22} {spent:8.3f} s {memory:6.0f} MB {error if status else ''}")
                message = error.partition("error: ")[2] or f"given up after {KILLED} s"
                each = names["lines"] if axis == "words" else 1
                if status: rows[name]["refused"] = [value, round_2(spent), message]
                else: rows[name]["points"].append([value, round_2(spent / each), round(memory, -1)])
                if status or spent > MOST_SECONDS or memory > MOST_MEMORY: running.remove(name)
    return list(rows.values())


def growth(axes):
    "Measure how each metric grows along axes, and write it"
    measured = [row for axis in axes for row in series(axis)]
    before = json.loads(COSTS.read_text(encoding="utf-8"))["series"]
    rows = {(row["axis"], row["metric"]): row for row in before + measured}
    lines = ",\n".join(json.dumps(row) for axis in AXES for (of, _), row in rows.items() if of == axis)
    head = f'"machine": "{machine()}", "corpus": "CoNLL-2014"'
    COSTS.write_text(f'{{{head}, "series": [\n{lines}\n]}}\n', encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=5, help="pairs of runs of each race (5)")
    parser.add_argument("names", nargs="+", metavar="NAME", choices=[*SECTIONS, *AXES], help="a section or an axis")
    args = parser.parse_args()
    if "GECNB_DATA" in os.environ: os.environ["GECNB_DATA"] = os.path.abspath(os.environ["GECNB_DATA"])
    if sections := [name for name in args.names if name in SECTIONS]: bench(sections, args.runs)
    if axes := [name for name in args.names if name in AXES]: growth(axes)


if __name__ == "__main__": main()
