"""A thousand bad calls in Python: whatever stands in the place of an argument, one line says which argument and what to give

Every public function and metric is called with each of its arguments exchanged for each of `VALUES`. A call either raises ValueError or TypeError,
or ImportError that names an extra, with one line that holds the argument's name; or it stands in `ACCEPTED`.
In the place of a setting it is a ValueError; what is no list, in the place of one, is a TypeError."""
from dataclasses import fields, replace
from importlib.util import find_spec

import numpy as np
import pytest

from gecmetrics_nb import BLEU, GLEU, GREEN, METEOR, Corpus, GoogleGLEU, align, parse_m2, read_corpus
from gecmetrics_nb import references_from_m2, EditCorpus, compare_edits
from gecmetrics_nb.corpora import conll14, judgments
from gecmetrics_nb.stats import correlation, human, significance, trueskill
from gecmetrics_nb.stats.meta_evaluation import correlate, parse_sentence_scores
from gecmetrics_nb.core.formulas import ranking
from gecmetrics_nb.core.metric import collect, score_corpora, score_corpus, score_sentences
from gecmetrics_nb.metrics.m2 import GoldCorpus
from gecmetrics_nb.metrics.registry import EDIT_METRICS, class_of, metric_named
from gecmetrics_nb.viz.plot import metric_against_human, picture_kind, place_bars, competition_ranks, rank_slopes
from gecmetrics_nb.core.checks import listed, number, numbers, short_repr, whole_number
from gecmetrics_nb.core.corpus import cell_value, check_fields
from gecmetrics_nb.core.formatting import percent_lines, rounded
from gecmetrics_nb.core.score import signature
from gecmetrics_nb.io.readers import read_pieces

VALUES = {
    "None": None, "True": True, "False": False, "0": 0, "-1": -1, "3": 3, "2.5": 2.5, "nan": float("nan"), "inf": float("inf"), "1j": 1j,
    "empty string": "", "string": "a b", "name": "word", "bytes": b"a b", "empty list": [], "list in list": [[]], "strings": ["a b", "c"], "one string in a list": ["a"],
    "lists of strings": [["a b", "c"]], "None in list": [None, "c"], "None alone in lists": [[None, None]], "numbers": [1, 2], "bytes in list": [b"a", b"c"], "nan in list": ["a", float("nan")],
    "set": {"a b", "c"}, "frozen set": frozenset(["a b"]), "dict": {"a": "a b", "b": "c"}, "keys": {"a": 1, "b": 2}.keys(), "values": {"a": "a b", "b": "c"}.values(), "items": {"a": 1}.items(),
    "object": object(), "class": object, "function": len, "lambda": lambda line: None, "array of one": np.array(3), "array": np.arange(4.), "array of strings": np.array(["a b", "c"]),
    "NumPy number": np.float64(.5), "NumPy flag": np.True_, "generator": (x for x in ()), "range": range(2), "date": np.datetime64("2020-01-01"), "module": np,
}
TEXTS = dict(sources=["a b", "c"], hypotheses=["a b", "c"], references=[["a b", "c"], ["a", None]])
METRICS = [GLEU(), GLEU(variant="2015"), GREEN(), BLEU(), GoogleGLEU(), METEOR()]
M2 = ["S a b", "A 0 1|||X|||c|||REQUIRED|||-NONE-|||0", "", "S c", "A 0 1|||X|||d|||REQUIRED|||-NONE-|||0"]


def calls():
    "Pairs of a name and a function with keywords that is called rightly"
    corpus = Corpus(TEXTS["sources"], TEXTS["references"], [TEXTS["hypotheses"]])
    for metric in METRICS:
        name = type(metric).__name__ + " 2015" * (metric == GLEU(variant="2015"))
        yield f"{name}()", lambda metric=metric, **changes: replace(metric, **changes), {f.name: getattr(metric, f.name) for f in fields(metric)}
        yield f"{name}().corpus_score", metric.corpus_score, {**TEXTS, "note": "x"}
        yield f"{name}().sentence_scores", metric.sentence_scores, TEXTS
        yield f"{name}().statistics", metric.statistics, TEXTS
        yield f"{name}().count", metric.count, {"corpus": corpus}
        parts = list(metric.count(corpus))
        for function in score_corpus, score_sentences, collect: yield f"{function.__name__} {name}", function, {"metric": metric, "parts": parts}
    gold, texts = parse_m2(M2), {"hypotheses": TEXTS["hypotheses"], "sources": TEXTS["sources"]}
    for name in EDIT_METRICS:
        kind = class_of(name)
        yield f"{kind.__name__}()", kind, {f.name: getattr(kind(), f.name) for f in fields(kind)}
        yield f"{kind.__name__}().corpus_score", kind().corpus_score, {**(texts if name in ("m2", "i-measure") else {"hypotheses": gold}), "gold": gold}
    yield "GoldCorpus", GoldCorpus, {"gold": gold, "systems": [TEXTS["hypotheses"]]}
    yield "EditCorpus", EditCorpus, {"gold": gold, "systems": [gold]}
    yield "compare_edits", compare_edits, {"system": gold, "gold": gold, "mode": "cs", "single": False, "multi": False, "skip": (), "beta": .5, "once": False}
    yield "score_corpora", score_corpora, {"metrics": [GREEN()], "parts": list(GREEN().count(corpus))}
    yield "signature", signature, {"metric": GREEN(), "sentences": 3, "references": (1, 2), "note": "", "per": "corpus"}
    columns = {"sources": TEXTS["sources"], "references": TEXTS["references"], "systems": [TEXTS["hypotheses"]]}
    yield "Corpus", Corpus, columns
    yield "Corpus, named", lambda **names: Corpus(**columns, **names), {"reference_names": ("one", "two"), "system_names": ("A",)}
    yield "read_corpus", read_corpus, {"source": "no such file", "references": ["no such file"], "hypotheses": ["no such file"]}
    yield "read_pieces", lambda **given: list(read_pieces(**given)), {"source": "no such file", "references": ["no such file"], "hypotheses": ["no such file"]}
    yield "align", align, {"hypothesis": ["a"], "reference": ["a"], "fewest": "crossings", "limit": 100}
    yield "parse_m2", parse_m2, {"lines": M2}
    yield "references_from_m2", references_from_m2, {"sentences": parse_m2(M2), "policy": "nus"}
    yield "stored_counts", conll14.stored_counts, {"name": "word", "policy": "nus"}
    if find_spec("pandas"):
        from pandas import DataFrame
        yield "from_frame", Corpus.from_frame, {"frame": DataFrame({"s": ["a", "b"], "r": ["a", "b"]}), "sources": "s", "references": "r", "hypotheses": "r"}
    yield "ranking", ranking, {"values": [1., 2.]}
    for function in correlation.pearson, correlation.spearman: yield function.__name__, function, {"x": [1., 2., 3.], "y": [1., 3., 2.]}
    yield from statistics()
    if find_spec("matplotlib"): yield from pictures()


def statistics():
    "Judgments, correlations and tests"
    draws = {"draws": 5, "seed": 0}
    counts, two = list(GREEN().count(Corpus(TEXTS["sources"], TEXTS["references"], [TEXTS["hypotheses"]] * 2))), {"names": ["A", "B"]}
    table, square = correlation.parse_scores(["s,G", *(f"{name},{i}" for i, name in enumerate("ABCDEFG"))]), [[0, 2], [1, 0]]
    yield "compare_systems", significance.compare_systems, {"metric": GREEN(), "corpus": counts, **two, "baseline": "A", "test": "bootstrap", **draws, "confidence": .5, "per": "corpus", "note": "", "jobs": 1}
    yield "rank_systems", significance.rank_systems, {"metric": GREEN(), "corpus": counts, **two, **draws, "confidence": .5, "per": "corpus", "note": "", "jobs": 1}
    yield "correlate", correlate, {"scores": table, "human": table, "systems": list("ABCDEF"), **draws, "confidence": .5}
    yield "drawn_systems", correlation.bootstrap_over_systems, {"x": [1., 2., 3.], "y": [1., 3., 2.], **draws}
    yield "resampled_wins", human.resampled_wins, {"judgments": judgments.stored_judgments("seeda-edit"), **draws}
    yield "resamples", lambda **given: list(significance.bootstrap_weights(**given)), {"sentences": 3, **draws}
    yield "swaps", lambda **given: list(significance.exchange_masks(**given)), {"sentences": 3, **draws}
    yield "interval", significance.interval, {"scores": [[1., 2.], [3., 4.]], "confidence": .5}
    yield "middle", correlation.percentile_interval, {"values": [[1., 2.], [3., 4.]], "confidence": .5}
    yield "rank_ranges", human.bootstrap_rank_ranges, {"scores": [[1., 2.]] * 9, "confidence": .5}
    yield "holm", significance.holm, {"p": [.1, .2]}
    yield "holm_pairs", significance.holm_pairs, {"p": [[1, .2], [.2, 1]]}
    yield "place_ranges", significance.rank_ranges, {"scores": [1., 2.], "p": [[1, .2], [.2, 1]]}
    yield "expected_wins", human.expected_wins, {"wins": square, "among": "all"}
    for function in human.head_to_head, human.sign_test: yield function.__name__, function, {"wins": square}
    yield "trueskill_limit", trueskill.trueskill_limit, {"won": [[0, 200], [100, 0]], "even": [[0, 2], [2, 0]], "steps": 50}
    yield "ranks", correlation.ranks, {"x": [1., 2.]}
    yield "from_rankings", human.from_rankings, {"rankings": [(0, "j", [(["A", "B"], 1), (["C"], 2)])], "systems": ["A", "C"]}
    yield "parse_rankings", human.parse_rankings, {"text": '<x><ranking-item src-id="1" user="u"/></x>'}
    yield "parse_judgments", human.parse_judgments, {"lines": [",".join(human.FIELDS), "A,1,B,2,1,x"], "systems": ["A", "B"]}
    yield "stored_judgments", judgments.stored_judgments, {"name": "seeda-edit", "systems": ["T5", "BART"]}
    yield "parse_scores", correlation.parse_scores, {"lines": ["s,G", "A,1"]}
    yield "parse_sentence_scores", parse_sentence_scores, {"lines": ["s,sentence,G", "A,1,2"]}
    yield "metric_named", metric_named, {"text": "gleu"}
    yield "rounded", rounded, {"value": .5, "digits": 2}
    yield "percent_lines", percent_lines, {"scores": [[.5]], "digits": 2}


def pictures():
    "What draws, as far as it can be refused"
    names = {"names": ["A", "B", "C"]}
    yield "places", competition_ranks, {"scores": [1., 2.]}
    yield "rank_slopes", rank_slopes, {**names, "scores": [[1., 2., 3.]], "titles": ["G"]}
    yield "place_bars", place_bars, {**names, "points": [1, 2, 3], "ranges": [[1, 2], [1, 2], [3, 3]]}
    yield "metric_against_human", metric_against_human, {**names, "metric": [1., 2., 3.], "human": [1., 3., 2.]}
    yield "picture_kind", picture_kind, {"path": "a.svg"}


CALLS = {name: (function, given) for name, function, given in calls()}

NUMBERS = {"0", "3", "2.5", "inf", "NumPy number"}
LINES = {"strings", "array of strings"}
ARRAYS, NAMES = {"numbers", "array", "range"}, {"None", "strings", "one string in a list", "array of strings"}
FLAGS = {"True", "False", "NumPy flag"}
TOKENS = {"empty list", "strings", "one string in a list", "None in list", "numbers", "bytes in list", "nan in list", "array", "array of strings", "generator", "range"}
ACCEPTED = { # by argument: what it may be, or what may be taken for it
    "order": {"3"}, "iterations": {"3"}, "min_order": {"3"}, "limit": {"3"}, "sentences": {"3"}, "empty_recall": {"0"},
    "unit": {"name", "class", "function", "lambda"}, # any function; it is asked for tokens later
    "beta": NUMBERS, "alpha": {"0", "NumPy number"}, "gamma": {"0", "NumPy number"}, "weight": {"0", "NumPy number"},
    "brevity": {"None"}, "smooth_value": {"None"}, "weights": {"None"}, "stems": FLAGS, "lowercase": FLAGS, "aggregate": FLAGS, "effective_order": FLAGS,
    "max_unchanged_words": {"0", "3"}, "ignore_whitespace_casing": FLAGS, ("IMeasure()", "weight"): NUMBERS - {"inf"}, "single": FLAGS, "multi": FLAGS, "once": FLAGS,
    "skip": {"empty list", "strings", "one string in a list", "set", "frozen set", "keys", "array of strings", "generator"},
    "sources": LINES, "hypotheses": LINES, "references": {"lists of strings", "None"}, "systems": {"lists of strings"}, "note": {"empty string", "string", "name"},
    "reference_names": {"empty list", "strings", "array of strings", "generator"}, "system_names": {"empty list", "one string in a list", "generator"},
    "hypothesis": TOKENS, "reference": TOKENS, "name": {"name"}, "values": {"empty list", "numbers", "array", "range"},
    "draws": {"3"}, "seed": {"0", "3"}, "confidence": {"NumPy number"}, "jobs": {"None", "3"}, "digits": {"0", "3"}, "steps": {"3"}, "baseline": {"None"},
    "names": {"strings", "array of strings"}, ("holm", "p"): {"empty list", "range"}, ("ranks", "x"): ARRAYS | {"None alone in lists"},
    ("interval", "scores"): ARRAYS | {"None alone in lists"}, ("middle", "values"): ARRAYS | {"None alone in lists"}, ("percent_lines", "scores"): {"None alone in lists", "list in list"},
    ("rounded", "value"): NUMBERS | FLAGS | {"-1", "nan", "array of one"}, ("rank_slopes", "titles"): set(VALUES), # any text
    ("place_ranges", "scores"): {"numbers", "range"}, ("places", "scores"): ARRAYS | {"empty list", "list in list"}, ("from_rankings", "rankings"): {"empty list", "generator"},
    ("from_rankings", "systems"): NAMES, ("parse_judgments", "systems"): NAMES, ("correlate", "systems"): {"None"}, ("stored_judgments", "systems"): {"None"},
}
ALSO = { # what a message says in the place of the argument's name
    ("read_corpus", "source"): "no such file", ("read_corpus", "references"): "no such file", ("read_corpus", "hypotheses"): "no such file",
    ("read_pieces", "source"): "no such file", ("read_pieces", "references"): "no such file", ("read_pieces", "hypotheses"): "no such file",
    **{(call, name): "no such file" for call, names in {"GoldCorpus": ["gold"], "EditCorpus": ["gold", "systems"], "compare_edits": ["system", "gold"], "M2().corpus_score": ["gold"],
                                                        "IMeasure().corpus_score": ["gold"]}.items() for name in names},
    ("parse_m2", "lines"): "M2: ", ("score_corpora", "metrics"): "metric is", ("from_frame", "sources"): "frame has no column",
    ("from_frame", "references"): "frame has no column", ("from_frame", "hypotheses"): "frame has no column",
    ("compare_systems", "corpus"): "parts", ("rank_systems", "corpus"): "parts", ("compare_systems", "names"): "baseline 'A'", ("rank_systems", "names"): "one system",
    ("correlate", "systems"): "scores has no ", ("rank_ranges", "scores"): "samples are too few", ("parse_rankings", "text"): "rankings: not XML", ("parse_judgments", "lines"): "judgments: no ",
    ("parse_scores", "lines"): "scores: ", ("parse_sentence_scores", "lines"): "scores: no scores", ("metric_named", "text"): "metric ", ("place_bars", "points"): "3 names, places",
    ("metric_against_human", "human"): "of people", ("picture_kind", "path"): "give the picture a name",
}
NO_LIST = {"set", "object", "class", "function", "module"}
CASES = [(name, argument) for name, (_, given) in CALLS.items() for argument in given]


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("read_")]) # no file is read here
def test_the_calls_are_right_until_something_is_exchanged(name):
    function, given = CALLS[name]
    function(**given)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name,argument", CASES)
def test_a_bad_call_is_refused_in_one_line_that_names_the_argument(name, argument):
    function, given = CALLS[name]
    is_text = argument in ("note", "path", "source", "text", "value") or name == "from_frame"
    is_setting = isinstance(given[argument], (float, int, str, type(None))) and not is_text
    wrong = {}
    for label, value in VALUES.items():
        if label == "generator": value = iter(()) # a fresh one
        allowed = ACCEPTED.get((name, argument), ACCEPTED.get(argument, set())) | ({"None"} if argument == "sources" and name.startswith(("BLEU", "Google", "METEOR", "Corpus", "M2", "IMeasure")) else set())
        if (name, argument) == ("from_frame", "sources"): allowed = {"None"} # plays no part
        try: function(**{**given, argument: value})
        except (ValueError, TypeError, ImportError) as error:
            said = str(error)
            named = argument in said or ALSO.get((name, argument), "\n") in said
            kind = ValueError if is_setting else TypeError if label in NO_LIST else Exception
            if not isinstance(error, kind): wrong[label] = type(error)
            if "\n" in said or not named or isinstance(error, ImportError) and "gecmetrics_nb[" not in said: wrong[label] = error
        else:
            if label not in allowed: wrong[label] = "accepted"
    assert not wrong


def test_as_much_as_an_error_can_hold_is_written_whole():
    assert [listed("abc", most) for most in (2, 3)] == ["a, b, 1 more", "a, b, c"]
    assert [short_repr("x" * n) for n in (78, 79)] == [f"'{'x' * 78}'", f"'{'x' * 75} ..."]
    assert [short_repr(n) for n in (10**80 - 1, -10**80)] == ["9" * 80, "a number of more than 80 digits"]


@pytest.mark.parametrize("call,says", [
    (lambda: whole_number("n", 0), "n is 0: give a whole number, 1 or larger"),
    (lambda: whole_number("n", 1001, 0, 1000), "n is 1001: give a whole number from 0 to 1,000"),
    (lambda: number("x", -1, 0), "x is -1: give a number of 0 or more"),
    (lambda: number("x", 2, 0, 1), "x is 2: give a number from 0 to 1"),
    (lambda: numbers("v", 3), "v has 0 axes; give a list of numbers"),
    (lambda: numbers("v", [1], 2), "v has 1 axes; give 2 axes of numbers"),
    (lambda: ranking([[1., 2.]]), "values has the shape (1, 2); give a list of numbers"),
    (lambda: ranking([1., np.nan, np.nan]), "values holds nan, 2 of 3: leave what has no value out"),
    (lambda: GREEN(unit="letter"),
     "unit is 'letter': use one of word, char, char-blanks, or a function from a line to its tokens"),
    (lambda: check_fields("T", "ab", "bc"), "T has no column 'a'; it has b, c"),
    (lambda: check_fields("T", "a", ""), "T has no column 'a'; it has none"),
    (lambda: check_fields("T", "ab", "abb"), "T has more than one column 'b'; give each a name of its own"),
    (lambda: cell_value(3, "x"), "x: int where a string or a list of strings belongs"),
    (lambda: cell_value(["a", 3], "x"), "x: a list that holds int, where a string or a list of strings belongs")])
def test_what_is_refused_has_its_bounds_and_its_place(call, says):
    with pytest.raises(ValueError) as refused: call()
    assert str(refused.value) == says


def test_a_bound_itself_is_allowed():
    for call in whole_number, number: assert [call("n", n, 1, 4) for n in (1, 4)] == [1, 4]
