import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoprop.exceptions import ParameterError
from infoprop.selection import SearchStep, SearchTrace


def step(groups, credits, **others):
    information = float(np.sum(credits))
    parts = {"run": 0, "move": "swap", "is_new": True, "is_best": False, "end": None}
    return SearchStep(
        groups=np.array(groups),
        credits=np.array(credits),
        information=information,
        relative_information=information / 2,
        **(parts | others),
    )


TRACE = SearchTrace(
    (
        step([0, 1], [0.25, 0.25], move="start", is_best=True),
        step([0, 3], [0.5, 0.25], move="untested", is_best=True),
        step([1, 3], [0.25, 0.0]),
        step([0, 3], [0.5, 0.25], move="back", is_new=False, end="returned"),
        step([0, 1], [0.25, 0.25], run=1, move="start", is_new=False, is_best=True, end="converged"),
    ),
    ("a", "b", "<c>", "d"),
    "converged",
)


def test_a_trace_is_a_sequence_of_steps():
    assert len(TRACE) == 5
    assert TRACE[0].move == "start"
    assert TRACE[-1] == TRACE[4]
    assert TRACE[1:3] == TRACE.steps[1:3]
    assert [each.run for each in TRACE] == [0, 0, 0, 0, 1]


def test_the_best_step_is_the_first_with_the_most_information():
    assert TRACE.best is TRACE[1]
    noise = SearchTrace((step([0], [1.0]), step([1], [1.0 + 1e-15])), ("a", "b"), "converged")
    assert noise.best is noise[0]


def test_counts_and_credits():
    assert TRACE.n_trainings == 3
    assert TRACE.n_runs == 2
    np.testing.assert_array_equal(TRACE.information, [0.5, 0.75, 0.25, 0.75, 0.5])
    np.testing.assert_array_equal(TRACE.last_credits, [0.25, 0.25, np.nan, 0.25])
    np.testing.assert_array_equal(TRACE.credits[2], [np.nan, 0.25, np.nan, 0.0])


def test_steps_are_read_only_values():
    with pytest.raises(ValueError, match="read-only"):
        TRACE[0].credits[0] = 1.0
    again = pickle.loads(pickle.dumps(TRACE))
    assert again == TRACE
    assert again != SearchTrace(TRACE.steps, TRACE.names, "bound")


@pytest.mark.parametrize(("backend", "kind"), [(None, pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_frame_has_a_row_for_every_step(backend, kind):
    frame = TRACE.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame["features"]) == ["a, b", "a, d", "b, d", "a, d", "a, b"]
    assert list(frame["end"]) == ["", "", "", "returned", "converged"]
    np.testing.assert_array_equal(np.array(frame["credit_d"]), TRACE.credits[:, 3])
    with pytest.raises(ParameterError, match="'backend'"):
        TRACE.to_frame("excel")


def test_it_shows_itself():
    assert repr(TRACE) == (
        "SearchTrace(n_steps=5, n_trainings=3, n_runs=2, end='converged', information=0.7500 bits)"
    )
    page = TRACE._repr_html_()
    assert page.count("<tr>") == 6
    assert "the end: converged" in page
    assert "known, returned" in page


def test_html_hides_what_is_too_long_and_escapes_names():
    names = tuple(f"<{k}>" for k in range(12))
    long = SearchTrace(tuple(step(range(12), np.ones(12)) for _ in range(30)), names, "bound")
    page = long._repr_html_()
    assert page.count("<tr>") == 21
    assert "the first 10 steps are not shown" in page
    assert "&lt;7&gt; and 4 more" in page
    assert "<7>" not in page
