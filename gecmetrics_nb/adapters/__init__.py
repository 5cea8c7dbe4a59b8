"The interfaces of other libraries"
from .._lazy import offer

TYPE_CHECKING = False # what mypy and editors read
if TYPE_CHECKING:
    from . import gec_metrics as gec_metrics, huggingface as huggingface, nltk as nltk
    from . import rewards as rewards, torchmetrics as torchmetrics
else: __all__, __getattr__, __dir__ = offer(__spec__)
