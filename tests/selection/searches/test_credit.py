import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_features, cross_val_credits
from infoprop.datasets import load_table, make_led24
from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.metrics import output_information
from infoprop.selection import CreditSelector
from infoprop.svm import OneVsRestSVC
from reference import wine
from reference.wine import NAMES, VALIDATIONS, X, Y, ridge


def selector(estimator=None, **parameters):
    return CreditSelector(ridge() if estimator is None else estimator, random_state=0, **parameters)


def fitted(validation, rows=X, labels=Y, **parameters):
    return wine.fitted(selector(validation=validation, **parameters), rows, labels)


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_credits_add_up_and_the_best_are_chosen(validation):
    chosen = fitted(validation, n_features_to_select=4)
    credits = chosen.credits_
    assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
    assert 0.8 < credits.information <= credits.flow.class_entropy
    assert set(np.flatnonzero(chosen.support_)) == set(credits.ranking[:4])
    assert chosen.n_features_ == 4
    assert chosen.n_features_in_ == 13
    assert (chosen.ranking_ == 1).tolist() == chosen.support_.tolist()
    assert sorted(chosen.ranking_[~chosen.support_]) == list(range(2, 11))
    assert chosen.classes_.tolist() == [0, 1, 2]


def test_held_out_rows_make_the_table_and_their_machine_shares():
    chosen = fitted(0.25)
    assert chosen.credits_.flow.counts.sum() == pytest.approx(178 / 4, abs=2)
    again = fitted(0.25, n_features_to_select=13)
    np.testing.assert_array_equal(again.credits_.by_class, chosen.credits_.by_class)


def test_folds_count_every_row_once_and_share_by_all_rows():
    cv = KFold(4, shuffle=True, random_state=1)
    chosen = selector(validation=cv, sharing="margin").fit(X, Y)
    assert chosen.credits_.flow.counts.sum() == 178
    predicted = np.empty_like(Y)
    for train, test in cv.split(X):
        predicted[test] = ridge().fit(X[train], Y[train]).predict(X[test])
    assert chosen.credits_.information == pytest.approx(output_information(Y, predicted), abs=1e-12)
    shares = np.abs(ridge().fit(X, Y).coef_)
    shares /= shares.sum(axis=1, keepdims=True)
    expected = chosen.credits_.flow.indicator_credits[:, None] * shares
    np.testing.assert_allclose(chosen.credits_.by_class, expected, atol=1e-12)


def credits_by_covariance(validation, weights, scale):
    # A penalty that grows with the weights trains the same machine.
    machine = RidgeClassifier(alpha=5.0 * scale, solver="cholesky")
    chosen = selector(machine, sharing="covariance", validation=validation)
    return chosen.fit(X, Y, sample_weight=weights).credits_.by_class


@pytest.mark.parametrize("validation", [0.25, 3, "auto"])
@pytest.mark.parametrize("scale", [0.1, 7.0])
def test_by_covariance_the_scale_of_weights_changes_nothing(validation, scale):
    weights = np.random.default_rng(0).integers(0, 4, 178)
    one = credits_by_covariance(validation, weights, 1.0)
    other = credits_by_covariance(validation, scale * weights, scale)
    np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("validation", [0.25, 3, "auto"])
@pytest.mark.parametrize("k", [0.1, 7.0])
def test_by_covariance_equal_weights_are_no_weights(validation, k):
    plain = credits_by_covariance(validation, None, 1.0)
    equal = credits_by_covariance(validation, np.full(178, k), k)
    np.testing.assert_allclose(equal, plain, rtol=1e-7, atol=1e-12)


def test_by_covariance_rows_of_weight_k_are_less_evidence_than_k_rows():
    # Only the validation rows are copied, so that the machine and the table are the same.
    train, held = np.arange(178) % 4 != 0, np.flatnonzero(np.arange(178) % 4 == 0)
    copies, weights = np.repeat(held, 9), np.full(len(held), 9.0)
    weighted, copied = (
        selector().fit(X[train], Y[train], X_val=X[rows], y_val=Y[rows], sample_weight_val=own).credits_
        for rows, own in ((held, weights), (copies, None))
    )
    np.testing.assert_array_equal(weighted.flow.counts, copied.flow.counts)
    assert (weighted.by_class == 0.0).sum() > (copied.by_class == 0.0).sum()


@pytest.mark.parametrize(("n_rows", "validation"), [(1000, 10), (1001, 0.25)])
def test_auto_means_folds_of_few_rows_with_a_weight_and_a_holdout_of_many(n_rows, validation):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1200, 3))
    labels = (rows[:, 0] + rng.normal(size=1200) > 0).astype(int)
    weights = (np.arange(1200) < n_rows).astype(float)
    found, same = (
        selector(validation=each).fit(rows, labels, sample_weight=weights) for each in ("auto", validation)
    )
    np.testing.assert_array_equal(found.credits_.by_class, same.credits_.by_class)
    assert found.credits_.flow.counts.sum() == pytest.approx(1000 if validation == 10 else 250, abs=2)


def test_by_default_ten_folds_are_credited_by_covariance():
    known = selector().fit(X, Y)
    again = selector(validation=10, sharing="covariance").fit(X, Y)
    assert known.credits_.flow.counts.sum() == len(Y)
    np.testing.assert_array_equal(known.credits_.by_class, again.credits_.by_class)


def test_given_rows_are_used_whatever_validation_says():
    train, held = np.arange(178) % 4 != 0, np.arange(178) % 4 == 0
    expected = credit_features(ridge().fit(X[train], Y[train]), X[held], Y[held], sharing="margin")
    for validation in (0.25, 3, "given"):
        chosen = selector(validation=validation, sharing="margin")
        chosen.fit(X[train], Y[train], X_val=X[held], y_val=Y[held])
        np.testing.assert_array_equal(chosen.credits_.by_class, expected.by_class)


def test_given_rows_have_weights_of_their_own():
    weights = np.arange(60) % 3
    chosen = selector().fit(X, Y, X_val=X[:60], y_val=Y[:60], sample_weight_val=weights)
    assert chosen.credits_.flow.counts.sum() == weights.sum()


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_the_classifier_is_trained_again_on_the_chosen_columns_of_all_rows(validation):
    chosen = fitted(validation, n_features_to_select=5)
    train = np.arange(178) % 4 != 0 if validation == "given" else np.ones(178, dtype=bool)
    twin = ridge().fit(X[train][:, chosen.support_], Y[train])
    np.testing.assert_allclose(chosen.estimator_.coef_, twin.coef_, rtol=1e-10)
    np.testing.assert_array_equal(chosen.predict(X), twin.predict(X[:, chosen.support_]))
    np.testing.assert_allclose(
        chosen.decision_function(X), twin.decision_function(X[:, chosen.support_]), atol=1e-12
    )
    assert chosen.score(X, Y) == twin.score(X[:, chosen.support_], Y)
    np.testing.assert_array_equal(chosen.transform(X), X[:, chosen.support_])


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_sparse_and_dense_choose_alike(validation):
    estimator = LinearSVC(dual=False, tol=1e-10)
    dense = fitted(validation, estimator=estimator)
    stored = fitted(validation, rows=sparse.csr_array(X), estimator=estimator)
    np.testing.assert_array_equal(stored.support_, dense.support_)
    np.testing.assert_allclose(stored.credits_.values, dense.credits_.values, rtol=1e-6)
    assert sparse.issparse(stored.transform(sparse.csr_array(X)))


@pytest.mark.parametrize("validation", [0.25, 3])
def test_permuting_columns_permutes_the_choice(validation):
    order = np.random.default_rng(0).permutation(13)
    plain, moved = fitted(validation), fitted(validation, rows=X[:, order])
    np.testing.assert_array_equal(moved.support_, plain.support_[order])
    np.testing.assert_allclose(moved.credits_.values, plain.credits_.values[order], rtol=1e-9)


@pytest.mark.parametrize("validation", [0.25, 3])
def test_shuffling_rows_changes_nothing(validation):
    order = np.random.default_rng(0).permutation(178)
    plain, moved = fitted(validation), fitted(validation, rows=X[order], labels=Y[order])
    np.testing.assert_array_equal(moved.support_, plain.support_)
    np.testing.assert_allclose(moved.credits_.values, plain.credits_.values, rtol=1e-9)


@pytest.mark.parametrize("validation", [0.25, 3])
def test_by_margin_a_row_of_weight_k_counts_as_k_rows(validation):
    weights = np.random.default_rng(0).integers(0, 4, 178)
    copies = np.repeat(np.arange(178), weights)
    weighted = selector(sharing="margin", validation=validation).fit(X, Y, sample_weight=weights)
    copied = selector(sharing="margin", validation=validation).fit(X[copies], Y[copies])
    np.testing.assert_allclose(weighted.credits_.by_class, copied.credits_.by_class, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(weighted.estimator_.coef_, copied.estimator_.coef_, rtol=1e-7)


def test_scaling_all_weights_changes_no_credit_share():
    weights = np.random.default_rng(0).uniform(0.5, 2, 178)
    first = selector(LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000), validation=0.5)
    rows = X[:, :3] + np.random.default_rng(0).normal(size=(178, 3))
    one = clone(first).fit(rows, Y, sample_weight=weights)
    other = clone(first).fit(rows, Y, sample_weight=weights * 8)
    np.testing.assert_allclose(one.credits_.values, other.credits_.values, rtol=1e-3)
    np.testing.assert_allclose(one.credits_.information, other.credits_.information, rtol=1e-12)


def test_copies_of_a_column_earn_the_same():
    doubled = np.column_stack([X, X[:, 6]])
    credits = selector().fit(doubled, Y).credits_
    assert credits.values[13] == pytest.approx(credits.values[6], rel=1e-9)


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_the_same_seed_gives_the_same_bits(validation):
    first, second = fitted(validation), fitted(validation)
    np.testing.assert_array_equal(first.credits_.by_class, second.credits_.by_class)
    np.testing.assert_array_equal(first.ranking_, second.ranking_)


def test_seeds_hold_out_different_rows():
    informations = {
        CreditSelector(ridge(), random_state=seed).fit(X[:, :2], Y).credits_.information for seed in range(5)
    }
    assert len(informations) > 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_frames_keep_their_names_all_the_way(frame, n_jobs):
    rows = frame(dict(zip(NAMES, X.T, strict=True)))
    with parallel_config("threading"):
        chosen = selector(n_features_to_select=3, keep=["hue"], validation=3, n_jobs=n_jobs).fit(rows, Y)
    assert chosen.credits_.feature_names == tuple(NAMES)
    names = chosen.get_feature_names_out().tolist()
    assert "hue" in names
    assert chosen.estimator_.feature_names_in_.tolist() == names
    assert chosen.predict(rows).shape == (178,)
    plain = selector(n_features_to_select=3, keep=[10], validation=3).fit(X, Y)
    np.testing.assert_allclose(chosen.credits_.values, plain.credits_.values, rtol=1e-10)


@pytest.mark.parametrize(("output", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_output_frames_can_be_asked_for(output, kind):
    chosen = selector(n_features_to_select=2).set_output(transform=output)
    rows = kind(dict(zip(NAMES, X.T, strict=True)))
    out = chosen.fit(rows, Y).transform(rows)
    assert isinstance(out, kind)
    assert list(out.columns) == chosen.get_feature_names_out().tolist()


def test_a_frame_with_words_reaches_a_pipeline_that_encodes_them():
    words = np.array(["low", "middle", "high"])[np.digitize(X[:, 12], [-0.5, 0.5])]
    rows = pd.DataFrame({"proline": words, "hue": X[:, 10], "flavanoids": X[:, 6], "ash": X[:, 2]})
    encode = ColumnTransformer([("code", OrdinalEncoder(), ["proline"])], remainder="passthrough")
    chosen = selector(make_pipeline(encode, ridge()), keep=["proline"], n_features_to_select=2).fit(rows, Y)
    assert chosen.credits_.feature_names == ("proline", "hue", "flavanoids", "ash")
    assert chosen.get_feature_names_out().tolist() == ["proline", "flavanoids"]
    assert chosen.score(rows, Y) > 0.7


def test_missing_values_reach_a_pipeline_that_imputes_them():
    holes = X.copy()
    holes[::7, 3] = np.nan
    chosen = selector(make_pipeline(SimpleImputer(), ridge()), validation=3).fit(holes, Y)
    assert chosen.transform(holes).shape == (178, 6)
    assert chosen.score(holes, Y) > 0.9
    behind = make_pipeline(StandardScaler(), SimpleImputer(), ridge())
    assert selector(behind, validation=3).fit(holes, Y).score(holes, Y) > 0.9
    for estimator in (ridge(), make_pipeline(StandardScaler(), ridge())):
        with pytest.raises(ValueError, match=r"NaN.\nCreditSelector"):
            selector(estimator).fit(holes, Y)


def test_groups_and_thresholds_choose_whole_groups():
    groups = {"colour": ["x9", "x10"], "acid": ["x1", "x3"]}
    names = [f"x{k}" for k in range(13)]
    rows = pd.DataFrame(X, columns=names)
    chosen = selector(groups=groups, n_features_to_select=1, keep="x9").fit(rows, Y)
    assert chosen.get_feature_names_out().tolist() == ["x9", "x10"]
    by_group = chosen.credits_.grouped(groups)
    threshold = float(np.sort(by_group.values)[-2])
    several = selector(groups=groups, threshold=threshold).fit(rows, Y)
    assert several.n_features_ == 2 + ("colour" in dict(by_group.top(2))) + ("acid" in dict(by_group.top(2)))


def test_kernel_machines_in_pipelines_find_a_product():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (300, 8)) * np.logspace(-2, 2, 8)
    labels = rows[:, 1] * rows[:, 6] > 0
    chosen = selector(make_pipeline(StandardScaler(), SVC(C=10)), n_features_to_select=2).fit(rows, labels)
    assert chosen.get_support(indices=True).tolist() == [1, 6]
    assert chosen.score(rows, labels) > 0.9


def test_a_selector_can_be_credited_searched_and_nested():
    chosen = fitted(0.25, n_features_to_select=3)
    credits = credit_features(chosen, X, Y, sharing="margin")
    assert credits.n_features == 13
    assert (credits.values > 0).tolist() == chosen.support_.tolist()
    search = GridSearchCV(selector(), {"n_features_to_select": [2, 6], "estimator__alpha": [1.0]}, cv=2)
    search.fit(X, Y)
    assert search.best_estimator_.n_features_ in (2, 6)
    inner = make_pipeline(StandardScaler(), selector(n_features_to_select=0.5))
    outer = selector(inner, n_features_to_select=2)
    assert outer.fit(X, Y).n_features_ == 2


def test_methods_are_those_of_the_classifier():
    chosen = selector(LogisticRegression()).fit(X, Y)
    assert chosen.predict_proba(X).shape == (178, 3)
    np.testing.assert_allclose(np.exp(chosen.predict_log_proba(X)), chosen.predict_proba(X))
    for other in (selector(), selector().fit(X, Y)):
        assert not hasattr(other, "predict_proba")
        assert hasattr(other, "decision_function")
    assert is_classifier(chosen)


def test_cloning_and_pickling():
    chosen = fitted(0.25, groups=[[0, 1]], keep=[2])
    assert clone(chosen).get_params()["keep"] == [2]
    again = pickle.loads(pickle.dumps(chosen))
    np.testing.assert_array_equal(again.predict(X), chosen.predict(X))
    np.testing.assert_array_equal(again.credits_.values, chosen.credits_.values)


def test_two_classes_and_words_as_labels():
    rows, labels = load_breast_cancer(return_X_y=True)
    words = np.array(["malignant", "benign"])[labels]
    chosen = selector(make_pipeline(StandardScaler(), LogisticRegression()), n_features_to_select=0.2)
    chosen.fit(rows, words)
    assert chosen.n_features_ == 6
    assert chosen.classes_.tolist() == ["benign", "malignant"]
    assert chosen.decision_function(rows).shape == (569,)
    assert chosen.score(rows, words) > 0.9


def test_labels_only_in_given_rows_are_errors():
    chosen = selector().fit(X[Y < 2], Y[Y < 2], X_val=X, y_val=Y)
    assert chosen.credits_.classes.tolist() == [0, 1, 2]
    assert chosen.classes_.tolist() == [0, 1]


def test_progress_is_shown_on_request(capsys):
    fitted(3, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "CreditSelector" in err
    assert "4/4" in err
    assert "6 of 13 features kept" in err
    fitted(3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_features_to_select": 14}, ParameterError, "n_features_to_select=14 is more than"),
        ({"n_features_to_select": 0}, ParameterError, "n_features_to_select"),
        ({"n_features_to_select": 2, "threshold": 0.1}, ParameterError, "not both"),
        ({"validation": "train"}, ParameterError, "validation"),
        ({"validation": "given"}, ParameterError, "X_val"),
        ({"keep": ["hue"]}, ParameterError, "no column 'hue'"),
        ({"groups": [[0], [0]]}, ParameterError, "overlap"),
        ({"verbose": -1}, ParameterError, "verbose"),
        ({"estimator": LinearRegression()}, UnsupportedEstimatorError, "must be a classifier"),
        ({"estimator": RandomForestClassifier(n_estimators=2)}, UnsupportedEstimatorError, "Supported"),
    ],
)
def test_mistakes_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        selector(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"X_val": X}, ParameterError, "go together"),
        ({"y_val": Y}, ParameterError, "go together"),
        ({"sample_weight_val": Y}, ParameterError, "X_val, which is not given"),
        ({"sample_weight": np.zeros(178)}, DataError, "at least one positive"),
        ({"sample_weight": -np.ones(178)}, DataError, "not be negative"),
        ({"sample_weight": np.ones(5)}, DataError, "one weight per row"),
        ({"X_val": X[:, :3], "y_val": Y}, ValueError, "3 features"),
        ({"X_val": X, "y_val": Y.astype(str)}, DataError, "No label in y"),
    ],
)
def test_impossible_rows_and_weights_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        selector().fit(X, Y, **arguments)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="at least two classes"):
        selector().fit(X[Y == 1], Y[Y == 1])
    with pytest.raises(DataError, match="at least two classes"):
        selector().fit(X, Y, sample_weight=(Y == 1).astype(float))


def test_nothing_works_before_fit():
    for method in ("predict", "transform", "decision_function", "credit_shares"):
        with pytest.raises(NotFittedError):
            getattr(selector(), method)(X)
    with pytest.raises(NotFittedError):
        selector().get_support()


def test_default_is_a_linear_one_vs_rest_machine():
    chosen = CreditSelector(n_features_to_select=6, random_state=0).fit(X, Y)
    assert [type(step).__name__ for step in chosen.estimator_] == ["StandardScaler", "OneVsRestSVC"]
    assert chosen.estimator_[-1].kernel == "linear"
    assert chosen.score(X, Y) > 0.95


def test_noisy_displays_are_read_from_their_seven_segments():
    data = make_led24(400, random_state=0)
    chosen = CreditSelector(n_features_to_select=7, random_state=0).fit(data.X, data.y)
    assert set(chosen.get_support(indices=True)) == set(data.relevant)


@pytest.mark.parametrize(("n_features", "accuracy"), [(180, 0.9477), (80, 0.9595), (30, 0.9536)])
def test_splice_junctions_are_told_from_few_positions(shared_data, n_features, accuracy):
    table = load_table(shared_data / "dna.csv.gz", "class", split="split")
    rows, train = table.frame.to_numpy(), table.split == "train"
    chosen = CreditSelector(
        OneVsRestSVC(kernel="linear"), n_features_to_select=n_features, validation="given"
    ).fit(rows[train], table.y[train], X_val=rows[~train], y_val=table.y[~train])
    assert chosen.credits_.information == pytest.approx(1.150, abs=0.002)
    assert chosen.score(rows[~train], table.y[~train]) == pytest.approx(accuracy, abs=0.004)


def test_by_covariance_folds_are_credited_by_classifiers_that_have_not_seen_them():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    chosen = selector(sharing="covariance", validation=folds, n_features_to_select=4).fit(X, Y)
    expected = cross_val_credits(ridge(), X, Y, validation=folds, sharing="covariance")
    np.testing.assert_allclose(chosen.credits_.values, expected.values)
    np.testing.assert_array_equal(np.flatnonzero(chosen.support_), np.sort(expected.ranking[:4]))


def test_by_covariance_a_group_is_one_contribution():
    groups = [0] * 5 + [1] * 4 + [2] * 4
    chosen = selector(sharing="covariance", validation=4, groups=groups, n_features_to_select=1)
    assert chosen.fit(X, Y).credits_.n_features == 13
    assert len(set(np.array(groups)[chosen.support_])) == 1


def test_an_unknown_rule_of_sharing_is_refused():
    with pytest.raises(ValueError, match="'sharing' parameter of CreditSelector must be one of"):
        selector(sharing="weights").fit(X, Y)
