import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from infoprop.datasets import make_corral
from infoprop.exceptions import ParameterError
from infoprop.selection import ForwardBeamSelector, GeneticSelector, SearchInterruptedWarning
from infoprop.selection.searches import _genetic
from infoprop.svm import OneVsRestSVC
from reference.callbacks import Watcher

X, Y = load_wine(return_X_y=True)
NAMES = load_wine().feature_names
SMALL = {"population_size": 8, "n_generations": 4, "random_state": 0}


def selector(estimator=None, **parameters):
    return GeneticSelector(estimator, **SMALL | parameters)


class CountingNB(GaussianNB):
    """Counts its trainings, and is interrupted in one of them."""

    fits = 0
    last = None

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        if type(self).fits == type(self).last:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.fixture
def counting(monkeypatch):
    """Count trainings anew, and interrupt the one with the number given."""

    def begin(last=None):
        monkeypatch.setattr(CountingNB, "fits", 0)
        monkeypatch.setattr(CountingNB, "last", last)

    return begin


@pytest.mark.parametrize("parents", ["proportional", "tournament"])
def test_corral_is_solved_by_its_four_features(parents):
    data = make_corral(300, random_state=1)
    search = GeneticSelector(parents=parents, random_state=0).fit(data.X, data.y)
    assert search.get_support(indices=True).tolist() == [0, 1, 2, 3]
    assert search.validated_accuracy_ == 1.0
    assert search.trace_.end == "perfect"


def test_fitness_is_the_validated_accuracy_of_the_subset():
    splits = [
        (np.flatnonzero(np.arange(len(Y)) % 3 != part), np.arange(part, len(Y), 3)) for part in range(3)
    ]
    search = selector(GaussianNB(), validation=splits).fit(X, Y)
    for generation in search.trace_:
        for mask, fitness in zip(generation.population[:, 0], generation.fitness, strict=True):
            columns = np.flatnonzero(mask) if mask.any() else np.arange(X.shape[1])
            right = [
                (
                    GaussianNB().fit(X[train][:, columns], Y[train]).predict(X[test][:, columns]) == Y[test]
                ).sum()
                for train, test in splits
            ]
            assert fitness == pytest.approx(sum(right) / len(Y), abs=1e-12)


def test_the_fittest_and_smallest_subset_is_kept_and_trained_on_all_rows():
    search = selector(n_generations=8).fit(X, Y)
    np.testing.assert_array_equal(search.support_, search.trace_.best[0])
    assert search.validated_accuracy_ == search.trace_.best_fitness.max()
    twin = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[:, search.support_], Y)
    np.testing.assert_array_equal(search.predict(X), twin.predict(X[:, search.support_]))
    np.testing.assert_array_equal(search.transform(X), X[:, search.support_])


def test_others_rank_by_how_many_of_the_last_generation_have_them():
    search = selector().fit(X, Y)
    others = np.flatnonzero(~search.support_)
    assert (search.ranking_[search.support_] == 1).all()
    assert sorted(search.ranking_[others]) == list(range(2, len(others) + 2))
    times = search.trace_[-1].population[:, 0].sum(axis=0)[others]
    assert (np.diff(times[np.argsort(search.ranking_[others])]) <= 0).all()


def test_no_subset_is_trained_on_twice(counting):
    counting()
    search = selector(CountingNB(), validation=3, mutation=0.0).fit(X, Y)
    assert CountingNB.fits == 3 * search.n_trainings_ + 1
    assert search.n_trainings_ < 8 * 4


def test_the_same_seed_gives_the_same_trace_and_another_one_another():
    first = selector().fit(X, Y)
    with parallel_config("threading"):
        assert selector(n_jobs=2).fit(X, Y).trace_ == first.trace_
    assert selector(random_state=1).fit(X, Y).trace_ != first.trace_


def test_kept_columns_and_groups_are_respected():
    frame = pd.DataFrame(X, columns=NAMES)
    search = selector(groups=[[0, 1], [2, 3, 4]], keep=["proline"]).fit(frame, Y)
    assert search.support_[-1]
    assert search.support_[0] == search.support_[1]
    assert len(set(search.support_[2:5])) == 1
    assert search.trace_[0].population.shape == (8, 1, 10)
    assert all(generation.population[:, 0, -1].all() for generation in search.trace_)


def test_a_start_from_the_forward_search_is_no_worse_than_it():
    forward = selector(init="forward", n_generations=1).fit(X, Y)
    assert forward.trace_[0].population[1].all()
    assert forward.trace_[0].fitness[0] >= forward.trace_[0].fitness[1]
    later = selector(init="forward").fit(X, Y)
    assert later.validated_accuracy_ >= forward.validated_accuracy_


@pytest.mark.parametrize("estimator", [None, OneVsRestSVC(), GaussianNB()], ids=["knn", "moved", "refitted"])
def test_a_search_goes_on_from_its_checkpoint_bit_for_bit(estimator, tmp_path, monkeypatch):
    whole = selector(estimator, n_generations=5).fit(X, Y)
    kept = selector(estimator, n_generations=5, checkpoint=tmp_path / "journal")
    plain, count = _genetic.Evolution.generations, 0

    def interrupted(self, first):
        nonlocal count
        for generation in plain(self, first):
            count += 1
            yield generation
            if count == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(_genetic.Evolution, "generations", interrupted)
    with pytest.warns(SearchInterruptedWarning, match="goes on from the checkpoint"):
        stopped = clone(kept).fit(X, Y)
    assert stopped.trace_.end == "interrupted"
    assert stopped.trace_.generations == whole.trace_.generations[:3]
    resumed = clone(kept).fit(X, Y)
    assert resumed.trace_ == whole.trace_
    np.testing.assert_array_equal(resumed.predict(X), whole.predict(X))


def test_ctrl_c_before_the_first_generation_goes_through(counting):
    counting(last=4)
    with pytest.raises(KeyboardInterrupt):
        selector(CountingNB(), validation=3).fit(X, Y)


def test_ctrl_c_gives_the_best_so_far(counting):
    whole = selector(GaussianNB(), validation=3).fit(X, Y)
    counting(last=3 * whole.trace_[0].n_new + 5)
    with pytest.warns(SearchInterruptedWarning):
        search = selector(CountingNB(), validation=3).fit(X, Y)
    assert search.trace_.generations == whole.trace_.generations[:1]
    assert search.trace_.end == "interrupted"


def test_another_search_is_refused_its_checkpoint(tmp_path):
    checkpoint = tmp_path / "journal"
    selector(checkpoint=checkpoint).fit(X, Y)
    with pytest.raises(ParameterError, match=r"selector\.mutation"):
        selector(checkpoint=checkpoint, mutation=0.5).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"init": "best"}, "'init'"),
        ({"population_size": 1}, "'population_size'"),
        ({"parents": "rank"}, "'parents'"),
        ({"elitism": 8}, "'elitism'"),
        ({"validation": None}, "'validation'"),
        ({"keep": ["nobody"]}, "nobody"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_before_any_work(parameters, message, counting):
    counting()
    with pytest.raises(ParameterError, match=message):
        selector(CountingNB(), **parameters).fit(X, Y)
    assert CountingNB.fits == 0


def test_time_and_patience_end_a_search():
    assert selector(time_limit=1e-6).fit(X, Y).trace_.end == "time"
    ended = selector(GaussianNB(), patience=1, mutation=0.0, crossover=0.0, n_generations=50).fit(X, Y)
    assert ended.trace_.end in ("patience", "perfect")


def test_a_callback_sees_every_generation_and_may_stop_the_search():
    watcher = Watcher(2, lambda fitted: fitted.validated_accuracy_)
    search = selector().set_callbacks(watcher).fit(X, Y)
    assert len(search.trace_) == 2
    assert watcher.seen == np.maximum.accumulate(search.trace_.best_fitness).tolist()


def test_progress_is_shown_when_asked_for(capsys):
    selector(verbose=1).fit(X, Y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "right with the best of" in " ".join(shown.err.split())


def test_the_whole_is_measured_from_outside():
    scores = cross_val_score(selector(), X, Y, cv=3)
    assert scores.mean() > 0.85


@pytest.mark.parametrize("kind", [ForwardBeamSelector, GeneticSelector])
def test_the_score_is_told_in_the_trace_and_unknown_ones_are_refused(kind):
    X, y = load_iris(return_X_y=True)
    how = {} if kind is ForwardBeamSelector else {"n_generations": 2, "population_size": 4}
    found = kind(scoring="information", validation=3, random_state=0, **how).fit(X, y)
    assert found.trace_.scoring == "information"
    assert 0.5 < found.validated_accuracy_ < 1.0
    ranked = kind(GaussianNB(), scoring="roc_auc", validation=3, random_state=0, **how).fit(X, y)
    assert (ranked.trace_.scoring, ranked.validated_accuracy_ > 0.98) == ("roc_auc", True)
    with pytest.raises(ParameterError, match="'scoring'"):
        kind(scoring="gini").fit(X, y)
