"Significance, ranks, what a change is worth, judgments of people, and how metrics agree with them"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from .significance import compare_systems as compare_systems, rank_systems as rank_systems, holm as holm
    from .human import Judgments as Judgments, expected_wins as expected_wins
    from .trueskill import trueskill_mean as trueskill_mean
    from .correlation import pearson as pearson, spearman as spearman, williams as williams, agreement as agreement
    from .meta_evaluation import correlate as correlate
    from .attribution import attribute as attribute, attribute_edits as attribute_edits
else: __all__, __getattr__, __dir__ = offer(__spec__)
