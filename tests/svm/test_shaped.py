import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import make_pipeline

from infoprop._core._folds import fold_numbers, random_units
from infoprop.credit import credit_features
from infoprop.exceptions import DataError, ParameterError
from infoprop.shaping import FeatureShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)


def slowly(X, y, shaper):
    """Everything anew for every fold and cost."""
    pipeline = make_pipeline(shaper, OneVsRestSVC(kernel="linear", tol=1e-6))
    seed = np.random.RandomState(0).randint(2**31)
    folds = PredefinedSplit(fold_numbers(random_units(X, y, seed), y, 5))
    return GridSearchCV(pipeline, {"onevsrestsvc__C": list(COSTS)}, cv=folds).fit(X, y)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], y


@pytest.mark.parametrize("shaper", [FeatureShaper(), FeatureShaper(keep_raw=True, window="auto", norm=None)])
def test_the_same_as_a_grid_search_over_a_pipeline(cancer, shaper):
    X, y = cancer
    found = ShapedLinearClassifier(shaper, tol=1e-6, random_state=0).fit(X, y)
    slow = slowly(X, y, shaper)
    np.testing.assert_allclose(found.validated_accuracy_[0], slow.cv_results_["mean_test_score"], atol=2e-3)
    found = ShapedLinearClassifier(shaper, Cs=found.C_, tol=1e-6, calibration=None).fit(X, y)
    at_cost = make_pipeline(shaper, OneVsRestSVC(kernel="linear", C=found.C_[0], tol=1e-6)).fit(X, y)
    np.testing.assert_allclose(found.decision_function(X), at_cost.decision_function(X), atol=1e-4)
    assert np.array_equal(found.predict(X), at_cost.predict(X))


def test_each_class_is_shaped_for_itself():
    X, y = load_iris(return_X_y=True)
    found = ShapedLinearClassifier(tol=1e-6, calibration=None, random_state=0).fit(X, y)
    assert found.coef_.shape == (3, 4)
    for r in range(3):
        # The folds differ, as three classes are dealt out otherwise than two; machines of a cost do not.
        alone = ShapedLinearClassifier(Cs=[found.C_[r]], tol=1e-6, calibration=None).fit(X, y == r)
        np.testing.assert_allclose(found.decision_function(X)[:, r], alone.decision_function(X), atol=1e-5)


def test_probabilities_follow_the_outputs_and_sum_to_one(cancer):
    X, y = cancer
    for labels in (y, y + (X[:, 0] > 17)):
        found = ShapedLinearClassifier().fit(X, labels)
        p = found.predict_proba(X)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert p.shape == (len(X), len(found.classes_))
    binary = ShapedLinearClassifier().fit(X, y)
    order = np.argsort(binary.decision_function(X))
    assert np.all(np.diff(binary.predict_proba(X)[order, 1]) >= 0)


def test_probabilities_from_folds_are_more_modest_than_those_from_training_rows():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(120, 60))
    labels = rng.integers(0, 2, 120)
    honest = ShapedLinearClassifier(Cs=[10.0]).fit(noise, labels).predict_proba(noise)
    proud = ShapedLinearClassifier(Cs=[10.0], calibration="train").fit(noise, labels).predict_proba(noise)
    assert np.abs(honest - 0.5).mean() < np.abs(proud - 0.5).mean()


def test_without_calibration_there_are_no_probabilities(cancer):
    X, y = cancer
    found = ShapedLinearClassifier(Cs=[1.0], calibration=None).fit(X, y)
    assert np.isnan(found.validated_accuracy_).all()
    assert not hasattr(found, "predict_proba")
    assert found.predict(X).shape == y.shape


def test_threads_and_repetition_change_no_bit(cancer):
    X, y = cancer
    y = y + (X[:, 0] > 17)
    one = ShapedLinearClassifier(random_state=0).fit(X, y)
    three = ShapedLinearClassifier(random_state=0, n_jobs=3).fit(X, y)
    assert np.array_equal(one.coef_, three.coef_)
    assert np.array_equal(one.predict_proba(X), three.predict_proba(X))


def test_sparse_rows_give_what_dense_rows_with_a_zero_bin_give():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.4, size=(150, 12)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 0.5, 150) > 1).astype(int)
    dense = ShapedLinearClassifier(FeatureShaper(zero_bin=True), tol=1e-8, random_state=0).fit(X, y)
    from_csr = ShapedLinearClassifier(tol=1e-8, random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        from_csr.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-6
    )


def test_missing_values_are_taken_if_the_shaper_takes_them(cancer):
    X, y = cancer
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    found = ShapedLinearClassifier(FeatureShaper(missing="bin")).fit(X, y)
    assert found.score(X, y) > 0.85
    with pytest.raises(ValueError, match="NaN"):
        ShapedLinearClassifier().fit(X, y)


def test_credits_add_up(cancer):
    X, y = cancer
    found = ShapedLinearClassifier(FeatureShaper(keep_raw=True)).fit(X, y)
    assert found.credit_shares().shape == (2, 8)
    credits = credit_features(found, X, y)
    assert credits.values.sum() == pytest.approx(credits.flow.information)


def test_a_class_with_a_single_row_is_trained_without_folds():
    X = np.arange(12.0).reshape(6, 2)
    found = ShapedLinearClassifier().fit(X, [0, 0, 0, 0, 0, 1])
    assert found.C_.tolist() == [1.0]
    assert np.isnan(found.validated_accuracy_).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"Cs": []}, "at least one cost"),
        ({"Cs": [1.0, -1.0]}, "Cs"),
        ({"validation": 1}, "validation"),
        ({"calibration": "isotonic"}, "calibration"),
        ({"tol": 0.0}, "tol"),
        ({"shaper": OneVsRestSVC()}, "shaper"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(parameters, words):
    with pytest.raises(ParameterError, match=words):
        ShapedLinearClassifier(**parameters).fit(np.eye(4), [0, 0, 1, 1])


def test_a_single_class_is_refused():
    with pytest.raises(DataError, match="at least two classes"):
        ShapedLinearClassifier().fit(np.eye(3), [1, 1, 1])
