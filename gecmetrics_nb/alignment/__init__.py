"Words of two sentences aligned (METEOR), and the edits between them (MaxMatch)"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .search import align as align, chunks as chunks, crossings as crossings
else: __all__, __getattr__, __dir__ = offer(__spec__)
