"""How often is noise above the noise floor? Sets of which three columns of twenty tell two classes apart.

400 rows; the other 17 columns are noise. Each pipeline is judged on rows that it has not seen: half of them
("half"), or all of them in five folds. "noise above" is the part of 40 sets, in percent, in which any
column of noise is above the floor of credit_features or cross_val_credits (null="shuffled", 199 draws), which
one set in twenty may have by chance; "real above" the part of the real columns that are, "noise" the part of
the bits that noise earns. A cubic machine without a constant (coef0=0) is made of products of three columns
only, so columns of noise, squared, truly take part in what it says.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from threadpoolctl import threadpool_limits

from infoprop.credit import FeatureCredits, credit_features, cross_val_credits
from infoprop.mlp import MLPClassifier
from infoprop.shaping import FeatureShaper, LocalProbabilityShaper
from infoprop.svm import OneVsRestSVC

N_SETS, N_ROWS, N_COLUMNS, N_REAL = 40, 400, 20, 3
STEPS: dict[str, Callable[[], list[Any]]] = {
    "scaled": lambda: [StandardScaler()],
    "scaled, rbf machine": lambda: [StandardScaler()],
    "scaled, cubic machine": lambda: [StandardScaler()],
    "scaled, cubic machine, coef0=1": lambda: [StandardScaler()],
    "scaled, network": lambda: [StandardScaler()],
    "splines": lambda: [SplineTransformer()],
    "eight bins": lambda: [
        KBinsDiscretizer(8, encode="onehot-dense", quantile_method="averaged_inverted_cdf")
    ],
    "rounded, target encoder": lambda: [
        FunctionTransformer(lambda X: np.round(3 * X), feature_names_out="one-to-one"),
        TargetEncoder(cv=StratifiedKFold(5)),
    ],
    "local probability": lambda: [LocalProbabilityShaper()],
    "shaped, norm=None": lambda: [FeatureShaper(norm=None)],
    "shaped, norm of rows": lambda: [FeatureShaper()],
    "norm of rows": lambda: [Normalizer()],
}
MACHINES = {
    "scaled, rbf machine": OneVsRestSVC(),
    "scaled, cubic machine": OneVsRestSVC(kernel="poly"),
    "scaled, cubic machine, coef0=1": OneVsRestSVC(kernel="poly", coef0=1.0),
    "scaled, network": MLPClassifier(random_state=0),
}


JOBS = tuple(STEPS)


def drawn(seed: int) -> tuple[Any, Any]:
    """Rows and classes of one set."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N_ROWS)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    X[:, :N_REAL] += y[:, None]
    return X, y


def credited(name: str, is_folds: bool, seed: int) -> FeatureCredits:
    """Credits of one set with their floor."""
    X, y = drawn(seed)
    machine = MACHINES.get(name, OneVsRestSVC(kernel="linear", C=0.1))
    model = make_pipeline(*STEPS[name](), clone(machine))
    if is_folds:
        return cross_val_credits(model, X, y, null="shuffled", random_state=0)
    model.fit(X[::2], y[::2])
    return credit_features(model, X[1::2], y[1::2], null="shuffled", random_state=0)


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each pipeline (or the one that is named) and way to judge."""
    rows = []
    with threadpool_limits(1):
        for name in JOBS if only is None else [only]:
            for is_folds in (False, True):
                found = [credited(name, is_folds, seed) for seed in range(N_SETS)]
                above = np.array([own.noise.is_above for own in found if own.noise is not None])
                noise = float(np.mean([own.shares[N_REAL:].sum() for own in found]))
                rows.append(
                    {
                        "columns": name,
                        "rows": "five folds" if is_folds else "half",
                        "noise above": round(100 * float(above[:, N_REAL:].any(axis=1).mean()), 1),
                        "real above": round(100 * float(above[:, :N_REAL].mean()), 1),
                        "noise": round(100 * noise, 1),
                        "sets": len(above),
                    }
                )
            print(f"  {name}", flush=True)
    return rows
