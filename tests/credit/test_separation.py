"""Equation 11 of the gradient-angle paper, in n log n."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from infoprop.credit import average_separation
from infoprop.datasets import make_graded_noise
from infoprop.exceptions import DataError
from reference.angles import equation_11, separation_by_pairs


@st.composite
def labelled_tables(draw):
    n_rows = draw(st.integers(2, 12))
    # Few values, so that ties are common.
    values = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3)
    X = draw(arrays.arrays(np.float64, (n_rows, 3), elements=values))
    y = np.array(draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    y[:2] = [0, 1]
    return X, y


@given(labelled_tables())
def test_all_pairs_of_rows_give_the_same(table):
    X, y = table
    np.testing.assert_allclose(average_separation(X, y), separation_by_pairs(X, y), rtol=1e-10, atol=1e-10)


@given(labelled_tables())
def test_sparse_columns_give_what_dense_ones_do(table):
    X, y = table
    for container in (sparse.csr_array, sparse.csc_matrix):
        np.testing.assert_allclose(
            average_separation(container(X), y), average_separation(X, y), rtol=1e-12, atol=1e-12
        )


@given(labelled_tables(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_a_row_of_weight_k_counts_as_k_rows(table, weights):
    X, y = table
    weights = np.array(weights[: len(y)])
    weights[:2] = 1
    repeated = np.repeat(np.arange(len(y)), weights)
    np.testing.assert_allclose(
        average_separation(X, y, sample_weight=weights),
        average_separation(X[repeated], y[repeated]),
        rtol=1e-10,
        atol=1e-10,
    )


def test_two_classes_are_the_double_sum_of_the_paper():
    X, y = make_graded_noise(60, n_features=5, random_state=0, return_X_y=True)
    printed = [equation_11(column, y) for column in X.T]
    pairs = (y == 1).sum() * (y == -1).sum()
    np.testing.assert_allclose(average_separation(X, y), np.array(printed) / pairs)


def test_pairs_of_classes_and_classes_against_their_rest_are_one_sum():
    random = np.random.RandomState(0)
    x, y = random.normal(size=40), random.randint(3, size=40)
    against_rest = sum(equation_11(x, np.where(y == label, 1, -1)) for label in range(3))
    in_pairs = sum(
        equation_11(x[(y == a) | (y == b)], np.where(y[(y == a) | (y == b)] == a, 1, -1))
        for a, b in [(0, 1), (0, 2), (1, 2)]
    )
    assert against_rest == pytest.approx(2 * in_pairs)
    n_pairs = sum((y == a).sum() * (y == b).sum() for a, b in [(0, 1), (0, 2), (1, 2)])
    assert average_separation(x[:, None], y)[0] == pytest.approx(in_pairs / n_pairs)


def test_it_takes_noise_for_structure():
    X, y = make_graded_noise(500, random_state=0, return_X_y=True)
    assert np.argsort(average_separation(X, y))[-5:].min() >= 14


def test_a_shift_changes_nothing_and_a_constant_column_has_none():
    X, y = make_graded_noise(100, n_features=3, random_state=0, return_X_y=True)
    X[:, 2] = 7.5
    separation = average_separation(X + 1e6, y)
    np.testing.assert_allclose(separation, average_separation(X, y), rtol=1e-9)
    assert separation[2] == 0.0


def test_many_rows_take_no_square_of_time():
    X = np.random.RandomState(0).normal(size=(100_000, 2))
    start = time.perf_counter()
    average_separation(X, X[:, 0] > 0)
    assert time.perf_counter() - start < 2.0


def test_columns_behind_a_scaler_are_measured_on_its_scale():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    scaled = average_separation(model[0].transform(X), y)
    np.testing.assert_allclose(average_separation(X, y, estimator=model), scaled)
    np.testing.assert_allclose(average_separation(X, y, estimator=FrozenEstimator(model)), scaled)
    np.testing.assert_allclose(average_separation(X, y, estimator=model[-1]), average_separation(X, y))


def test_columns_that_a_step_leaves_out_have_none():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(make_pipeline(StandardScaler(), SelectKBest(k=3)), LinearSVC()).fit(X, y)
    separation = average_separation(X, y, estimator=model)
    np.testing.assert_array_equal(separation > 0, model[0][1].get_support())


def test_one_class_is_refused():
    with pytest.raises(DataError, match="have 1 class"):
        average_separation([[1.0], [2.0]], [0, 0])
    with pytest.raises(DataError, match="have 1 class"):
        average_separation([[1.0], [2.0]], [0, 1], sample_weight=[1.0, 0.0])
