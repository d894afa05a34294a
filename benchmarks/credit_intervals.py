"""Do the intervals of credits hold? How often they contain the credit that all rows would give.

Ten normal columns, of which two move the class by 1, two by 0.4, six not at all, and noise of size one.
One machine is trained on 300 rows; its credits on 200,000 rows (20,000 for rbf) are taken for the truth. Then
300 times other rows are drawn, and the 95 % intervals of their credits by covariance (a jackknife over twenty
groups) are asked whether they hold it. "coverage" is in percent, "width" the mean width in bits; the noise
columns' truth is next to zero, and an interval that ends at zero holds it.
"""

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from infoprop.credit import credit_features
from infoprop.svm import OneVsRestSVC

EFFECTS = np.array([1.0, 1.0, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
KINDS = {"strong": slice(0, 2), "weak": slice(2, 4), "noise": slice(4, 10)}
N_DRAWS = 300


def drawn(n_rows: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return rows and their classes."""
    X = rng.normal(size=(n_rows, len(EFFECTS)))
    return X, (X @ EFFECTS + rng.normal(size=n_rows) > 0).astype(int)


def interval_rows(kernel: str, n_rows: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    machine = OneVsRestSVC(kernel=kernel, C=0.1 if kernel == "linear" else 1.0).fit(*drawn(300, rng))
    truth = credit_features(machine, *drawn(200_000 if kernel == "linear" else 20_000, rng)).values
    held, widths = [], []
    for _ in range(N_DRAWS):
        low, high = credit_features(machine, *drawn(n_rows, rng)).interval().T
        held.append((low <= truth + 1e-12) & (truth <= high + 1e-12))
        widths.append(high - low)
    return [
        {
            "kernel": kernel,
            "rows": n_rows,
            "feature": kind,
            "credit": float(f"{truth[columns].mean():.3g}"),
            "coverage": round(100 * float(np.mean(held, axis=0)[columns].mean()), 1),
            "width": float(f"{np.mean(widths, axis=0)[columns].mean():.3g}"),
        }
        for kind, columns in KINDS.items()
    ]


def run() -> list[dict[str, Any]]:
    """Return one row for each machine, number of rows and kind of feature."""
    with threadpool_limits(1):
        settings = [("linear", 200), ("linear", 1000), ("rbf", 200), ("rbf", 1000)]
        return [row for kernel, n_rows in settings for row in interval_rows(kernel, n_rows)]
