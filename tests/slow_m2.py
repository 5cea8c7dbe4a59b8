"MaxMatch as m2scorer goes about it, in plain Python: slow, step by step, and independent of the library"
from collections import Counter, deque
from typing import NamedTuple


class Arc(NamedTuple):
    "Words start..end-1 of the source become other words"
    start: int
    end: int
    old: str
    new: str
    unchanged: int # steps on the way that change nothing
    is_noop: bool


def joined(one, other):
    words = [" ".join(filter(None, pair)) for pair in ((one.old, other.old), (one.new, other.new))]
    return Arc(one.start, other.end, *words, one.unchanged + other.unchanged, one.is_noop and other.is_noop)


def lattice(source, hypothesis, price):
    "The steps of the cheapest ways: pairs of points (words read, words written)"
    costs = {}
    for i in range(len(source) + 1):
        for j in range(len(hypothesis) + 1):
            ways = {(i - 1, j): 1, (i, j - 1): 1, (i - 1, j - 1): price * (source[i - 1:i] != hypothesis[j - 1:j])}
            costs[i, j] = min([costs[before] + cost for before, cost in ways.items() if before in costs], default=0)
    steps, waiting = set(), [(len(source), len(hypothesis))]
    while waiting:
        i, j = here = waiting.pop()
        for before, cost in ((i - 1, j), 1), ((i, j - 1), 1), ((i - 1, j - 1), price * (source[i - 1:i] != hypothesis[j - 1:j])):
            if before in costs and costs[before] + cost == costs[here] and (before, here) not in steps:
                steps.add((before, here))
                waiting.append(before)
    return steps


def step_arc(source, hypothesis, step, release):
    "A step as an Arc; release 3.2 puts the words before the source at 0, 1, 2, ..."
    (i, j), (k, l) = step
    place = j if i == k == 0 and release == "3.2" else i
    same = source[i:k] == hypothesis[j:l]
    return Arc(place, place + k - i, " ".join(source[i:k]), " ".join(hypothesis[j:l]), int(same), same)


def all_arcs(source, hypothesis, most, release):
    "The list of arcs as pairs of points, with repetitions, and for each its Arc and its length"
    listed = sorted([*lattice(source, hypothesis, 1), *lattice(source, hypothesis, 2)])
    points = sorted({point for step in listed for point in step} | {(0, 0)})
    arcs = {step: step_arc(source, hypothesis, step, release) for step in listed}
    lengths = dict.fromkeys(arcs, 1)
    for k in points:
        for i in points:
            for j in points:
                if (i, k) not in arcs or (k, j) not in arcs: continue
                length, arc = lengths[i, k] + lengths[k, j], joined(arcs[i, k], arcs[k, j])
                if length >= lengths.get((i, j), float("inf")) or arc.unchanged > most: continue
                listed.append((i, j))
                arcs[i, j], lengths[i, j] = arc, length
    at = 0
    while at < len(listed): # what is removed hides the next one
        if arcs[listed[at]].is_noop and lengths[listed[at]] > 1: del listed[at]
        at += 1
    return points, listed, arcs, lengths


def accepts(want, arc): return (arc.start, arc.end, arc.old) == tuple(want[:3]) and arc.new in want[3]


def weights_for(gold, listed, arcs, lengths):
    "What an arc costs with the wishes of an annotator: tuples (start, end, old words, alternatives)"
    weights, groups = {pair: float(lengths[pair]) for pair in listed}, {}
    def passed(pair): weights[pair] += 0 if arcs[pair].is_noop else .001
    for pair in sorted(listed): groups.setdefault(arcs[pair][:2], deque()).append(pair)
    for (start, end), group in groups.items():
        wants = [want for want in gold if tuple(want[:2]) == (start, end)]
        met = lambda pair: [k for k, want in enumerate(wants) if accepts(want, arcs[pair])] # noqa: B023
        while group:
            first, last = group[0], group[-1]
            if start != end:
                if met(group.popleft()): weights[first] = -len(listed)
                else: passed(first)
            elif hits := met(first):
                weights[group.popleft()], wants = -len(listed), wants[hits[0] + 1:]
                while group and group[0][0] != first[1]: passed(group.popleft())
            elif hits := met(last):
                weights[group.pop()], wants = -len(listed), wants[:hits[-1]]
                while group and group[-1][1] != last[0]: passed(group.pop())
            else:
                passed(group.popleft())
                if group: passed(group.pop())
    return weights


def edits_for(gold, source, hypothesis, most=2, release="3.2"):
    "The Arcs that are changes on the cheapest path, and how many arcs there are"
    points, listed, arcs, lengths = all_arcs(source, hypothesis, most, release)
    weights = weights_for(gold, listed, arcs, lengths)
    costs, before = {(0, 0): 0.}, {}
    for _ in points:
        for i, j in listed:
            if i in costs and costs[i] + weights[i, j] < costs.get(j, float("inf")): costs[j], before[j] = costs[i] + weights[i, j], i
    path, here = [], (len(source), len(hypothesis))
    while here != (0, 0):
        path.append(arcs[before[here], here])
        here = before[here]
    return [arc for arc in path[::-1] if not arc.is_noop], len(listed)


def counts(gold, source, hypothesis, **settings):
    "Correct, proposed, gold of one annotator"
    edits, _ = edits_for(gold, source, hypothesis, **settings)
    correct = first = 0
    for edit in edits:
        for k in range(first, len(gold)):
            if accepts(gold[k], edit): correct, first = correct + 1, k + 1
    return correct, len(edits), len(gold)


def annotations(block):
    "{annotator: wishes} of a sentence of an M2 file: a noop is at -1 -1 whatever is written there, and what is before 0 is no wish"
    head, *lines = block.split("\n")
    source, found = head[2:].split(), {}
    for line in lines:
        span, kind, written, *_, annotator = line[2:].split("|||")
        start, end = (-1, -1) if kind == "noop" else map(int, span.split())
        mine = found.setdefault(int(annotator), [])
        alternatives = ["" if text == "-NONE-" else text.strip() for text in written.split("||")]
        if start >= 0: mine.append((start, end, " ".join(source[start:end]), alternatives))
    return source, found or {0: []}


def f(correct, proposed, gold, beta):
    others = beta**2 * gold + proposed
    return (1 + beta**2) * correct / others if others else 1.


def m2scorer(text, outputs, beta=.5, **settings):
    "Correct, proposed, gold of the annotator chosen in each sentence, in which F of all so far is best"
    sums, chosen = Counter(), []
    for block, output in zip(text.strip().split("\n\n"), outputs, strict=True):
        source, wishes = annotations(block)
        ways = []
        for annotator in sorted(wishes):
            way = counts(wishes[annotator], source, output.split(), **settings)
            correct, proposed, gold = (sums[k] + way[k] for k in range(3))
            ways.append((f(correct, proposed, gold, beta), correct, -(proposed + beta**2 * gold), -annotator, way))
        chosen.append(max(ways)[-1])
        sums.update(dict(enumerate(chosen[-1])))
    return chosen
