"""Fits that compile what most tests run; a program that ``tests/precompile.py`` starts."""

import sys
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import BackwardEliminationSelector, DirectedSearchSelector, ForwardBeamSelector
from infoprop.shaping import FeatureShaper, LocalProbabilityShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier

LINEAR = OneVsRestSVC(kernel="linear")
SQUARED = OneVsRestSVC(kernel="linear", loss="squared_hinge")
CURVED = OneVsRestSVC(kernel="rbf")
NETWORK = MLPClassifier(2, alpha=1.0, max_iter=5, random_state=0)
LARGE_NETWORK = MLPClassifier(60, alpha=1.0, max_iter=2, random_state=0)


def straight(X, y):
    """Train linear machines, and search with them on few rows, on many, and on sparse ones."""
    rows = sparse.csr_array(X)
    BackwardEliminationSelector(LINEAR, n_features_to_select=10).fit(X[::4], y[::4])
    for estimator in (LINEAR, SQUARED):
        estimator.fit(rows, y)
        BackwardEliminationSelector(estimator, n_features_to_select=10).fit(X, y)
    BackwardEliminationSelector(LINEAR, n_features_to_select=10).fit(rows, y)
    BackwardEliminationSelector(LINEAR, n_features_to_select=10, sharing="covariance").fit(X[::4], y[::4])
    DirectedSearchSelector(LINEAR, n_features_to_select=10).fit(X, y)
    for model in (PairwiseClassifier(), ShapedLinearClassifier()):
        model.fit(X, y)
    for shaper in (LocalProbabilityShaper(), FeatureShaper()):
        shaper.fit_transform(X, y == 1)


def curved(X, y):
    """Train machines with kernels and networks, and search with them, on few rows and on many."""
    many = np.tile(X, (12, 1)) + np.random.default_rng(0).normal(size=(12 * len(X), X.shape[1]))
    for estimator in (CURVED, NETWORK):
        BackwardEliminationSelector(estimator, n_features_to_select=12).fit(X, y)
        DirectedSearchSelector(estimator, n_features_to_select=12).fit(X, y)
    ForwardBeamSelector(n_features_to_select=2).fit(X, y)
    for numbers in (many, many.astype(np.float32)):
        LARGE_NETWORK.fit(numbers, np.tile(y, 12))
    NETWORK.fit(X.astype(np.float32), y)
    CURVED.fit(sparse.csr_array(X), y)
    CURVED.fit(many, np.tile(y, 12))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    data, labels = load_wine(return_X_y=True)
    {"straight": straight, "curved": curved}[sys.argv[1]](scale(data), labels)
