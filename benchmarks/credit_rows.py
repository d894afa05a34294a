"""Contributions of features to single rows of an rbf machine, against shapiq's product-kernel explainer.

scikit-learn's SVC(gamma=0.01) on all rows of wdbc, standardised. `credit_rows` explains 1,000 rows (the 569,
and 431 of them again), the best of three; shapiq explains 20, in an environment of its own, one call a row,
which is how it works. Seconds are processor seconds for a row. "largest difference" is that of any
contribution in the 20 rows: both compute Shapley values of the same game. "remainder" is what the
contributions of all 1,000 rows do not account for. "at least" is the ratio that we want to keep.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _peers import peer_seconds
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from infoprop.credit import credit_rows

AT_LEAST = 20
N_ROWS, N_PEER_ROWS = 1000, 20


def run() -> list[dict[str, Any]]:
    """Return one row; ratio = seconds of the peer / seconds of infoprop."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    machine = SVC(gamma=0.01).fit(X, y)
    rows = np.vstack([X, X])[:N_ROWS]
    seconds = float("inf")
    with threadpool_limits(1):
        credit_rows(machine, rows[:5])
        for _ in range(3):
            begin = time.process_time()
            found = credit_rows(machine, rows)
            seconds = min(seconds, (time.process_time() - begin) / N_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shapiq.npy"
        peer = peer_seconds("shapiq", path, N_PEER_ROWS)
        theirs = np.load(path)
    return [
        {
            "data": "wdbc",
            "support vectors x columns": f"{len(machine.support_)} x {X.shape[1]}",
            "peer": "shapiq ProductKernelExplainer",
            "peer s a row": float(f"{peer:.3g}"),
            "infoprop s a row": float(f"{seconds:.3g}"),
            "ratio": float(f"{peer / seconds:.3g}"),
            "at least": AT_LEAST,
            "largest difference": float(f"{np.abs(found.contributions[:N_PEER_ROWS, 0] - theirs).max():.2g}"),
            "remainder": float(f"{np.abs(found.remainder).max():.2g}"),
        }
    ]
