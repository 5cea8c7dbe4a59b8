"Public test sets by name, and their counts in the package"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .registry import fetch as fetch
    from .conll14 import stored_counts as stored_counts
    from .judgments import gmeg as gmeg, stored_judgments as stored_judgments
    from .test_sets import test_set as test_set
else: __all__, __getattr__, __dir__ = offer(__spec__)
