"From text to counts, statistics and scores; nothing here knows a metric or a file"
from .._lazy import offer

__all__, __getattr__, __dir__ = offer(__name__, {
    "corpus": "Corpus",
    "metric": "Metric score_corpus score_sentences",
    "score": "Score",
    "aggregation": "SampledReferences Expected MeanOverReferences",
})

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .corpus import Corpus as Corpus
    from .metric import Metric as Metric, score_corpus as score_corpus, score_sentences as score_sentences
    from .score import Score as Score
    from .aggregation import SampledReferences as SampledReferences, Expected as Expected, MeanOverReferences as MeanOverReferences
