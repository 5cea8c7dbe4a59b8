"Words of two sentences aligned (METEOR), and the edits between them (MaxMatch, ERRANT)"
from .._lazy import offer

__all__, __getattr__, __dir__ = offer(__name__, {
    "search": "align chunks crossings",
    "edits": "edits_of gold_from_texts m2_lines system_from_texts typed_edits",
})

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .search import align as align, chunks as chunks, crossings as crossings
    from .edits import edits_of as edits_of, gold_from_texts as gold_from_texts, m2_lines as m2_lines
    from .edits import system_from_texts as system_from_texts, typed_edits as typed_edits
