import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from infoprop.exceptions import DataError, ParameterError
from infoprop.mlp import MLPClassifier
from infoprop.selection import KnockoffSelector
from infoprop.svm import OneVsRestSVC

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(150, 14))
Y = (X[:, :6].sum(axis=1) + 0.3 * GENERATOR.normal(size=150) > 0.0).astype(int)


def selector(**parameters):
    return KnockoffSelector(**({"random_state": 0, "fdr": 0.2} | parameters))


@pytest.fixture(scope="module")
def fitted():
    return selector().fit(X, Y)


def test_what_tells_the_class_is_found(fitted):
    assert fitted.support_[:6].all()
    assert fitted.n_features_ <= 8
    np.testing.assert_array_equal(fitted.support_, fitted.q_values_ <= 0.2)
    assert fitted.score(X, Y) > 0.85
    assert fitted.feature_ranking_[:6].max() < 6
    assert fitted.at(4).n_features_ == 4
    assert fitted.support_at(4).sum() == 4


KNOCKOFFS = X[:, ::-1] + GENERATOR.normal(size=X.shape)
SWAPPED = [0, 3, 9]


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        OneVsRestSVC(kernel="rbf", gamma=0.05),
        MLPClassifier((2,), alpha=10.0, random_state=0),
    ],
    ids=["linear", "rbf", "network"],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_swapping_a_column_with_its_knockoff_flips_its_sign_and_nothing_else(estimator, n_classes):
    rows, labels, made = X[:60, :10], Y[:60] + (n_classes - 2) * (X[:60, 7] > 0.5), KNOCKOFFS[:60, :10]
    W = selector(estimator=estimator, knockoffs=made, step=0.5).fit(rows, labels).knockoffs_.W[0]
    other_rows, other_made = rows.copy(), made.copy()
    other_rows[:, SWAPPED], other_made[:, SWAPPED] = made[:, SWAPPED], rows[:, SWAPPED]
    other = selector(estimator=estimator, knockoffs=other_made, step=0.5).fit(other_rows, labels)
    signs = np.where(np.isin(np.arange(10), SWAPPED), -1.0, 1.0)
    np.testing.assert_array_equal(other.knockoffs_.W[0], signs * W)
    assert (W != 0.0).all()


def test_ties_are_not_broken_by_position():
    rows = np.round(X[:80, :8])
    made = rows[::-1].copy()
    made[:, 5] = rows[:, 5]
    groups = [[0, 1], [2, 3]]
    W = selector(knockoffs=made, groups=groups).fit(rows, Y[:80]).knockoffs_.W[0]
    other_rows, other_made = rows.copy(), made.copy()
    other_rows[:, :2], other_made[:, :2] = made[:, :2], rows[:, :2]
    other = selector(knockoffs=other_made, groups=groups).fit(other_rows, Y[:80]).knockoffs_.W[0]
    assert W[3] == 0.0
    np.testing.assert_array_equal(other, W * np.where(np.arange(6) == 0, -1.0, 1.0))


def test_versions_of_a_column_may_be_turned_round():
    rows, made = X[:60, :8], np.stack([KNOCKOFFS[:60, :8], X[60:120, :8]])
    versions, turned = np.stack([rows, *made]), [1, 4]
    found = []
    for shift in range(3):
        own = versions.copy()
        own[:, :, turned] = np.roll(versions, shift, axis=0)[:, :, turned]
        fit = selector(knockoffs=own[None, 1:], n_knockoffs=2, step=0.5).fit(own[0], Y[:60])
        found.append(fit.knockoffs_.W[0])
    np.testing.assert_array_equal(np.abs(found), np.abs(found[:1]).repeat(3, axis=0))
    np.testing.assert_array_equal(np.delete(found, turned, axis=1), np.delete(found[:1] * 3, turned, axis=1))
    # One of the three versions beats the others, wherever it is.
    assert (np.sum(np.array(found)[:, turned] > 0.0, axis=0) == 1).all()


@pytest.mark.parametrize("law", ["gaussian", "copula"])
def test_several_knockoffs_find_few_features(law):
    labels = (X[:, :3].sum(axis=1) > 0.0).astype(int)
    assert selector(fdr=0.1, knockoffs=law).fit(X, labels).n_features_ == 0
    several = selector(fdr=0.1, knockoffs=law, n_knockoffs=5).fit(X, labels)
    assert several.support_[:3].all()
    assert several.knockoffs_.n_knockoffs == 5


def test_draws_are_put_together_and_the_same_for_any_number_of_jobs(fitted):
    several = selector(n_draws=3, fdr=0.5).fit(X, Y)
    assert several.knockoffs_.W.shape == (3, 14)
    np.testing.assert_array_equal(several.knockoffs_.W[0], fitted.knockoffs_.W[0])
    with parallel_config("threading"):
        same = selector(n_draws=3, fdr=0.5, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(same.knockoffs_.W, several.knockoffs_.W)
    assert several.support_[:6].sum() >= 4


def test_sparse_rows_and_frames_are_the_same(fitted):
    for rows in (sparse.csr_array(X), pl.DataFrame(X, schema=[f"c{k}" for k in range(14)])):
        same = selector().fit(rows, Y)
        np.testing.assert_array_equal(same.knockoffs_.W, fitted.knockoffs_.W)


@pytest.mark.parametrize("knockoffs", ["copula", lambda rows, generator: generator.normal(size=rows.shape)])
def test_other_laws(knockoffs):
    found = selector(knockoffs=knockoffs).fit(X, Y)
    assert found.support_[:6].sum() >= 5


def test_a_covariance_may_be_given(fitted):
    found = selector(covariance=0.5 * np.eye(14) + 0.5).fit(X, Y)
    assert found.support_[:6].sum() >= 5
    assert not np.array_equal(found.knockoffs_.W, fitted.knockoffs_.W)


def test_nothing_found_is_an_answer():
    labels = np.random.default_rng(3).permutation(Y)
    found = selector(fdr=0.05).fit(X, labels)
    assert found.n_features_ == 0
    assert isinstance(found.estimator_, DummyClassifier)
    assert len(np.unique(found.predict(X))) == 1
    with pytest.warns(UserWarning, match="No features were selected"):
        assert found.transform(X).shape == (150, 0)


def test_groups_and_columns_to_keep():
    found = selector(fdr=0.5, groups=[[0, 1], [2, 3]], keep=[13]).fit(X, Y)
    assert found.support_[[0, 1, 2, 3, 13]].all()
    assert np.isnan(found.q_values_[13])
    assert found.knockoffs_.W.shape == (1, 12)
    alone = selector(keep=[13], fdr=0.05).fit(X, np.random.default_rng(1).permutation(Y))
    assert np.flatnonzero(alone.support_).tolist() == [13]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_more_features_than_rows_are_screened_by_half_of_the_rows(storage):
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(150, 200))])
    found = selector(fdr=0.3).fit(storage(wide), Y)
    assert (found.knockoffs_.W != 0.0).sum() == 75
    assert found.q_values_.shape == (214,)
    by_hand = selector(n_tested=10, keep=[200]).fit(storage(wide), Y, groups=np.arange(150) // 3)
    assert (by_hand.knockoffs_.W != 0.0).sum() == 10
    assert by_hand.support_[200]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"fdr": 1.0}, ParameterError, "'fdr' parameter of KnockoffSelector"),
        ({"n_draws": 0}, ParameterError, "'n_draws' parameter of KnockoffSelector"),
        ({"n_knockoffs": 0}, ParameterError, "'n_knockoffs' parameter of KnockoffSelector"),
        ({"n_knockoffs": 2, "knockoffs": X}, DataError, "each draw and knockoff: .1, 2, 150, 14."),
        ({"n_tested": 0}, ParameterError, "'n_tested' parameter of KnockoffSelector"),
        ({"knockoffs": "mirror"}, ParameterError, "'knockoffs' parameter of KnockoffSelector"),
        ({"knockoffs": "copula", "covariance": np.eye(14)}, ParameterError, "that of Gaussian columns"),
        ({"covariance": np.eye(3)}, DataError, "symmetric matrix"),
        ({"knockoffs": X[:5]}, DataError, "array of the shape of X for each draw"),
        ({"knockoffs": lambda rows, generator: rows[:3]}, DataError, "of the shape of its rows"),
    ],
)
def test_wrong_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        selector(**parameters).fit(X, Y)


def test_words_are_refused_by_a_sentence():
    frame = pl.DataFrame({"a": X[:, 0], "b": ["x", "y"] * 75})
    coded = make_pipeline(OneHotEncoder(), OneVsRestSVC(kernel="linear"))
    with pytest.raises(DataError, match="columns of numbers"):
        selector(estimator=coded).fit(frame, Y)


@pytest.mark.parametrize("n_knockoffs", [1, 5])
def test_false_columns_are_the_best_of_their_versions_by_chance_only(n_knockoffs):
    covariance = 0.5 ** np.abs(np.subtract.outer(np.arange(20), np.arange(20)))
    root = np.linalg.cholesky(covariance)
    n_best = 0
    for seed in range(20):
        generator = np.random.default_rng([seed, 7])
        X = generator.standard_normal((80, 20)) @ root.T
        y = (X[:, 0] + X[:, 10] + generator.normal(size=80) > 0.0).astype(int)
        selector = KnockoffSelector(covariance=covariance, n_knockoffs=n_knockoffs, random_state=seed)
        W = selector.fit(X, y).knockoffs_.W[0]
        n_best += int((np.delete(W, [0, 10]) > 0.0).sum())
    share, n_tested = 1.0 / (1 + n_knockoffs), 20 * 18
    # Two and a half standard errors.
    assert abs(n_best / n_tested - share) < 2.5 * np.sqrt(share * (1.0 - share) / n_tested)
