"The explorer of the site, a second writing of the formulas in JavaScript: held to the first, number by number"
from random import Random
import json
import shutil
import subprocess

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, GoogleGLEU
from gecmetrics_nb.alignment.search import TooManyAlignments, align, chunk_links
from gecmetrics_nb.core.corpus import Corpus
from gecmetrics_nb.core.counts import count_batches, merge
from gecmetrics_nb.metrics.meteor import meteor_parts
from gecmetrics_nb.core.regions import region_counts
from gecmetrics_nb.core.units import unit_functions
from gecmetrics_nb.viz.sentence import ScoredSentence, occurrence_regions, sentence_metrics
from places import ROOT

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="no Node.js, which runs the explorer's script without a page")

RUN = """
const { METRICS, evaluate, fates } = require(process.argv[1]);
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = (one) => {
  const { texts, counts, scores } = evaluate(one);
  const three = { source: texts.source, reference: texts.references[0], hypothesis: texts.hypothesis };
  return { scores: Object.fromEntries(Object.entries(scores).map(([k, v]) => [k, Number.isNaN(v) ? null : v])),
           regions: counts.map((order) => order.each), fates: [1, 2, 3].map((n) => fates(three, n)) };
};
console.log(JSON.stringify({ names: Object.keys(METRICS), answers: cases.map(answer) }));
"""


def explored(cases):
    "What the script answers: its metrics, and for each case scores, regions by order and reference, fates of words"
    done = subprocess.run([NODE, "-e", RUN, str(ROOT / "nbs" / "explore.js")], input=json.dumps(cases), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


LETTERS = "a b c the of . grün 東京 👩‍👩‍👧 e\u0301 x\u00a0y ".split(" ")
BLANKS = [" ", "  ", "\u2003", "\u00a0", "\x1c", "\x85", "\ufeff"] # the last is none to Python


def random_text(random, words):
    text = "".join(random.choice(words) + random.choice(BLANKS if random.random() < .05 else [" "]) for _ in range(random.randrange(10)))
    return text if random.random() < .3 else text.strip()


def random_case(random):
    "Texts that have much in common, now and then an empty one; any order, unit and beta"
    words = random.sample(LETTERS, random.choice([2, 3, 5, 8]))
    texts = [random_text(random, words) for _ in range(2 + random.choice([1, 1, 1, 2, 3]))]
    for i in range(1, len(texts)):
        if random.random() < .3: texts[i] = random.choice(texts[:i])
    random.shuffle(texts)
    return {"source": texts[0], "hypothesis": texts[1], "references": texts[2:], "order": random.choice([1, 2, 3, 4, 4, 6, 9]),
            "unit": random.choice(["word", "word", "char"]), "beta": random.choice([0, .1, .5, 1, 2, 3.7])}


def metrics_of(order, unit, beta):
    "The metrics of the script, by its names"
    greens = {f"GREEN, beta {beta:g}": GREEN(order=order, unit=unit, beta=beta) for beta in (.5, 1, 2)}
    gleus = {f"GLEU, {variant}": GLEU(order=order, unit=unit, variant=variant) for variant in ("code", "paper", "2015")}
    return {**gleus, **greens, "Google-GLEU": GoogleGLEU(order=order, unit=unit), "BLEU": BLEU(order=order, unit=unit),
            "GREEN": GREEN(order=order, unit=unit, beta=beta), "METEOR": METEOR()}


def in_python(cases):
    "{name: score} of each case from the library; those with equal settings are scored as one corpus"
    alike, found = {}, [{} for _ in cases]
    for i, case in enumerate(cases):
        alike.setdefault((case["order"], case["unit"], case["beta"], len(case["references"])), []).append(i)
    for (*settings, _), group in alike.items():
        for name, metric in metrics_of(*settings).items():
            for i, score in zip(group, scores_of(metric, [cases[i] for i in group]), strict=True): found[i][name] = score
    return found


def scores_of(metric, cases):
    "Scores of some cases, None where METEOR refuses one"
    references = list(zip(*(case["references"] for case in cases), strict=True))
    texts = dict(sources=[c["source"] for c in cases], hypotheses=[c["hypothesis"] for c in cases], references=references)
    try: return metric.sentence_scores(**texts).tolist()
    except TooManyAlignments: return [None] if len(cases) == 1 else [x for case in cases for x in scores_of(metric, [case])]


@pytest.fixture(scope="module")
def both():
    random = Random(0)
    cases = [random_case(random) for _ in range(10_000)]
    return cases, explored(cases)


def test_every_score_is_that_of_the_library(both):
    cases, found = both
    silent = 0
    for case, answer, expected in zip(cases, found["answers"], in_python(cases), strict=True):
        assert set(expected) == set(answer["scores"])
        for name, score in answer["scores"].items():
            if score is None: silent += 1; assert name == "METEOR"
            else: assert expected[name] is not None and abs(score - expected[name]) < 1e-12, (name, case)
    assert silent < 50, silent # the script tries all alignments, and says so where they are too many


def test_every_region_is_that_of_the_library(both):
    cases, found = both
    for case, answer in list(zip(cases, found["answers"], strict=True))[::5]:
        corpus = Corpus([case["source"]], [[r] for r in case["references"]], [[case["hypothesis"]]])
        counts = merge(count_batches(corpus, case["order"], case["unit"]))
        for name in (*region_counts(0, 0, 0), "UD0"):
            mine = np.array([[each[name] for each in order] for order in answer["regions"]]).T
            assert (mine == counts[name][0]).all(), (name, case)


def test_every_ngram_has_the_region_of_the_library(both):
    cases, found = both
    for case, answer in zip(cases, found["answers"], strict=True):
        see, cut = unit_functions(case["unit"])
        texts = {role: cut(see(text)) for role, text in (("source", case["source"]), ("reference", case["references"][0]), ("hypothesis", case["hypothesis"]))}
        for n, fates in enumerate(answer["fates"], 1):
            assert fates == {role: [["\0".join(gram), region] for gram, region in row] for role, row in occurrence_regions(texts, n).items()}, (n, case)


@pytest.mark.parametrize("words", [700, 2500])
def test_a_long_text_has_the_regions_of_the_library(words):
    "Some are aligned, and longer ones are not"
    random = Random(words)
    source = random.choices("abcdefgh", k=words)
    hypothesis = [word for word in source for word in random.choice([[word]] * 8 + [[], [word, "a"]])]
    hypothesis = ["x", *hypothesis, "y"]
    texts = {"source": source, "reference": source[1:], "hypothesis": hypothesis}
    case = {"source": " ".join(source), "references": [" ".join(source[1:])], "hypothesis": " ".join(hypothesis), "order": 1, "unit": "word", "beta": 1}
    [answer] = explored([case])["answers"]
    rows = {role: [[gram[0], region] for gram, region in row] for role, row in occurrence_regions(texts, 1).items()}
    assert rows == answer["fates"][0]


def test_it_knows_every_metric_that_a_sentence_is_shown_under(both):
    assert set(sentence_metrics(4)) <= set(both[1]["names"])


def test_a_scored_sentence_carries_what_the_explorer_needs():
    html = ScoredSentence('He "go" .', "He goes .", "He go <b> .")._repr_html_()
    assert html.startswith('<div data-explore="{&quot;source&quot;: &quot;He \\&quot;go\\&quot; .&quot;')
    assert "&lt;b&gt;" in html and "<b>" not in html.replace("<b style", "")


PARTS = """
const { meteorParts, chunksOf } = require(process.argv[1]);
const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = ([h, r]) => { const found = meteorParts(h, r); return { ...found, chunks: chunksOf(found.lines) }; };
console.log(JSON.stringify(pairs.map(answer)));
"""


def test_the_drawn_chunks_and_factors_are_those_of_the_library():
    random = Random(1)
    pairs = [[random.choices("abcdef", k=random.randrange(8)) for _ in range(2)] for _ in range(2000)]
    done = subprocess.run([NODE, "-e", PARTS, str(ROOT / "nbs" / "explore.js")], input=json.dumps(pairs), capture_output=True, text=True, check=True)
    for (h, r), found in zip(pairs, json.loads(done.stdout), strict=True):
        pieces = [[tuple(line) for line in lines] for lines in found["chunks"]]
        lines = sorted(line for piece in pieces for line in piece)
        assert pieces == chunk_links(lines) and len(pieces) == found["pieces"] == len(chunk_links(align(h, r)))
        assert len(lines) == len(align(h, r)) and all(h[i] == r[j] for i, j in lines)
        factors = meteor_parts([[len(lines), len(pieces), len(h), len(r)]])
        assert np.allclose([found[name] for name in ("precision", "recall", "mean", "penalty")], factors, rtol=0, atol=1e-12), (h, r)


LINKS = """
const { evaluate, fromLink } = require(process.argv[1]);
const hashes = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(hashes.map((hash) => { const state = fromLink(hash); return [state, evaluate(state).scores]; })));
"""
INHERITED = ["toString", "constructor", "hasOwnProperty", "__proto__", "valueOf", "isPrototypeOf", "__defineGetter__"] # every object has them
ODD = [f"unit={name}" for name in [*INHERITED, "", "words"]] + [f"order={x}" for x in ("", "x", "-3", "NaN", "toString")] + [
       f"beta={x}" for x in ("", "x", "-1", "5", "NaN", "Infinity", "toString")] + ["", "hash=constructor", "__proto__=x"]


def test_an_address_cannot_ask_for_a_setting_that_there_is_not():
    hashes = [f"#explore&source=a+b&reference=a+c&hypothesis=a+c&{odd}" for odd in ODD]
    done = subprocess.run([NODE, "-e", LINKS, str(ROOT / "nbs" / "explore.js")], input=json.dumps(hashes), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    usual = {"source": "a b", "references": ["a c"], "hypothesis": "a c", "order": 4, "unit": "word", "beta": 1}
    for odd, (state, scores) in zip(ODD, json.loads(done.stdout), strict=True):
        assert state == usual | ({"order": 1} if odd == "order=-3" else {}) and scores["GLEU, code"] == 1, odd
    asked = "#explore&source=a&reference=b&reference=c&hypothesis=d&order=12&unit=char&beta=0.5"
    done = subprocess.run([NODE, "-e", LINKS, str(ROOT / "nbs" / "explore.js")], input=json.dumps([asked]), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[0][0] == {"source": "a", "references": ["b", "c"], "hypothesis": "d", "order": 9, "unit": "char", "beta": .5}
