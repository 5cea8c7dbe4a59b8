"Evaluation metrics for grammatical error correction, computed from region counts of n-grams"
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
import sys as _sys

from .names import GOLD as _GOLD, METRICS as _METRICS

__version__ = "0.1.0"

_HOME = {"align": "align", "Corpus": "corpus", "read_corpus": "stream", "Metric": "metric", "Score": "score",
         "compare_systems": "resample", "parse_m2": "m2", "references_from_m2": "m2"}


def _home(): return {**{m.kind: m.module for m in [*_METRICS.values(), *_GOLD.values()]}, **_HOME}


def __getattr__(name):
    "Load a public name from its module when it is first used, so that importing the package costs nothing"
    if name == "__all__": return ["__version__", *_home()]
    if name not in _home(): raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_import_module(f"{__name__}.{_home()[name]}"), name)


def __dir__(): return sorted(["__version__", *_home()])


class _Package(_ModuleType):
    "Importing the submodule `align` binds the package's attribute of that name to the module; the public name is its function"
    def __setattr__(self, name, value):
        if name in _HOME and isinstance(value, _ModuleType): value = getattr(value, name)
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package
