import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.svm import SVC, NuSVC

from infoprop.credit._gamma import effective_gamma
from infoprop.credit._one_vs_one import pair_machines
from infoprop.exceptions import UnsupportedEstimatorError


def recovered(model):
    machines = list(pair_machines(model))
    number = max(range(len(machines)), key=lambda k: len(machines[k].rows))
    machine = machines[number]
    return effective_gamma(model, model.support_vectors_, machine.dual_coef, number, machine.rows)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_scale_is_recovered_from_decision_values(kernel, container, load):
    X, y = load(return_X_y=True)
    model = SVC(kernel=kernel, coef0=0.5).fit(container(X), y)
    assert recovered(model) == pytest.approx(1 / (X.shape[1] * X.var()), rel=1e-8)


def test_scale_is_recovered_when_support_vectors_spread_unlike_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) * 0.2
    X[:, 0] += np.repeat([-20, 20], 200)
    X[::50] *= 0.05
    model = SVC().fit(X, X[:, 0] > 0)
    assert recovered(model) == pytest.approx(1 / (3 * X.var()), rel=1e-8)


def test_the_shape_of_the_answer_and_names_do_not_matter():
    X, y = load_iris(return_X_y=True, as_frame=True)
    expected = 1 / (4 * X.to_numpy().var())
    for shape in ("ovo", "ovr"):
        model = SVC(decision_function_shape=shape).fit(X, y)
        assert recovered(model) == pytest.approx(expected, rel=1e-8)
        assert model.decision_function_shape == shape
        assert hasattr(model, "feature_names_in_")


def test_weights_and_other_formulations_do_not_matter():
    X, y = load_wine(return_X_y=True)
    X = X / X.std(axis=0)
    weights = np.random.default_rng(0).uniform(0.1, 3, len(y))
    for model in (NuSVC(nu=0.2), SVC(C=50, class_weight="balanced")):
        model.fit(X, y, sample_weight=weights)
        assert recovered(model) == pytest.approx(1 / (13 * X.var()), rel=1e-8)


def test_numbers_and_auto_are_taken_as_they_are():
    X, y = load_iris(return_X_y=True)
    assert recovered(SVC(gamma=0.3).fit(X, y)) == 0.3
    assert recovered(SVC(gamma="auto").fit(X, y)) == 0.25


def test_a_machine_that_does_not_answer_as_it_should_is_refused():
    X, y = load_iris(return_X_y=True)
    model = SVC().fit(X, y)
    model.intercept_ = model.intercept_ + 100.0
    with pytest.raises(UnsupportedEstimatorError, match="gamma as a number"):
        recovered(model)
