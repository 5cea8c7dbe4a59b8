"One module a metric, and the list of all metrics"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .bleu import BLEU as BLEU
    from .google_gleu import GoogleGLEU as GoogleGLEU
    from .gleu import GLEU as GLEU
    from .green import GREEN as GREEN
    from .meteor import METEOR as METEOR
    from .m2 import M2 as M2, EditMetric as EditMetric, GoldCorpus as GoldCorpus, read_gold as read_gold
    from .i_measure import IMeasure as IMeasure
    from .errant import compare_edits as compare_edits
    from .error_types import ERRANT as ERRANT, ErrorTypes as ErrorTypes
    from .cleme import CLEME as CLEME, CLEME2 as CLEME2
else: __all__, __getattr__, __dir__ = offer(__spec__)
