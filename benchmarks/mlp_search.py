"""The directed search of the MOI paper with networks, against the same search over scikit-learn's network.

DirectedSearchSelector from a random start, on the official parts of Sonar (K = 6, K-3-2, standardised) and
DNA (K = 30, K-5-3, 0/1 as given): trained on the training part, counted on the test part as in the paper.
tanh units, alpha = 1e-4, one thread; MLPClassifier(solver="lbfgs") of scikit-learn with its max_iter = 200.
Methods take turns, once for each of the seeds 0 to 2; seconds, trainings, bits and accuracies are means.
"found" is the accuracy of the network that was found, on the rows it was chosen by, "anew" that of its subset
in a network trained from another start, on the same rows: neither is an estimate for others. "at least" is
the ratio that we want to keep.
"""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from _elimination_data import Rows, is_there, split_rows
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from threadpoolctl import threadpool_limits

from infoprop.mlp import MLPClassifier
from infoprop.selection import DirectedSearchSelector

AT_LEAST = 10
SEEDS = (0, 1, 2)
PEER = 'MLPClassifier(solver="lbfgs")'
PROBLEMS = {"sonar": (6, 3, True), "dna": (30, 5, False)}


def estimators(hidden: int) -> dict[str, Any]:
    """Return the networks that search, by what the table calls them."""
    return {
        "cross_entropy, warm": MLPClassifier((hidden,)),
        "cross_entropy, cold": MLPClassifier((hidden,), retrain="cold"),
        "squared_error, warm": MLPClassifier((hidden,), loss="squared_error"),
        "squared_error, cold": MLPClassifier((hidden,), loss="squared_error", retrain="cold"),
        PEER: PeerMLPClassifier((hidden,), activation="tanh", solver="lbfgs"),
    }


def searched(estimator: Any, rows: Rows, n_features: int, seed: int) -> tuple[float, ...]:
    """Search once; return seconds, trainings, bits, accuracy found and accuracy anew."""
    own = clone(estimator).set_params(random_state=seed)
    selector = DirectedSearchSelector(own, n_features_to_select=n_features, init="random", random_state=seed)
    start = time.perf_counter()
    selector.fit(rows.X, rows.y, X_val=rows.X_count, y_val=rows.y_count)
    seconds = time.perf_counter() - start
    flow = selector.credits_.flow
    other = clone(own).set_params(random_state=seed + 1000)
    other.fit(selector.transform(rows.X), rows.y)
    anew = other.score(selector.transform(rows.X_count), rows.y_count)
    found = np.trace(flow.counts) / flow.counts.sum()
    return seconds, selector.n_trainings_, flow.information, found, anew


def search_rows(name: str) -> Iterator[dict[str, Any]]:
    n_features, hidden, standardise = PROBLEMS[name]
    rows = split_rows(name, standardise=standardise)
    methods = estimators(hidden)
    for method, estimator in methods.items():
        if method != PEER:
            searched(estimator, rows, n_features, seed=99)
    runs: dict[str, list[tuple[float, ...]]] = {method: [] for method in methods}
    for seed in SEEDS:
        for method, estimator in methods.items():
            runs[method].append(searched(estimator, rows, n_features, seed))
    means = {method: np.mean(results, axis=0) for method, results in runs.items()}
    for method, (seconds, trainings, bits, found, anew) in means.items():
        ratio = means[PEER][0] / seconds
        yield {
            "data": name,
            "K": n_features,
            "network": method if method == PEER else f"infoprop, {method}",
            "s": round(float(seconds), 3),
            "ratio": "" if method == PEER else round(float(ratio), 1),
            "at least": AT_LEAST if method.endswith("warm") else "",
            "trainings": round(float(trainings)),
            "ms per training": round(1e3 * float(seconds / trainings), 2),
            "bits": round(float(bits), 3),
            "accuracy found": f"{100 * found:.1f} %",
            "anew": f"{100 * anew:.1f} %",
        }


def run() -> list[dict[str, Any]]:
    """Return one row for each problem and network; ratio = seconds of the peer / seconds of infoprop."""
    if not is_there():
        return []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [row for name in PROBLEMS for row in search_rows(name)]
