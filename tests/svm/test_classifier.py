import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from infoprop.datasets import make_led24
from infoprop.kernels import kernel_matrix
from infoprop.svm import OneVsRestSVC
from reference.engine import Trainer


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16.0, y[:600]


# The sigmoid kernel is indefinite here: its dual has more than one local optimum.
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_predictions_and_outputs_are_those_of_one_vs_rest_libsvm(digits, kernel):
    X, y = digits
    ours = OneVsRestSVC(kernel=kernel, tol=1e-6).fit(X, y)
    peer = OneVsRestClassifier(SVC(kernel=kernel, tol=1e-6)).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-4)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    for machine, other in zip(ours.machines_, peer.estimators_, strict=True):
        b, c = machine.dual_coef, other.dual_coef_[0]
        K = kernel_matrix(X, kernel=kernel, gamma=1 / (X.shape[1] * X.var()))
        objective = 0.5 * c @ K[np.ix_(other.support_, other.support_)] @ c - np.abs(c).sum()
        assert machine.objective == pytest.approx(objective, rel=1e-6)
        assert machine.objective == pytest.approx(
            0.5 * b @ K[np.ix_(machine.support, machine.support)] @ b - machine.alpha.sum(), rel=1e-9
        )


def test_two_classes_are_separated_by_one_machine():
    X, y = make_classification(80, random_state=0)
    labels = np.where(y == 1, "yes", "no")
    ours = OneVsRestSVC(kernel="linear").fit(X, labels)
    assert len(ours.machines_) == 1
    assert ours.decision_function(X).shape == (80,)
    peer = SVC(kernel="linear", tol=1e-6).fit(X, labels)
    assert np.array_equal(ours.predict(X), peer.predict(X))
    assert np.array_equal(ours.predict(X) == "yes", ours.decision_function(X) > 0)


def test_machines_tell_support_rows_alphas_bias_and_margin(digits):
    X, y = digits
    ours = OneVsRestSVC(kernel="linear", C=0.1).fit(X, y)
    for label, machine, w in zip(ours.classes_, ours.machines_, ours.coef_, strict=True):
        assert np.all((machine.alpha > 0) & (machine.alpha <= 0.1))
        assert np.array_equal(machine.signs, np.where(y[machine.support] == label, 1.0, -1.0))
        np.testing.assert_allclose(machine.support_vectors, X[machine.support])
        assert machine.margin == pytest.approx(1 / np.linalg.norm(w))
        assert machine.dual_coef.sum() == pytest.approx(0.0, abs=1e-10)
        assert machine.converged


def test_one_kernel_per_class_with_outputs_divided_by_the_norm():
    X, y = load_iris(return_X_y=True)
    kernels = {
        0: "linear",
        1: {"kernel": "anova", "gamma": 0.5, "degree": 1},
        2: {"kernel": "poly", "degree": 2},
    }
    mixed = OneVsRestSVC(kernel=kernels).fit(X, y)
    assert [machine.kernel.kind for machine in mixed.machines_] == ["linear", "anova", "poly"]
    assert mixed.machines_[1].kernel.gamma == 0.5
    assert not hasattr(mixed, "coef_")
    raw = OneVsRestSVC(kernel=kernels, normalize_margin=False).fit(X, y)
    margins = np.array([machine.margin for machine in mixed.machines_])
    np.testing.assert_allclose(mixed.decision_function(X), raw.decision_function(X) * margins)
    assert mixed.score(X, y) > 0.9
    alone = OneVsRestSVC(kernel="poly", degree=2).fit(X, y)
    np.testing.assert_allclose(raw.decision_function(X)[:, 2], alone.decision_function(X)[:, 2], atol=1e-8)


def test_weights_are_copies_and_class_weights_are_weights(digits):
    X, y = digits[0][:200], digits[1][:200]
    weights = np.random.default_rng(0).integers(0, 4, 200)
    weighted = OneVsRestSVC().fit(X, y, sample_weight=weights)
    copies = OneVsRestSVC().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.decision_function(X), copies.decision_function(X), atol=1e-8)
    by_class = OneVsRestSVC(class_weight={3: 2.0}).fit(X, y)
    by_row = OneVsRestSVC(gamma=by_class.machines_[0].kernel.gamma).fit(
        X, y, sample_weight=np.where(y == 3, 2.0, 1.0)
    )
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X), atol=1e-8)


def test_sparse_input_stays_sparse_and_gives_the_dense_machine(digits, monkeypatch):
    X, y = digits
    for kernel in ("linear", "rbf", "anova"):
        dense = OneVsRestSVC(kernel=kernel).fit(X, y)
        with monkeypatch.context() as patched:
            for kind in (sparse.csr_array, sparse.csr_matrix):
                patched.setattr(kind, "toarray", None)
                patched.setattr(kind, "todense", None)
            from_csr = OneVsRestSVC(kernel=kernel).fit(sparse.csr_array(X), y)
            outputs = from_csr.decision_function(sparse.csr_matrix(X))
        assert sparse.issparse(from_csr.machines_[0].support_vectors)
        np.testing.assert_allclose(outputs, dense.decision_function(X), atol=1e-7)
        np.testing.assert_allclose(dense.decision_function(sparse.csr_array(X)), outputs, atol=1e-7)


def test_all_solvers_have_the_same_optimum(digits):
    X, y = digits
    for container, solvers in ((np.asarray, ("cd", "primal")), (sparse.csr_array, ("cd",))):
        smo = OneVsRestSVC(kernel="linear", solver="smo").fit(container(X), y)
        for solver in solvers:
            other = OneVsRestSVC(kernel="linear", solver=solver).fit(container(X), y)
            np.testing.assert_allclose(smo.coef_, other.coef_, atol=1e-7)
            np.testing.assert_allclose(smo.intercept_, other.intercept_, atol=1e-7)


def test_the_solver_follows_from_kernel_and_shape():
    def chosen(kernel, n, is_sparse, cache_size=500.0, d=1000):
        X = sparse.csr_array((n, d)) if is_sparse else np.broadcast_to(0.0, (n, d))
        from infoprop.kernels import KernelSpec

        return Trainer.of(OneVsRestSVC(cache_size=cache_size)).solver_for(KernelSpec(kernel), X)

    assert chosen("linear", 1000, False) == "smo"
    assert chosen("linear", 1000, True) == "smo"
    assert chosen("linear", 5000, True) == "cd"
    assert chosen("linear", 15000, False) == "primal"
    assert chosen("linear", 15000, False, d=20000) == "cd"
    assert chosen("linear", 7291, False, d=256) == "smo"
    assert chosen("linear", 4435, False, d=36) == "primal"
    assert chosen("linear", 32, False, d=32) == "primal"
    assert chosen("linear", 32, False, d=33) == "smo"
    assert chosen("linear", 1000, False, cache_size=1.0) == "primal"
    assert chosen("linear", 999, False, cache_size=1.0) == "cd"
    assert chosen("rbf", 20000, True) == "smo"


def test_warm_start_goes_on_from_the_last_solution(digits):
    X, y = digits
    for solver in ("smo", "cd", "primal"):
        machine = OneVsRestSVC(kernel="linear", C=0.5, warm_start=True, solver=solver).fit(X, y)
        cold = OneVsRestSVC(kernel="linear", C=0.6, solver=solver).fit(X, y)
        warm = machine.set_params(C=0.6).fit(X, y)
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-6)
        assert warm.n_iter_.sum() < cold.n_iter_.sum()
        assert np.array_equal(warm.fit(X[:300], y[:300]).classes_, np.arange(10))


def test_shares_of_features_sum_to_one_for_every_class(digits):
    X, y = digits
    shares = OneVsRestSVC().fit(X, y).credit_shares()
    assert shares.shape == (10, 64)
    assert np.all(shares >= 0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    two = OneVsRestSVC(kernel="linear").fit(X[y < 2], y[y < 2])
    expected = np.abs(two.coef_[0]) / np.abs(two.coef_[0]).sum()
    np.testing.assert_allclose(two.credit_shares(), [expected, expected])


def test_linear_machines_serve_scikit_learns_rfe(digits):
    X, y = digits
    assert (
        RFE(OneVsRestSVC(kernel="linear"), n_features_to_select=10, step=0.5).fit(X, y).support_.sum() == 10
    )


def test_rounding_does_not_decide_between_machines_that_tie():
    data = make_led24(700, random_state=16)
    X, y = data.X[:, :7], data.y
    smo = OneVsRestSVC(kernel="linear", solver="smo").fit(X[:200], y[:200])
    cd = OneVsRestSVC(kernel="linear", solver="cd").fit(X[:200], y[:200])
    primal = OneVsRestSVC(kernel="linear", solver="primal").fit(X[:200], y[:200])
    from_csr = OneVsRestSVC(kernel="linear").fit(sparse.csr_array(X[:200]), y[:200])
    assert np.array_equal(smo.predict(X), cd.predict(X))
    assert np.array_equal(smo.predict(X), primal.predict(X))
    assert np.array_equal(smo.predict(X), from_csr.predict(X))


def test_a_limit_on_the_iterations_is_told():
    X, y = make_classification(200, random_state=0)
    for solver in ("smo", "cd", "primal"):
        with pytest.warns(ConvergenceWarning, match="max_iter=3"):
            OneVsRestSVC(kernel="linear", C=100.0, max_iter=3, solver=solver).fit(X, y)


def test_column_order_does_not_matter(digits):
    X, y = digits
    order = np.random.default_rng(0).permutation(64)
    a = OneVsRestSVC().fit(X, y)
    b = OneVsRestSVC().fit(X[:, order], y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X[:, order]), atol=1e-6)
    np.testing.assert_allclose(a.credit_shares()[:, order], b.credit_shares(), atol=1e-6)


def test_fitted_machines_can_be_pickled_and_remember_column_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    machine = pickle.loads(pickle.dumps(OneVsRestSVC().fit(X, y)))
    assert machine.feature_names_in_.tolist() == X.columns.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine.predict(pd.DataFrame(X))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": 0.0}, "'C' parameter of OneVsRestSVC must be a finite number > 0"),
        ({"kernel": "laplace"}, "'kernel' parameter of OneVsRestSVC must be one of 'linear'"),
        ({"kernel": len}, "'kernel' parameter of OneVsRestSVC must be one of 'linear'"),
        ({"gamma": -1.0, "kernel": "rbf"}, "'gamma' parameter"),
        ({"tol": 0}, "'tol' parameter"),
        ({"solver": "newton"}, "'solver' parameter"),
        ({"solver": "cd", "kernel": "rbf"}, "needs the linear kernel"),
        ({"solver": "primal", "kernel": "rbf"}, "needs the linear kernel"),
        ({"max_iter": -2}, "'max_iter' parameter"),
        ({"cache_size": 0}, "'cache_size' parameter"),
        ({"warm_start": 1}, "'warm_start' parameter"),
        ({"normalize_margin": "always"}, "'normalize_margin' parameter"),
        ({"kernel": {0: "rbf", 1: "rbf"}}, r"none for \[2\]"),
        ({"kernel": {0: "rbf", 1: "rbf", 2: {"width": 1}}}, "kernel of class 2 must be a name or a dict"),
    ],
)
def test_bad_parameters_are_refused_before_any_work(parameters, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        OneVsRestSVC(**parameters).fit(X, y)


def test_two_classes_cannot_have_two_kernels():
    X, y = make_classification(20, random_state=0)
    with pytest.raises(ValueError, match="same kernel for both"):
        OneVsRestSVC(kernel={0: "linear", 1: "rbf"}).fit(X, y)
    assert len(OneVsRestSVC(kernel={0: "linear", 1: "linear"}).fit(X, y).machines_) == 1


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="at least two classes"):
        OneVsRestSVC().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="at least two classes"):
        OneVsRestSVC().fit([[0.0], [1.0]], [0, 1], sample_weight=[1.0, 0.0])
