"The definitions on paper, in plain Python with Counter: slow, obvious, and independent of the library"
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import exp, log
import random


def grams(text, n, unit="word"):
    tokens = text.split() if unit == "word" else list(text.rstrip())
    return Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))


@cache
def every_gram(text):
    "The words, pairs, triples and fours of a text, counted once: the same text comes back in many judgments"
    return sum((grams(text, n) for n in (1, 2, 3, 4)), Counter())


def size(text, unit="word"): return sum(grams(text, 1, unit).values())


def gleu_counts(variant, s, r, h, weight=Fraction(0)):
    "Numerator and denominator of one sentence and order, from Counters"
    match = sum((h & r).values())
    if variant == "code":
        penalty = sum(min(s[g], h[g]) for g in h if g not in r)
        return max(match - penalty, 0), sum(h.values())
    if variant == "paper":
        penalty = sum(max(0, min(s[g], h[g]) - min(r[g], h[g])) for g in h)
        return match - penalty, sum(h.values())
    if variant == "2015":
        return match + sum((h & (r - s)).values()) - weight * sum((h & (s - r)).values()), sum((r - s).values()) + sum(h.values())
    new = sum(min(h[g], r[g]) for g in h if g not in s)
    old = sum(min(h[g], s[g]) for g in h if g not in r)
    return new + max(match - weight * old, 0), new + sum(h.values())


def combine(counts, hypothesis_length, reference_length, brevity):
    "Geometric mean of precisions with a brevity penalty, from sums"
    if any(numerator <= 0 and denominator > 0 for numerator, denominator in counts): return 0.0
    short, long = (reference_length, hypothesis_length) if brevity == "inverted" else (hypothesis_length, reference_length)
    if brevity == "none" or long <= short: penalty = 0.0
    elif not short: return 0.0
    else: penalty = 1 - long / short
    return exp(penalty + sum(log(Fraction(a) / b) if b else 0.0 for a, b in counts) / len(counts))


def gleu(sources, hypotheses, references, choices, variant="code", order=4, brevity="standard", unit="word"):
    "Corpus score when sentence d is compared with references[choices[d]][d]"
    sums = [[0, 0] for _ in range(order)]
    for d, (s, h) in enumerate(zip(sources, hypotheses, strict=True)):
        r = references[choices[d]][d]
        for n in range(order):
            for i, x in enumerate(gleu_counts(variant, grams(s, n + 1, unit), grams(r, n + 1, unit), grams(h, n + 1, unit))): sums[n][i] += x
    lengths = sum(size(h, unit) for h in hypotheses), sum(size(references[c][d], unit) for d, c in enumerate(choices))
    return combine(sums, *lengths, brevity)


def gleu_2015(sources, hypotheses, references, variant, weight, order=4, brevity="none"):
    "Corpus score against the union of the references; missing ones are None"
    sums, h_length, r_length = [[0, 0] for _ in range(order)], 0, 0
    for d, (s, h) in enumerate(zip(sources, hypotheses, strict=True)):
        there = [column[d] for column in references if column[d] is not None]
        h_length += size(h)
        r_length += min((size(r) for r in there), key=lambda length: abs(length - size(h)))
        for n in range(order):
            union = Counter()
            for r in there: union |= grams(r, n + 1)
            for i, x in enumerate(gleu_counts(variant, grams(s, n + 1), union, grams(h, n + 1), weight)): sums[n][i] += x
    return combine(sums, h_length, r_length, brevity)


def green_counts(s, references, h, n, unit="word"):
    "TP, FP and FN against one reference, or against the union of several"
    S, H, R = grams(s, n, unit), grams(h, n, unit), Counter()
    for r in references: R |= grams(r, n, unit)
    tp = sum(min(S[g], R[g], H[g]) + max(S[g] - max(R[g], H[g]), 0) + max(min(R[g], H[g]) - S[g], 0) for g in S | R | H)
    fp = sum(max(min(S[g], R[g]) - H[g], 0) + max(H[g] - max(S[g], R[g]), 0) for g in S | R | H)
    fn = sum(max(min(S[g], H[g]) - R[g], 0) + max(R[g] - max(S[g], H[g]), 0) for g in S | R | H)
    return tp, fp, fn


def green_scores(counts, beta=1, empty_recall=0):
    "F of the geometric means over the orders 1 to n, for each n; an order without n-grams has precision 1"
    p = [tp / (tp + fp) if tp + fp else 1 for tp, fp, _ in counts]
    r = [tp / (tp + fn) if tp + fn else empty_recall for tp, _, fn in counts]
    scores = []
    for n in range(1, len(counts) + 1):
        if 0 in p[:n] or 0 in r[:n]: scores.append(0.0); continue
        P, R = exp(sum(map(log, p[:n])) / n), exp(sum(map(log, r[:n])) / n)
        scores.append((1 + beta**2) * P * R / (beta**2 * P + R))
    return scores


WORDS = ["the", "a", "cat", "dog", "sat", ".", "caf\u00e9", "\U0001f600"]
BLANKS = [" ", "  ", "\t", "\u00a0", "\u2003", "\x0b", "\x1c"]


def corpus(seed, sentences=40, references=2, systems=2, longest=9, blanks=True):
    "Random parallel text with copies, empty and one-word lines and odd blanks"
    rng = random.Random(seed)
    def line():
        text = "".join(rng.choice(WORDS) + (rng.choice(BLANKS) if blanks else " ") for _ in range(rng.randint(0, longest)))
        return text if blanks else text.strip()
    def edited(text):
        words = text.split()
        for _ in range(rng.randint(0, 2)):
            at = rng.randint(0, len(words))
            words[at:at + rng.randint(0, 1)] = rng.choices(WORDS, k=rng.randint(0, 2))
        return " ".join(words)
    sources = [line() for _ in range(sentences)]
    column = lambda copy: [s if rng.random() < copy else edited(s) if rng.random() < .8 else line() for s in sources]
    return sources, [column(.2) for _ in range(references)], [column(.5) for _ in range(systems)]


def crossed(links): return sum((i - k) * (j - l) < 0 for (i, j), (k, l) in combinations(links, 2))


def runs(links): return len(links) - sum((i + 1, j + 1) in links for i, j in links)


def pairs_of_rankings(rankings, chosen, expanded):
    "How often a sentence, a judge and two (system, rank) occur; of a text that several wrote, the first of the chosen stands for all"
    found = Counter()
    for sentence, judge, texts in rankings:
        left = [([name for name in names if name in chosen][:None if expanded else 1], rank) for names, rank in texts]
        placed = [(name, rank) for names, rank in left for name in names]
        for i, one in enumerate(placed):
            for other in placed[i + 1:]: found[sentence, judge, frozenset((one, other))] += 1
    return found


def pairs_of_judgments(judged):
    "The judgments as `pairs_of_rankings` counts them"
    rows = zip(judged.sentences.tolist(), judged.judges.tolist(), judged.pairs.tolist(), judged.ranks.tolist(), strict=True)
    return Counter((d, who, frozenset((judged.systems[k], rank) for k, rank in zip(pair, ranks, strict=True))) for d, who, pair, ranks in rows)


def amu_changes(shared, sentences=701):
    "AMU's sentences with two to six edits by ERRANT, of the first ones of CoNLL-2014: a Corpus and the edits"
    from gecmetrics_nb.core.corpus import Corpus
    from gecmetrics_nb.io.m2 import apply_edits, read_m2, references_from_m2
    gold, system = (read_m2(shared / f"data/conll14/errant/conll14{name}.errant")[:sentences] for name in ("", "-AMU"))
    few = [d for d, sentence in enumerate(system) if 2 <= len([e for e in sentence.edits if not e.is_noop]) <= 6]
    sources, references = references_from_m2(gold, "strict")
    made = [[e for e in system[d].edits if not e.is_noop] for d in few]
    texts = [" ".join(apply_edits(system[d].tokens, edits)) for d, edits in zip(few, made, strict=True)]
    pick = lambda column: [column[d] for d in few]
    return Corpus(pick(sources), list(map(pick, references)), [texts], system_names=["AMU"]), made
