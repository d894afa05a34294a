import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.solvers import _cg_fast as fast
from infoprop.svm.solvers._dual_cd_fast import DualTask
from reference.engine import matrix_rows


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_free_direction_solves_the_bordered_system(container, ridge):
    X = np.random.default_rng(0).normal(size=(30, 6))
    free = np.array([2, 5, 9, 11])
    rng = np.random.default_rng(1)
    gradient, step, Xstep = rng.normal(size=4), np.empty(4), np.empty(6)
    X[free] += rng.normal(size=(4, 6))
    rows, own = matrix_rows(container(X)), np.full(30, ridge)
    task = DualTask(own, own, own, own, (X * X).sum(1) + own)
    change = fast.free_direction(rows, task, gradient, free, 0.7, 1e-12, 100, step, Xstep)
    K = X[free] @ X[free].T + ridge * np.eye(4)
    bordered = np.block([[K, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    expected = np.linalg.solve(bordered, np.r_[-gradient, 0.7])
    np.testing.assert_allclose(np.r_[step, change], expected, atol=1e-9)
    np.testing.assert_allclose(Xstep, X[free].T @ step, atol=1e-10)
