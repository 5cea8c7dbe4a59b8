"""Time gecmetrics_nb against the programs people use, in one run, and write the figures to nbs/benchmark.json: make bench

Each pair is checked first: both must print or return the same numbers. Ours and theirs run in turn; medians of the ratios.
The corpus is CoNLL-2014 (GECNB_DATA, ../shared/data or the network); with --generated, an invented one of its size.
"""
from pathlib import Path
from statistics import median
import argparse
import gc
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from gecmetrics_nb.data import CONLL14, conll14
from gecmetrics_nb.metrics.bleu import BLEU
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.google_gleu import GoogleGLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.metrics.meteor import METEOR
from gecmetrics_nb.metric import score_corpus, score_sentences
from gecmetrics_nb.corpus import Corpus

SYSTEMS = CONLL14[:12]


def generated(sentences=1312, systems=12, references=2, length=23, seed=0):
    "An invented corpus: Zipf's words, texts that are the source with every tenth word changed"
    rng = random.Random(seed)
    words = rng.choices(range(1, 6000), [1 / r for r in range(1, 6000)], k=sentences * length)
    edit = lambda line: " ".join(w if rng.random() < .93 else f"x{rng.randrange(3000)}" for w in line.split())
    sources = [" ".join(f"w{w}" for w in words[i * length:(i + 1) * length]) for i in range(sentences)]
    return Corpus(sources, [[edit(s) for s in sources] for _ in range(references)], [[s if rng.random() < .4 else edit(s) for s in sources] for _ in range(systems)])


def stripped(corpus):
    "Lines without blanks at their ends, as whitespace must not decide a race"
    strip = lambda column: [line.strip() for line in column]
    return Corpus(strip(corpus.sources), map(strip, corpus.references), map(strip, corpus.systems))


# --- what is run ----------------------------------------------------------------------------------------------------


# gleu in a fresh process, timed after it has scored three sentences: what it loads at the first call does not count, and what it remembers
# of texts that it has counted does not help it
WARM = """
import contextlib, io, sys, time
import gleu.main
arguments = sys.argv[1:]
def run(arguments):
    sys.argv = ["program", *arguments]
    gleu.main.{command}()
with contextlib.redirect_stdout(io.StringIO()): run([a + ".3" if a in {files} else a for a in arguments])
start = time.perf_counter()
run(arguments)
print(time.perf_counter() - start, file=sys.stderr)
"""


def programs(corpus, files):
    "Pairs that print the same: name, the program, our subcommand, flags, and the library call behind it"
    corpus_of = lambda metric: lambda: score_corpus(metric, metric.count(corpus))
    sentences_of = lambda metric: lambda: score_sentences(metric, metric.count(corpus))
    best, characters = GLEU(references="max"), GLEU(references="max", order=6, unit="char")
    for name, command, flags, call in (("corpus GLEU+, 500 draws", "gleu", "-d 4 -f", corpus_of(GLEU())), ("corpus GLEU+, best reference", "gleu", "-d 4 -m", corpus_of(best)),
                                       ("sentence GLEU+", "sgleu", "-d 4", sentences_of(GLEU())), ("mean of sentence GLEU+", "mgleu", "-d 4", sentences_of(GLEU())),
                                       ("GLEU+ of characters, n = 6", "gleu", "-d 4 -m -n 6 -t char", corpus_of(characters))):
        arguments = [*files, *flags.split()]
        texts = {a for a in files if not a.startswith("-")}
        yield dict(name=name, program="gleu 1.1.0", ours=call, fresh=[sys.executable, "-c", WARM.format(command=command, files=texts), *arguments],
                   whole=([sys.executable, "-m", "gecmetrics_nb", command, *arguments],
                          [sys.executable, "-c", f"from gleu.main import {command}; {command}()", *arguments]))


NLTK_PROCESS = """
import sys
from nltk.translate.gleu_score import corpus_gleu
read = lambda p: [line.split() for line in open(p, encoding="utf-8")]
references = list(zip(*map(read, sys.argv[1:3])))
for name in sys.argv[3:]: print(name, f"{100 * corpus_gleu(references, read(name)):.4f}", sep="\\t")
"""
SACREBLEU_PROCESS = """
import sys
from sacrebleu import corpus_bleu
read = lambda p: open(p, encoding="utf-8").read().splitlines()
references = list(map(read, sys.argv[1:3]))
for name in sys.argv[3:]: print(name, f"{corpus_bleu(read(name), references, tokenize='none', smooth_method='none', force=True).score:.4f}", sep="\\t")
"""


class NoHelp:
    "No stems and no synonyms, so that NLTK's METEOR matches words as they are"
    def synsets(self, word): return []
    def stem(self, word): return word


def libraries(corpus, names):
    "Pairs that return nearly the same numbers from texts in memory"
    import sacrebleu
    from nltk.translate import gleu_score, meteor_score
    tokens = lambda column: [line.split() for line in column]
    references, systems = [tokens(r) for r in corpus.references], [tokens(s) for s in corpus.systems]
    by_sentence = list(zip(*references, strict=True))
    files = [*names[3:5], *names[6:]]
    yield dict(name="Google-GLEU", program="NLTK", ours=lambda: [s.value for s in score_corpus(GoogleGLEU(), GoogleGLEU().count(corpus))],
               theirs=lambda: [gleu_score.corpus_gleu(by_sentence, s) for s in systems],
               whole=([sys.executable, "-m", "gecmetrics_nb", "google-gleu", *names, "-d", "4"], [sys.executable, "-c", NLTK_PROCESS, *files]))
    yield dict(name="BLEU", program="sacrebleu", ours=lambda: [100 * s.value for s in score_corpus(BLEU(), BLEU().count(corpus))],
               theirs=lambda: [sacrebleu.corpus_bleu(s, corpus.references, tokenize="none", smooth_method="none", force=True).score for s in corpus.systems],
               whole=([sys.executable, "-m", "gecmetrics_nb", "bleu", *names, "-d", "4"], [sys.executable, "-c", SACREBLEU_PROCESS, *files]))
    helper = NoHelp()
    greedy = lambda: [max(meteor_score.single_meteor_score(r, h, stemmer=helper, wordnet=helper, preprocess=str) for r in rs)
                      for s in systems for h, rs in zip(s, by_sentence, strict=True)]
    # NLTK's alignment is greedy: one sentence in five gets a lower score for it. It is checked that three in four are equal
    yield dict(name="METEOR, every pair", program="NLTK, greedy", ours=lambda: score_sentences(METEOR(), METEOR().count(corpus)).ravel().tolist(), theirs=greedy, share=.75)


# --- how it is timed ------------------------------------------------------------------------------------------------


def seconds(function):
    gc.collect()
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


# A small process starts the one to be measured, since memory is counted from that of the process it was forked from
LAUNCH = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(time.perf_counter() - start, usage.ru_maxrss / 1024, status, file=sys.stderr)
"""


def process(command, folder):
    "Seconds, peak memory in MiB, output and last line of standard error but one of a process"
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCH, *command], cwd=folder, capture_output=True)
    *told, figures = done.stderr.decode().strip().split("\n")
    spent, memory, status = map(float, figures.split())
    if status: sys.exit(f"{' '.join(command[:4])} ... failed: {done.stderr.decode()[-500:]}")
    return spent, memory, done.stdout, told[-1] if told else ""


def same(ours, theirs, share=1.):
    close = [abs(a - b) < 1e-9 * max(1, abs(b)) for a, b in zip(ours, theirs, strict=True)]
    return sum(close) >= share * len(close)


def race_fresh(ours, theirs, folder, runs):
    "Ratios of a program's main function, in a process of its own, to our library call in this one; that both give the same is checked with whole processes"
    ours()
    times = [(float(process(theirs, folder)[3]), seconds(ours)[0]) for _ in range(runs)]
    return {"theirs": median(a for a, _ in times), "ours": median(b for _, b in times), "ratio": median(a / b for a, b in times), "ratios": [round(a / b, 2) for a, b in times]}


def race(job, runs):
    "Ratios of theirs to ours, in this process"
    if not same(job["ours"](), job["theirs"](), job.get("share", 1.)): sys.exit(f"{job['name']}: the numbers differ")
    pairs = [(seconds(job["theirs"])[0], seconds(job["ours"])[0]) for _ in range(runs)]
    return {"theirs": median(a for a, _ in pairs), "ours": median(b for _, b in pairs), "ratio": median(a / b for a, b in pairs),
            "ratios": [round(a / b, 2) for a, b in pairs]}


def race_processes(ours, theirs, folder, runs):
    "Ratios of theirs to ours, whole processes, and peak memory"
    process(ours, folder), process([*theirs[:2], "pass"], folder) # both from a warm disk
    pairs = [(process(theirs, folder), process(ours, folder)) for _ in range(runs)]
    if any(a[2] != b[2] for a, b in pairs): sys.exit(f"{' '.join(ours[2:4])}: the outputs differ")
    return {"theirs": median(a[0] for a, _ in pairs), "ours": median(b[0] for _, b in pairs), "ratio": median(a[0] / b[0] for a, b in pairs),
            "ratios": [round(a[0] / b[0], 2) for a, b in pairs], "memory_theirs": median(a[1] for a, _ in pairs), "memory_ours": median(b[1] for _, b in pairs)}


def profile(corpus, runs):
    "Seconds of the stages of sentence GLEU+ in process; and what numbering the words would take with a string and a dictionary look-up for each"
    from gecmetrics_nb.ids import _ids_by_dictionary, token_ids
    from gecmetrics_nb.count import chunks as chunks_of
    metric, chunks = GLEU(), [texts for texts, *_ in chunks_of(corpus, "word")]
    stages = {"different texts": lambda: list(chunks_of(corpus, "word")), "texts to numbers": lambda: [token_ids(texts, "word") for texts in chunks],
              "by dictionary": lambda: [_ids_by_dictionary([t.split() for t in texts]) for texts in chunks], "counting": lambda: list(metric.count(corpus)),
              "sentence scores": lambda: score_sentences(metric, metric.count(corpus)), "corpus score, 500 draws": lambda: score_corpus(metric, metric.count(corpus))}
    return {name: median(seconds(stage)[0] for _ in range(max(runs, 5))) for name, stage in stages.items()}


def orientation(corpus):
    "Programs that compute something else, or cut words in another way: millions of tokens a second, for orientation"
    import bleuscore
    from rouge_score_rs import RougeScorer
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    pairs = [(r, h) for s in corpus.systems for column in corpus.references for r, h in zip(column, s, strict=True)]
    by_sentence = [list(r) for r in zip(*corpus.references, strict=True)]
    works = {"bleuscore (Rust), BLEU": (lambda: [bleuscore.compute(by_sentence, list(s)) for s in corpus.systems], (*corpus.references, *corpus.systems)),
             "rouge-score-rs (Rust), ROUGE-1, -2, -L": (lambda: [scorer.score(r, h) for r, h in pairs], [*corpus.references] * len(corpus.systems) + [*corpus.systems] * len(corpus.references))}
    return {name: sum(len(line.split()) for column in columns for line in column) / median(seconds(work)[0] for _ in range(3)) / 1e6 for name, (work, columns) in works.items()}


GROWTH = """
import json, sys, time
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metric import score_corpus
from gecmetrics_nb.stream import read_pieces
source, references, systems, order = json.loads(sys.argv[1])
metric = GLEU(references="max", order=order)
start = time.perf_counter()
score_corpus(metric, (c for piece in read_pieces(source, references, systems) for c in metric.count(piece)))
print(time.perf_counter() - start)
"""


def growth(corpus, folder, quick, say):
    "Seconds and peak memory of the best-reference GLEU+ from files, as one thing grows"
    def write(columns, prefix, copies=1):
        names = []
        for i, column in enumerate(columns):
            names.append(str(folder / f"{prefix}{i}"))
            with open(names[-1], "w", encoding="utf-8") as file:
                text = "".join(line + "\n" for line in column)
                for _ in range(copies): file.write(text)
        return names
    def run(axis, value, columns, order=4, copies=1):
        source, references, systems = columns
        names = write([source], "s", copies)[0], write(references, "r", copies), write(systems, "h", copies)
        _, memory, out, _ = process([sys.executable, "-c", GROWTH, json.dumps([*names, order])], folder)
        spent = float(out)
        tokens = copies * sum(len(line.split()) for column in ([source], references, systems) for lines in column for line in lines)
        say(f"  {axis} {value:>9,}: {spent:8.2f} s {memory:6.0f} MiB {tokens / spent / 1e6:6.2f} million tokens/s")
        return {"axis": axis, "value": value, "seconds": spent, "memory": memory, "tokens": tokens}
    S, R, H = corpus.sources, corpus.references, corpus.systems
    one = (S, R, H[:1])
    rows = [run("sentences", len(S) * k, one, copies=k) for k in ((1, 10, 100) if quick else (1, 10, 100, 762))]
    rows += [run("order", n, (S, R, H), order=n) for n in range(1, 11)]
    many = generated(len(S), 50, 18)
    rows += [run("references", r, (many.sources, many.references[:r], many.systems[:12])) for r in (1, 2, 4, 8, 18)]
    rows += [run("systems", h, (many.sources, many.references[:2], many.systems[:h])) for h in (1, 5, 12, 25, 50)]
    for length in 30, 300, 3000, 30_000:
        long = generated(max(1, 60_000 // length), 2, 2, length)
        rows.append(run("line length", length, (long.sources, long.references, long.systems)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=5, help="pairs of runs of each job (5)")
    parser.add_argument("--long", type=int, help="pairs of runs of the job with 500 draws, of which gleu takes most of a minute each (as the others)")
    parser.add_argument("--generated", action="store_true", help="an invented corpus instead of CoNLL-2014")
    parser.add_argument("--quick", action="store_true", help="growth to 131 thousand sentences only")
    parser.add_argument("-o", "--out", default=ROOT / "nbs/benchmark.json", type=Path, help="file for the figures")
    parser.add_argument("jobs", nargs="*", help="parts of the names of jobs (all; nothing is written for a selection)")
    args = parser.parse_args()
    say = lambda *words: print(*words, flush=True)
    corpus = generated() if args.generated else stripped(conll14(systems=SYSTEMS))
    names = ["S", "R0", "R1", *[f"H{i}" for i in range(12)]]
    tokens = sum(len(line.split()) for column in (corpus.sources, *corpus.references, *corpus.systems) for line in column)
    results = {"machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}", "runs": args.runs,
               "corpus": "generated" if args.generated else "CoNLL-2014", "tokens": tokens, "races": []}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, column in zip(names, (corpus.sources, *corpus.references, *corpus.systems[:12]), strict=True):
            (folder / name).write_text("".join(line + "\n" for line in column), encoding="utf-8")
            (folder / f"{name}.3").write_text("".join(line + "\n" for line in column[:3]), encoding="utf-8")
        os.chdir(folder)
        files = ["-s", "S", "-r", "R0", "R1", "-o", *names[3:]]
        say(f"{'':46}{'in process':>34}{'whole process':>34}{'memory':>14}")
        for job in (*programs(corpus, files), *libraries(corpus, files)):
            if args.jobs and not any(j in job["name"] for j in args.jobs): continue
            runs = args.long or args.runs if "500 draws" in job["name"] else args.runs
            inside = race_fresh(job["ours"], job["fresh"], folder, runs) if "fresh" in job else race(job, runs)
            whole = race_processes(*job["whole"], folder, runs) if "whole" in job else None
            results["races"].append({"name": job["name"], "program": job["program"], "in_process": inside, "whole": whole, "million_tokens_per_second": tokens / inside["ours"] / 1e6})
            line = lambda r: f"{r['theirs']:9.3f} s /{r['ours']:7.3f} s ={r['ratio']:7.1f}x"
            say(f"{job['name'] + ', ' + job['program']:46}{line(inside):>34}" + (f"{line(whole):>34}{whole['memory_theirs']:6.0f} /{whole['memory_ours']:4.0f} MiB" if whole else ""))
        if args.jobs: return
        gleu, green = (lambda m=m: score_corpus(m, m.count(corpus)) for m in (GLEU(references="max"), GREEN()))
        pairs = [(seconds(gleu)[0], seconds(green)[0]) for _ in range(args.runs)]
        results["green_to_gleu"] = median(b / a for a, b in pairs)
        say(f"GREEN takes {results['green_to_gleu']:.2f} times as long as our own GLEU+")
        start = lambda *command: median(process([sys.executable, *command], folder)[0] for _ in range(max(args.runs, 5)))
        results["start"] = {name: start(*command) for name, command in
                            {"python": ("-c", "pass"), "numpy": ("-c", "import numpy"), "import": ("-c", "import gecmetrics_nb"), "help": ("-m", "gecmetrics_nb", "--help")}.items()}
        say("start: " + ", ".join(f"{k} {v:.3f} s" for k, v in results["start"].items()))
        results["profile"] = profile(corpus, args.runs)
        say("profile: " + ", ".join(f"{k} {v:.3f} s" for k, v in results["profile"].items()))
        results["orientation"] = orientation(corpus)
        say("orientation: " + ", ".join(f"{k} {v:.2f} million tokens/s" for k, v in results["orientation"].items()))
        results["growth"] = growth(corpus, folder, args.quick, say)
    args.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    say(f"written to {args.out}")


if __name__ == "__main__": main()
