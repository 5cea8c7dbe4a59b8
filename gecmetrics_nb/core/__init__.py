"From text to counts, statistics and scores; nothing here knows a metric or a file"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .corpus import Corpus as Corpus
    from .metric import Metric as Metric, ReferenceMetric as ReferenceMetric, NgramMetric as NgramMetric
    from .metric import score_corpus as score_corpus, score_sentences as score_sentences
    from .score import Score as Score
    from .aggregation import SampledReferences as SampledReferences, MeanOverReferences as MeanOverReferences
    from .aggregation import SentenceMean as SentenceMean, BestReference as BestReference
else: __all__, __getattr__, __dir__ = offer(__spec__)
