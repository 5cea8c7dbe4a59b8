"Evaluation metrics for grammatical error correction: derived, proved, fast"
from ._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from ._version import __version__ as __version__
    from . import adapters as adapters, alignment as alignment, core as core, corpora as corpora, io as io
    from . import metrics as metrics, reproduce as reproduce, stats as stats, viz as viz
    from .core.corpus import Corpus as Corpus
    from .core.metric import Metric as Metric, NgramMetric as NgramMetric
    from .core.score import Score as Score
    from .io.readers import read_corpus as read_corpus
    from .io.m2 import parse_m2 as parse_m2, references_from_m2 as references_from_m2
    from .alignment.search import align as align
    from .metrics.bleu import BLEU as BLEU
    from .metrics.google_gleu import GoogleGLEU as GoogleGLEU
    from .metrics.gleu import GLEU as GLEU
    from .metrics.green import GREEN as GREEN
    from .metrics.meteor import METEOR as METEOR
    from .metrics.m2 import M2 as M2
    from .metrics.i_measure import IMeasure as IMeasure
    from .io.edit_corpus import EditCorpus as EditCorpus
    from .metrics.errant import compare_edits as compare_edits
    from .metrics.error_types import ERRANT as ERRANT
    from .metrics.cleme import CLEME as CLEME, CLEME2 as CLEME2
    from .stats.significance import compare_systems as compare_systems, rank_systems as rank_systems
else: __all__, __getattr__, __dir__ = offer(__spec__)
