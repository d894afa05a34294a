import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from infoprop.credit import credit_importance
from infoprop.credit._shares import credit_shares
from infoprop.exceptions import UnsupportedEstimatorError
from reference.wine import X, Y

LINEAR = [
    LinearSVC(),
    LogisticRegression(),
    RidgeClassifier(),
    RidgeClassifierCV(),
    SGDClassifier(random_state=0),
    LinearDiscriminantAnalysis(),
    Perceptron(),
]


@pytest.mark.parametrize("model", LINEAR, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_classifiers_share_by_the_size_of_their_weights(model, n_classes):
    rows = n_classes > Y
    model.fit(X[rows], Y[rows])
    w = np.abs(np.atleast_2d(model.coef_))
    expected = np.broadcast_to(w / w.sum(axis=1, keepdims=True), (n_classes, 13))
    np.testing.assert_allclose(credit_shares(model), expected, rtol=1e-12)


def test_sparse_weights_share_alike():
    model = SGDClassifier(random_state=0, penalty="l1").fit(X, Y)
    dense = credit_shares(model)
    model.sparsify()
    assert sparse.issparse(model.coef_)
    np.testing.assert_array_equal(credit_shares(model), dense)


def test_a_machine_that_nothing_moves_shares_evenly():
    model = LogisticRegression().fit(np.zeros((6, 4)), [0, 1, 2] * 2)
    np.testing.assert_array_equal(credit_shares(model), np.full((3, 4), 0.25))


class _Sharing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))

    def credit_shares(self, X=None):
        self.seen_ = X
        weight = np.arange(1.0, self.n_features_in_ + 1)
        return np.tile(weight / weight.sum(), (len(self.classes_), 1))


def test_a_method_of_its_own_wins_and_sees_the_rows():
    model = _Sharing().fit(X, Y)
    model.coef_ = np.ones((3, 13))
    assert credit_shares(model, X)[0, -1] == pytest.approx(13 / 91)
    assert model.seen_ is X


def test_a_classifier_in_a_pipeline_sees_what_its_steps_give():
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=3), _Sharing()).fit(X, Y)
    shares = credit_shares(pipeline, X)
    np.testing.assert_allclose(pipeline[-1].seen_, pipeline[:-1].transform(X))
    np.testing.assert_allclose(shares[0, pipeline[1].get_support()], [1 / 6, 2 / 6, 3 / 6])
    assert shares.sum() == pytest.approx(3)


def test_pipelines_give_shares_back_to_the_input_columns():
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=5), LinearSVC()).fit(X, Y)
    shares = credit_shares(pipeline)
    support = pipeline[1].get_support()
    assert shares.shape == (3, 13)
    assert not shares[:, ~support].any()
    np.testing.assert_allclose(shares[:, support], credit_shares(pipeline[-1]))


def test_a_pipeline_of_the_classifier_alone_changes_nothing():
    model = LinearSVC().fit(X, Y)
    pipeline = make_pipeline(LinearSVC()).fit(X, Y)
    np.testing.assert_array_equal(credit_shares(pipeline), credit_shares(model))


@pytest.mark.parametrize("inner", [SVC(gamma=0.1), LinearSVC()], ids=str)
def test_one_vs_rest_takes_each_class_from_its_machine(inner):
    model = OneVsRestClassifier(inner).fit(X, Y)
    expected = [credit_shares(machine)[0] for machine in model.estimators_]
    np.testing.assert_allclose(credit_shares(model), expected)
    two = OneVsRestClassifier(inner).fit(X[Y < 2], Y[Y < 2])
    assert credit_shares(two).shape == (2, 13)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: GridSearchCV(model, {"C": [0.1, 1.0]}, cv=2),
        lambda model: FrozenEstimator(model.fit(X, Y)),
    ],
)
def test_wrappers_are_looked_through(wrap):
    wrapped = wrap(LinearSVC()).fit(X, Y)
    inner = getattr(wrapped, "best_estimator_", None) or wrapped.estimator
    np.testing.assert_array_equal(credit_shares(wrapped), credit_shares(inner))


def test_selectors_of_scikit_learn_give_nothing_to_what_they_dropped():
    selector = RFE(LinearSVC(), n_features_to_select=4).fit(X, Y)
    shares = credit_shares(selector, X)
    assert not shares[:, ~selector.support_].any()
    np.testing.assert_array_equal(shares[:, selector.support_], credit_shares(selector.estimator_))


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(n_estimators=2),
        GaussianNB(),
        CalibratedClassifierCV(LinearSVC(), cv=2),
        LinearRegression(),
        SVR(),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
    ids=str,
)
def test_what_is_not_supported_is_told_what_is(model):
    with pytest.raises(UnsupportedEstimatorError, match=r"Supported: .*SVC.*LogisticRegression.*Pipeline"):
        credit_shares(model.fit(X, Y))


def test_mixing_steps_are_refused_with_a_way_out():
    with pytest.raises(UnsupportedEstimatorError, match=r"PCA.*transform\(X\)"):
        credit_shares(make_pipeline(PCA(), LinearSVC()).fit(X, Y))


@pytest.mark.parametrize("model", [LinearSVC, 3, "SVC"])
def test_what_is_no_classifier_is_refused(model):
    with pytest.raises(UnsupportedEstimatorError, match="fitted classifier is needed"):
        credit_shares(model)


def test_untrained_classifiers_are_refused():
    with pytest.raises(NotFittedError):
        credit_shares(LinearSVC())


def xor_data(n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (300, 10))
    labels = (points[:, 2] * points[:, 7] > 0).astype(int)
    if n_classes == 3:
        labels[(np.abs(points[:, 2]) < 0.3) & (labels == 1)] = 2
    return points, labels


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learn_elimination_finds_an_xor_pair_with_an_rbf_machine(container, n_classes):
    points, labels = xor_data(n_classes)
    selector = RFE(SVC(C=10), n_features_to_select=2, step=2, importance_getter=credit_importance)
    selector.fit(container(points), labels)
    assert selector.get_support(indices=True).tolist() == [2, 7]


def test_scikit_learn_selection_from_model_and_with_cross_validation_work_too():
    points, labels = xor_data()
    one_step = SelectFromModel(SVC(C=10), importance_getter=credit_importance, max_features=2)
    assert one_step.fit(points, labels).get_support(indices=True).tolist() == [2, 7]
    folds = RFECV(SVC(C=10), step=4, cv=3, min_features_to_select=2, importance_getter=credit_importance)
    assert {2, 7} <= set(folds.fit(points, labels).get_support(indices=True).tolist())


def test_importance_is_the_mean_share_and_travels():
    model = LogisticRegression(max_iter=1000).fit(*load_iris(return_X_y=True))
    importance = pickle.loads(pickle.dumps(credit_importance))(model)
    np.testing.assert_allclose(importance, credit_shares(model).mean(axis=0))
    assert importance.sum() == pytest.approx(1)
