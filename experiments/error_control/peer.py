"""What another package chooses at a level of 10 %: ``METHOD DATA SEED``, in an environment of its own.

``peers.txt`` says what it needs. DATA (.npz) holds X and y; the last line printed is a list of columns.
"""

import json
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def lasso_knockoffs(X, y, seed):
    """Knockoffs of hidimstat: equicorrelated, covariance estimated, weights of a lasso with C by folds."""
    from hidimstat import model_x_knockoff_importance

    return model_x_knockoff_importance(X, y, fdr=0.1, random_state=seed)[0]


def boosted_stability(X, y, seed):
    """Integrated path stability selection with boosting, as its authors have it."""
    from ipss import ipss

    np.random.seed(seed)  # noqa: NPY002 - its only way to be told a seed
    q_values = ipss(X, y, selector="gb")["q_values"]
    chosen = np.zeros(X.shape[1], dtype=bool)
    chosen[[column for column, value in q_values.items() if value <= 0.1]] = True
    return chosen


def boruta(X, y, seed):
    """Boruta, with the forest that its documentation proposes."""
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=seed)
    return BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y).support_


if __name__ == "__main__":
    data = np.load(sys.argv[2])
    found = {"hidimstat": lasso_knockoffs, "ipss": boosted_stability, "boruta": boruta}[sys.argv[1]]
    chosen = np.asarray(found(data["X"], data["y"], int(sys.argv[3])))
    print(json.dumps(np.flatnonzero(chosen > 0).tolist()))
