"""Feature selectors that also predict.

Each is a scikit-learn selector and a classifier: it chooses columns by what they earn, in bits, trains its
classifier on them, and then transforms, predicts and scores.
"""

from infoprop.selection._backward import BackwardEliminationSelector
from infoprop.selection._credit import CreditSelector
from infoprop.selection._directed import DirectedSearchSelector
from infoprop.selection._gradient_angle import GradientAngleSelector
from infoprop.selection._interruption import SearchInterruptedWarning
from infoprop.selection._path import PathStep, SelectionPath
from infoprop.selection._trace import SearchStep, SearchTrace

__all__ = [
    "BackwardEliminationSelector",
    "CreditSelector",
    "DirectedSearchSelector",
    "GradientAngleSelector",
    "PathStep",
    "SearchInterruptedWarning",
    "SearchStep",
    "SearchTrace",
    "SelectionPath",
]
