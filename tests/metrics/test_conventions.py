"The page Conventions: its tables are what other programs give"
from functools import partial
from pathlib import Path
from types import SimpleNamespace
import json
import logging
import subprocess
import sys

import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, GoogleGLEU
from places import ROOT
from slow import combine, gleu_counts, grams, green_counts, green_scores, size

CELL = "17n00001" # the metrics, and six situations
PARK = "She like to play the tennis in park .", "She likes playing tennis in the park ."
MORE = [("He go home", "He goes home", "He goes home"), ("", "", ""), ("Well well", "", "Well"), # source, reference, hypothesis
        ("He go home now .", "He goes home now .", "He goes home now ."), ("He go home now .", "He goes home now .", "Banana"),
        ("He go to home now .", "He goes home now .", "He goes to home now ."),
        (*PARK, "She likes playing the tennis in the park ."), (*PARK, "She likes playing tennis in the")]


@pytest.fixture(scope="module")
def page():
    "The names that the page defines: METRICS, ours and SITUATIONS"
    cells = {c["id"]: "".join(c["source"]) for c in json.loads((ROOT / "nbs/metrics/12_conventions.ipynb").read_text(encoding="utf-8"))["cells"]}
    names: dict = {metric.__name__: metric for metric in (BLEU, GLEU, GREEN, METEOR, GoogleGLEU)}
    exec(cells[CELL], names)
    return names


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
    counts = [gleu_counts("code", grams(s, n), grams(r, n), grams(h, n)) for n in range(1, 5)]
    some = lambda counts: [count or 1 for count in counts]
    return combine([*map(some, counts)], *some([size(h), size(r)]), "standard")


def by_green(s, r, h, empty_recall=0):
    return green_scores([green_counts(s, [r], h, n) for n in range(1, 5)], empty_recall=empty_recall)[-1]


def by_sacrebleu(s, r, h, effective_order=False):
    sacrebleu = pytest.importorskip("sacrebleu")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    program = sacrebleu.metrics.BLEU(tokenize="none", smooth_method="none", force=True, effective_order=effective_order)
    return program.sentence_score(h, [r]).score / 100


def by_nltk_meteor(s, r, h):
    "Without its stemmer and WordNet, so that exact matches are all there is"
    score = pytest.importorskip("nltk.translate.meteor_score")
    nothing = SimpleNamespace(synsets=lambda word: [], stem=lambda word: word)
    return score.single_meteor_score(r.split(), h.split(), preprocess=str, stemmer=nothing, wordnet=nothing)


def by_nltk_gleu(s, r, h): return pytest.importorskip("nltk.translate.gleu_score").sentence_gleu([r.split()], h.split())


PROGRAMS = {"GLEU": None, "GLEU, official smoothing": by_official_smoothing, "GREEN": by_green, "GREEN, empty_recall=1": partial(by_green, empty_recall=1),
            "Google-GLEU": by_nltk_gleu, "BLEU": by_sacrebleu, "BLEU, effective_order": partial(by_sacrebleu, effective_order=True), "METEOR": by_nltk_meteor}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_tables_are_what_other_programs_give(name, page, tmp_path):
    "gleu rounds, so equal means nearer than a millionth"
    if name == "GLEU": pytest.importorskip("gleu")
    rows = [*page["SITUATIONS"].values(), *MORE]
    assert len(rows) == 14 and set(page["METRICS"]) == set(PROGRAMS)
    theirs = by_gleu(rows, tmp_path) if name == "GLEU" else [PROGRAMS[name](*texts) for texts in rows]
    assert [page["ours"](page["METRICS"][name], *texts) for texts in rows] == pytest.approx(theirs, abs=1e-6)
