import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from infoprop.svm._cost_path import machines_along

COSTS = np.array([0.01, 0.1, 1.0, 10.0])


@pytest.mark.parametrize("n_features", [4, 60])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_every_machine_is_that_of_its_cost(n_features, container):
    X, y = make_classification(200, n_features, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)
    signs = np.where(y == 1, 1.0, -1.0)
    weights = np.random.default_rng(0).random(200) + 0.5
    path = list(machines_along(container(X), signs, weights, COSTS, tol=1e-6))
    for cost, machine in zip(COSTS, path, strict=True):
        peer = SVC(kernel="linear", C=cost, tol=1e-8).fit(X, signs, sample_weight=weights)
        assert machine.converged
        np.testing.assert_allclose(machine.outputs(X), peer.decision_function(X), atol=1e-3)


def test_columns_that_depend_on_one_another_do_not_stop_a_path():
    random = np.random.default_rng(0)
    names = random.integers(0, 6, 400)
    # A column for each name, which are a constant together, and one that is the sum of three of them.
    X = np.column_stack([*(names == name for name in range(6)), names < 3, random.random((400, 3))])
    signs = np.where(random.random(400) < 0.1, 1.0, -1.0)
    for cost, machine in zip(COSTS, machines_along(X, signs, np.ones(400), COSTS, tol=1e-2), strict=True):
        assert machine.converged
        # No weights do better than none: too few of the rows are positive, and nothing tells them apart.
        slack = np.maximum(0.0, 1.0 - signs * machine.outputs(X)).sum()
        assert 0.5 * machine.w @ machine.w + cost * slack == pytest.approx(
            2.0 * cost * (signs > 0).sum(), rel=1e-2
        )
