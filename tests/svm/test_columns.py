"""Which columns a warning names."""

import numpy as np
import pytest
from scipy import sparse

from infoprop.svm._columns import extreme_columns, rounding_of

X = np.random.default_rng(0).standard_normal((20, 5))


def test_columns_far_larger_than_the_middle_one_are_named_largest_first():
    assert extreme_columns(X * [1, 1e6, 1, 1e7, 1]).tolist() == [3, 1]
    assert extreme_columns(sparse.csr_array(X * [1, 1e6, 1, 1e7, 1])).tolist() == [3, 1]


def test_a_mean_is_no_scale():
    assert extreme_columns(X + [0, 0, 1e9, 0, 0]).tolist() == []


def test_columns_without_any_scale_are_passed_over():
    assert extreme_columns(np.zeros((3, 4))).tolist() == []


def test_rounding_grows_with_the_entries_and_the_multipliers():
    beta = np.array([1.0, -1.0])
    assert 1e-17 < rounding_of(beta, 2.0) < 1e-15
    assert rounding_of(beta, 2e12) == pytest.approx(rounding_of(1e12 * beta, 2.0))
