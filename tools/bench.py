"""Time gecmetrics_nb against the programs people use, in one run, and write the figures to nbs/benchmark.json: make bench

Each pair is checked first: both must print or return the same numbers. Ours and theirs run in turn; medians of the ratios.
The corpus is CoNLL-2014 (GECNB_DATA, ../shared/data or the network); with --generated, an invented one of its size.
GECNB_GREEN: the program `green` where it is installed; it is on no registry, and is timed only if this is set.
"""
from functools import partial
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from statistics import median
import argparse
import contextlib
import gc
import json
import os
import sys
import tempfile
import time

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from bench_scale import (generated, gecnb, growth, job_rows, machine, one_and_several, paired_bootstrap, process, ray_rows,
                         resampling, resampling_growth, written)
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.corpora.conll14 import CONLL14, conll14
from gecmetrics_nb.corpora.registry import fetch
from gecmetrics_nb.core.metric import score_corpus, score_sentences
from gecmetrics_nb.metrics.bleu import BLEU
from gecmetrics_nb.metrics.cleme import CLEME, EditCorpus, chunk_table
from gecmetrics_nb.metrics.errant import Comparing, _of_block, compare_files, compare_lines, keyed_file
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.metrics.google_gleu import GoogleGLEU
from gecmetrics_nb.metrics.green import GREEN
from gecmetrics_nb.metrics.m2 import GoldCorpus, read_gold
from gecmetrics_nb.metrics.meteor import METEOR

SYSTEMS = CONLL14[:12]
# Seconds of a processor that m2scorer 3.2 took under Python 2.7 where its counts were made that ours are held to
# (tests/metrics/test_maxmatch.py), on a nearly idle machine: the program is on no registry, and does not run here
M2SCORER = {"program": "m2scorer 3.2, another run", "seconds": 310}
# Seconds that CLEME's program took in process for one output, its four tables, where its numbers were made that ours are held to
# (tests/metrics/test_cleme.py): it needs spaCy, ERRANT and BERTScore to be loaded
CLEME_PROGRAM = {"dependent": 5.2, "independent": 8.6}


def stripped(corpus):
    "Lines without blanks at their ends, as whitespace must not decide a race"
    strip = lambda column: [line.strip() for line in column]
    return Corpus(strip(corpus.sources), map(strip, corpus.references), map(strip, corpus.systems), system_names=SYSTEMS)


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
    for name, command, flags, call in (
            ("corpus GLEU+, 500 draws", "gleu", "-d 4 -f", corpus_of(GLEU())),
            ("corpus GLEU+, best reference", "gleu", "-d 4 -m", corpus_of(best)),
            ("sentence GLEU+", "sgleu", "-d 4", sentences_of(GLEU())),
            ("mean of sentence GLEU+", "mgleu", "-d 4", sentences_of(GLEU())),
            ("GLEU+ of characters, n = 6", "gleu", "-d 4 -m -n 6 -t char", corpus_of(characters))):
        arguments = [*files, *flags.split()]
        texts = {a for a in files if not a.startswith("-")}
        fresh = [sys.executable, "-c", WARM.format(command=command, files=texts), *arguments]
        theirs = [sys.executable, "-c", f"from gleu.main import {command}; {command}()", *arguments]
        yield dict(name=name, program="gleu 1.1.0", ours=call, fresh=fresh, whole=(gecnb(command, *arguments), theirs))
    if "GECNB_GREEN" in os.environ:
        arguments = [*files, *"-d 4 -b 2".split()]
        theirs = [os.environ["GECNB_GREEN"], *arguments]
        yield dict(name="corpus GREEN, beta 2", program="green", whole=(gecnb("green", *arguments), theirs))


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
    def whole(command, script): return gecnb(command, *names, "-d", "4"), [sys.executable, "-c", script, *files]
    yield dict(name="Google-GLEU", program="NLTK", whole=whole("google-gleu", NLTK_PROCESS),
               ours=lambda: [s.value for s in score_corpus(GoogleGLEU(), GoogleGLEU().count(corpus))],
               theirs=lambda: [gleu_score.corpus_gleu(by_sentence, s) for s in systems])
    options = dict(tokenize="none", smooth_method="none", force=True)
    yield dict(name="BLEU", program="sacrebleu", whole=whole("bleu", SACREBLEU_PROCESS),
               ours=lambda: [100 * s.value for s in score_corpus(BLEU(), BLEU().count(corpus))],
               theirs=lambda: [sacrebleu.corpus_bleu(s, corpus.references, **options).score for s in corpus.systems])
    helper = NoHelp()
    greedy = lambda: [max(meteor_score.single_meteor_score(r, h, stemmer=helper, wordnet=helper, preprocess=str) for r in rs)
                      for s in systems for h, rs in zip(s, by_sentence, strict=True)]
    # NLTK's alignment is greedy: one sentence in five gets a lower score for it. It is checked that three in four are equal
    yield dict(name="METEOR, every pair", program="NLTK, greedy", theirs=greedy, share=.75,
               ours=lambda: score_sentences(METEOR(), METEOR().count(corpus)).ravel().tolist())


SEVERAL = """
import subprocess, sys
program, gold, *paths = sys.argv[1:]
for path in paths:
    print(path.split("/")[-1].removesuffix(".errant"), flush=True)
    subprocess.run([program, "-hyp", path, "-ref", gold, "-cat", "3"], check=True)
"""


def errant(find):
    "errant_compare, of one system and of twelve: as users run it; in process its module by its path, which loads no spaCy"
    if not find_spec("errant"): return
    program = Path(find_spec("errant").submodule_search_locations[0]) / "commands/compare_m2.py"
    command = Path(sys.executable).parent / "errant_compare"
    spec = spec_from_file_location("compare_m2", program)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    gold, *paths = (str(find(f"conll14/errant/{name}.errant")) for name in ("conll14", *(f"conll14-{system}" for system in SYSTEMS[:12])))
    def theirs(path):
        sys.argv = ["errant_compare", "-hyp", path, "-ref", gold, "-cat", "3"]
        with contextlib.redirect_stdout(StringIO()) as out: module.main()
        return out.getvalue()
    def ours(paths):
        _of_block.cache_clear() # which a command of its own finds empty, too
        wanted = keyed_file(gold, Comparing())
        return "".join("\n".join(compare_lines(compare_files(keyed_file(path, wanted.how), wanted), 3)) + "\n" for path in paths)
    for name, some in ("one system", paths[:1]), ("twelve systems", paths):
        others = [str(command), "-hyp", *some, "-ref", gold, "-cat", "3"] if len(some) == 1 else [sys.executable, "-c", SEVERAL, str(command), gold, *some]
        yield dict(name=f"ERRANT's compare, {name}", program="errant 3.0.2", ours=partial(ours, some), theirs=lambda some=some: "".join(map(theirs, some)),
                   whole=(gecnb("errant", "-g", gold, "-o", *some, "-cat", "3"), others), tokens=None)


# --- how it is timed ------------------------------------------------------------------------------------------------


def seconds(function):
    gc.collect()
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def same(ours, theirs, share=1.):
    if isinstance(ours, str): return ours == theirs
    close = [abs(a - b) < 1e-9 * max(1, abs(b)) for a, b in zip(ours, theirs, strict=True)]
    return sum(close) >= share * len(close)


def in_turn(theirs, ours, runs, most):
    "Pairs of what both give, `runs` of them, or two where that would take more than `most` seconds"
    start, pairs = time.perf_counter(), []
    while len(pairs) < runs and (len(pairs) < 2 or time.perf_counter() - start < most): pairs.append((theirs(), ours()))
    return pairs


def ratios(pairs):
    "Medians of pairs of seconds"
    return {"theirs": median(a for a, _ in pairs), "ours": median(b for _, b in pairs), "ratio": median(a / b for a, b in pairs),
            "ratios": [round(a / b, 2) for a, b in pairs]}


def race_inside(job, folder, runs, most):
    "Ratios of theirs, in this process or of a program's main function in a process of its own, to our library call in this one"
    if "fresh" in job: # that both give the same is checked with whole processes
        job["ours"]()
        theirs = lambda: float(process(job["fresh"], folder)["told"])
    else:
        if not same(job["ours"](), job["theirs"](), job.get("share", 1.)): sys.exit(f"{job['name']}: the numbers differ")
        theirs = lambda: seconds(job["theirs"])[0]
    return ratios(in_turn(theirs, lambda: seconds(job["ours"])[0], runs, most))


def race_processes(ours, theirs, folder, runs, most):
    "Ratios of theirs to ours, whole processes, and peak memory"
    process(ours, folder), process([theirs[0], "-c", "pass"] if theirs[0] == sys.executable else theirs, folder) # both from a warm disk
    pairs = in_turn(lambda: process(theirs, folder), lambda: process(ours, folder), runs, most)
    if any(a["output"] != b["output"] for a, b in pairs): sys.exit(f"{' '.join(ours[2:4])}: the outputs differ")
    memory = {f"memory_{side}": median(pair[k]["memory"] for pair in pairs) for k, side in enumerate(("theirs", "ours"))}
    return {**ratios([(a["seconds"], b["seconds"]) for a, b in pairs]), **memory}


def raced(job, folder, tokens, args, say):
    "One row of the tables"
    inside = race_inside(job, folder, args.runs, args.most) if "ours" in job else None
    whole = race_processes(*job["whole"], folder, args.runs, args.most) if "whole" in job else None
    line = lambda r: f"{r['theirs']:9.3f} s /{r['ours']:7.3f} s ={r['ratio']:7.1f}x" if r else ""
    memory = f"{whole['memory_theirs']:6.0f} /{whole['memory_ours']:4.0f} MiB" if whole else ""
    say(f"{job['name'] + ', ' + job['program']:46}{line(inside):>34}{line(whole):>34}{memory}")
    rate = tokens / inside["ours"] / 1e6 if inside and "tokens" not in job else None
    return {"name": job["name"], "program": job["program"], "in_process": inside, "whole": whole,
            "million_tokens_per_second": rate}


def m2_row(gold, files, folder, say):
    "M2 of all systems as a whole process in one, against the seconds of another run of m2scorer"
    found = process(gecnb("m2", "-g", gold, "-o", *files, "--jobs", "1"), folder)
    ratio = M2SCORER["seconds"] / found["cpu"]
    say(f"M2: {found['cpu']:.2f} s of a processor; {M2SCORER['program']}: {M2SCORER['seconds']} s, {ratio:.0f} times")
    return {**M2SCORER, "ours": found["cpu"], "ratio": ratio}


def cleme_rows(find, runs, say):
    "CLEME of one output from two files, the four tables that its program prints, in process; seconds of a processor, against those of another run"
    gold, output = (str(find(f"conll14/errant/{name}.errant")) for name in ("conll14", "conll14-AMU"))
    def tables(assumption):
        metrics = [CLEME(assumption=assumption, weights=weights) for weights in ("none", "length")]
        counts = list(metrics[0].count(EditCorpus(gold, {"AMU": output})))
        return [chunk_table(metric, counts, per) for metric in metrics for per in ("corpus", "mean")]
    for assumption, theirs in CLEME_PROGRAM.items():
        times = []
        for _ in range(max(runs, 5)):
            start = time.process_time()
            tables(assumption)
            times.append(time.process_time() - start)
        ours = median(times)
        say(f"CLEME, {assumption}: {ours:.3f} s of a processor; its program, another run: {theirs} s, {theirs / ours:.0f} times")
        yield {"assumption": assumption, "seconds": theirs, "ours": ours, "ratio": theirs / ours}


def profile(corpus, runs):
    "Seconds of the stages of sentence GLEU+ in process; and what numbering the words would take with a string and a dictionary look-up for each"
    from gecmetrics_nb.core.counts import batches as chunks_of
    from gecmetrics_nb.core.token_ids import _ids_by_dictionary, token_ids
    metric, batches = GLEU(), [texts for texts, *_ in chunks_of(corpus, "word")]
    stages = {"different texts": lambda: list(chunks_of(corpus, "word")), "texts to numbers": lambda: [token_ids(texts, "word") for texts in batches],
              "by dictionary": lambda: [_ids_by_dictionary([t.split() for t in texts]) for texts in batches], "counting": lambda: list(metric.count(corpus)),
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


STARTS = {"python": ("-c", "pass"), "numpy": ("-c", "import numpy"), "import": ("-c", "import gecmetrics_nb"),
          "help": ("-m", "gecmetrics_nb", "--help"),
          "all that sentence scores load": ("-c", "import gecmetrics_nb.cli.scoring, gecmetrics_nb.metrics.gleu")}


def starts(runs, folder, key):
    "Seconds until Python, NumPy and the package are there, or their memory; as gecnb, which gives NumPy one thread"
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        return {name: median(process([sys.executable, *command], folder)[key] for _ in range(max(runs, 9)))
                for name, command in STARTS.items()}
    finally: del os.environ["OPENBLAS_NUM_THREADS"]


# --- all of it ------------------------------------------------------------------------------------------------------


def sections(corpus, gold, folder, args, say):
    "What is measured, by name; each is a function to what is written"
    names = ["S", "R0", "R1", *[f"H{i}" for i in range(12)]]
    files, tokens = ["-s", "S", "-r", "R0", "R1", "-o", *names[3:]], token_count(corpus)
    chosen = lambda job: not args.jobs or "races" in args.jobs or any(j in job["name"] for j in args.jobs)
    edits = GoldCorpus(read_gold(gold), corpus.systems, corpus.system_names) if gold else None
    jobs = lambda: (*programs(corpus, files), *libraries(corpus, files), *(errant(fetch) if gold else ()))
    gleu, green = (lambda m=m: score_corpus(m, m.count(corpus)) for m in (GLEU(references="max"), GREEN()))
    return {
        "races": lambda: [raced(job, folder, tokens, args, say) for job in jobs() if chosen(job)],
        "m2": lambda: m2_row(gold, names[3:], folder, say) if gold else None,
        "cleme": lambda: list(cleme_rows(fetch, args.runs, say)) if gold else None,
        "green_to_gleu": lambda: median(b / a for a, b in in_turn(lambda: seconds(gleu)[0], lambda: seconds(green)[0], args.runs, 60)),
        "start": lambda: starts(args.runs, folder, "seconds"),
        "start_memory": lambda: starts(1, folder, "memory"),
        "profile": lambda: profile(corpus, args.runs),
        "orientation": lambda: orientation(corpus),
        "processes": lambda: list(one_and_several(job_rows(corpus, gold, folder), folder, args.runs, say)),
        "ray": lambda: list(ray_rows(folder, 104_960, say)) if find_spec("ray") else None,
        "resampling": lambda: list(resampling(corpus, edits, say)),
        "resampling_growth": lambda: list(resampling_growth(corpus, say)),
        "paired_bootstrap": lambda: paired_bootstrap(corpus, 1 if args.quick else 3, say),
        "growth": lambda: growth(corpus, folder, args.quick, say)}


def token_count(corpus):
    return sum(len(line.split()) for column in (corpus.sources, *corpus.references, *corpus.systems) for line in column)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=5, help="pairs of runs of each race (5)")
    parser.add_argument("--most", type=float, default=30, help="seconds past which a race has two pairs (30)")
    parser.add_argument("--generated", action="store_true", help="an invented corpus instead of CoNLL-2014")
    parser.add_argument("--quick", action="store_true", help="growth to 131 thousand sentences only")
    parser.add_argument("-o", "--out", default=ROOT / "nbs/benchmark.json", type=Path, help="file for the figures")
    parser.add_argument("jobs", nargs="*", help="sections, or parts of the names of races (all; nothing is written for a selection)")
    return parser.parse_args()


def main():
    args, begun = arguments(), time.perf_counter()
    say = lambda *words: print(*words, flush=True)
    if "GECNB_DATA" in os.environ: os.environ["GECNB_DATA"] = os.path.abspath(os.environ["GECNB_DATA"])
    corpus = generated() if args.generated else stripped(conll14(systems=SYSTEMS))
    gold = None if args.generated else str(fetch("conll14/official-2014.combined.m2").resolve())
    results = {"machine": machine(), "runs": args.runs,
               "corpus": "generated" if args.generated else "CoNLL-2014", "tokens": token_count(corpus)}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for prefix, columns in ("S", [corpus.sources]), ("R", corpus.references), ("H", corpus.systems):
            for name, column in zip(written(columns, prefix, folder), columns, strict=True):
                if prefix == "S": (folder / "S0").rename(folder / "S"); name = "S"
                (folder / f"{name}.3").write_text("".join(line + "\n" for line in column[:3]), encoding="utf-8")
        os.chdir(folder)
        for name, measure in sections(corpus, gold, folder, args, say).items():
            if args.jobs and name not in (*args.jobs, "races"): continue
            say(f"{name}, after {time.perf_counter() - begun:.0f} s")
            results[name] = measure()
            if isinstance(results[name], dict): say(" ", ", ".join(f"{k} {v:.3f}" for k, v in results[name].items() if isinstance(v, float)))
        os.chdir(ROOT)
    if args.jobs: return
    args.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    say(f"written to {args.out}, after {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__": main()
