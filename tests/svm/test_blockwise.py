import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from infoprop.exceptions import DataError, ParameterError
from infoprop.svm import BlockwiseLinearSVC, OneVsRestSVC


class Part:
    """Some rows, whenever they are asked for."""

    def __init__(self, X, y):
        self.X, self.y = X, y

    def __call__(self):
        return self.X, self.y


def parts(X, y, n):
    return [Part(X[k::n], y[k::n]) for k in range(n)]


def slope(machine, X, y, C):
    """Of the objective, at what was found."""
    signs = np.where(y == machine.classes_[-1], 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - signs * machine.decision_function(X))
    pull = -2.0 * C * signs * slack
    return np.append(machine.coef_[0] + pull @ X, pull.sum())


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_optimum_in_memory(load, C):
    X, y = load(return_X_y=True)
    X = X / X.std(axis=0) + 10.0
    here = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C).fit(X, y)
    there = BlockwiseLinearSVC(C=C).fit_blocks(parts(X, y, 7))
    assert there.n_iter_ < 30
    scale = np.abs(here.coef_).max()
    assert np.abs(there.coef_ - here.coef_).max() <= 1e-6 * scale
    assert (there.predict(X) == here.predict(X)).all()


def test_the_slope_at_the_end_is_zero():
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    machine = BlockwiseLinearSVC().fit_blocks(parts(X, y, 3))
    assert np.abs(slope(machine, X, y, 1.0)).max() < 1e-6


def test_blocks_may_be_many_sparse_or_without_a_class():
    X, y = load_iris(return_X_y=True)
    one = BlockwiseLinearSVC().fit(X, y)
    by_class = [Part(sparse.csr_matrix(X[y == k]), y[y == k]) for k in range(3)]
    assert np.allclose(BlockwiseLinearSVC().fit_blocks(by_class).coef_, one.coef_, rtol=1e-8)


def test_says_what_is_wrong():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match="two classes"):
        BlockwiseLinearSVC().fit_blocks([Part(X[:50], y[:50])])
    with pytest.raises(DataError, match="same columns"):
        BlockwiseLinearSVC().fit_blocks([Part(X, y), Part(X[:, :2], y)])
    with pytest.raises(ParameterError, match="Blocks must be"):
        BlockwiseLinearSVC().fit_blocks([])
    with pytest.raises(ParameterError):
        BlockwiseLinearSVC(C=0.0).fit(X, y)
