"CLEME in plain Python, independent of the package's: sentences are strings with cuts at places that edits cover"
from collections import Counter
from itertools import groupby
from math import exp


def runs(size, texts):
    "Runs of places (gap 0, word 0, gap 1, ...) that some edit covers, and those between them"
    covered = {k for edits in texts for start, end, _ in edits for k in range(2 * start, 2 * end + 1)}
    return [list(run) for _, run in groupby(range(2 * size + 1), covered.__contains__)]


def words_in(source, edits, run):
    "Is there an edit in a run, and what are the words of the text there?"
    words, at, inside = [], run[0] // 2, False
    for start, end, new in edits:
        if 2 * start not in run: continue
        words, at, inside = [*words, *source[at:start], *new], end, True
    return inside, words + source[at:(run[-1] + 1) // 2]


def judge(source, mine, references, assumption):
    "For each reference the kind and length of each chunk, and the lengths of all chunks that references change"
    found, wanted = [[] for _ in references], []
    for run in runs(len(source), [mine, *references]):
        size = (run[-1] + 1) // 2 - run[0] // 2
        changed, words = words_in(source, mine, run)
        theirs = [words_in(source, edits, run) for edits in references]
        wanted += [max(size, len(new)) for is_changed, new in theirs if is_changed]
        for r, (is_changed, new) in enumerate(theirs):
            if assumption == "dependent": right, error, missed = words == new, is_changed, words != new
            else: right, error, missed = any(words == each for _, each in theirs), any(each for each, _ in theirs), all(each for each, _ in theirs)
            if changed: kind = "TP" if right else "FPne" if error else "FPun"
            else: kind = "FN" if missed else "TN"
            found[r].append((kind, max(size, len(words))))
    return found, wanted


CURVES = {"program": {"TP": (2, .75, 1.25), "FP": (2, .75, 1.25), "FN": (2, .75, 1.25)},
          "paper": {"TP": (10, 1, 10), "FP": (10, .25, 1), "FN": (10, 1, 1)}}


def weight(kind, n, mean, settings, assumption):
    if kind == "TN": return 1
    alpha, low, high = CURVES[settings][kind[:2]]
    if settings == "paper" and assumption == "independent" and kind == "TP": low = 2.5
    away = n - mean if kind[:2] == "FP" else mean - n
    return min(max(alpha / (1 + (alpha - 1) * exp(away)), low), high)


def rates(n, beta):
    made, wanted = n["TP"] + n["FPne"] + n["FPun"], n["TP"] + n["FN"]
    p, r = n["TP"] / made if made else 1, n["TP"] / wanted if wanted else 1
    total = made + n["FN"] + n["TN"]
    f = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0
    return tuple(round(x, 4) for x in (f, p, r, (n["TP"] + n["TN"]) / total if total else 0))


def corrections(n, factors):
    needed, made = n["TP"] + n["FPne"] + n["FN"], n["TP"] + n["FPne"] + n["FPun"]
    hit, err, und = (n[kind] / needed if needed else 0 for kind in ("TP", "FPne", "FN"))
    ove = n["FPun"] / made if made else 0
    return sum(a * b for a, b in zip(factors, (hit, 1 - err, 1 - und, 1 - ove), strict=True)), hit, err, und, ove


def score(corpus, assumption="dependent", settings=None, beta=.5, factors=None, per="corpus"):
    "Numbers and counts of a corpus, a list of (source, edits, references); settings None: no weights; factors: CLEME2.0"
    judged = [judge(*sentence, assumption) for sentence in corpus]
    lengths = [n for _, wanted in judged for n in wanted]
    mean = sum(lengths) / len(lengths) if lengths else 0
    measure = lambda n, beta: corrections(n, factors) if factors else rates(n, beta)
    total, means = Counter(), []
    for references, _ in judged:
        ways = []
        for chunks in references:
            n = Counter()
            for kind, size in chunks: n[kind] += weight(kind, size, mean, settings, assumption) if settings else 1
            ways.append(n)
        if per == "corpus": key = lambda n: (measure(total + n, beta)[0], n["TP"], -n["FPne"] - n["FPun"], -n["FN"], n["TN"]) # noqa: B023
        elif factors: key = lambda n: (*measure(n, .5)[:2], *(-x for x in measure(n, .5)[2:]))
        else: key = lambda n: measure(n, .5)
        best = max(ways, key=key)
        total += best
        means.append(measure(best, .5))
    numbers = measure(total, beta) if per == "corpus" else [sum(column) / len(means) for column in zip(*means, strict=True)]
    return numbers, total
