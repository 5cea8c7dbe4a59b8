"The page Conventions: its tables are what other programs give"
from collections import Counter
from functools import partial
from math import exp, log
from pathlib import Path
import json
import logging
import subprocess
import sys

import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, GoogleGLEU
from places import ROOT

CELL = "17n00001" # the metrics, and fourteen situations


@pytest.fixture(scope="module")
def page():
    "The names that the page defines: METRICS, ours, EMPTY, FEW and SHORT"
    cells = {c["id"]: "".join(c["source"]) for c in json.loads((ROOT / "nbs/metrics/12_conventions.ipynb").read_text(encoding="utf-8"))["cells"]}
    names: dict = {metric.__name__: metric for metric in (BLEU, GLEU, GREEN, METEOR, GoogleGLEU)}
    exec(cells[CELL], names)
    return names


def grams(text, n): return Counter(zip(*(text.split()[i:] for i in range(n)), strict=False))


def by_gleu(rows, folder):
    "The lines that the command sgleu of gleu 1.1.0 prints, as numbers"
    for name, lines in zip("SRH", zip(*rows, strict=True), strict=True):
        Path(folder, name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    command = "import sys; from gleu.main import sgleu; sys.argv[0] = 'sgleu'; sgleu()"
    call = [sys.executable, "-W", "ignore", "-c", command, "-s", "S", "-r", "R", "-o", "H", "-d", "6"]
    printed = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True).stdout
    return [float(line) / 100 for line in printed.split()]


def by_official_smoothing(s, r, h):
    "Every count that is 0 becomes 1: matches, n-grams, both lengths"
    counts = []
    for n in range(1, 5):
        S, T, H = (grams(text, n) for text in (s, r, h))
        missed = sum(min(H[g], S[g]) for g in H if g not in T)
        counts += [max((H & T).total() - missed, 0), H.total()]
    *counts, length, wanted = (count or 1 for count in (*counts, len(h.split()), len(r.split())))
    precisions = [match / total for match, total in zip(counts[::2], counts[1::2], strict=True)]
    return exp(min(0, 1 - wanted / length) + sum(map(log, precisions)) / 4)


def by_green(s, r, h, empty_recall=0, N=4):
    "An order without any n-gram has precision 1 and, in the author's program, recall 0; beta is 1"
    P, R = [], []
    for n in range(1, N + 1):
        S, T, H = (grams(text, n) for text in (s, r, h))
        tp = ((S & T & H) + (S - (T | H)) + ((T & H) - S)).total()
        fp, fn = (((S & T) - H) + (H - (S | T))).total(), (((S & H) - T) + (T - (S | H))).total()
        P.append(tp / (tp + fp) if tp + fp else 1)
        R.append(tp / (tp + fn) if tp + fn else empty_recall)
    if 0 in P + R: return 0.0
    p, q = (exp(sum(map(log, x)) / N) for x in (P, R))
    return 2 * p * q / (p + q)


def by_sacrebleu(s, r, h, effective_order=False):
    sacrebleu = pytest.importorskip("sacrebleu")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    program = sacrebleu.metrics.BLEU(tokenize="none", smooth_method="none", force=True, effective_order=effective_order)
    return program.sentence_score(h, [r]).score / 100


class NoWordNet: # exact matches alone: NLTK's stemmer and WordNet stages find nothing to add
    def synsets(self, word): return []
    def stem(self, word): return word


def by_nltk_meteor(s, r, h):
    score = pytest.importorskip("nltk.translate.meteor_score")
    return score.single_meteor_score(r.split(), h.split(), preprocess=str, stemmer=NoWordNet(), wordnet=NoWordNet())


def by_nltk_gleu(s, r, h): return pytest.importorskip("nltk.translate.gleu_score").sentence_gleu([r.split()], h.split())


PROGRAMS = {"GLEU": None, "GLEU, official smoothing": by_official_smoothing, "GREEN": by_green, "GREEN, empty_recall=1": partial(by_green, empty_recall=1),
            "Google-GLEU": by_nltk_gleu, "BLEU": by_sacrebleu, "BLEU, effective_order": partial(by_sacrebleu, effective_order=True), "METEOR": by_nltk_meteor}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_tables_are_what_other_programs_give(name, page, tmp_path):
    "gleu rounds, so equal means nearer than a millionth"
    if name == "GLEU": pytest.importorskip("gleu")
    rows = [texts for kind in ("EMPTY", "FEW", "SHORT") for texts in page[kind].values()]
    assert len(rows) == 14 and set(page["METRICS"]) == set(PROGRAMS)
    theirs = by_gleu(rows, tmp_path) if name == "GLEU" else [PROGRAMS[name](*texts) for texts in rows]
    assert [page["ours"](page["METRICS"][name], *texts) for texts in rows] == pytest.approx(theirs, abs=1e-6)
