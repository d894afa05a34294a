"""Pictures of credits, selection paths and shapes, drawn with matplotlib (``pip install infoprop[plots]``).

Displays follow scikit-learn's contract: the constructor takes what is to be drawn, ``from_estimator``
(or ``from_selector``) computes it, ``plot`` draws and keeps the artists. Nothing global is changed.
"""

from infoprop.plots._control import KnockoffDisplay, StabilityDisplay
from infoprop.plots._credits import CreditsDisplay
from infoprop.plots._flow import InformationFlowDisplay
from infoprop.plots._pairwise import PairwiseFeaturesDisplay
from infoprop.plots._path import SelectionPathDisplay
from infoprop.plots._rows import RowCreditsDisplay
from infoprop.plots._shape import ShapeDisplay

__all__ = [
    "CreditsDisplay",
    "InformationFlowDisplay",
    "KnockoffDisplay",
    "PairwiseFeaturesDisplay",
    "RowCreditsDisplay",
    "SelectionPathDisplay",
    "ShapeDisplay",
    "StabilityDisplay",
]
