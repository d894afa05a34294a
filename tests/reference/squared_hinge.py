"""Machines with the squared hinge: objective, a general-purpose optimiser, optimality conditions."""

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from infoprop.svm import OneVsRestSVC


def objective(theta, X, y, cost):
    """Objective and gradient of ``1/2 |w|^2 + sum cost max(0, 1 - y (w . x + b))^2`` at (w, b)."""
    w, b = theta[:-1], theta[-1]
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    pull = -2.0 * cost * y * slack
    return 0.5 * w @ w + (cost * slack**2).sum(), np.append(w + X.T @ pull, pull.sum())


def solve(X, y, cost):
    """w and b of the squared hinge by SciPy's quasi-Newton method: slow, and none of our code."""
    result = minimize(
        objective,
        x0=np.zeros(X.shape[1] + 1),
        args=(X, y, cost),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-11, "maxiter": 10_000},
    )
    return result.x[:-1], result.x[-1]


def labelled(n, n_columns, n_classes=2, seed=0):
    """Rows with some signal and much overlap."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.normal(size=(n, n_columns))
    X[:, : min(n_columns, n_classes)] += y[:, None] == np.arange(min(n_columns, n_classes))
    return X, y


def squared(**parameters):
    return OneVsRestSVC(kernel="linear", loss="squared_hinge", **parameters)


def signs_of(model, y, r):
    label = model.classes_[r if len(model.machines_) > 1 else 1]
    return np.where(y == label, 1.0, -1.0)


def assert_optimal(model, X, y, cost, atol=1e-8):
    """The gradient of the objective is zero, and dual variables are what outputs say."""
    X = X.toarray() if sparse.issparse(X) else X
    for r, machine in enumerate(model.machines_):
        signs = signs_of(model, y, r)
        slack = np.maximum(0.0, 1.0 - signs * (X @ model.coef_[r] + model.intercept_[r]))
        beta = np.zeros(len(y))
        beta[machine.support] = machine.dual_coef
        np.testing.assert_allclose(beta / (2.0 * cost), signs * slack, atol=atol)
        cost = np.broadcast_to(cost, len(y))
        gradient = objective(np.append(model.coef_[r], model.intercept_[r]), X, signs, cost)[1]
        terms = 2.0 * cost * (1.0 + np.abs(X) @ np.abs(model.coef_[r]) + abs(model.intercept_[r]))
        scale = 1.0 + np.append(np.abs(X).T @ terms, terms.sum())
        np.testing.assert_allclose(gradient / scale, 0.0, atol=atol)


def assert_machines_optimal(machines, tol=1e-8):
    """Conditions of the optimum for every machine, on rows taken anew."""
    for t, split in enumerate(machines.members):
        X = split.X[:, machines.columns]
        own = range(machines.splits.first[t], machines.splits.last[t])
        for q, problem_of in zip(own, split.problems, strict=True):
            beta = machines.beta[q, : len(X)]
            y, cost = problem_of.y, 1.0 / problem_of.ridge
            slack = np.maximum(0.0, 1.0 - y * (X @ (beta @ X) + machines.bias[q]))
            np.testing.assert_allclose(beta / cost, slack * y, atol=tol)
            assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
