import numpy as np
import pytest

from infoprop.svm.solvers import _cg_fast as fast
from reference.matrix_rows import csr_parts, dense_parts


@pytest.mark.parametrize("parts", [dense_parts, csr_parts])
def test_face_direction_solves_the_bordered_system(parts):
    X = np.random.default_rng(0).normal(size=(30, 6))
    free = np.array([2, 5, 9, 11])
    rng = np.random.default_rng(1)
    gradient, step, Xstep = rng.normal(size=4), np.empty(4), np.empty(6)
    X[free] += rng.normal(size=(4, 6))
    change = fast.face_direction(*parts(X), (X * X).sum(1), gradient, free, 0.7, 1e-12, 100, step, Xstep)
    K = X[free] @ X[free].T
    bordered = np.block([[K, np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    expected = np.linalg.solve(bordered, np.r_[-gradient, 0.7])
    np.testing.assert_allclose(np.r_[step, change], expected, atol=1e-9)
    np.testing.assert_allclose(Xstep, X[free].T @ step, atol=1e-10)
