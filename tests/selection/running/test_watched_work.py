"""Searches that are watched, and stopped by those who watch: on the real selectors."""

import pytest
from sklearn.model_selection import GridSearchCV

from reference.callbacks import Watcher
from reference.long_work import data, result, selector, steps_of

SEARCHES = [
    ("backward", "linear"),
    ("backward", "refitted"),
    ("by twos", "linear"),
    ("directed", "rbf"),
    ("restarted", "refitted"),
    ("forward", "linear"),
    ("genetic", "refitted"),
]


@pytest.mark.parametrize(("search", "estimator"), SEARCHES)
def test_a_callback_stops_a_search_without_a_warning(search, estimator):
    X, y = data()
    stopper = Watcher(3)
    searching = selector({"search": search, "estimator": estimator})
    searching.set_callbacks(stopper).fit(X, y)
    assert steps_of(searching) == 3
    assert len(stopper.seen) == 3
    assert all(fitted.predict(X).shape == y.shape for fitted in stopper.seen)
    assert result(stopper.seen[-1], X) == result(searching, X)


@pytest.mark.parametrize("search", ["backward", "directed", "forward", "genetic"])
def test_a_search_stopped_by_a_callback_can_go_on(tmp_path, search):
    X, y = data()
    job = {"search": search, "estimator": "linear"}
    kept = selector(job).set_params(checkpoint=tmp_path / "journal")
    kept.set_callbacks(Watcher(3)).fit(X, y)
    assert steps_of(kept) == 3
    kept.set_callbacks().fit(X, y)
    assert result(kept, X) == result(selector(job).fit(X, y), X)


@pytest.mark.parametrize("search", ["backward", "by twos", "directed", "restarted", "forward", "genetic"])
def test_the_progress_bar_of_scikit_learn_follows_a_search(search, capsys):
    from sklearn.callback import ProgressBar

    X, y = data()
    searching = selector({"search": search, "estimator": "linear"}).set_callbacks(ProgressBar())
    plain = selector({"search": search, "estimator": "linear"}).fit(X, y)
    assert result(searching.fit(X, y), X) == result(plain, X)
    shown = capsys.readouterr().out
    assert f"{type(searching).__name__} - search" in shown
    assert "100%" in shown


def test_scores_of_every_step_can_be_monitored():
    from sklearn.callback import ScoringMonitor

    X, y = data()
    monitor = ScoringMonitor(scoring="accuracy")
    searching = selector({"search": "by twos", "estimator": "linear"}).set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs()
    scores = [entry["accuracy"] for entry in log.data]
    assert len(scores) == steps_of(searching) + 1
    assert scores[-1] == searching.score(X, y)


def test_a_grid_search_hands_its_progress_bar_to_the_selector(capsys):
    from sklearn.callback import ProgressBar

    X, y = data()
    searching = selector({"search": "by twos", "estimator": "linear"})
    grid = GridSearchCV(searching, {"n_features_to_select": [3, 5]}, cv=2).set_callbacks(ProgressBar())
    grid.fit(X, y)
    assert "BackwardEliminationSelector" in capsys.readouterr().out


@pytest.mark.parametrize("search", ["backward", "directed", "forward"])
def test_verbose_shows_a_bar_with_the_time_left(search, capsys):
    X, y = data()
    searching = selector({"search": search, "estimator": "linear"}).set_params(verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert type(searching).__name__ in err
    assert "left" in err
