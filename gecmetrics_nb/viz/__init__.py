"Pictures, and one sentence under all metrics"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .plot import venn as venn, rank_slopes as rank_slopes, metric_against_human as metric_against_human
    from .sentence import ScoredSentence as ScoredSentence, explore as explore
else: __all__, __getattr__, __dir__ = offer(__spec__)
