"""Support vector machines that share their Gram matrix and go on from where they stood.

:class:`OneVsRestSVC` is the classifier. :class:`MovingSVC` moves it between subsets of the columns for those
who search: its :class:`LinearMachines` go from optimum to optimum without being trained anew.
"""

from infoprop.svm._classifier import OneVsRestSVC
from infoprop.svm._linear_machines import LinearMachines
from infoprop.svm._machine import BinaryMachine
from infoprop.svm._moving import MovingSVC, SplitRows
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares

__all__ = [
    "BinaryMachine",
    "LinearMachines",
    "MovingSVC",
    "OneVsRestSVC",
    "SplitRows",
    "margin_sensitivity",
    "sensitivity_shares",
]
