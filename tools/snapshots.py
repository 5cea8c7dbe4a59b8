"""Make the files of counts and judgments that the package carries, from the texts: python tools/snapshots.py [FILE.npz ...]

The texts are read from the folder GECNB_DATA, or fetched. Each function returns {name: array} of one file."""
from pathlib import Path
import sys

import numpy as np

from gecmetrics_nb.core.counts import merge
from gecmetrics_nb.core.regions import DIFFERENCES
from gecmetrics_nb.corpora import gold_counts
from gecmetrics_nb.corpora.gold_counts import GOLD_STORED, count_cleme
from gecmetrics_nb.corpora.conll14 import CONLL14, GOLD, STORED, count_conll14
from gecmetrics_nb.corpora.judgments import JUDGED, PAIRED
from gecmetrics_nb.corpora.probes import OTHERS, by_annotator, probe_counts
from gecmetrics_nb.io.files import read_lines
from gecmetrics_nb.io.m2 import parse_m2, read_m2
from gecmetrics_nb.metrics.cleme import ASSUMPTIONS
from gecmetrics_nb.metrics.errant import compare_edits
from gecmetrics_nb.metrics.error_types import is_changed
from gecmetrics_nb.reproduce.papers import gec_metrics, llm_2026
from gecmetrics_nb.reproduce.tables import find_source
from gecmetrics_nb.stats.human import read_judgments, read_rankings

FOLDER = Path(gold_counts.__file__).parent


def small(array): return array.astype(np.min_scalar_type(array.max()))


def packed(
    counts, # Counts with sources; all references of all sentences are there
) -> dict:  # from a name to an array of small integers
    "Counts as arrays that compress well; `conll14.unpacked` gives them back"
    if not (counts.sources and counts.present.all()):
        raise ValueError("counts lack the sources or a reference: pack those that have all")
    first = counts.rows[0] # one hypothesis of each sentence knows the source and the references
    source = sum(counts[name] for name in ("TK", "TD", "OD", "UD"))
    kept = [counts[name] for name in ("UD", "TI")] + [counts["UD"] - counts["UD0"], counts["TI"] - counts["TI0"]]
    kept += [counts[name] for name in counts.columns if name in DIFFERENCES]
    many = np.bincount(counts.sentences, minlength=len(counts.reference_lengths))
    arrays = {"regions": np.stack(kept), "hypothesis": counts.hypothesis[:, 0, 0], "source": source[first][:, 0, 0],
              "reference_lengths": counts.reference_lengths, "reference": counts.reference[first] if counts.union else [],
              "lost": (source - counts["TK"] - counts["UD"])[:, 0], "amiss": (counts["TD"] + counts["UD"])[first],
              "many": many, "texts": (counts.rows - (many.cumsum() - many)).T}
    arrays = {name: np.asarray(array, np.int64) for name, array in arrays.items()}
    return {name: array.astype(np.min_scalar_type(array.max(initial=0))) for name, array in arrays.items()}


def pack_rankings(
    rankings, # as from `human.read_rankings`
    systems,  # names
    judge,    # a judge's name, {} in the place of the number
) -> dict:    # {name: array}
    "Rankings as integers: one row a ranking, one row a text, and the systems of the texts one after another"
    index = {name: i for i, name in enumerate(systems)}
    number = {judge.format(i): i for i in range(1, 10)}
    shown = [text for *_, texts in rankings for text in texts]
    return {
        "rankings": np.array([(d, number[who], len(texts)) for d, who, texts in rankings], np.uint16),
        "texts": np.array([(rank, len(names)) for names, rank in shown], np.uint8),
        "printed": np.array([index[name] for names, _ in shown for name in names], np.uint8),
    }


def count_errant(
    find, # function from a registered name to a path
) -> np.ndarray: # int64 (13, D, 3): TP, FP, FN of each output and sentence, by the annotator errant chooses
    "ERRANT's counts of the outputs of CoNLL-2014, from M2 files with its edits"
    gold = parse_m2(read_lines(find("conll14/errant/conll14.errant")), "conll14.errant")
    edits = {name: find(f"conll14/errant/conll14-{name}.errant") for name in CONLL14}
    return np.array([compare_edits(parse_m2(read_lines(path), name), gold).counts for name, path in edits.items()])


def count_changed(
    find, # function from a registered name to a path
) -> tuple[np.ndarray, np.ndarray]: # bool (13, D): does the output change it? bool (D,): does an annotator?
    "Which sentences the outputs of CoNLL-2014 change, and which its annotators, by ERRANT's edits"
    read = lambda name: read_m2(find(f"conll14/errant/conll14{name}.errant"))
    changed = [[is_changed(sentence) for sentence in read(f"-{name}")] for name in CONLL14]
    wanted = [any(not e.is_noop for e in sentence.edits) for sentence in read("")]
    return np.array(changed), np.array(wanted)


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
    own = {name: union[name] for name in ("regions", "reference", "amiss")} # the other arrays are those of "word"
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
