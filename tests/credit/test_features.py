import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_features, cross_val_credits
from infoprop.credit._features import cross_val_credits_and_area
from infoprop.credit._shares import credit_shares
from infoprop.datasets import make_corral, make_infoprop_synthetic
from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.metrics import output_information
from infoprop.svm import OneVsRestSVC
from reference.wine import X, Y

TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)

MODELS = [SVC(C=0.1), SVC(kernel="poly"), LinearSVC(C=0.01), make_pipeline(SelectKBest(k=2), LinearSVC())]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_credits_sum_to_the_output_information(model, n_classes):
    rows = n_classes > Y
    model.fit(X[rows][::3], Y[rows][::3])
    credits = credit_features(model, X[rows], Y[rows])
    information = output_information(Y[rows], model.predict(X[rows]))
    assert credits.information == pytest.approx(information, abs=1e-12)
    assert credits.values.sum() == pytest.approx(information, abs=1e-12)
    assert credits.by_class.sum() == pytest.approx(information, abs=1e-12)
    np.testing.assert_allclose(credits.by_class.sum(axis=0), credits.values, atol=1e-15)
    assert (credits.by_class >= 0).all()


def test_credits_are_indicator_credits_times_shares():
    model = SVC(C=0.1).fit(X[TRAIN], Y[TRAIN])
    credits = credit_features(model, X[TEST], Y[TEST], sharing="margin")
    expected = credits.flow.indicator_credits[:, None] * credit_shares(model)
    np.testing.assert_allclose(credits.by_class, expected, rtol=1e-14)
    credits = credit_features(model, X[TEST], Y[TEST])
    shares = credit_shares(model, X[TEST], y=Y[TEST], sharing="covariance")
    np.testing.assert_allclose(
        credits.by_class, credits.flow.indicator_credits[:, None] * shares, rtol=1e-12, atol=1e-15
    )


@given(st.permutations(range(13)))
@settings(max_examples=15)
def test_permuting_columns_permutes_credits(order):
    order = list(order)
    for model in (SVC(C=0.5, tol=1e-6), RidgeClassifier()):
        plain = credit_features(model.fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])
        moved = credit_features(model.fit(X[TRAIN][:, order], Y[TRAIN]), X[TEST][:, order], Y[TEST])
        np.testing.assert_allclose(moved.values, plain.values[order], rtol=1e-4)


@pytest.mark.parametrize(
    "model", [SVC(C=0.5), SVC(kernel="linear"), RidgeClassifier(solver="lsqr", tol=1e-10)]
)
def test_sparse_and_dense_rows_give_the_same_credits(model):
    dense = credit_features(model.fit(X[TRAIN], Y[TRAIN]), X[TEST], Y[TEST])
    for container in (sparse.csr_array, sparse.csr_matrix):
        model.fit(container(X[TRAIN]), Y[TRAIN])
        credits = credit_features(model, container(X[TEST]), Y[TEST])
        np.testing.assert_allclose(credits.values, dense.values, rtol=1e-6)


def test_two_copies_of_a_column_earn_the_same_and_a_constant_one_nothing():
    doubled = np.column_stack([X, X[:, 6], np.full(len(X), 3.0)])
    for model in (SVC(C=0.5), RidgeClassifier()):
        credits = credit_features(model.fit(doubled[TRAIN], Y[TRAIN]), doubled[TEST], Y[TEST])
        assert credits.values[13] == pytest.approx(credits.values[6], rel=1e-4)
        assert credits.values[14] == pytest.approx(0, abs=1e-9)


def test_a_row_of_weight_k_counts_as_k_rows_and_zero_as_none():
    model = SVC(C=0.01).fit(X[::5], Y[::5])
    weights = np.arange(len(Y)) % 4
    weighted = credit_features(model, X, Y, sample_weight=weights)
    copies = np.repeat(np.arange(len(Y)), weights)
    np.testing.assert_allclose(
        weighted.values, credit_features(model, X[copies], Y[copies]).values, atol=1e-12
    )
    scaled = credit_features(model, X, Y, sample_weight=weights / 7)
    np.testing.assert_allclose(scaled.values, weighted.values, atol=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_come_from_the_frame_and_follow_a_selection(frame):
    names = [f"column {k}" for k in range(13)]
    rows = frame(dict(zip(names, X.T, strict=True)))
    model = make_pipeline(StandardScaler(), SelectKBest(k=4), LinearSVC()).fit(rows, Y)
    credits = credit_features(model, rows, Y)
    assert credits.feature_names == tuple(names)
    best = {name for name, _ in credits.top(4)}
    assert best == {names[k] for k in model[1].get_support(indices=True)}
    assert (credits.values > 0).sum() == 4


def test_rows_without_names_have_numbers():
    credits = credit_features(LinearSVC().fit(X, Y), X, Y)
    assert credits.feature_names[:2] == ("x0", "x1")
    numbered = pd.DataFrame(X)
    assert credit_features(LinearSVC().fit(numbered, Y), numbered, Y).feature_names[:2] == ("x0", "x1")


def test_labels_are_the_classes_even_where_none_occurs():
    model = LinearSVC().fit(X, Y)
    credits = credit_features(model, X[Y < 2], Y[Y < 2])
    assert credits.classes.tolist() == [0, 1, 2]
    assert credits.by_class.shape == (3, 13)


def test_labels_never_learned_are_errors_that_earn_nothing():
    words = np.array(["barolo", "grignolino", "barbera"])[Y]
    model = LinearSVC().fit(X[Y < 2], words[Y < 2])
    credits = credit_features(model, X, words)
    assert credits.classes.tolist() == ["barolo", "grignolino", "barbera"]
    assert not credits.by_class[2].any()
    assert credits.flow.counts[2].sum() == (Y == 2).sum()
    assert credits.values.sum() == pytest.approx(output_information(words, model.predict(X)), abs=1e-12)


def test_labels_of_another_kind_are_refused():
    model = LinearSVC().fit(X, Y)
    with pytest.raises(DataError, match="No label in y is a class"):
        credit_features(model, X, Y.astype(str))


def test_one_class_alone_has_nothing_to_credit():
    credits = credit_features(LinearSVC().fit(X, Y), X[Y == 1], Y[Y == 1])
    assert credits.information == 0
    assert not credits.values.any()
    assert not credits.shares.any()


def test_what_cannot_be_credited_is_not_even_run():
    class Costly(SVC):
        def predict(self, X):
            raise AssertionError("predicted in vain")

    with pytest.raises(UnsupportedEstimatorError):
        credit_features(Costly(kernel="precomputed").fit(X @ X.T, Y), X @ X.T, Y)


def test_several_outputs_are_refused():
    model = LinearSVC().fit(X, Y)
    with pytest.raises(ValueError, match="1d array"):
        credit_features(model, X, np.eye(3)[Y])


def test_boolean_features_are_ranked_as_in_the_paper():
    train, test = make_corral(128, random_state=0), make_corral(128, random_state=1)
    machine = OneVsRestSVC(kernel="rbf", gamma=1.0, C=0.2).fit(train.X, train.y)
    credits = credit_features(machine, test.X, test.y, sharing="margin")
    assert set(credits.ranking[:4]) == set(train.relevant)
    assert credits.ranking[4:].tolist() == [4, 5]


@pytest.mark.parametrize("seed", range(3))
def test_relevant_features_stand_far_above_noise(seed):
    train, test = make_infoprop_synthetic(random_state=seed), make_infoprop_synthetic(random_state=100 + seed)
    machine = OneVsRestSVC(kernel="linear").fit(train.X, train.y)
    credits = credit_features(machine, test.X, test.y)
    noise = np.setdiff1d(np.arange(credits.n_features), train.relevant)
    assert credits.values[list(train.relevant)].min() > 10 * credits.values[noise].max()


def test_one_vs_rest_machines_are_credited_by_their_own_shares():
    machine = OneVsRestSVC(kernel={0: "rbf", 1: "linear", 2: "anova"}, degree=1).fit(X[TRAIN], Y[TRAIN])
    credits = credit_features(make_pipeline(machine), X[TEST], Y[TEST], sharing="margin")
    expected = credits.flow.indicator_credits[:, None] * machine.credit_shares()
    np.testing.assert_allclose(credits.by_class, expected, rtol=1e-12)


def test_columns_of_an_array_can_be_named():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), RidgeClassifier()).fit(X, y)
    names = np.array([f"column {k}" for k in range(13)])
    assert credit_features(model, X, y, feature_names=names).feature_names == tuple(names)


@pytest.mark.parametrize("names", [["a", "b"], range(13)])
def test_names_that_do_not_fit_the_columns_are_refused(names):
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), RidgeClassifier()).fit(X, y)
    with pytest.raises(ParameterError, match=r"'feature_names' .* must hold 13 texts"):
        credit_features(model, X, y, feature_names=names)


def test_area_is_the_mean_over_the_folds():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    folds = list(StratifiedKFold(3).split(X, y))
    credits, area = cross_val_credits_and_area(model, X, y, validation=folds)
    assert area == pytest.approx(cross_val_score(model, X, y, cv=folds, scoring="roc_auc").mean())
    np.testing.assert_array_equal(credits.values, cross_val_credits(model, X, y, validation=folds).values)
    one_class = [(train, test[y[test] == 0]) for train, test in folds]
    assert cross_val_credits_and_area(model, X, y, validation=one_class[:1] + folds[1:])[1] is not None
