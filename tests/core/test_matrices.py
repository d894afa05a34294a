import numpy as np
import pytest
from scipy import sparse

from infoprop._core._matrices import canonical, csr_parts, row_norms_squared


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_norms_are_sums_of_squares(container):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0]])
    assert row_norms_squared(container(X)).tolist() == [25.0, 0.0, 1.0]


def test_duplicates_are_summed_without_touching_the_callers_matrix():
    twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    once = canonical(twice)
    assert once.nnz == 1
    assert once.toarray().tolist() == [[3.0, 0.0]]
    assert twice.nnz == 2


def test_what_is_canonical_already_is_passed_on():
    dense, rows = np.eye(2), sparse.csr_array(np.eye(2))
    assert canonical(dense) is dense
    assert canonical(rows) is rows
    data, indices, indptr = csr_parts(rows)
    assert data is rows.data
    assert indices is rows.indices
    assert indptr is rows.indptr
