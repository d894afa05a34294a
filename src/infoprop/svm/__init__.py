"""Support vector machines that share their Gram matrix and go on from where they stood.

:class:`OneVsRestSVC` is the classifier. :class:`MovingSVC` moves it between subsets of the columns for those
who search: its :class:`LinearMachines` go from optimum to optimum without being trained anew.
:class:`ShapedLinearClassifier` trains linear machines on shaped features.
"""

from infoprop.svm._calibration import Sigmoid
from infoprop.svm._classifier import OneVsRestSVC
from infoprop.svm._machine import BinaryMachine
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares
from infoprop.svm._shaped import ShapedLinearClassifier
from infoprop.svm.subset._linear import LinearMachines
from infoprop.svm.subset._model import MovingSVC, SplitRows
from infoprop.svm.subset._protocol import EliminatingMachines

__all__ = [
    "BinaryMachine",
    "EliminatingMachines",
    "LinearMachines",
    "MovingSVC",
    "OneVsRestSVC",
    "ShapedLinearClassifier",
    "Sigmoid",
    "SplitRows",
    "margin_sensitivity",
    "sensitivity_shares",
]
