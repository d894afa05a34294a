"""From the outputs of all machines to probabilities of the classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from infoprop._core._row_folds import inner_folds
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop.svm._calibration import Sigmoid

CALIBRATIONS = ("validation", "train", None)
# As many folds as in scikit-learn's CalibratedClassifierCV; dealt the same way in every fit.
N_FOLDS = 5
_SEED = 0


def fitted_sigmoids(
    machines: Any,
    X: Matrix,
    y: LabelArray,
    weights: FloatArray,
    costs: FloatArray,
    row_groups: LabelArray | None = None,
) -> tuple[Sigmoid, ...]:
    """Fit a sigmoid to the outputs of each machine for rows it has not seen, or for those it was trained on.

    Parameters
    ----------
    machines : OneVsRestSVC
        Fitted to the rows; `calibration` says which outputs to take.
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    weights : array of shape (n_samples,)
        Of the rows, to train with.
    costs : array of shape (n_samples,)
        The same times the weights of their classes, by which rows count in the sigmoids.
    row_groups : array of shape (n_samples,), default=None
        Rows of the same one are in the same fold.
    """
    outputs = None
    if machines.calibration == "validation":
        outputs = _unseen_outputs(machines, X, y, weights, row_groups)
    if outputs is None:
        outputs = _as_columns(machines._outputs(X))
    positives = machines.classes_[-outputs.shape[1] :]
    return tuple(Sigmoid.fit(own, y == label, costs) for own, label in zip(outputs.T, positives, strict=True))


def _unseen_outputs(
    machines: Any, X: Matrix, y: LabelArray, weights: FloatArray, row_groups: LabelArray | None
) -> FloatArray | None:
    """Outputs in five folds: (n_samples, n_machines); None if a class could not both train and be asked.

    Rows are dealt out by what they hold: the folds do not depend on their order, and copies stay together.
    """
    _, codes = np.unique(y, return_inverse=True)
    folds = inner_folds(X, codes, N_FOLDS, _SEED, row_groups)
    if not folds:
        return None
    outputs = np.empty((len(y), len(machines.machines_)))
    for train, test in folds:
        again = clone(machines).set_params(calibration=None, warm_start=False)
        again.fit(X[train], y[train], sample_weight=weights[train])
        outputs[test] = _as_columns(again.decision_function(X[test]))
    return outputs


def log_odds(outputs: FloatArray, sigmoids: Sequence[Sigmoid]) -> FloatArray:
    """Log odds of machines with these outputs, :math:`a_r g_r + b_r`: of the same shape."""
    slopes = np.array([sigmoid.slope for sigmoid in sigmoids])
    offsets = np.array([sigmoid.offset for sigmoid in sigmoids])
    return np.asarray(outputs * slopes + offsets)


def class_probabilities(odds: FloatArray) -> FloatArray:
    """Probabilities of the classes from log odds, of more than two classes divided by their sum.

    Parameters
    ----------
    odds : array of shape (n_samples, n_classes), or (n_samples,) for two classes

    Returns
    -------
    array of shape (n_samples, n_classes)
    """
    found = expit(odds)
    if found.ndim == 1:
        return np.column_stack([1.0 - found, found])
    # Classes that are all as good as impossible are equally likely.
    found += np.finfo(np.float64).tiny
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _as_columns(outputs: FloatArray) -> FloatArray:
    return outputs.reshape(len(outputs), -1)
