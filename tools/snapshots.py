"""Make the files of counts and judgments that the package carries, from the texts: python tools/snapshots.py [FILE.npz ...]

The texts are read from the folder GECNB_DATA, or fetched. Each function returns {name: array} of one file."""
from pathlib import Path
import sys

import numpy as np

from gecmetrics_nb.core.counts import merge
from gecmetrics_nb.corpora import gold_counts
from gecmetrics_nb.corpora.gold_counts import count_cleme
from gecmetrics_nb.corpora.conll14 import GOLD, STORED, count_conll14, packed
from gecmetrics_nb.corpora.gold_counts import GOLD_STORED, count_changed, count_errant
from gecmetrics_nb.corpora.judgments import JUDGED, PAIRED, pack_rankings
from gecmetrics_nb.corpora.probes import OTHERS, by_annotator, probe_counts
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.m2 import parse_m2
from gecmetrics_nb.metrics.cleme import ASSUMPTIONS
from gecmetrics_nb.reproduce.papers import gec_metrics, llm_2026
from gecmetrics_nb.reproduce.tables import find_source
from gecmetrics_nb.stats.human import read_judgments, read_rankings

FOLDER = Path(gold_counts.__file__).parent


def small(array): return array.astype(np.min_scalar_type(array.max()))


def prefixed(parts):
    "Arrays of several parts under one name each: {prefix: {field: array}} becomes {prefix + field: array}"
    return {prefix + field: array for prefix, arrays in parts.items() for field, array in arrays.items()}


def conll14(source):
    "N-grams of CoNLL-2014 and of the outputs of SEEDA"
    return prefixed({f"{name}/": packed(count_conll14(name, source.path)) for name in STORED})


def gold(source):
    "What M2, the I-measure, METEOR and ERRANT count"
    arrays = {"errant": small(count_errant(source.path).transpose(2, 1, 0))}
    arrays["errant_changed"], arrays["errant_wanted"] = count_changed(source.path)
    for name in GOLD_STORED:
        counts = gold_counts.count_gold(name, source.path)
        statistics = counts.statistics[counts.rows][..., 0, :]
        arrays[name] = small(statistics.transpose(3, 1, 0, 2)) # (K, D, H, R)
        arrays[f"{name}_present"] = counts.present
    return arrays


def judgments(source):
    "Rankings, and judgments of pairs"
    arrays = prefixed({f"{name}_": pack_rankings(read_rankings(source.path(file)), systems, judge)
                       for name, (file, systems, judge, _) in JUDGED.items()})
    for name, (file, systems, judge) in PAIRED.items():
        judged, number = read_judgments(source.path(file), systems), {judge.format(i): i for i in range(1, 10)}
        columns = *judged.pairs.T, *judged.ranks.T, [number[who] for who in judged.judges]
        arrays |= {f"{name}_pairs": np.array(columns, np.uint8), f"{name}_sentences": judged.sentences.astype(np.uint16)}
    return arrays


def probes(source):
    "The behaviours of corpora.probes, with either annotator of CoNLL-2014 as the judge; ValueError for a count above 255"
    sentences, arrays = parse_m2(read_lines(source.path(GOLD)), GOLD), {}
    for judge in 0, 1:
        ngrams, *others = probe_counts(by_annotator(sentences, judge), by_annotator(sentences, 1 - judge)).values()
        arrays |= prefixed({f"{judge} ": packed(ngrams)})
        for name, counts in zip(OTHERS, others, strict=True):
            largest = counts.statistics.max()
            if largest > 255: raise ValueError(f"{name}: {largest} does not fit into a byte")
            arrays[f"{judge} {name}"] = counts.statistics[counts.rows].T.astype(np.uint8) # (K, 1, 1, D, H)
    return arrays


def single_blanks(source):
    "N-grams between single blanks, as gec-metrics cuts lines"
    count = lambda name: merge(gec_metrics.CORPUS_GLEU.count(gec_metrics.texts_of(source, name)))
    return prefixed({f"{name}/": packed(count(name)) for name in ("seeda", "2015")})


def jfleg(source):
    "N-grams and METEOR's chunks of the language models of 2026"
    counts = llm_2026.counts_of(source)
    word, union = (packed(counts[name]) for name in ("word", "union"))
    own = {name: union[name] for name in llm_2026.OF_UNION} # the other arrays are those of "word"
    return prefixed({"word_": word, "union_": own}) | {"chunks": counts["chunks"].astype(np.uint8)}


def cleme(source):
    "Chunks of the outputs of CoNLL-2014: a table (counts, lengths, references, sentences, systems) for each assumption"
    arrays = {}
    for assumption in ASSUMPTIONS:
        counts = count_cleme(assumption, source.path)
        table = counts.statistics[counts.rows].transpose(4, 3, 2, 1, 0)
        several = assumption == "dependent"
        arrays[assumption] = table[:-1] if several else table[:-1, :, :1]
        arrays |= {"in references": table[-1, :, 0], "present": counts.present} if several else {}
    return arrays


SNAPSHOTS = {"conll14_counts.npz": conll14, "conll14_gold.npz": gold, "judgments.npz": judgments,
             "conll14_pays.npz": probes, "gec_metrics_counts.npz": single_blanks, "jfleg_counts.npz": jfleg,
             "conll14_cleme.npz": cleme}


def main():
    source = find_source("text")
    for name in sys.argv[1:] or SNAPSHOTS:
        rows_first = {key: np.asarray(table, order="C") for key, table in SNAPSHOTS[name](source).items()} # a tenth smaller
        np.savez_compressed(FOLDER / name, **rows_first)
        print(name, f"{(FOLDER / name).stat().st_size:,} bytes")


if __name__ == "__main__": main()
