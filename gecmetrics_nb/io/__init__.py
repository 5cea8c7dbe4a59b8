"Files, M2 files, tables and batches"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .files import read_lines as read_lines
    from .readers import read_corpus as read_corpus
    from .edit_corpus import EditCorpus as EditCorpus
    from .m2 import parse_m2 as parse_m2, references_from_m2 as references_from_m2, write_references as write_references
else: __all__, __getattr__, __dir__ = offer(__spec__)
