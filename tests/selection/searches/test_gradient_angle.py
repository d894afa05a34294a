"""GradientAngleSelector: what it ranks by, what it takes and what it refuses."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import average_separation, credit_features, gradient_angles
from infoprop.datasets import make_graded_noise
from infoprop.exceptions import ParameterError, UnsupportedEstimatorError
from infoprop.selection import GradientAngleSelector
from infoprop.svm import OneVsRestSVC

POLY = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0, "C": 10.0}


def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


def scaled(classifier):
    return make_pipeline(StandardScaler(), classifier)


def test_it_keeps_what_gradient_angles_rank_first():
    X, y = wine()
    model = scaled(SVC(gamma=0.1))
    selector = GradientAngleSelector(model, n_features_to_select=5).fit(X, y)
    angles = gradient_angles(clone(model).fit(X, y), X, y)
    assert selector.angles_ == angles
    np.testing.assert_array_equal(selector.scores_, angles.values)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(angles.ranking[:5]))
    np.testing.assert_array_equal(selector.ranking_[angles.ranking], [1] * 5 + list(range(2, 10)))
    assert selector.n_features_ == 5


def test_it_keeps_what_average_separation_ranks_first():
    X, y = wine()
    model = scaled(SVC(gamma=0.1))
    selector = GradientAngleSelector(model, n_features_to_select=5, criterion="separation").fit(X, y)
    separation = average_separation(StandardScaler().fit_transform(X), y)
    np.testing.assert_allclose(selector.scores_, separation)
    np.testing.assert_array_equal(selector.get_support(indices=True), np.sort(np.argsort(-separation)[:5]))
    assert not hasattr(selector, "angles_")


def test_the_other_criterion_leaves_nothing_behind():
    X, y = load_iris(return_X_y=True)
    selector = GradientAngleSelector().fit(X, y)
    assert hasattr(selector, "angles_")
    selector.set_params(criterion="separation").fit(X, y)
    assert not hasattr(selector, "angles_")


def test_noise_is_discarded_by_angles_and_kept_by_separation():
    X, y = make_graded_noise(500, random_state=3, return_X_y=True)
    angle, separation = (
        GradientAngleSelector(OneVsRestSVC(**POLY), n_features_to_select=5, criterion=criterion).fit(X, y)
        for criterion in ("angle", "separation")
    )
    assert angle.get_support(indices=True).max() < 10
    assert separation.get_support(indices=True).min() >= 13


def test_separation_serves_any_classifier_and_angles_do_not():
    X, y = load_iris(return_X_y=True)
    neighbours = scaled(KNeighborsClassifier())
    assert GradientAngleSelector(neighbours, criterion="separation").fit(X, y).score(X, y) > 0.9
    with pytest.raises(UnsupportedEstimatorError, match="KNeighborsClassifier has no decision function"):
        GradientAngleSelector(neighbours).fit(X, y)


def test_the_default_keeps_half_of_the_features_and_predicts_with_them():
    X, y = load_iris(return_X_y=True)
    selector = GradientAngleSelector().fit(X, y)
    assert isinstance(selector.estimator_[-1], OneVsRestSVC)
    assert selector.transform(X).shape == (150, 2)
    assert selector.score(X, y) > 0.9
    assert selector.decision_function(X).shape == (150, 3)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.predict(X), selector.predict(X))


def test_groups_come_and_go_together_and_kept_columns_stay():
    X, y = wine()
    groups = {"phenols": ["total_phenols", "flavanoids", "nonflavanoid_phenols"]}
    selector = GradientAngleSelector(
        scaled(LinearSVC()), n_features_to_select=4, groups=groups, keep="magnesium"
    ).fit(X, y)
    phenols = X.columns.get_indexer(groups["phenols"])
    assert len(set(selector.support_[phenols])) == 1
    assert len(set(selector.scores_[phenols])) == 1
    assert selector.support_[X.columns.get_loc("magnesium")]
    assert selector.angles_.n_features == 11
    assert "phenols" in selector.angles_.feature_names


def test_a_group_is_separated_by_all_its_columns_together():
    X, y = load_iris(return_X_y=True)
    machine = OneVsRestSVC(kernel="linear")
    selector = GradientAngleSelector(machine, criterion="separation", groups=[[0, 1], [2, 3]]).fit(X, y)
    separation = average_separation(X, y)
    np.testing.assert_allclose(selector.scores_[[0, 2]], [separation[:2].sum(), separation[2:].sum()])


@pytest.mark.parametrize("criterion", ["angle", "separation"])
def test_copies_of_a_column_rank_by_their_number(criterion):
    X, y = load_iris(return_X_y=True)
    copies = np.hstack([X[:, [2]], X[:, [2]], X[:, [2]], X[:, [1]]])
    selector = GradientAngleSelector(n_features_to_select=1, criterion=criterion).fit(copies, y)
    ranks = selector.ranking_[:3].tolist()
    assert ranks == sorted(ranks)
    assert len(set(selector.scores_[:3].round(10))) == 1


@pytest.mark.parametrize("criterion", ["angle", "separation"])
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, pd.DataFrame, pl.DataFrame])
def test_containers_give_the_same_choice(criterion, container):
    X, y = load_iris(return_X_y=True)
    selector = GradientAngleSelector(SVC(gamma=0.5), criterion=criterion)
    expected = clone(selector).fit(X, y)
    names = {"columns": list("abcd")} if container is pd.DataFrame else {}
    names = {"schema": list("abcd")} if container is pl.DataFrame else names
    found = selector.fit(container(X, **names), y)
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-4)


@pytest.mark.parametrize("criterion", ["angle", "separation"])
def test_a_row_of_weight_two_is_two_rows_and_of_weight_zero_none(criterion):
    X, y = load_iris(return_X_y=True)
    weights = np.arange(150) % 3
    rows = np.repeat(np.arange(150), weights)
    selector = GradientAngleSelector(OneVsRestSVC(gamma=0.5, tol=1e-8), criterion=criterion)
    weighted = clone(selector).fit(X, y, sample_weight=weights)
    repeated = clone(selector).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, atol=1e-6)


def test_a_wider_band_takes_more_rows():
    X, y = load_iris(return_X_y=True)
    narrow, wide = (
        GradientAngleSelector(SVC(gamma=0.5), epsilon=epsilon).fit(X, y).angles_.n_rows
        for epsilon in (0.01, 0.5)
    )
    assert (wide > narrow).all()


def test_it_takes_part_in_pipelines_and_can_be_credited():
    X, y = wine()
    model = make_pipeline(StandardScaler(), GradientAngleSelector(SVC(gamma=0.1), n_features_to_select=4))
    model.fit(X, y)
    credits = credit_features(model, X, y, sharing="margin")
    np.testing.assert_array_equal(credits.values > 0, model[-1].support_)
    # And be asked for angles itself: columns not chosen have none.
    np.testing.assert_array_equal(gradient_angles(model, X, y).values > 0, model[-1].support_)


def test_steps_that_select_before_the_classifier_score_zero_for_the_rest():
    X, y = wine()
    model = make_pipeline(StandardScaler(), SelectKBest(k=6), LinearSVC())
    for criterion in ("angle", "separation"):
        # The step chooses six of the four that are left, too.
        kept = GradientAngleSelector(model, n_features_to_select=6, criterion=criterion).fit(X, y)
        assert (kept.scores_ > 0).sum() == 6


def test_progress_is_shown_when_asked_for(capsys):
    X, y = load_iris(return_X_y=True)
    GradientAngleSelector(verbose=1).fit(X, y)
    assert "2 of 4 features kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "slope"}, "'criterion' parameter of GradientAngleSelector must be one of 'angle'"),
        ({"epsilon": -1.0}, "'epsilon' parameter of GradientAngleSelector"),
        ({"n_features_to_select": 5}, "n_features_to_select=5 is more"),
        ({"n_features_to_select": 0}, "'n_features_to_select' parameter"),
        ({"keep": "x9"}, "no column 'x9'"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=message):
        GradientAngleSelector(**parameters).fit(X, y)


def test_rows_to_count_on_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match="no use for X_val and y_val"):
        GradientAngleSelector().fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
