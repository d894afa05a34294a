"""Machines of several splits, numbered, without anything learned."""

import numpy as np

from infoprop.svm.subset._splits import SplitProblem, split_index
from reference.engine import DualProblem


def split_of(labels, n_train=4, n_test=2, as_rows=np.asarray):
    """A split that has learned these labels."""
    X = np.arange(3.0 * (n_train + n_test)).reshape(-1, 3)
    problem = DualProblem(np.ones(n_train), np.ones(n_train))
    return SplitProblem(
        X=as_rows(X[:n_train]),
        X_test=as_rows(X[n_train:]),
        classes=np.array(labels),
        problems=(problem,) * (len(labels) if len(labels) > 2 else 1),
        truth=np.arange(n_test),
        test_weights=np.linspace(1.0, 2.0, n_test),
    )


def index_of(*label_sets):
    """How the machines of splits are numbered that have learned these labels."""
    classes = np.unique(np.concatenate(label_sets))
    return split_index([split_of(labels) for labels in label_sets], classes, int(classes.max()) + 1)
