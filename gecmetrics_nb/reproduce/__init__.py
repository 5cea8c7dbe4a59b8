"Published numbers beside ours"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .tables import choose_tables as choose_tables, compute as compute, Report as Report
else: __all__, __getattr__, __dir__ = offer(__spec__)
