"What a type checker says of a user's program: right calls have the right results, wrong calls are refused"
from importlib.util import find_spec
from pathlib import Path
import os
import re
import subprocess
import sys

import pytest

import gecmetrics_nb

PROGRAM = '''
from functools import partial
from pathlib import Path

import numpy as np

from gecmetrics_nb import BLEU, GLEU, GREEN, M2, Corpus, IMeasure, Metric, Score, parse_m2, read_corpus, references_from_m2
from gecmetrics_nb import GLUE # refused
from gecmetrics_nb.core import NgramMetric, SampledReferences, score_corpus, score_sentences
from gecmetrics_nb.stats import compare_systems
from gecmetrics_nb.stats.comparison import ComparisonTable
from gecmetrics_nb.stats.significance import Comparison

sources: list[str] = ["He go home ."]
references: list[list[str]] = [["He goes home ."], ["He went home ."]]
some: list[list[str | None]] = [["He goes home ."], [None]]
gold = parse_m2(["S He go home .", "A 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0"])

# one system, several systems, a Corpus
one: Score = GLEU().corpus_score(sources=sources, hypotheses=sources, references=references)
several: dict[str, Score] = GLEU().corpus_score(sources=sources, hypotheses={"A": sources}, references=some)
corpus = Corpus(sources, references, [sources], system_names=["A"])
of_corpus: dict[str, Score] = GREEN(beta=2).corpus_score(corpus, way=SampledReferences)
of_partial: dict[str, Score] = GREEN(beta=2).corpus_score(corpus, way=partial(SampledReferences, iterations=9), jobs=None)
of_arrays: Score = BLEU().corpus_score(hypotheses=np.array(["a"]), references=(("a",), ["b"]), note="x")
lines = score_corpus(GLEU(), GLEU().count(corpus))
first: Score = lines[0]
percent: float = one.percent + one
each: float = GLEU().sentence_scores(sources=sources, hypotheses=sources, references=references).mean().item()
shape: tuple[int, ...] = GLEU().statistics(corpus)["A"].shape
all_sentences: int = score_sentences(GLEU(), GLEU().count(corpus)).shape[1]
read: Corpus = read_corpus("INPUT", [Path("REF0"), Path("REF1")], ["AMU"])
made: tuple[list[str], list[list[str]]] = references_from_m2(gold)

# edits in the place of references
edits: Score = M2(beta=1.0).corpus_score(hypotheses=sources, gold="official.m2", sources=sources)
two: dict[str, Score] = IMeasure().corpus_score(hypotheses={"A": sources, "B": sources}, gold=gold)
metrics: list[Metric] = [GLEU(), M2()]

class Own(NgramMetric):
    columns = ("match", "hypothesis")
    needs_source = False
    union = True
    def score(self, totals: np.ndarray) -> np.ndarray: return totals[..., 0, 0] / totals[..., 0, 1]

mine: Score = Own(order=2, unit=str.split).corpus_score(hypotheses=sources, references=references)

compared: Comparison = compare_systems(GLEU(), corpus, test="bootstrap", draws=9)
table: ComparisonTable = compare_systems([GLEU(), (GREEN(), "mean")], corpus, holm="all")
frame = compare_systems([GLEU()], corpus).to_latex()
compare_systems(GLEU(), corpus, drawn=9) # refused

GLEU().corpus_score(sources=sources, hypotheses="He goes home .", references=references) # refused
GLEU().corpus_score(sources=sources, hypotheses=sources, references=sources) # refused
GLEU().corpus_score(sources=sources, hypotheses=sources, references="He goes home .") # refused
GLEU().corpus_score(sources=sources, hypotheses={"A": "He goes home ."}, references=references) # refused
GLEU().corpus_score(sources=sources, hypotheses=sources) # refused
GLEU().corpus_score(source=sources, hypotheses=sources, references=references) # refused
GLEU().corpus_score(sources=sources, hypotheses=sources, gold="official.m2") # refused
GLEU().corpus_score(corpus, hypotheses=sources) # refused
GLEU().corpus_score(sources=sources, hypotheses=sources, references=references, way="sample") # refused
GLEU().sentence_scores(sources=sources, hypotheses="He goes home .", references=references) # refused
GLEU().statistics(sources=sources, hypotheses=["He goes home ."], references=references, note="x") # refused
M2().corpus_score(sources=sources, hypotheses=sources, references=references) # refused
M2().corpus_score(hypotheses=sources) # refused
GLEU(beta=2) # refused
GLEU(order="4") # refused
M2(order=2) # refused
wrong: Score = GLEU().corpus_score(corpus) # refused
Metric().corpus_score(corpus) # refused
score_corpus("gleu", []) # refused
read_corpus("INPUT", "REF0", ["AMU"]) # refused
Corpus.from_frame(None, source="source", references="refs", hypotheses="A") # refused
'''


@pytest.mark.skipif(not find_spec("mypy"), reason="no mypy: make lint")
def test_a_users_program(tmp_path):
    "Each line that ends in `# refused` is an error for mypy, and no other line is"
    assert (Path(gecmetrics_nb.__file__).parent / "py.typed").exists()
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    where = {**os.environ, "MYPYPATH": str(Path(gecmetrics_nb.__file__).parents[1])}
    words = ["-m", "mypy", "--strict-equality", "--config-file=", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, env=where, capture_output=True, text=True, check=False)
    lines = PROGRAM.split("\n")
    found = {int(number) for number in re.findall(r"^program\.py:(\d+): error", done.stdout, re.M)}
    wanted = {number for number, line in enumerate(lines, 1) if line.endswith("# refused")}
    assert not [lines[n - 1] for n in wanted - found], "mypy takes these"
    assert not [lines[n - 1] for n in found - wanted], done.stdout
