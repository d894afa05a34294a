"""Cold fits of OneVsRestSVC against scikit-learn's and Intel's SVMs, as ratios measured in one run.

Kernel machines: same C = 1, gamma = "scale", tol = 1e-3, one class against the rest. Linear machines on text:
same C = 1, tol and loss, the squared hinge that is LinearSVC's default and the hinge that is ours (liblinear
also penalises the bias, which we do not).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from _measure import best_times
from _problems import Problem, dense_problems, text_problems
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

from infoprop.svm import OneVsRestSVC

try:
    from sklearnex.svm import SVC as IntelSVC
except ImportError:
    IntelSVC = None


def kernel_rows(problem: Problem, kernel: str) -> Iterator[dict[str, Any]]:
    X, y = problem.X, problem.y
    OneVsRestSVC(kernel=kernel).fit(X[::10], y[::10])
    methods = {
        "infoprop": lambda: OneVsRestSVC(kernel=kernel).fit(X, y),
        "infoprop, n_jobs=2": lambda: OneVsRestSVC(kernel=kernel, n_jobs=2).fit(X, y),
        "OneVsRestClassifier(SVC)": lambda: OneVsRestClassifier(SVC(kernel=kernel)).fit(X, y),
        "OneVsRestClassifier(SVC), n_jobs=2": lambda: OneVsRestClassifier(SVC(kernel=kernel), n_jobs=2).fit(
            X, y
        ),
    }
    if IntelSVC is not None:
        methods["OneVsRestClassifier(sklearnex SVC)"] = lambda: OneVsRestClassifier(
            IntelSVC(kernel=kernel)
        ).fit(X, y)
    seconds, fitted = best_times(methods)
    worst = max(
        (machine.objective - _objective(peer, X, kernel)) / abs(machine.objective)
        for machine, peer in zip(
            fitted["infoprop"].machines_, fitted["OneVsRestClassifier(SVC)"].estimators_, strict=True
        )
    )
    yield from _rows(problem, kernel, "1e-3", seconds, f"{worst:+.0e}")


def _objective(peer: SVC, X: Any, kernel: str) -> float:
    from infoprop.kernels import kernel_matrix

    gamma = 1.0 / (X.shape[1] * X.var())
    b = peer.dual_coef_[0]
    return float(0.5 * b @ kernel_matrix(X[peer.support_], kernel=kernel, gamma=gamma) @ b - np.abs(b).sum())


def linear_rows(problem: Problem, tol: float, loss: str) -> Iterator[dict[str, Any]]:
    X, y = problem.X, problem.y
    OneVsRestSVC(kernel="linear", loss=loss, tol=tol).fit(X, y)
    methods = {
        "infoprop": lambda: OneVsRestSVC(kernel="linear", loss=loss, tol=tol).fit(X, y),
        "infoprop, n_jobs=2": lambda: OneVsRestSVC(kernel="linear", loss=loss, tol=tol, n_jobs=2).fit(X, y),
        f"LinearSVC(dual=True, loss={loss!r})": lambda: LinearSVC(
            dual=True, loss=loss, tol=tol, random_state=0
        ).fit(X, y),
    }
    seconds, _ = best_times(methods)
    yield from _rows(problem, f"linear, {problem.note}", f"{tol:g}", seconds, "")


def _rows(
    problem: Problem, kernel: str, tol: str, seconds: dict[str, float], objective: str
) -> Iterator[dict[str, Any]]:
    for name, duration in seconds.items():
        if name.startswith("infoprop"):
            continue
        ours = "infoprop, n_jobs=2" if "n_jobs=2" in name else "infoprop"
        yield {
            "data": problem.name,
            "rows x columns": problem.shape,
            "kernel": kernel,
            "tol": tol,
            "peer": name,
            "peer s": round(duration, 3),
            "infoprop s": round(seconds[ours], 3),
            "ratio": round(duration / seconds[ours], 1),
            "with n_jobs=2 s": round(seconds["infoprop, n_jobs=2"], 3),
            "ratio with n_jobs=2": round(duration / seconds["infoprop, n_jobs=2"], 1),
            "excess objective": objective if name == "OneVsRestClassifier(SVC)" else "",
        }


def dense() -> Iterator[dict[str, Any]]:
    for problem in dense_problems():
        for kernel in ("linear", "rbf"):
            yield from kernel_rows(problem, kernel)


def text() -> Iterator[dict[str, Any]]:
    for problem in text_problems():
        for tol in (1e-3, 1e-4):
            for loss in ("squared_hinge", "hinge"):
                yield from linear_rows(problem, tol, loss)


JOBS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {"dense": dense, "text": text}


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each problem, kernel and peer; ratio = seconds of the peer / seconds of infoprop."""
    return [row for name, job in JOBS.items() if only in (None, name) for row in job()]
