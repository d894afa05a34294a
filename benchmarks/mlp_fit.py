"""Fits of MLPClassifier against scikit-learn's with solver "lbfgs": ratios measured in one run on one thread.

The networks and data of Table I of the MOI paper: K inputs, a hidden layer of tanh units, one output for each
class; all columns, and for Sonar and DNA also as few as the paper searches for (here drawn at random).
Cross-entropy, alpha = 1e-4, both at the same tol: 1e-4, the default of both, with scikit-learn's default
limit of 200 steps; and 1e-6 with no limit that binds. Milliseconds are those of one fit, mean over five
starts, best of several turns. Losses are medians over the starts, because every start ends in a minimum of
its own. For two classes scikit-learn trains one logistic output; our two, which share the penalty, are turned
into one before the same penalised loss is taken. "At the peer's loss" our starts end at the first step where
they have come down to the peer's median loss.
"""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from _measure import best_times
from _problems import DATA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.neural_network import MLPClassifier as PeerNetwork
from threadpoolctl import threadpool_limits

from infoprop.datasets import load_table
from infoprop.mlp import MLPClassifier

ALPHA = 1e-4
N_STARTS = 5
OURS, TO_PEER, PEER = "infoprop", "infoprop, to the peer's loss", "peer"
# Name, rows to train on (None: as the data set splits them), units in the hidden layer, numbers of columns.
TABLE_1 = (
    ("breast-w", 174, 12, (9,)),
    ("dna", None, 5, (180, 30)),
    ("satimage", None, 60, (36,)),
    ("sonar", None, 3, (60, 6)),
    ("vehicle", 423, 30, (18,)),
    ("vote", 197, 3, (16,)),
)


def training_rows(name: str, n_rows: int | None) -> tuple[Any, Any]:
    """Return columns and labels: numbers standardised, nominal columns -1 and 1, empty cells the mean.

    The columns of DNA are 0 and 1 and stay so.
    """
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split" if n_rows is None else None)
    columns = [column.to_numpy() for column in data.frame.iter_columns()]
    X = np.column_stack([_numbers(column) for column in columns])
    if n_rows is None:
        chosen = np.flatnonzero(data.split == "train")
    else:
        chosen = np.random.default_rng(0).permutation(len(X))[:n_rows]
    X, y = X[chosen], data.y[chosen]
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    if np.isin(X, (0.0, 1.0)).all():
        return X, y
    deviations = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0), y


def _numbers(column: Any) -> Any:
    if column.dtype.kind in "fiub":
        return column.astype(float)
    words = np.array(["" if cell is None else str(cell) for cell in column])
    known = np.unique(words[words != ""])
    return np.where(words == "", np.nan, 2.0 * np.searchsorted(known, words) - 1.0)


def penalised_loss(network: Any, X: Any, y: Any) -> float:
    """Return the mean log loss plus the penalty; two outputs count as the one they are worth."""
    coefs = list(network.coefs_)
    if network.n_outputs_ == 2:
        coefs[-1] = coefs[-1][:, 1:] - coefs[-1][:, :1]
    squares = sum(float((W**2).sum()) for W in coefs)
    return float(log_loss(y, network.predict_proba(X))) + 0.5 * ALPHA * squares / len(X)


def ours(X: Any, y: Any, hidden: int, tol: float, limits: list[int]) -> list[Any]:
    """Fit our networks, one for each limit on the steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [
            MLPClassifier((hidden,), alpha=ALPHA, tol=tol, max_iter=limit, random_state=seed).fit(X, y)
            for seed, limit in enumerate(limits)
        ]


def peers(X: Any, y: Any, hidden: int, tol: float, max_iter: int) -> list[Any]:
    """Fit scikit-learn's networks."""
    shared = {"activation": "tanh", "solver": "lbfgs", "alpha": ALPHA, "tol": tol}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [
            PeerNetwork((hidden,), max_iter=max_iter, max_fun=10**7, random_state=seed, **shared).fit(X, y)
            for seed in range(N_STARTS)
        ]


def steps_to(loss: float, network: Any) -> int:
    """Return the number of steps after which a network has come down to a loss; all of them if it has not."""
    there = np.flatnonzero(np.asarray(network.loss_curve_) <= loss)
    return int(max(1, there[0])) if there.size else network.n_iter_


def compare(X: Any, y: Any, hidden: int, tol: float, max_iter: int) -> tuple[dict[str, float], Any]:
    """Return seconds of one fit and the median loss: both networks, and ours stopped at the peer's loss."""
    limits = [max(1000, max_iter)] * N_STARTS
    ours(X, y, hidden, 0.5, [5])
    with threadpool_limits(1):
        whole = ours(X, y, hidden, tol, limits)
        goal = median_loss(peers(X, y, hidden, tol, max_iter), X, y)
        short = [steps_to(goal, network) for network in whole]
        seconds, fitted = best_times(
            {
                OURS: partial(ours, X, y, hidden, tol, limits),
                TO_PEER: partial(ours, X, y, hidden, tol, short),
                PEER: partial(peers, X, y, hidden, tol, max_iter),
            }
        )
    losses = {name: median_loss(networks, X, y) for name, networks in fitted.items()}
    return {name: total / N_STARTS for name, total in seconds.items()}, losses


def median_loss(networks: list[Any], X: Any, y: Any) -> float:
    """Return the median over the starts."""
    return float(np.median([penalised_loss(network, X, y) for network in networks]))


def rows_of(name: str, n_rows: int | None, hidden: int, widths: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    X, y = training_rows(name, n_rows)
    n_classes = np.unique(y).size
    for width in widths:
        columns = np.random.default_rng(0).permutation(X.shape[1])[:width]
        part = np.ascontiguousarray(X[:, np.sort(columns)])
        for tol, max_iter in ((1e-4, 200), (1e-6, 20_000)):
            seconds, losses = compare(part, y, hidden, tol, max_iter)
            yield {
                "data": name,
                "rows": len(X),
                "network": f"{width}-{hidden}-{n_classes}",
                "tol": f"{tol:g}",
                "peer ms": round(1e3 * seconds[PEER], 2),
                "infoprop ms": round(1e3 * seconds[OURS], 2),
                "ratio": round(seconds[PEER] / seconds[OURS], 1),
                "ratio at the peer's loss": round(seconds[PEER] / seconds[TO_PEER], 1),
                "peer loss": f"{losses[PEER]:.2e}",
                "infoprop loss": f"{losses[OURS]:.2e}",
            }


def run() -> list[dict[str, Any]]:
    """Return one row for each network and tolerance; ratio = seconds of the peer / seconds of infoprop."""
    if not DATA.is_dir():
        print(f"skipped: no data at INFOPROP_DATA={DATA}")
        return []
    return [row for problem in TABLE_1 for row in rows_of(*problem)]
