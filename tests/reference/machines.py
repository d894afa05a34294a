"""Problems of machines, machines of every kind that are moved, and the model that chooses among them."""

from infoprop.svm._machine import DualProblem
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares
from infoprop.svm._trainer import NO_START, Start, Trainer
from infoprop.svm._workers import ALONE, Workers
from infoprop.svm.active_set._kernel_store import WholeRows
from infoprop.svm.subset._feature_hinge import RowMachines
from infoprop.svm.subset._gram_hinge import GramMachines
from infoprop.svm.subset._kernel_hinge import KernelMachines
from infoprop.svm.subset._linear import NO_OPTIMUM
from infoprop.svm.subset._model import MovingSVC, SplitRows
from infoprop.svm.subset._squared_hinge import NewtonMachines

__all__ = [
    "ALONE",
    "NO_OPTIMUM",
    "NO_START",
    "DualProblem",
    "GramMachines",
    "KernelMachines",
    "MovingSVC",
    "NewtonMachines",
    "RowMachines",
    "SplitRows",
    "Start",
    "Trainer",
    "WholeRows",
    "Workers",
    "margin_sensitivity",
    "sensitivity_shares",
]
