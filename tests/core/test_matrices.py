import numpy as np
import pytest
from scipy import sparse

from infoprop._core._matrices import (
    LARGEST_VALUE,
    canonical,
    centred,
    check_magnitude,
    csr_parts,
    is_far_from_zero,
    row_norms_squared,
)
from infoprop.exceptions import DataError


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


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_values_whose_squares_overflow_are_refused_with_their_column(container):
    X = np.array([[1.0, 0.0, 2.0], [0.0, -1e160, 3.0]])
    with pytest.raises(DataError, match=r"Shaper needs values of at most 1e\+100 .* 1e\+160 in column 1"):
        check_magnitude(container(X), "Shaper")


@pytest.mark.parametrize("X", [np.array([[np.nan, LARGEST_VALUE]]), np.array([["a"]]), np.zeros((0, 3))])
def test_other_values_pass(X):
    check_magnitude(X, "Shaper")


def test_constant_columns_are_zero_once_centred_and_means_are_those_of_the_first_rows():
    X = np.array([[1e9, 1.0], [1e9, 3.0], [1e9, 8.0]])
    assert centred(X, 2).tolist() == [[0.0, -1.0], [0.0, 1.0], [0.0, 6.0]]


def test_columns_are_far_from_zero_where_their_mean_dwarfs_their_spread():
    X = np.random.default_rng(0).standard_normal((20, 2))
    assert is_far_from_zero(X + [0.0, 1e5])
    assert not is_far_from_zero(X + [0.0, 100.0])
    assert is_far_from_zero(np.column_stack([X, np.full(20, 1e9)]))
    assert not is_far_from_zero(np.column_stack([X, np.ones(20)]))
    assert not is_far_from_zero(np.full((3, 2), 1e9))
    assert not is_far_from_zero(sparse.csr_array(X + 1e5))


def test_few_columns_are_asked_and_the_answer_is_that_of_all():
    rng, answers = np.random.default_rng(1), []
    for _ in range(300):
        n, d = rng.integers(1, 60), rng.integers(1, 6)
        X = 10.0 ** rng.integers(-3, 4, d) * rng.standard_normal((n, d))
        X += 10.0 ** rng.integers(-3, 7, d) * rng.integers(0, 2, d)
        if rng.random() < 0.4:
            X[:, rng.integers(d)] = rng.choice([0.0, 1.0, 3.0, 1e5])
        spread = np.ptp(X, axis=0)
        spread[spread == 0.0] = spread.max()
        answers.append(bool((np.abs(X.mean(axis=0)) > 1e3 * spread)[spread > 0.0].any()))
        assert is_far_from_zero(X) == answers[-1]
    assert set(answers) == {False, True}
