"""infoprop tells what every feature is worth to a classifier, in bits, and picks features by it.

``infoprop.select(X, y)`` chooses features with nothing to set. The sub-packages are imported on first use, so
``import infoprop`` costs almost nothing:

- :mod:`infoprop.metrics`: the information in a classifier's output;
- :mod:`infoprop.kernels`: kernels and their gradients;
- :mod:`infoprop.svm`: support vector machines with shared Gram matrices and warm starts;
- :mod:`infoprop.mlp`: small multilayer perceptrons;
- :mod:`infoprop.credit`: from a fitted classifier to bits per feature;
- :mod:`infoprop.selection`: feature selectors that also predict;
- :mod:`infoprop.pairwise`: a classifier, and features, for every pair of classes;
- :mod:`infoprop.shaping`: columns reshaped and scaled for linear classifiers;
- :mod:`infoprop.datasets`: problems with known relevant features, and tables from disk;
- :mod:`infoprop.workflow`: from a table to an answer, in one call;
- :mod:`infoprop.plots`, :mod:`infoprop.report`, :mod:`infoprop.cli`: what users see;
- :mod:`infoprop.exceptions`: the errors it raises, to be caught.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_SUBPACKAGES = (
    "cli",
    "credit",
    "datasets",
    "exceptions",
    "kernels",
    "metrics",
    "mlp",
    "pairwise",
    "plots",
    "report",
    "selection",
    "shaping",
    "svm",
    "workflow",
)

__all__ = ["__version__", "select", *_SUBPACKAGES]


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"infoprop.{name}")
    if name == "select":
        return import_module("infoprop.selection").select
    raise AttributeError(f"module 'infoprop' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
