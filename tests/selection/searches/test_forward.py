"""ForwardBeamSelector: what it finds, how it is judged, and how it goes on after an end."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from infoprop.exceptions import ParameterError, UnsupportedEstimatorError
from infoprop.mlp import MLPClassifier
from infoprop.neighbors import KNNJudge
from infoprop.selection import ForwardBeamSelector, SearchInterruptedWarning
from infoprop.selection.searches._judging import ModelJudge
from infoprop.svm import OneVsRestSVC
from reference.callbacks import Watcher
from reference.evaluators import subset_model

X, Y = load_wine(return_X_y=True)
NAMES = load_wine().feature_names
# Measured to two digits, rows are often equally far; scikit-learn does not say who of them is a neighbour.
X = X[::2] * (1.0 + 0.01 * np.random.default_rng(0).random((89, 13)))
Y = Y[::2]


def neighbors(n_neighbors=1):
    return make_pipeline(MinMaxScaler(), KNeighborsClassifier(n_neighbors))


def trained(monkeypatch):
    """Let everything be judged by training."""

    def judge(evaluator, scoring):
        return ModelJudge(subset_model(evaluator, has_shares=False), evaluator)

    monkeypatch.setattr("infoprop.selection.searches._forward.subset_judge", judge)


def values(search):
    return [level.accuracy.tolist() for level in search.trace_]


@pytest.mark.parametrize("beam_width", [1, 3])
@pytest.mark.parametrize("validation", [4, StratifiedKFold(3)], ids=str)
@pytest.mark.parametrize("n_neighbors", [1, 4])
def test_fast_neighbors_search_as_trained_ones(monkeypatch, beam_width, validation, n_neighbors):
    columns = [0, 6, 9, 11]
    search = ForwardBeamSelector(
        neighbors(n_neighbors), beam_width=beam_width, validation=validation, random_state=0
    )
    fast = clone(search).fit(X[:, columns], Y)
    trained(monkeypatch)
    slow = search.fit(X[:, columns], Y)
    assert slow.trace_.end == fast.trace_.end
    for one, other in zip(values(slow), values(fast), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_array_equal(slow.support_, fast.support_)


def test_by_default_one_row_is_left_out_at_a_time():
    search = ForwardBeamSelector(beam_width=2).fit(X, Y)
    chosen = search.support_
    alone = cross_val_predict(neighbors(), X[:, chosen], Y, cv=LeaveOneOut())
    assert search.validated_accuracy_ == pytest.approx(np.mean(alone == Y), abs=1e-12)
    splitter = ForwardBeamSelector(beam_width=2, validation=LeaveOneOut()).fit(X, Y)
    assert values(splitter) == values(search)
    assert values(ForwardBeamSelector(beam_width=2, validation="loo").fit(X, Y)) == values(search)


def test_copies_of_a_row_are_left_out_together():
    copied = ForwardBeamSelector(beam_width=1).fit(np.vstack([X, X[:30]]), np.append(Y, Y[:30]))
    weighted = ForwardBeamSelector(beam_width=1).fit(X, Y, sample_weight=1.0 + (np.arange(len(Y)) < 30))
    assert copied.validated_accuracy_ < 1.0
    for one, other in zip(values(copied), values(weighted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_other_classifiers_are_judged_by_five_folds():
    rows = X[:, ::3]
    auto = ForwardBeamSelector(GaussianNB(), beam_width=1, random_state=0).fit(rows, Y)
    folds = ForwardBeamSelector(GaussianNB(), beam_width=1, validation=5, random_state=0).fit(rows, Y)
    assert values(auto) == values(folds)
    assert auto.trace_.accuracy == auto.validated_accuracy_
    assert auto.trace_.n_trainings == auto.n_trainings_


def test_sparse_rows_of_neighbors_are_judged_by_folds_of_trained_ones():
    rows = sparse.csr_array(np.where(X.mean(axis=0) < X, X, 0.0)[:, :4])
    search = ForwardBeamSelector(KNeighborsClassifier(1), beam_width=1, random_state=0).fit(rows, Y)
    dense = ForwardBeamSelector(KNeighborsClassifier(1), beam_width=1, validation=5, random_state=0)
    assert search.trace_[0].accuracy.shape == (4,)
    assert search.predict(rows).shape == Y.shape
    assert dense.fit(rows, Y).trace_ == search.trace_


def test_rows_that_are_given_are_judged():
    held = np.arange(len(Y)) % 3 == 0
    search = ForwardBeamSelector(beam_width=1, validation="given")
    search.fit(X[~held], Y[~held], X_val=X[held], y_val=Y[held])
    chosen = search.support_
    twin = neighbors().fit(X[~held][:, chosen], Y[~held])
    assert search.validated_accuracy_ == pytest.approx(twin.score(X[held][:, chosen], Y[held]))
    with pytest.raises(ParameterError, match="needs the rows to count on"):
        search.fit(X, Y)


def test_the_classifier_is_trained_on_the_chosen_columns_of_all_rows():
    search = ForwardBeamSelector(beam_width=2).fit(X, Y)
    twin = neighbors().fit(X[:, search.support_], Y)
    np.testing.assert_array_equal(search.predict(X), twin.predict(X[:, search.support_]))
    np.testing.assert_array_equal(search.transform(X), X[:, search.support_])
    np.testing.assert_array_equal(search.get_support(indices=True), search.trace_.groups)
    assert search.n_features_ == len(search.trace_.groups)
    assert not hasattr(search, "credits_")


def test_others_rank_by_the_best_subset_they_were_in():
    search = ForwardBeamSelector(beam_width=2).fit(X, Y)
    others = np.flatnonzero(~search.support_)
    assert (search.ranking_[search.support_] == 1).all()
    assert sorted(search.ranking_[others]) == list(range(2, len(others) + 2))
    ranked = others[np.argsort(search.ranking_[others])]
    assert (np.diff(search.trace_.best_with[ranked].round(12)) <= 0).all()


def test_a_bound_on_the_features_is_kept():
    search = ForwardBeamSelector(n_features_to_select=2).fit(X, Y)
    assert search.n_features_ == 2
    assert search.trace_.end == "n_features_to_select"


def test_kept_columns_are_the_start():
    search = ForwardBeamSelector(keep=[NAMES[2], NAMES[3]]).fit(pd.DataFrame(X, columns=NAMES), Y)
    assert search.support_[[2, 3]].all()
    assert search.trace_[0].beam.tolist() == [[2, 3]]
    assert search.trace_.names == tuple(NAMES)


def test_groups_come_together():
    groups = {"acids": [1, 2, 3], "colours": [9, 10], "phenols": [5, 6, 7]}
    rows, labels = X[::3], Y[::3]
    search = ForwardBeamSelector(groups=groups, keep=[2], beam_width=2).fit(rows, labels)
    assert search.support_[[1, 2, 3]].all()
    for columns in groups.values():
        assert len({bool(search.support_[k]) for k in columns}) == 1
    first = search.trace_[1]
    mask = np.isin(np.arange(13), [1, 2, 3]) | (np.arange(13) == 0)
    alone = cross_val_predict(neighbors(), rows[:, mask], labels, cv=LeaveOneOut())
    assert first.accuracy[0] == pytest.approx(np.mean(alone == labels), abs=1e-12)


def test_containers_give_the_same_search():
    plain = ForwardBeamSelector(beam_width=2).fit(X, Y)
    for rows in (pd.DataFrame(X, columns=NAMES), pl.DataFrame(X, schema=NAMES)):
        other = ForwardBeamSelector(beam_width=2).fit(rows, Y)
        assert values(other) == values(plain)


def test_the_order_of_the_columns_changes_nothing():
    order = np.random.default_rng(1).permutation(13)
    plain = ForwardBeamSelector(beam_width=1).fit(X, Y)
    other = ForwardBeamSelector(beam_width=1).fit(X[:, order], Y)
    assert plain.trace_[0].accuracy[order].tolist() == other.trace_[0].accuracy.tolist()


def test_threads_change_nothing():
    one = ForwardBeamSelector(GaussianNB(), beam_width=1, random_state=0).fit(X, Y)
    with parallel_config("threading"):
        two = ForwardBeamSelector(GaussianNB(), beam_width=1, random_state=0, n_jobs=2).fit(X, Y)
    assert one.trace_ == two.trace_


def test_a_fitted_search_can_be_pickled():
    search = ForwardBeamSelector(beam_width=1).fit(X, Y)
    again = pickle.loads(pickle.dumps(search))
    assert again.trace_ == search.trace_
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beam_width": 0}, "'beam_width' parameter of ForwardBeamSelector must be a whole number >= 1"),
        (
            {"n_features_to_select": 0},
            "'n_features_to_select' parameter of ForwardBeamSelector must be a whole number >= 1",
        ),
        (
            {"n_features_to_select": 14},
            r"n_features_to_select=14 is more than the features there are \(n_features=13\)",
        ),
        (
            {"n_features_to_select": 1, "keep": [0, 1]},
            "'keep' holds 2 features, more than n_features_to_select=1 allows",
        ),
        ({"validation": "folds"}, "must be 'auto', 'loo', a fraction"),
        ({"validation": None}, "must be 'auto', 'loo', a fraction"),
        ({"validation": 1}, "'validation' parameter of ForwardBeamSelector must be a whole number >= 2"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ForwardBeamSelector(**parameters).fit(X, Y)


def test_only_classifiers_are_taken():
    with pytest.raises(UnsupportedEstimatorError, match="must be a classifier"):
        ForwardBeamSelector(MinMaxScaler()).fit(X, Y)


class Interrupting(RidgeClassifier):
    """A classifier during whose n-th training somebody presses Ctrl-C."""

    n_left = 0

    def fit(self, X, y, sample_weight=None):
        Interrupting.n_left -= 1
        if Interrupting.n_left == 0:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def interrupted(n_trainings, **parameters):
    Interrupting.n_left = n_trainings
    return ForwardBeamSelector(
        Interrupting(solver="cholesky"), beam_width=2, validation=0.3, random_state=0, **parameters
    )


def test_an_interrupt_gives_the_best_so_far_and_the_same_call_goes_on(tmp_path):
    whole = interrupted(0).fit(X, Y)
    search = interrupted(13 + 12 + 5, checkpoint=tmp_path / "journal")
    with pytest.warns(SearchInterruptedWarning, match="best subset found so far"):
        search.fit(X, Y)
    assert search.trace_.end == "interrupted"
    assert search.trace_.levels == whole.trace_.levels[:1]
    assert search.predict(X).shape == Y.shape
    Interrupting.n_left = 0
    search.fit(X, Y)
    assert search.trace_ == whole.trace_
    # The first level and half of the second are on record; the classifier itself is trained at the end.
    assert Interrupting.n_left == -(whole.n_trainings_ - 13 - 12 + 1)
    Interrupting.n_left = 0
    assert search.fit(X, Y).trace_ == whole.trace_
    assert Interrupting.n_left == -1


def test_an_interrupt_before_the_first_level_is_done_goes_its_way():
    with pytest.raises(KeyboardInterrupt):
        interrupted(5).fit(X, Y)


@pytest.mark.parametrize(
    ("estimator", "judge"),
    [
        (OneVsRestSVC(kernel="rbf", gamma=0.001), ModelJudge),
        (
            make_pipeline(MinMaxScaler(), MLPClassifier(3, random_state=0, max_iter=2000, alpha=1.0)),
            ModelJudge,
        ),
        (neighbors(), KNNJudge),
    ],
    ids=["machines", "network", "neighbors"],
)
def test_models_that_move_go_on_with_the_same_bits(estimator, judge, tmp_path, monkeypatch):
    columns = [0, 4, 6, 9, 11]
    search = ForwardBeamSelector(estimator, beam_width=2, validation=3, random_state=0)
    whole = clone(search).fit(X[:, columns], Y).trace_
    search.set_params(checkpoint=tmp_path / "journal")
    plain, n_left = judge.judge_grown, 2

    def failing(*arguments):
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise MemoryError
        return plain(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(judge, "judge_grown", failing)
        with pytest.raises(MemoryError):
            search.fit(X[:, columns], Y)
    assert search.fit(X[:, columns], Y).trace_ == whole
    assert search.fit(X[:, columns], Y).trace_ == whole


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    ForwardBeamSelector(checkpoint=tmp_path / "journal", beam_width=1).fit(X, Y)
    with pytest.raises(ParameterError, match=r"other data or settings \(selector.beam_width\)"):
        ForwardBeamSelector(checkpoint=tmp_path / "journal", beam_width=2).fit(X, Y)


def test_a_callback_stops_the_search_after_a_level():
    stopper = Watcher(1)
    search = ForwardBeamSelector(beam_width=1).set_callbacks(stopper).fit(X, Y)
    assert (len(search.trace_), search.n_features_, search.trace_.end) == (1, 1, "interrupted")
    assert stopper.seen[-1].predict(X).shape == Y.shape


def test_verbose_shows_a_bar_and_the_result(capsys):
    ForwardBeamSelector(beam_width=1, verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "ForwardBeamSelector" in err
    assert "right with the best of" in err
