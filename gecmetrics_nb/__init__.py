"Evaluation metrics for grammatical error correction, computed from region counts of n-grams"
__version__ = "0.1.0"

_HOME = {"GLEU": "metrics.gleu", "GoogleGLEU": "metrics.google_gleu", "BLEU": "metrics.bleu", "GREEN": "metrics.green", "METEOR": "metrics.meteor", "align": "align",
         "Corpus": "text", "read_corpus": "text", "Metric": "score", "Score": "score",
         "compare_systems": "resample", "parse_m2": "m2", "references_from_m2": "m2"}
__all__ = ["__version__", *_HOME]


def __getattr__(name):
    "Load a public name from its module when it is first used, so that importing the package costs nothing"
    if name not in _HOME: raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__(): return sorted(__all__)
