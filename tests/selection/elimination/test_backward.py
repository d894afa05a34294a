import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_importance
from infoprop.datasets import make_corral, make_led24
from infoprop.exceptions import ParameterError, UnsupportedEstimatorError
from infoprop.selection import BackwardEliminationSelector, CreditSelector
from infoprop.selection.searches._scoring import SubsetScorer
from infoprop.svm import OneVsRestSVC
from reference import wine
from reference.elimination import eliminate
from reference.evaluators import RefitSubsetModel
from reference.running import Journal, Progress
from reference.wine import NAMES, VALIDATIONS, X, Y, ridge


def selector(estimator=None, **parameters):
    parameters = {"random_state": 0} | parameters
    return BackwardEliminationSelector(ridge() if estimator is None else estimator, **parameters)


def fitted(validation=0.25, rows=X, labels=Y, **parameters):
    return wine.fitted(selector(validation=validation, **parameters), rows, labels)


@pytest.fixture(scope="module")
def whole():
    """A path down to one feature."""
    return selector(n_features_to_select=1).fit(X, Y)


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_what_is_left_is_chosen_and_the_last_dropped_is_second(validation):
    chosen = fitted(validation, n_features_to_select=4)
    path = chosen.path_
    assert chosen.support_.sum() == chosen.n_features_ == 4
    assert path.n_features.tolist() == list(range(13, 3, -1))
    np.testing.assert_array_equal(path.support_at(4), chosen.support_)
    assert (chosen.ranking_ == 1).tolist() == chosen.support_.tolist()
    assert chosen.ranking_[path.order].tolist() == list(range(10, 1, -1))
    assert chosen.credits_.information == path[0].information
    assert chosen.credits_.values.sum() == pytest.approx(path[0].information, abs=1e-12)
    assert chosen.classes_.tolist() == [0, 1, 2]


def test_held_out_rows_lead_to_the_loop_written_out():
    held = np.arange(178) % 4 == 0
    rows = np.arange(178)
    chosen = selector(n_features_to_select=1).fit(X[~held], Y[~held], X_val=X[held], y_val=Y[held])
    expected = eliminate(ridge(), X, Y, [(rows[~held], rows[held])], n_target=1, n_dropped=lambda n: 1)
    assert chosen.path_.order.tolist() == [step.dropped[0] for step in expected[:-1]]
    np.testing.assert_allclose(chosen.path_.information, [step.information for step in expected], atol=1e-12)


def test_folds_drop_the_same_feature_by_pooled_information_and_mean_shares():
    cv = KFold(4, shuffle=True, random_state=1)
    chosen = selector(n_features_to_select=2, validation=cv, step=3).fit(X, Y)
    expected = eliminate(ridge(), X, Y, list(cv.split(X)), n_target=2, n_dropped=lambda n: 3)
    assert chosen.path_.order.tolist() == [group for step in expected for group in step.dropped]
    np.testing.assert_allclose(chosen.path_.information, [step.information for step in expected], atol=1e-12)
    given_up = [credit for step in chosen.path_ for credit in step.credits]
    np.testing.assert_allclose(
        given_up, [step.worth[group] for step in expected for group in step.dropped], atol=1e-12
    )


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_the_classifier_is_trained_again_on_the_chosen_columns_of_all_rows(validation):
    chosen = fitted(validation, n_features_to_select=5)
    train = np.arange(178) % 4 != 0 if validation == "given" else np.ones(178, dtype=bool)
    twin = ridge().fit(X[train][:, chosen.support_], Y[train])
    np.testing.assert_allclose(chosen.estimator_.coef_, twin.coef_, rtol=1e-10)
    np.testing.assert_array_equal(chosen.predict(X), twin.predict(X[:, chosen.support_]))
    np.testing.assert_array_equal(chosen.transform(X), X[:, chosen.support_])


def test_margins_alone_are_plain_elimination_by_weights():
    rows, labels = load_breast_cancer(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    machine = SVC(kernel="linear", C=0.1)
    ours = selector(machine, n_features_to_select=3, criterion="margin", validation=None).fit(rows, labels)
    theirs = RFE(machine, n_features_to_select=3, importance_getter=credit_importance).fit(rows, labels)
    np.testing.assert_array_equal(ours.ranking_, theirs.ranking_)
    assert np.isnan(ours.path_.information).all()
    assert not hasattr(ours, "credits_")
    np.testing.assert_array_equal(ours.at(7).support_, ours.path_.support_at(7))


def test_credits_of_an_earlier_fit_do_not_stay():
    chosen = selector(criterion="margin", n_features_to_select=12).fit(X, Y)
    assert hasattr(chosen, "credits_")
    chosen.set_params(validation=None).fit(X, Y)
    assert not hasattr(chosen, "credits_")


def test_margins_may_be_counted_too():
    chosen = selector(criterion="margin", n_features_to_select="auto").fit(X, Y)
    assert np.isfinite(chosen.path_.information).all()
    assert chosen.path_[0].credits[0] < 1 / 13


@pytest.mark.parametrize("rule", ["best", "one-se", "tolerance"])
def test_rules_choose_a_size_from_the_whole_path(rule):
    chosen = selector(n_features_to_select="auto", rule=rule, tolerance=0.2, validation=3).fit(X, Y)
    path, size = chosen.path_, chosen.n_features_
    assert path.n_features.tolist() == list(range(13, 0, -1))
    most = path.information.max()
    smallest_best = path.n_features[path.information >= most - 1e-12].min()
    best = path[13 - smallest_best]
    enough = {"best": most, "one-se": most - best.standard_error, "tolerance": 0.8 * most}[rule]
    assert path[13 - size].information >= enough - 1e-12
    assert all(path[13 - smaller].information < enough for smaller in range(1, size))


def test_one_standard_error_saves_features():
    noisy = X + np.random.default_rng(0).normal(size=X.shape)
    best, frugal = (
        selector(n_features_to_select="auto", rule=rule, validation=3).fit(noisy, Y).n_features_
        for rule in ("best", "one-se")
    )
    assert frugal < best


@pytest.mark.parametrize("step", [1, 4, 0.3, "halving"])
@pytest.mark.parametrize("keep", [None, [2, 7]])
def test_another_size_is_that_of_a_fresh_search(step, keep):
    search = selector(n_features_to_select=2, step=step, keep=keep, validation=3).fit(X, Y)
    for size in (3, 7, 13):
        fresh = selector(n_features_to_select=size, step=step, keep=keep, validation=3).fit(X, Y)
        other = search.at(size)
        np.testing.assert_array_equal(other.support_, fresh.support_)
        np.testing.assert_array_equal(other.ranking_, fresh.ranking_)
        np.testing.assert_array_equal(other.predict(X), fresh.predict(X))
        assert other.estimator_.coef_.tobytes() == fresh.estimator_.coef_.tobytes()
        assert other.n_features_to_select == size
        assert other.credits_ is search.credits_
    assert search.n_features_to_select == 2
    assert search.n_features_ == 2


def test_another_size_of_another_size(whole):
    again = whole.at(9).at(4)
    np.testing.assert_array_equal(again.support_, whole.path_.support_at(4))
    assert isinstance(clone(again), BackwardEliminationSelector)


def test_sizes_off_the_path_are_refused(whole):
    for size in (0, 14, 2.5):
        with pytest.raises(ParameterError, match="n_features"):
            whole.at(size)
    with pytest.raises(ParameterError, match=">= 6"):
        fitted(n_features_to_select=6).at(5)
    with pytest.raises(NotFittedError):
        selector().at(3)


def test_a_pickled_selector_is_given_its_rows_again(whole):
    copied = pickle.loads(pickle.dumps(whole))
    assert len(pickle.dumps(whole)) < X.nbytes
    np.testing.assert_array_equal(copied.predict(X), whole.predict(X))
    assert copied.path_ == whole.path_
    with pytest.raises(ParameterError, match=r"not pickled or copied .* Pass X and y"):
        copied.at(5)
    other = copied.at(5, X, Y)
    np.testing.assert_array_equal(other.support_, whole.at(5).support_)
    np.testing.assert_allclose(other.estimator_.coef_, whole.at(5).estimator_.coef_)
    np.testing.assert_array_equal(other.at(3).support_, whole.at(3).support_)


def test_other_rows_may_have_weights(whole):
    weights = np.arange(178) % 3
    used = weights > 0
    twin = ridge().fit(X[used][:, whole.path_.support_at(5)], Y[used], sample_weight=weights[used])
    other = whole.at(5, X, Y, sample_weight=weights)
    np.testing.assert_allclose(other.estimator_.coef_, twin.coef_)
    for arguments in ({"X": X}, {"y": Y}):
        with pytest.raises(ParameterError, match="together"):
            whole.at(5, **arguments)
    with pytest.raises(ParameterError, match="only with X and y"):
        whole.at(5, sample_weight=weights)
    with pytest.raises(ValueError, match="2 features"):
        whole.at(5, X[:, :2], Y)


@pytest.mark.parametrize("validation", VALIDATIONS, ids=str)
def test_sparse_and_dense_choose_alike(validation):
    machine = LinearSVC(dual=False, tol=1e-10)
    dense = fitted(validation, estimator=machine, n_features_to_select=6)
    stored = fitted(validation, estimator=machine, n_features_to_select=6, rows=sparse.csr_array(X))
    np.testing.assert_array_equal(stored.path_.order, dense.path_.order)
    np.testing.assert_allclose(stored.credits_.values, dense.credits_.values, rtol=1e-6)
    assert sparse.issparse(stored.transform(sparse.csr_array(X)))


@pytest.mark.parametrize("validation", [0.25, 3])
def test_shuffling_rows_changes_nothing(validation):
    order = np.random.default_rng(0).permutation(178)
    plain, moved = fitted(validation), fitted(validation, rows=X[order], labels=Y[order])
    np.testing.assert_array_equal(moved.path_.order, plain.path_.order)


@pytest.mark.parametrize("validation", [0.25, 3])
def test_permuting_columns_permutes_the_path(validation):
    order = np.random.default_rng(0).permutation(13)
    plain, moved = fitted(validation), fitted(validation, rows=X[:, order])
    np.testing.assert_array_equal(order[moved.path_.order], plain.path_.order)


@pytest.mark.parametrize("validation", [0.25, 3])
def test_a_row_of_weight_k_counts_as_k_rows(validation):
    weights = np.random.default_rng(0).integers(0, 4, 178)
    copies = np.repeat(np.arange(178), weights)
    weighted = selector(validation=validation).fit(X, Y, sample_weight=weights)
    copied = selector(validation=validation).fit(X[copies], Y[copies])
    np.testing.assert_array_equal(weighted.path_.order, copied.path_.order)
    np.testing.assert_allclose(weighted.path_.information, copied.path_.information, atol=1e-12)
    np.testing.assert_allclose(weighted.estimator_.coef_, copied.estimator_.coef_, rtol=1e-7)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_any_number_of_workers_gives_the_same_bits(n_jobs):
    plain = fitted(3, n_features_to_select=9)
    other = fitted(3, n_features_to_select=9, n_jobs=n_jobs)
    assert other.path_ == plain.path_
    assert other.credits_.by_class.tobytes() == plain.credits_.by_class.tobytes()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names_all_the_way(frame):
    rows = frame(dict(zip(NAMES, X.T, strict=True)))
    chosen = selector(n_features_to_select=3, keep=["hue"], validation=3).fit(rows, Y)
    plain = selector(n_features_to_select=3, keep=[10], validation=3).fit(X, Y)
    names = chosen.get_feature_names_out().tolist()
    assert "hue" in names
    assert chosen.estimator_.feature_names_in_.tolist() == names
    assert [name for step in chosen.path_ for name in step.dropped] == [NAMES[k] for k in plain.path_.order]
    assert chosen.at(5).get_feature_names_out().tolist() == [
        NAMES[k] for k in np.flatnonzero(plain.path_.support_at(5))
    ]
    assert chosen.at(5, rows, Y).predict(rows).shape == (178,)


def test_groups_come_and_go_together():
    groups = {"colour": ["x9", "x10"], "acid": ["x1", "x3", "x2"]}
    rows = pd.DataFrame(X, columns=[f"x{k}" for k in range(13)])
    chosen = selector(groups=groups, n_features_to_select=2, keep="x2").fit(rows, Y)
    assert chosen.path_.n_features.tolist() == list(range(10, 1, -1))
    assert chosen.path_[0].n_columns == 13
    assert chosen.support_[[1, 2, 3]].all()
    assert chosen.support_[9] == chosen.support_[10]
    assert len(set(chosen.ranking_[[9, 10]])) == 1
    for step in chosen.path_:
        mask = chosen.path_.support_at(step.n_features)
        assert mask.sum() == step.n_columns
        assert mask[9] == mask[10]


def test_pipelines_are_trained_anew_in_every_step():
    rows = X * np.logspace(-2, 2, 13)
    classifier = make_pipeline(StandardScaler(), ridge())
    chosen = selector(classifier, n_features_to_select=4, validation=3).fit(rows, Y)
    splits = [(split.train, split.test) for split in chosen._rows.plan.splits]
    expected = eliminate(classifier, rows, Y, splits, n_target=4, n_dropped=lambda n: 1)
    assert chosen.path_.order.tolist() == [step.dropped[0] for step in expected[:-1]]


def test_kernel_machines_find_a_product():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (200, 6))
    labels = rows[:, 1] * rows[:, 4] > 0
    chosen = selector(SVC(C=10), n_features_to_select=2).fit(rows, labels)
    assert chosen.get_support(indices=True).tolist() == [1, 4]


def test_corral_keeps_its_relevant_features():
    rows, labels = make_corral(complete=True, return_X_y=True)
    machine = OneVsRestSVC(kernel="rbf", gamma=1)
    chosen = selector(machine, n_features_to_select=4).fit(rows, labels, X_val=rows, y_val=labels)
    assert chosen.get_support(indices=True).tolist() == [0, 1, 2, 3]


def test_noisy_displays_are_read_from_their_seven_segments():
    data = make_led24(300, random_state=0)
    chosen = selector(n_features_to_select=7, step=0.3).fit(data.X, data.y)
    assert set(chosen.get_support(indices=True)) == set(data.relevant)


def test_one_step_is_the_credit_selector():
    chosen = selector(n_features_to_select=5, step=13).fit(X, Y)
    plain = CreditSelector(
        ridge(), n_features_to_select=5, sharing="margin", validation=0.25, random_state=0
    ).fit(X, Y)
    np.testing.assert_array_equal(chosen.support_, plain.support_)
    np.testing.assert_allclose(chosen.credits_.by_class, plain.credits_.by_class, atol=1e-15)
    assert len(chosen.path_) == 2


def test_labels_only_in_given_rows_are_errors():
    chosen = selector(n_features_to_select=11).fit(X[Y < 2], Y[Y < 2], X_val=X, y_val=Y)
    assert chosen.credits_.classes.tolist() == [0, 1, 2]
    assert chosen.path_[0].accuracy < 0.8


def test_rare_classes_may_be_missing_from_a_fold():
    labels = np.where(np.arange(178) < 2, 3, Y)
    chosen = selector(validation=KFold(4), n_features_to_select=10).fit(X, labels)
    assert chosen.credits_.values.sum() == pytest.approx(chosen.credits_.information, abs=1e-12)
    assert chosen.classes_.tolist() == [0, 1, 2, 3]


def test_splitters_may_ask_for_groups_of_rows():
    fold = np.arange(178) % 5
    chosen = selector(validation=GroupKFold(5), n_features_to_select=11).fit(X, Y, groups=fold)
    assert chosen.path_.accuracy[0] > 0.9


def test_routed_weights_reach_the_classifier():
    weights = np.random.default_rng(0).uniform(0.5, 2, 178)
    plain = selector(n_features_to_select=8).fit(X, Y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        machine = ridge().set_fit_request(sample_weight=True)
        routed = selector(machine, n_features_to_select=8).fit(X, Y, sample_weight=weights)
        np.testing.assert_array_equal(routed.at(10).support_, plain.at(10).support_)
    np.testing.assert_array_equal(routed.estimator_.coef_, plain.estimator_.coef_)


def test_a_selector_can_be_searched_and_nested():
    search = GridSearchCV(selector(), {"n_features_to_select": [2, 6], "step": [3]}, cv=2).fit(X, Y)
    assert search.best_estimator_.n_features_ in (2, 6)
    inner = make_pipeline(StandardScaler(), selector(n_features_to_select=0.5, step=0.5))
    assert selector(inner, n_features_to_select=11).fit(X, Y).n_features_ == 11


def test_all_features_are_a_path_of_one_step():
    chosen = selector(n_features_to_select=13).fit(X, Y)
    assert len(chosen.path_) == 1
    assert chosen.support_.all()
    everything = selector(n_features_to_select="auto", keep=list(range(13))).fit(X, Y)
    assert everything.support_.all()


def test_progress_is_shown_on_request(capsys):
    fitted(3, verbose=1, n_features_to_select=10)
    out, err = capsys.readouterr()
    assert out == ""
    assert "BackwardEliminationSelector" in err
    assert "5/5" in err
    assert "bits delivered with all features" in " ".join(err.split())
    assert "10 of 13 features kept" in " ".join(err.split())
    fitted(3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features_to_select": 14}, "n_features_to_select=14 is more than"),
        ({"n_features_to_select": 0}, "n_features_to_select"),
        ({"n_features_to_select": "all"}, "one of 'auto'"),
        ({"rule": "worst"}, "'rule'.*'best', 'one-se', 'tolerance'"),
        ({"tolerance": 1.5}, "tolerance"),
        ({"tolerance": None}, "tolerance"),
        ({"step": 0}, "step"),
        ({"step": 1.0}, "step"),
        ({"criterion": "accuracy"}, "'criterion'.*'information', 'margin'"),
        ({"validation": None}, "criterion='margin' and a number"),
        ({"validation": None, "criterion": "margin", "n_features_to_select": "auto"}, "not choose a size"),
        ({"validation": "given"}, "X_val"),
        ({"keep": [0, 1], "n_features_to_select": 1}, "'keep' holds 2"),
        ({"groups": [[0], [0]]}, "overlap"),
        ({"checkpoint": 3}, "checkpoint"),
        ({"verbose": -1}, "verbose"),
    ],
)
def test_mistakes_are_named_before_any_work(parameters, message, monkeypatch):
    monkeypatch.setattr(RidgeClassifier, "fit", lambda *_: pytest.fail("trained"))
    with pytest.raises(ParameterError, match=message):
        selector(**parameters).fit(X, Y)


def test_classifiers_without_shares_are_refused():
    with pytest.raises(UnsupportedEstimatorError, match="Supported"):
        selector(KNeighborsClassifier()).fit(X, Y)


@settings(max_examples=15)
@given(
    st.integers(0, 2**20),
    st.sampled_from([1, 2, 0.4, "halving"]),
    st.sampled_from([0.3, 3]),
    st.booleans(),
)
def test_supports_are_nested_and_credits_within_the_information(seed, step, validation, has_weights):
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(60, 6)), rng.integers(0, 3, 60)
    rows[:, 2] += labels
    weights = rng.uniform(0.1, 2.0, 60) if has_weights else None
    chosen = selector(n_features_to_select="auto", step=step, validation=validation, random_state=seed).fit(
        rows, labels, sample_weight=weights
    )
    path = chosen.path_
    masks = [path.support_at(size) for size in range(6, 0, -1)]
    assert all((larger | ~smaller).all() for larger, smaller in pairwise(masks))
    assert [mask.sum() for mask in masks] == [6, 5, 4, 3, 2, 1]
    for one in path:
        assert sum(one.credits) <= one.information + 1e-12
        assert -1e-12 <= one.information <= np.log2(3)
        assert one.error_lower - 1e-9 <= 1 - one.accuracy <= one.error_upper + 1e-9
    assert chosen.credits_.values.sum() == pytest.approx(path[0].information, abs=1e-12)
    np.testing.assert_array_equal(chosen.support_, path.support_at(chosen.n_features_))


@settings(max_examples=8)
@given(st.integers(0, 2**20), st.sampled_from([0.3, 3]), st.booleans())
def test_every_step_is_what_a_scorer_says_of_its_columns(seed, validation, is_grouped):
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(60, 6)), rng.integers(0, 3, 60)
    rows[:, 2] += labels
    groups = rng.integers(0, 4, 6) if is_grouped else None
    chosen = selector(n_features_to_select=1, validation=validation, groups=groups, random_state=seed).fit(
        rows, labels
    )
    scorer = SubsetScorer(RefitSubsetModel(chosen._rows), chosen._rows, Journal(), Progress())
    path = chosen.path_
    for step, gone in zip(path[:-1], path.order, strict=True):
        columns = np.flatnonzero(path.support_at(step.n_features))
        credits = scorer.credits(columns)
        assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
        assert credits.information == step.information
        of_group = credits.values[path.group_of_column[columns] == gone].sum()
        assert step.credits[0] == pytest.approx(of_group, abs=1e-12)


def test_default_is_a_linear_one_vs_rest_machine():
    chosen = BackwardEliminationSelector(n_features_to_select=10, random_state=0).fit(X, Y)
    assert [type(step).__name__ for step in chosen.estimator_] == ["StandardScaler", "OneVsRestSVC"]
    assert chosen.score(X, Y) > 0.95


def test_probabilities_are_those_of_the_classifier():
    chosen = selector(LogisticRegression(), n_features_to_select=11).fit(X, Y)
    assert chosen.predict_proba(X).shape == (178, 3)
    assert not hasattr(selector(), "predict_proba")
