import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.pairwise import PairwiseClassifier, _choice
from infoprop.selection import (
    CreditSelector,
    ForwardBeamSelector,
    GeneticSelector,
    SearchInterruptedWarning,
)
from infoprop.svm import OneVsRestSVC
from reference.callbacks import Watcher

X, Y = load_wine(return_X_y=True)
FRAME = load_wine(as_frame=True).data
SCALED = StandardScaler().fit_transform(X)
SMALL = {"population_size": 8, "n_generations": 4}


def classifier(estimator=None, **parameters):
    return PairwiseClassifier(estimator, **{"random_state": 0} | parameters)


def genetic(estimator=None, *, search=None, **parameters):
    return classifier(estimator, selector=GeneticSelector(**SMALL | (search or {})), **parameters)


def test_every_pair_is_trained_on_the_rows_of_its_classes():
    model = classifier(GaussianNB()).fit(X, Y)
    assert [pair.classes for pair in model.pairs_] == [(0, 1), (0, 2), (1, 2)]
    for pair in model.pairs_:
        own = np.isin(Y, pair.classes)
        assert pair.n_rows == own.sum()
        twin = GaussianNB().fit(X[own], Y[own])
        np.testing.assert_array_equal(pair.estimator.predict(X), twin.predict(X))


def test_the_vote_is_that_of_one_vs_one():
    base = RidgeClassifier()
    ours = classifier(base).fit(X[::2], Y[::2])
    peer = OneVsOneClassifier(base).fit(X[::2], Y[::2])
    votes = ours.votes(X)
    assert (votes.sum(axis=1) == 3).all()
    clear = np.sort(votes, axis=1)[:, -1] > np.sort(votes, axis=1)[:, -2]
    np.testing.assert_array_equal(ours.predict(X)[clear], peer.predict(X)[clear])


def test_the_nearest_neighbour_of_all_pairs_is_the_nearest_neighbour():
    # With one scaling for all, the class of the nearest row wins all its pairs.
    model = make_pipeline(MinMaxScaler(), classifier(KNeighborsClassifier(1))).fit(X[::2], Y[::2])
    single = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(model.predict(X), single.predict(X))


def test_credibility_is_measured_on_rows_not_trained_on():
    folds = StratifiedKFold(3)
    model = classifier(GaussianNB(), validation=folds).fit(X, Y)
    right, total = 0, 0
    for train, test in folds.split(X, Y):
        train, test = train[Y[train] != 2], test[Y[test] != 2]
        right += (GaussianNB().fit(X[train], Y[train]).predict(X[test]) == Y[test]).sum()
        total += len(test)
    assert model.pairs_.of(0, 1).credibility == pytest.approx(right / total)


def test_validated_accuracy_is_that_of_the_whole_vote():
    folds = StratifiedKFold(4)
    model = classifier(GaussianNB(), validation=folds).fit(X, Y)
    inner = classifier(GaussianNB(), validation=None)
    right = sum(
        (clone(inner).fit(X[train], Y[train]).predict(X[test]) == Y[test]).sum()
        for train, test in folds.split(X, Y)
    )
    assert model.validated_accuracy_ == pytest.approx(right / len(Y), abs=1 / len(Y))


def test_weighted_votes_count_the_credibility():
    model = classifier(voting="weighted").fit(X, Y)
    votes = model.votes(X)
    np.testing.assert_allclose(votes.sum(axis=1), model.pairs_.credibility.sum())
    clear = classifier().fit(X, Y).votes(X).max(axis=1) == 2
    np.testing.assert_array_equal(model.predict(X)[clear], votes[clear].argmax(axis=1))


def test_ties_go_to_the_larger_class_in_training():
    model = classifier(GaussianNB()).fit(X, Y)
    assert model.priority_.tolist() == [1, 0, 2]
    model.votes = lambda X: np.ones((len(X), 3))
    assert set(model.predict(X)) == {1}


@pytest.mark.parametrize("estimator", [None, GaussianNB(), KNeighborsClassifier(5)])
def test_probabilities_are_probabilities_and_follow_the_votes(estimator):
    model = classifier(estimator).fit(X, Y)
    p = model.predict_proba(X)
    assert p.shape == (len(Y), 3)
    assert (p >= 0.0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).mean() > 0.98


def test_without_probabilities_of_the_pairs_there_are_none():
    assert not hasattr(classifier(RidgeClassifier()), "predict_proba")
    assert not hasattr(classifier(RidgeClassifier()).fit(X, Y), "predict_proba")


def test_two_classes_are_one_pair():
    two = Y < 2
    model = classifier(GaussianNB()).fit(X[two], Y[two])
    alone = GaussianNB().fit(X[two], Y[two])
    assert len(model.pairs_) == 1
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-12)


def test_forward_selection_gives_every_pair_columns_of_its_own():
    model = classifier(selector=ForwardBeamSelector()).fit(FRAME, Y)
    base = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))
    for pair in model.pairs_:
        own = np.isin(Y, pair.classes)
        alone = ForwardBeamSelector(base, validation=5, random_state=0)
        chosen = alone.fit(FRAME[own], Y[own]).get_support(indices=True)
        assert len(pair.columns) == len(pair.features) <= 5
        assert pair.features == tuple(FRAME.columns[pair.columns])
        assert pair.credibility > 0.9
        assert len(chosen) < 13
    assert len({tuple(pair.columns) for pair in model.pairs_}) > 1


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(k=3),
        CreditSelector(n_features_to_select=3, validation=5, random_state=0),
        ForwardBeamSelector(OneVsRestSVC(), n_features_to_select=2, random_state=0),
        GeneticSelector(GaussianNB(), population_size=5, n_generations=3, random_state=0),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_any_selector_chooses_for_each_pair_by_itself(selector):
    model = classifier(selector=selector).fit(SCALED, Y)
    for pair in model.pairs_:
        own = np.isin(Y, pair.classes)
        expected = clone(selector).fit(SCALED[own], Y[own]).get_support(indices=True)
        np.testing.assert_array_equal(pair.columns, expected)
    assert not hasattr(selector, "support_")


def test_a_selector_without_a_seed_is_given_one():
    selector = CreditSelector(n_features_to_select=3)
    one, other = (classifier(selector=selector).fit(SCALED, Y).pairs_.support for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert selector.random_state is None


@pytest.mark.parametrize("has_groups", [False, True])
def test_splits_of_all_rows_judge_each_pair_on_what_they_have_of_it(has_groups):
    groups = np.arange(len(Y)) % 7
    splits = list(GroupKFold(4).split(X, Y, groups))
    selector = ForwardBeamSelector(beam_width=1)
    if has_groups:
        model = classifier(GaussianNB(), selector=selector, validation=GroupKFold(4))
        model.fit(FEW, Y, groups=groups)
    else:
        model = classifier(GaussianNB(), selector=selector, validation=splits).fit(FEW, Y)
    own = np.flatnonzero(Y != 1)
    parts = [
        (np.flatnonzero(np.isin(own, train)), np.flatnonzero(np.isin(own, test))) for train, test in splits
    ]
    alone = clone(selector).set_params(estimator=GaussianNB(), validation=parts).fit(FEW[own], Y[own])
    np.testing.assert_array_equal(model.pairs_.of(0, 2).columns, alone.get_support(indices=True))


def test_a_pair_that_no_split_can_judge_keeps_all_columns():
    order = np.argsort(Y, kind="stable")
    model = classifier(GaussianNB(), selector=ForwardBeamSelector(), validation=KFold(3))
    model.fit(FEW[order], Y[order])
    assert len(model.pairs_) == 3
    whole_classes = list(LeaveOneGroupOut().split(X, Y, groups=Y))
    model = classifier(GaussianNB(), selector=ForwardBeamSelector(), validation=whole_classes).fit(FEW, Y)
    assert model.pairs_.support.all()


class Impatient(GaussianNB):
    """Somebody presses Ctrl-C in one of its trainings."""

    fits, last = 0, 20

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        if type(self).fits == self.last:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


def test_ctrl_c_before_a_pair_has_chosen_goes_through(monkeypatch):
    monkeypatch.setattr(Impatient, "fits", 0)
    with pytest.raises(KeyboardInterrupt):
        classifier(Impatient(), selector=ForwardBeamSelector(), validation=3).fit(X, Y)


def test_ctrl_c_leaves_the_pairs_that_have_chosen(monkeypatch):
    chosen = (
        classifier(GaussianNB(), selector=ForwardBeamSelector(beam_width=1), validation=3).fit(FEW, Y).pairs_
    )
    monkeypatch.setattr(Impatient, "fits", 0)
    monkeypatch.setattr(Impatient, "last", 0)
    model = classifier(Impatient(), selector=ForwardBeamSelector(beam_width=1), validation=3).fit(FEW, Y)
    n_fits = Impatient.fits
    monkeypatch.setattr(Impatient, "fits", 0)
    # The votes of all pairs, and their last training, come after the search.
    monkeypatch.setattr(Impatient, "last", n_fits - 14)
    with pytest.warns(SearchInterruptedWarning, match="PairwiseClassifier was interrupted"):
        model.fit(FEW, Y)
    np.testing.assert_array_equal(model.pairs_.support[:2], chosen.support[:2])
    assert model.pairs_.support[2].all()


def test_ctrl_c_before_the_genetic_search_ends_it_too(monkeypatch):
    monkeypatch.setattr(Impatient, "fits", 0)
    monkeypatch.setattr(Impatient, "last", 150)
    with pytest.raises(KeyboardInterrupt):
        genetic(Impatient(), search={"init": "forward"}, validation=3).fit(X, Y)


def interrupted_and_resumed(model, n_fits, path, monkeypatch):
    """Fit until somebody presses Ctrl-C in a training, then again; say what the second part trained."""
    monkeypatch.setattr(Impatient, "fits", 0)
    monkeypatch.setattr(Impatient, "last", n_fits)
    kept = clone(model).set_params(checkpoint=path)
    with warnings.catch_warnings(), suppress(KeyboardInterrupt):
        warnings.simplefilter("ignore", SearchInterruptedWarning)
        kept.fit(FEW, Y)
    monkeypatch.setattr(Impatient, "fits", 0)
    monkeypatch.setattr(Impatient, "last", 0)
    return kept.fit(FEW, Y), Impatient.fits


FEW = X[:, :6]
# Three folds of six columns: what is lost is at most what was asked last.
ONE_GROWTH = 18


@pytest.mark.parametrize("n_fits", [90, *(pytest.param(n, marks=pytest.mark.soak) for n in (40, 140))])
@pytest.mark.parametrize(
    "selector",
    [
        ForwardBeamSelector(beam_width=1),
        ForwardBeamSelector(Impatient(), validation=3, beam_width=2, n_features_to_select=3),
    ],
)
def test_a_search_for_each_pair_goes_on_from_its_checkpoint(tmp_path, monkeypatch, selector, n_fits):
    monkeypatch.setattr(Impatient, "last", 0)
    monkeypatch.setattr(Impatient, "fits", 0)
    model = classifier(Impatient(), selector=selector, validation=3)
    whole = clone(model).fit(FEW, Y)
    n_whole = Impatient.fits
    resumed, n_trained = interrupted_and_resumed(model, n_fits, tmp_path / "journal", monkeypatch)
    np.testing.assert_array_equal(resumed.pairs_.support, whole.pairs_.support)
    np.testing.assert_array_equal(resumed.votes(FEW), whole.votes(FEW))
    assert resumed.validated_accuracy_ == whole.validated_accuracy_
    assert n_trained <= n_whole - n_fits + ONE_GROWTH
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def test_a_forward_start_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(Impatient, "last", 0)
    model = genetic(Impatient(), search={"init": "forward", "n_generations": 2}, validation=3)
    whole = clone(model).fit(FEW, Y)
    # In the search of the third pair.
    resumed, _ = interrupted_and_resumed(model, 130, tmp_path / "journal", monkeypatch)
    assert resumed.trace_ == whole.trace_
    np.testing.assert_array_equal(resumed.pairs_.support, whole.pairs_.support)


def test_a_search_for_each_pair_that_is_done_is_not_repeated(tmp_path, monkeypatch):
    kept = classifier(GaussianNB(), selector=SelectKBest(k=2), checkpoint=tmp_path / "journal")
    first = clone(kept).fit(X, Y).pairs_
    monkeypatch.setattr(_choice, "_chosen", None)
    np.testing.assert_array_equal(clone(kept).fit(X, Y).pairs_.support, first.support)
    with pytest.raises(ParameterError, match=r"other data or settings \(selector\.selector\)"):
        clone(kept).set_params(selector=SelectKBest(k=3)).fit(X, Y)
    with pytest.raises(ParameterError, match=r"other data or settings \(rows\.X"):
        clone(kept).fit(SCALED, Y)


def test_what_a_process_left_that_died_after_a_pair_is_taken_away(tmp_path):
    kept = classifier(selector=ForwardBeamSelector(), checkpoint=tmp_path / "journal").fit(X, Y)
    (tmp_path / "journal.pair2").touch()
    clone(kept).fit(X, Y)
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]


def test_pairs_at_the_same_time_write_the_same_checkpoint(tmp_path):
    with parallel_config("threading"):
        alone, together = (
            classifier(selector=ForwardBeamSelector(), checkpoint=tmp_path / f"{n_jobs}", n_jobs=n_jobs).fit(
                X, Y
            )
            for n_jobs in (1, 2)
        )
    np.testing.assert_array_equal(together.pairs_.support, alone.pairs_.support)
    (tmp_path / "2").replace(tmp_path / "1")
    np.testing.assert_array_equal(clone(alone).fit(X, Y).pairs_.support, alone.pairs_.support)


def test_a_selector_that_finds_nothing_leaves_all_columns():
    class Nothing(SelectKBest):
        def _get_support_mask(self):
            return np.zeros(13, dtype=bool)

    model = classifier(selector=Nothing()).fit(X, Y)
    assert model.pairs_.support.all()


def test_the_genetic_search_is_judged_by_the_whole_vote():
    model = genetic().fit(X, Y)
    assert model.trace_[0].population.shape == (8, 3, 13)
    assert model.trace_[0].population[0].all()
    np.testing.assert_array_equal(model.pairs_.support, model.trace_.best)
    assert model.validated_accuracy_ == pytest.approx(model.trace_.best_fitness.max(), abs=1e-12)
    assert model.validated_accuracy_ >= classifier().fit(X, Y).validated_accuracy_


def test_the_genetic_search_over_trained_classifiers_is_the_same_search():
    search = {"n_generations": 2}
    fast = genetic(KNeighborsClassifier(3), search=search).fit(SCALED, Y)
    slow = genetic(KNeighborsClassifier(3, metric="l2"), search=search).fit(SCALED, Y)
    assert slow.trace_ == fast.trace_


def test_a_start_from_the_forward_search_is_no_worse_than_it():
    forward = classifier(selector=ForwardBeamSelector()).fit(X, Y)
    model = genetic(search={"init": "forward"}).fit(X, Y)
    np.testing.assert_array_equal(model.trace_[0].population[0], forward.pairs_.support)
    assert model.validated_accuracy_ >= forward.validated_accuracy_


def test_a_genetic_search_goes_on_from_its_checkpoint_bit_for_bit(tmp_path, monkeypatch):
    whole = genetic(search={"n_generations": 6, "init": "forward"}).fit(X, Y)
    kept = genetic(search={"n_generations": 6, "init": "forward"}, checkpoint=tmp_path / "journal")
    plain = _choice.Evolution.generations

    def interrupted(self, first):
        for number, generation in enumerate(plain(self, first)):
            yield generation
            if number == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(_choice.Evolution, "generations", interrupted)
    with pytest.warns(SearchInterruptedWarning, match="goes on from the checkpoint"):
        stopped = clone(kept).fit(X, Y)
    assert stopped.trace_.end == "interrupted"
    assert stopped.predict(X).shape == Y.shape
    monkeypatch.setattr(_choice.Evolution, "generations", plain)
    assert clone(kept).fit(X, Y).trace_ == whole.trace_
    with pytest.raises(ParameterError, match=r"selector\.voting"):
        clone(kept).set_params(voting="weighted").fit(X, Y)


@pytest.mark.skipif(not hasattr(PairwiseClassifier, "set_callbacks"), reason="scikit-learn has no callbacks")
def test_a_callback_sees_every_generation_and_may_stop_the_search():
    watcher = Watcher(2, lambda fitted: fitted.predict(X).shape)
    model = genetic().set_callbacks(watcher).fit(X, Y)
    assert watcher.seen == [Y.shape, Y.shape]
    assert len(model.trace_) == 2
    assert model.trace_.names == tuple(f"x{k}" for k in range(13))


def test_the_same_seed_gives_the_same_classifier():
    first = genetic().fit(X, Y)
    with parallel_config("threading"):
        assert genetic(n_jobs=2).fit(X, Y).trace_ == first.trace_
    assert genetic(random_state=1).fit(X, Y).trace_ != first.trace_


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_stay_frames_and_names_are_known(kind):
    frame = kind({name: FRAME[name].to_numpy() for name in FRAME.columns})
    model = classifier(selector=SelectKBest(k=2)).fit(frame, Y)
    plain = classifier(selector=SelectKBest(k=2)).fit(X, Y)
    assert model.pairs_.feature_names == tuple(FRAME.columns)
    assert plain.pairs_[0].features == tuple(f"x{k}" for k in plain.pairs_[0].columns)
    assert list(model.pairs_[0].estimator.feature_names_in_) == list(model.pairs_[0].features)
    np.testing.assert_array_equal(model.predict(frame), plain.predict(X))


@pytest.mark.parametrize("voting", ["majority", "weighted"])
def test_sparse_rows_are_taken_where_the_classifier_takes_them(voting):
    dense = classifier(OneVsRestSVC(), selector=SelectKBest(k=4), voting=voting).fit(SCALED, Y)
    rows = sparse.csr_array(SCALED)
    thin = classifier(OneVsRestSVC(), selector=SelectKBest(k=4), voting=voting).fit(rows, Y)
    np.testing.assert_array_equal(thin.predict(rows), dense.predict(SCALED))
    np.testing.assert_array_equal(thin.pairs_.support, dense.pairs_.support)


def test_weights_reach_the_classifiers_and_the_validation():
    weights = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    model = classifier(GaussianNB(), validation=3).fit(X, Y, sample_weight=weights)
    for pair in model.pairs_:
        own = np.isin(Y, pair.classes) & (weights > 0)
        twin = GaussianNB().fit(X[own], Y[own], sample_weight=weights[own])
        np.testing.assert_array_equal(pair.estimator.predict(X), twin.predict(X))
        assert pair.n_rows == own.sum()
    repeated = np.repeat(np.arange(len(Y)), weights.astype(int))
    again = classifier(GaussianNB(), validation=3).fit(X[repeated], Y[repeated])
    assert again.validated_accuracy_ == pytest.approx(model.validated_accuracy_)
    with pytest.raises(UnsupportedEstimatorError, match="SelectKBest does not take it"):
        classifier(GaussianNB(), selector=SelectKBest(k=2)).fit(X, Y, sample_weight=weights)


def test_words_for_labels_are_kept():
    names = np.array(["barolo", "grignolino", "barbera"])[Y]
    model = classifier().fit(X, names)
    assert model.pairs_[0].classes == ("barbera", "barolo")
    assert set(model.predict(X)) == set(names)


def test_validation_may_leave_one_row_out():
    iris, kinds = load_iris(return_X_y=True)
    model = classifier(validation="loo").fit(iris, kinds)
    assert model.pairs_.of(0, 1).credibility == 1.0
    assert 0.9 < model.validated_accuracy_ < 1.0


def test_without_validation_nothing_is_judged():
    model = classifier(GaussianNB(), validation=None).fit(X, Y)
    assert np.isnan(model.pairs_.credibility).all()
    assert np.isnan(model.validated_accuracy_)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"selector": "forward"}, "'selector' parameter .* such as ForwardBeamSelector"),
        ({"selector": ForwardBeamSelector}, "'selector'"),
        ({"selector": 3}, "'selector'"),
        ({"voting": "loud"}, "'voting'"),
        ({"selector": GeneticSelector(scoring="information")}, "accuracy of the whole vote"),
        ({"selector": ForwardBeamSelector(beam_width=0)}, "'beam_width'"),
        ({"selector": GeneticSelector(population_size=1)}, "'population_size'"),
        ({"selector": GeneticSelector(parents="best")}, "'parents'"),
        ({"selector": GeneticSelector(init="best")}, "'init'"),
        ({"validation": 1}, "'validation'"),
        ({"validation": None, "voting": "weighted"}, "judges nothing"),
        ({"validation": None, "selector": GeneticSelector()}, "judges nothing"),
        ({"verbose": -1}, "'verbose'"),
        ({"checkpoint": 5}, "'checkpoint'"),
        ({"selector": ForwardBeamSelector(checkpoint="x")}, "Give the checkpoint to PairwiseClassifier"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_by_name(parameters, message):
    with pytest.raises(ParameterError, match=message):
        classifier(**parameters).fit(X, Y)


def test_what_is_no_classifier_or_no_two_classes_is_refused():
    with pytest.raises(UnsupportedEstimatorError, match="must be a classifier"):
        classifier(StandardScaler()).fit(X, Y)
    with pytest.raises(DataError, match="at least two classes"):
        classifier().fit(X[:10], np.zeros(10))


def test_progress_is_shown_when_asked_for(capsys):
    genetic(verbose=1).fit(X, Y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "in each of 3 pairs" in " ".join(shown.err.split())


def test_a_column_to_keep_is_in_every_pair_of_the_search_for_all():
    model = genetic(search={"keep": [4], "init": "forward"}).fit(X, Y)
    assert model.pairs_.support[:, 4].all()
    assert all(generation.population[:, :, 4].all() for generation in model.trace_)


def test_fitting_again_forgets_an_old_trace():
    model = genetic().fit(X, Y)
    assert not hasattr(model.set_params(selector=None).fit(X, Y), "trace_")


def test_it_is_measured_from_outside():
    assert cross_val_score(classifier(selector=ForwardBeamSelector()), X, Y, cv=3).mean() > 0.88


@pytest.mark.parametrize("selector", [ForwardBeamSelector(), GeneticSelector(n_generations=2)])
def test_a_pair_of_classes_with_one_row_each_has_all_columns(selector):
    X = np.vstack([np.random.default_rng(0).normal(size=(20, 3)), [[9.0, 9.0, 9.0], [-9.0, -9.0, -9.0]]])
    y = np.array([0] * 10 + [1] * 10 + [2, 3])
    model = PairwiseClassifier(selector=selector, validation=3, random_state=0).fit(X, y)
    if isinstance(selector, ForwardBeamSelector):
        assert len(model.pairs_[-1].features) == 3
    assert model.predict([[9.0, 9.0, 9.0]]).tolist() == [2]
