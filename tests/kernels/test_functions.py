import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel, sigmoid_kernel

from infoprop.kernels import KernelSpec, kernel_gradient, kernel_matrix
from infoprop.kernels._gradients import decision_gradient, link_and_slope, link_slope
from infoprop.kernels._gram import apply_link, base_matrix, diagonal, gram_rows
from infoprop.kernels._spec import KERNELS
from reference.kernels import central_difference
from reference.kernels import kernel_matrix as slow_kernel_matrix

PARAMETERS = [
    {"kernel": "linear", "gamma": 1.0, "degree": 3, "coef0": 0.0},
    {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
    {"kernel": "poly", "gamma": 0.3, "degree": 3, "coef0": 0.0},
    {"kernel": "rbf", "gamma": 0.7, "degree": 3, "coef0": 0.0},
    {"kernel": "sigmoid", "gamma": 0.2, "degree": 3, "coef0": -0.1},
    {"kernel": "anova", "gamma": 0.4, "degree": 1, "coef0": 0.0},
    {"kernel": "anova", "gamma": 0.4, "degree": 2, "coef0": 0.0},
]
each_kernel = pytest.mark.parametrize("parameters", PARAMETERS, ids=lambda p: f"{p['kernel']}-{p['degree']}")


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 4)) * (rng.random((7, 4)) < 0.6)
    Y = rng.normal(size=(5, 4)) * (rng.random((5, 4)) < 0.6)
    return X, Y


def slow(parameters):
    return {"kind": parameters["kernel"], **{k: parameters[k] for k in ("gamma", "degree", "coef0")}}


@each_kernel
def test_values_are_those_of_the_formula(rows, parameters):
    X, Y = rows
    np.testing.assert_allclose(
        kernel_matrix(X, Y, **parameters), slow_kernel_matrix(X, Y, **slow(parameters))
    )


@each_kernel
def test_sparse_values_equal_dense_ones(rows, parameters):
    X, Y = rows
    dense = kernel_matrix(X, Y, **parameters)
    for container in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array):
        np.testing.assert_allclose(kernel_matrix(container(X), container(Y), **parameters), dense, atol=1e-14)
    np.testing.assert_allclose(kernel_matrix(X, sparse.csr_array(Y), **parameters), dense, atol=1e-14)


@each_kernel
def test_gradients_are_those_of_finite_differences(rows, parameters):
    X, Y = rows
    expected = central_difference(X, Y, **slow(parameters))
    for container in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(
            kernel_gradient(container(X), container(Y), **parameters), expected, rtol=1e-6, atol=1e-8
        )


@each_kernel
def test_summed_gradient_is_the_sum_of_gradients(rows, parameters):
    X, Y = rows
    coefficients = np.array([0.5, -1.0, 2.0, 0.0, -0.25])
    expected = np.einsum("ijk,j->ik", kernel_gradient(X, Y, **parameters), coefficients)
    for container in (np.asarray, sparse.csr_array):
        got = kernel_gradient(container(X), container(Y), coefficients=coefficients, **parameters)
        np.testing.assert_allclose(got, expected, atol=1e-13)


@each_kernel
def test_gram_matrix_is_symmetric_with_the_stated_diagonal(rows, parameters):
    X, _ = rows
    K = kernel_matrix(X, **parameters)
    np.testing.assert_allclose(K, K.T, atol=1e-14)
    spec = KernelSpec(parameters["kernel"], *(parameters[k] for k in ("gamma", "degree", "coef0")))
    for container in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(diagonal(container(X), spec), np.diag(K), atol=1e-14)
        np.testing.assert_allclose(gram_rows(container(X), np.array([4, 1]), spec), K[[4, 1]], atol=1e-14)


def test_values_agree_with_scikit_learn(rows):
    X, Y = rows
    peers = {"poly": polynomial_kernel, "rbf": rbf_kernel, "sigmoid": sigmoid_kernel}
    for name, peer in peers.items():
        np.testing.assert_allclose(
            kernel_matrix(X, Y, name, gamma=0.3, coef0=0.5 if name != "rbf" else 0.0),
            peer(X, Y, gamma=0.3, **({} if name == "rbf" else {"coef0": 0.5})),
            atol=1e-14,
        )


def test_a_row_is_at_no_distance_from_itself():
    X = np.full((3, 50), 1e6) + np.arange(3)[:, None]
    assert np.all(np.diag(kernel_matrix(X, kernel="rbf", gamma=1.0)) == 1.0)


def test_duplicate_entries_of_a_sparse_matrix_are_summed():
    twice = sparse.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    for kernel in KERNELS:
        np.testing.assert_allclose(
            kernel_matrix(twice, kernel=kernel, gamma=0.5),
            kernel_matrix([[3.0, 0.0]], kernel=kernel, gamma=0.5),
        )
    assert twice.nnz == 2


def test_base_matrix_writes_where_it_is_told(rows):
    X, Y = rows
    out = np.empty((7, 5))
    spec = KernelSpec("rbf", gamma=0.5)
    assert base_matrix(X, Y, spec, out=out) is out
    np.testing.assert_allclose(apply_link(out, spec), rbf_kernel(X, Y, gamma=0.5))


def test_summed_gradient_of_a_linear_kernel_is_the_weight_vector(rows):
    X, Y = rows
    gradient = decision_gradient(X, Y, np.arange(5.0), KernelSpec("linear"))
    np.testing.assert_allclose(gradient, np.tile(np.arange(5.0) @ Y, (7, 1)))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"kernel": "laplace"}, "'kernel' parameter"),
        ({"kernel": "rbf", "gamma": 0.0}, "'gamma' parameter"),
        ({"kernel": "rbf", "gamma": "wide"}, "'gamma' parameter"),
        ({"kernel": "rbf", "gamma": True}, "'gamma' parameter"),
        ({"kernel": "poly", "degree": 0}, "'degree' parameter"),
        (
            {"kernel": "poly", "degree": 2.5},
            "'degree' parameter of KernelSpec with kind 'poly' must be a whole",
        ),
        ({"kernel": "poly", "coef0": np.nan}, "'coef0' parameter"),
        ({"Y": [[1.0]]}, "2 features and Y has 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        kernel_matrix([[1.0, 2.0]], **arguments)


def test_coefficients_must_match_the_rows():
    with pytest.raises(ValueError, match="one number for each of the 1 rows"):
        kernel_gradient([[1.0, 2.0]], coefficients=[1.0, 2.0])


@pytest.mark.parametrize("kind", ["linear", "poly", "rbf", "sigmoid", "anova"])
def test_link_and_slope_are_the_two_functions(kind):
    base = np.linspace(0.0, 2.0, 12).reshape(3, 4)
    spec = KernelSpec(kind, gamma=0.7, degree=3, coef0=0.5)
    values, slopes = link_and_slope(base, spec)
    np.testing.assert_allclose(values, apply_link(base.copy(), spec))
    np.testing.assert_allclose(slopes, link_slope(base, spec), rtol=1e-12)
