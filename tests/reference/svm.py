"""The dual of one machine: stated, solved by a general-purpose optimiser, and its optimality conditions."""

import numpy as np
from scipy.optimize import LinearConstraint, minimize


def dual_objective(alpha, y, K):
    signed = alpha * y
    return 0.5 * signed @ K @ signed - alpha.sum()


def solve_dual(K, y, upper):
    """alpha of the C-SVM by SciPy's trust-region method: slow, and none of our code."""
    Q = K * np.outer(y, y)
    result = minimize(
        lambda alpha: 0.5 * alpha @ Q @ alpha - alpha.sum(),
        x0=np.zeros(y.size),
        jac=lambda alpha: Q @ alpha - 1.0,
        hess=lambda alpha: Q,
        bounds=list(zip(np.zeros(y.size), upper, strict=True)),
        constraints=[LinearConstraint(y[None, :], 0.0, 0.0)],
        method="trust-constr",
        options={"gtol": 1e-9, "xtol": 1e-12, "maxiter": 3000},
    )
    return np.clip(result.x, 0.0, upper)


def violation(alpha, y, K, upper):
    """libsvm's measure: how far the best riser and the best faller are from agreeing on a bias."""
    gradient = K @ (alpha * y) - y
    can_rise = np.where(y > 0, alpha < upper, alpha > 0)
    can_fall = np.where(y > 0, alpha > 0, alpha < upper)
    return gradient[can_fall].max() - gradient[can_rise].min()


def margin_sensitivity(X, dual_coef, gradient):
    """D_k = sum_i |b_i| |sum_j b_j gradient[i, j, k]|."""
    return np.array(
        [
            sum(
                abs(dual_coef[i]) * abs(sum(dual_coef[j] * gradient[i, j, k] for j in range(len(X))))
                for i in range(len(X))
            )
            for k in range(X.shape[1])
        ]
    )
