"""The gamma that a fitted scikit-learn SVM really uses, from what it makes public.

``gamma="scale"`` means 1 / (d Var(X)) over the *training* rows, which a fitted machine no longer has and
whose value it keeps to itself. But it answers with f(x) = sum_j b_j K_gamma(x_j, x) + b at any row, and every
term except gamma is public. So gamma is the root of one equation in one unknown, written down for many rows:
found by least squares, and accepted only if it gives back the machine's own answers.
"""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._gram import apply_link, base_matrix

ROWS_COMPARED = 32
# Relative to the size of the terms summed. The root is good to about 1e-12; a wrong gamma misses by far more.
AGREEMENT = 1e-7
# Decades searched around 1 / (d Var(support vectors)), and points per decade. The answer changes with
# log(gamma) over a width of about one, so a tenth of a decade cannot step over a basin.
SEARCHES = ((2, 10), (12, 20))


def effective_gamma(
    model: Any, support_vectors: Matrix, dual_coef: FloatArray, machine: int, rows: IntArray
) -> float:
    """Gamma of a fitted ``SVC`` or ``NuSVC``.

    Parameters
    ----------
    model : fitted SVC or NuSVC
    support_vectors : {ndarray, CSR} of shape (n_support, n_features)
        All support vectors of the model.
    dual_coef : ndarray of shape (n_machine_support,)
        Coefficients of one machine.
    machine : int
        Which column of the one-vs-one decision values is that machine's.
    rows : ndarray of shape (n_machine_support,)
        Rows of `support_vectors` that are that machine's.
    """
    if model.gamma == "auto":
        return 1.0 / float(model.n_features_in_)
    if model.gamma != "scale":
        return float(model.gamma)
    compared = rows[np.unique(np.linspace(0, len(rows) - 1, ROWS_COMPARED).astype(np.intp))]
    answers = _decision_values(model, support_vectors[compared], machine) - float(model.intercept_[machine])
    degree = model.degree if model.kernel == "poly" else 1
    guess = KernelSpec.resolve(model.kernel, support_vectors, degree=degree, coef0=model.coef0)
    base = base_matrix(support_vectors[compared], support_vectors[rows], guess)
    return _solve(model, guess, base, dual_coef, answers)


def _decision_values(model: Any, rows: Matrix, machine: int) -> FloatArray:
    """Ask for each machine's own value, whatever shape of answer the user has chosen."""
    asked = copy(model).set_params(decision_function_shape="ovo")
    # These rows carry no names; a machine fitted with names would warn about it.
    vars(asked).pop("feature_names_in_", None)
    values: FloatArray = np.asarray(asked.decision_function(rows), dtype=np.float64)
    return values if values.ndim == 1 else values[:, machine]


def _solve(
    model: Any, guess: KernelSpec, base: FloatArray, dual_coef: FloatArray, answers: FloatArray
) -> float:
    scale = float(np.abs(dual_coef).sum())

    def misses(log_gamma: Any) -> FloatArray:
        spec = replace(guess, gamma=float(np.exp(np.ravel(log_gamma)[0])))
        with np.errstate(over="ignore", invalid="ignore"):
            found: FloatArray = (apply_link(base.copy(), spec) @ dual_coef - answers) / scale
        return found

    for decades, per_decade in SEARCHES:
        grid = np.log(guess.gamma) + np.log(10.0) * np.linspace(
            -decades, decades, 2 * decades * per_decade + 1
        )
        start = min(grid, key=lambda log_gamma: _size(misses(log_gamma)))
        root = least_squares(misses, [start], xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if _size(root.fun) <= AGREEMENT * max(1.0, np.abs(answers).max() / scale):
            return float(np.exp(root.x[0]))
    raise UnsupportedEstimatorError(
        f"The gamma that {type(model).__name__}(gamma='scale') was trained with could not be recovered from "
        "its decision values. Train it with gamma as a number."
    )


def _size(misses: FloatArray) -> float:
    largest = float(np.abs(misses).max())
    return largest if np.isfinite(largest) else np.inf
