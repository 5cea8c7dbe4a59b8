"What the benchmark measures beside races: growth, processes, Ray, and resampling; called by bench.py"
from pathlib import Path
from statistics import median
import json
import os
import platform
import random
import subprocess
import sys
import time

from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.metrics.bleu import BLEU
from gecmetrics_nb.metrics.registry import EDIT_METRICS, METRICS, metric_named
from gecmetrics_nb.core.parallel import processors
from gecmetrics_nb.stats.significance import compare_systems


def generated(sentences=1312, systems=12, references=2, length=23, seed=0):
    "An invented corpus: Zipf's words, texts that are the source with every tenth word changed"
    rng = random.Random(seed)
    words = rng.choices(range(1, 6000), [1 / r for r in range(1, 6000)], k=sentences * length)
    def edited(line): return " ".join(w if rng.random() < .93 else f"x{rng.randrange(3000)}" for w in line.split())
    sources = [" ".join(f"w{w}" for w in words[i * length:(i + 1) * length]) for i in range(sentences)]
    outputs = [[s if rng.random() < .4 else edited(s) for s in sources] for _ in range(systems)]
    return Corpus(sources, [[edited(s) for s in sources] for _ in range(references)], outputs)


def written(columns, prefix, folder, copies=1):
    "Columns as files, their names"
    names = [f"{prefix}{i}" for i in range(len(columns))]
    for name, column in zip(names, columns, strict=True):
        text = "".join(line + "\n" for line in column)
        with open(folder / name, "w", encoding="utf-8") as file:
            for _ in range(copies): file.write(text)
    return names


# --- one process, measured from outside ---------------------------------------------------------------------------

# A small process starts the one to be measured, since memory is counted from that of the process it was forked from
LAUNCH = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, status, file=sys.stderr)
"""


def process(command, folder):
    "Of a process and its children: seconds, seconds of processors, peak memory in MiB, output, last line of errors"
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCH, *command], cwd=folder, capture_output=True, check=False)
    *told, figures = done.stderr.decode().strip().split("\n")
    spent, cpu, memory, status = map(float, figures.split())
    if status: sys.exit(f"{' '.join(command[:4])} ... failed: {done.stderr.decode()[-500:]}")
    return {"seconds": spent, "cpu": cpu, "memory": memory, "output": done.stdout, "told": told[-1] if told else ""}


def machine(): return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def gecnb(*words): return [sys.executable, "-m", "gecmetrics_nb", *words]


# --- growth -------------------------------------------------------------------------------------------------------

GROWTH = """
import json, sys, time
from gecmetrics_nb.metrics.gleu import GLEU
from gecmetrics_nb.core.metric import score_corpus
from gecmetrics_nb.io.readers import read_pieces
source, references, systems, order = json.loads(sys.argv[1])
metric = GLEU(references="max", order=order)
start = time.perf_counter()
score_corpus(metric, (c for piece in read_pieces(source, references, systems) for c in metric.count(piece)))
print(time.perf_counter() - start)
"""


def grown(corpora, folder, say):
    "Seconds and peak memory of the best-reference GLEU+ from files, of (axis, value, corpus, order, copies)"
    for axis, value, corpus, order, copies in corpora:
        columns = [corpus.sources], corpus.references, corpus.systems
        sources, *texts = (written(c, prefix, folder, copies) for c, prefix in zip(columns, "gxy", strict=True))
        found = process([sys.executable, "-c", GROWTH, json.dumps([sources[0], *texts, order])], folder)
        tokens = copies * sum(len(line.split()) for column in columns for lines in column for line in lines)
        row = {"seconds": float(found["output"]), "memory": found["memory"], "tokens": tokens}
        rate = tokens / row["seconds"] / 1e6
        say(f"  {axis} {value:>9,}: {row['seconds']:8.2f} s {row['memory']:6.0f} MiB {rate:6.2f} million tokens/s")
        yield {"axis": axis, "value": value, **row}


def growth(corpus, folder, quick, say):
    "Rows for each axis"
    S, R = corpus.sources, corpus.references
    cut = lambda c, r, h: Corpus(c.sources, c.references[:r], c.systems[:h])
    many = generated(len(S), 50, 18)
    copies = (1, 10, 100) if quick else (1, 10, 100, 762)
    long = {length: generated(max(1, 60_000 // length), 2, 2, length) for length in (30, 300, 3000, 30_000)}
    rows = [("sentences", len(S) * k, cut(corpus, len(R), 1), 4, k) for k in copies]
    rows += [("order", n, corpus, n, 1) for n in range(1, 11)]
    rows += [("references", r, cut(many, r, 12), 4, 1) for r in (1, 2, 4, 8, 18)]
    rows += [("systems", h, cut(many, 2, h), 4, 1) for h in (1, 5, 12, 25, 50)]
    rows += [("line length", length, one, 4, 1) for length, one in long.items()]
    return list(grown(rows, folder, say))


# --- processes ----------------------------------------------------------------------------------------------------

def job_rows(corpus, gold, folder):
    "What is run with one process and with several: name, sentences, systems, command"
    columns = [corpus.sources], corpus.references, corpus.systems
    for copies in 1, 10, 40:
        S, R, H = (written(c, f"{p}{copies}-", folder, copies) for p, c in zip("srh", columns, strict=True))
        texts = ["-s", *S, "-r", *R, "-o", *H, "--per", "sentence"]
        yield "sentence GLEU+", len(corpus) * copies, len(H), ["gleu", *texts]
        yield "METEOR", len(corpus) * copies, len(H), ["meteor", *texts]
    if not gold: return
    for name, copies, systems in ("m2", 1, 1), ("i-measure", 1, 1), ("m2", 1, 12), ("m2", 3, 12), ("i-measure", 1, 12):
        file, H = folder / f"{copies}.m2", written(corpus.systems[:systems], f"m{copies}-", folder, copies)
        text = Path(gold).read_text(encoding="utf-8").rstrip("\n") + "\n\n"
        file.write_text(text * copies, encoding="utf-8")
        yield {"m2": "M2", "i-measure": "I-measure"}[name], len(corpus) * copies, systems, [name, "-g", str(file), "-o", *H]


def one_and_several(rows, folder, runs, say):
    "Seconds and processor seconds with one process and with as many as there are processors, in turn"
    many = processors()
    for name, sentences, systems, command in rows:
        pairs, spent = [], 0.
        while len(pairs) < runs and (spent < 15 or len(pairs) < 2):
            pairs.append([process(gecnb(*command, "--jobs", str(n), "--format", "json"), folder) for n in (1, many)])
            spent += pairs[-1][0]["seconds"]
        if any(one["output"] != several["output"] for one, several in pairs): sys.exit(f"{name}: --jobs changes the output")
        alone = process(gecnb(*command, "--format", "json"), folder) # as many as pays, by itself
        each = {key: [median(pair[k][key] for pair in pairs) for k in (0, 1)] for key in ("seconds", "cpu", "memory")}
        ratio = median(one["seconds"] / several["seconds"] for one, several in pairs)
        say(f"  {name}, {sentences:,} sentences of {systems}: {each['seconds'][0]:.2f} s, {many} processes "
            f"{each['seconds'][1]:.2f} s, {ratio:.2f} times as fast, {each['cpu'][1] / each['cpu'][0]:.2f} times the work; "
            f"by itself {alone['seconds']:.2f} s")
        yield {"name": name, "sentences": sentences, "systems": systems, "processes": many, "ratio": ratio, **each,
               "by_itself": alone["seconds"]}


# --- Ray ----------------------------------------------------------------------------------------------------------

RAY = """
import json, sys, time
import pyarrow as pa, ray
from gecmetrics_nb.io.batch import merge_batches, score_batch, score_dataset
from gecmetrics_nb.metrics.meteor import METEOR
workers, rows, path = json.loads(sys.argv[1])
S, R, H = ([line.rstrip("\\n") for line in open(f"{path}/{name}", encoding="utf-8")] for name in ("S", "R0", "H0"))
copies = -(-rows // len(S))
table = pa.table({"source": S * copies, "references": R * copies, "hypothesis": H * copies}).slice(0, rows)
metric, parts = METEOR(), range(0, rows, 2048)
start = time.perf_counter()
direct = [score_batch(table.slice(at, 2048), metric) for at in parts]
alone = time.perf_counter() - start
ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
ray.data.DataContext.get_current().enable_progress_bars = False
def scored(table):
    start = time.perf_counter()
    dataset = score_dataset(ray.data.from_arrow([table.slice(at, 2048) for at in range(0, len(table), 2048)]), metric, rows=2048)
    batches = list(dataset.iter_batches(batch_format="pyarrow", batch_size=None))
    return time.perf_counter() - start, batches
scored(table.slice(0, 4096)) # workers have started and have loaded what they need
spent, batches = scored(table)
same = merge_batches(metric, batches).to_dict() == merge_batches(metric, direct).to_dict()
print(json.dumps({"workers": workers, "rows": rows, "seconds": spent, "alone": alone, "same": same}))
"""


def ray_rows(folder, rows, say):
    "Seconds of the same rows from one worker of Ray to as many as there are processors, and without Ray"
    for workers in range(1, processors() + 1):
        done = process([sys.executable, "-c", RAY, json.dumps([workers, rows, str(folder)])], folder)
        found = json.loads(done["output"].decode().strip().split("\n")[-1])
        if not found.pop("same"): sys.exit("Ray changes the score")
        say(f"  Ray, {workers} workers: {rows:,} rows in {found['seconds']:.2f} s, without it {found['alone']:.2f} s")
        yield found


# --- resampling ---------------------------------------------------------------------------------------------------

def timed(function, *given, **options):
    start = time.perf_counter()
    result = function(*given, **options)
    return time.perf_counter() - start, result


def resampling(corpus, gold, say):
    "For each metric the seconds of counting, of the scores, and of 1,000 resamples with intervals and tests"
    names = corpus.system_names
    for text in [*METRICS, *(EDIT_METRICS if gold else ())]:
        metric, per = metric_named(text, known={**METRICS, **EDIT_METRICS})
        counting, parts = timed(list, metric.count(gold if text in EDIT_METRICS else corpus))
        scoring, _ = timed(score_corpus, metric, parts, per=per)
        row = {"name": text, "counting": counting, "scoring": scoring}
        for test in "bootstrap", "randomisation":
            spent, _ = timed(compare_systems, metric, parts, names, per=per, test=test)
            row[test] = max(0., spent - scoring)
        say(f"  {text}: counting {counting:.2f} s, scores {scoring:.2f} s, " +
            ", ".join(f"{test} {row[test]:.2f} s" for test in ("bootstrap", "randomisation")))
        yield row


def resampling_growth(corpus, say):
    "Seconds of the bootstrap of GLEU with the best reference as systems and resamples grow, without counting"
    metric, _ = metric_named("gleu:references=max")
    for systems, draws in (2, 1000), (4, 1000), (8, 1000), (12, 1000), (12, 100), (12, 10_000), (12, 100_000):
        some = Corpus(corpus.sources, corpus.references, corpus.systems[:systems])
        parts = list(metric.count(some))
        spent, _ = timed(compare_systems, metric, parts, some.system_names, draws=draws)
        say(f"  bootstrap of {systems} systems, {draws:,} resamples: {spent:.2f} s")
        yield {"systems": systems, "draws": draws, "seconds": spent}


def paired_bootstrap(corpus, runs, say):
    "1,000 resamples of BLEU against a baseline, all of it from texts: sacrebleu's and ours, in turn"
    from sacrebleu.metrics import BLEU as Theirs
    from sacrebleu.significance import PairedTest
    import logging
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    theirs = Theirs(tokenize="none", smooth_method="none", force=True, references=corpus.references)
    named = list(zip(corpus.system_names, map(list, corpus.systems), strict=True))
    def sacrebleu(): return PairedTest(named, {"BLEU": theirs}, None, test_type="bs", n_samples=1000)()[1]
    pairs = []
    for _ in range(runs):
        theirs_s, found = timed(sacrebleu)
        ours_s, ours = timed(compare_systems, BLEU(), corpus)
        scores = next(rows for title, rows in found.items() if title != "System")
        if any(abs(score.score - 100 * x) > 1e-9 for score, x in zip(scores, ours.values, strict=True)):
            sys.exit("paired bootstrap: the scores of BLEU differ")
        pairs.append((theirs_s, ours_s))
    ratio = median(a / b for a, b in pairs)
    say(f"  paired bootstrap of BLEU: sacrebleu {pairs[0][0]:.1f} s, ours {pairs[0][1]:.2f} s, {ratio:.0f} times as fast")
    return {"theirs": median(a for a, _ in pairs), "ours": median(b for _, b in pairs), "ratio": ratio,
            "ratios": [round(a / b, 1) for a, b in pairs]}


