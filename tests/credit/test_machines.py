"""Classifiers taken apart: the parts answer as the whole does."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from infoprop.credit import _machines
from infoprop.credit._machines import machines_of
from infoprop.credit._origins import single_origins
from infoprop.exceptions import UnsupportedEstimatorError
from infoprop.svm import OneVsRestSVC

MODELS = [
    OneVsRestSVC(kernel="linear"),
    OneVsRestSVC(kernel="rbf"),
    OneVsRestSVC(kernel="anova", degree=2),
    OneVsRestSVC(kernel="poly", degree=2, coef0=1.0),
    SVC(decision_function_shape="ovo"),
    SVC(kernel="linear", decision_function_shape="ovo"),
    SVC(kernel="sigmoid", gamma=0.02, decision_function_shape="ovo"),
    NuSVC(nu=0.2, decision_function_shape="ovo"),
    LinearSVC(random_state=0),
    LogisticRegression(),
    SGDClassifier(random_state=0),
    OneVsRestClassifier(SVC()),
]


def wine(n_classes=3):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X[y < n_classes], np.array(["barolo", "grignolino", "barbera"])[y[y < n_classes]]


def outputs(model, X):
    return np.column_stack([machine.function.outputs(machine.rows) for machine in machines_of(model, X)])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_outputs_are_the_decision_function(model, n_classes):
    X, y = wine(n_classes)
    model.fit(X, y)
    expected = model.decision_function(X).reshape(len(X), -1)
    np.testing.assert_allclose(outputs(model, X), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_machines_answer_above_zero_for_their_own_class(model, n_classes):
    X, y = wine(n_classes)
    for machine in machines_of(model.fit(X, y), X):
        agreement = machine.signs(y) * np.sign(machine.function.outputs(machine.rows))
        assert agreement.sum() > 0.8 * np.abs(machine.signs(y)).sum()


def test_pair_machines_leave_rows_of_other_classes_out():
    X, y = wine()
    machines = machines_of(SVC().fit(X, y), X)
    assert (machines[0].positive, machines[0].negative) == ("barbera", "barolo")
    assert (machines[0].signs(y) == 0).sum() == (y == "grignolino").sum()


def test_blocks_of_rows_give_what_one_block_does(monkeypatch):
    X, y = wine()
    (machine, *_) = machines_of(OneVsRestSVC().fit(X, y), X)
    whole = machine.function.outputs(X)
    gradients = np.concatenate([part for _, part in machine.function.gradients(X)])
    monkeypatch.setattr(_machines, "_BLOCK_ENTRIES", 1000)
    parts = list(machine.function.gradients(X))
    assert len(parts) > 3
    np.testing.assert_allclose(machine.function.outputs(X), whole, rtol=1e-12)
    np.testing.assert_allclose(np.concatenate([part for _, part in parts]), gradients, rtol=1e-9, atol=1e-12)


def test_steps_before_the_classifier_are_followed_back():
    X, y = wine()
    columns = ColumnTransformer([("a", MinMaxScaler(), [5, 3]), ("b", "passthrough", [3])])
    model = make_pipeline(columns, SelectKBest(k=2), SVC(kernel="linear")).fit(X, y)
    machines = machines_of(model, X)
    kept = np.array([5, 3, 3])[model[1].get_support()]
    assert all(single_origins(machine.origins).tolist() == kept.tolist() for machine in machines)
    np.testing.assert_allclose(machines[0].rows, model[:-1].transform(X))


def test_wrappers_are_unwrapped():
    X, y = wine()
    search = GridSearchCV(LinearSVC(random_state=0), {"C": [0.1]}).fit(X, y)
    np.testing.assert_array_equal(outputs(search, X), outputs(search.best_estimator_, X))
    frozen = FrozenEstimator(make_pipeline(SVC().fit(X, y)))
    np.testing.assert_array_equal(outputs(frozen, X), outputs(frozen.estimator[-1], X))


def test_sparse_weights_are_weights():
    X, y = wine()
    model = LogisticRegression().fit(X, y)
    expected = outputs(model, sparse.csr_matrix(X))
    np.testing.assert_allclose(outputs(model.sparsify(), X), expected)


def test_columns_lost_on_the_way_are_noticed():
    X, y = wine()
    with pytest.raises(UnsupportedEstimatorError, match="13 columns it was trained with, but give 4"):
        machines_of(SVC().fit(X, y), X[:, :4])
