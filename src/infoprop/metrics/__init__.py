"""The information in a classifier's output, in bits.

Everything is read from one :class:`ConfusionCounts`: the class entropy H(Y), the output information I(Y;Yf),
the credit of each class indicator and the bounds on the error. :class:`InformationFlow` holds them all.
"""

from typing import Any

from infoprop.metrics._bounds import ErrorBounds
from infoprop.metrics._confusion import ConfusionCounts
from infoprop.metrics._flow import InformationFlow
from infoprop.metrics._scores import (
    class_entropy,
    error_bounds,
    indicator_credits,
    output_information,
    relative_output_information,
)

output_information_scorer: Any
relative_output_information_scorer: Any

__all__ = [
    "ConfusionCounts",
    "ErrorBounds",
    "InformationFlow",
    "class_entropy",
    "error_bounds",
    "indicator_credits",
    "output_information",
    "output_information_scorer",
    "relative_output_information",
    "relative_output_information_scorer",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        # On first use only: scikit-learn takes far longer to import than all of this package.
        from infoprop.metrics._scorers import build_scorer

        return build_scorer(name)
    raise AttributeError(f"module 'infoprop.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
