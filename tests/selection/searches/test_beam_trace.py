"""What a forward search leaves behind."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoprop.selection import BeamTrace
from infoprop.selection.searches._beam import beam_search


@pytest.fixture
def trace():
    worth = np.array([0.1, 0.3, 0.0, 0.2])

    def grow(groups, candidates):
        return worth[groups].sum() + worth[candidates]

    found = beam_search(grow, 4, beam_width=2, keep=np.array([], dtype=int))
    return BeamTrace(found.levels, ("a", "b", "<c>", "d"), found.end)


def test_levels_are_a_sequence(trace):
    assert len(trace) == len(list(trace)) == 4
    assert trace[1].size == 2
    assert [level.size for level in trace[1:]] == [2, 3, 4]
    assert trace.best is trace[2]
    assert repr(trace) == "BeamTrace(n_levels=4, n_trainings=13, end='converged', accuracy=0.6000)"


def test_levels_hold_what_was_tried_and_what_was_kept(trace):
    assert trace[0].added.tolist() == [0, 1, 2, 3]
    assert trace[0].kept.tolist() == [1, 3]
    assert trace[1].beam.tolist() == [[1, 3], [0, 1]]
    assert trace[1].groups(2).tolist() == [1, 3]
    assert trace[1].best_accuracy == 0.5


def test_the_best_subset_with_each_feature_is_known(trace):
    np.testing.assert_allclose(trace.best_with, [0.6, 0.6, 0.6, 0.6])
    np.testing.assert_allclose(BeamTrace(trace.levels[:1], trace.names, "").best_with, [0.1, 0.3, 0.0, 0.2])
    levels = (beam_search(lambda groups, added: 0.5 + 0 * added, 4, keep=np.array([2])).levels[0],)
    np.testing.assert_array_equal(BeamTrace(levels, trace.names, "").best_with, [np.nan, np.nan, 0.5, np.nan])


@pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_a_frame_has_a_row_for_each_subset(trace, backend, kind):
    frame = trace.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame.columns) == ["n_features", "added", "features", "accuracy", "is_kept", "is_best"]
    assert frame.shape == (13, 6)
    chosen = pd.DataFrame(frame.to_dict(as_series=False)) if backend == "polars" else frame
    assert chosen["features"][chosen["is_best"]].tolist() == ["a, b, d"]
    assert chosen["is_kept"].sum() == 2 + 2 + 2 + 1


def test_traces_are_values(trace):
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert BeamTrace(trace.levels, trace.names, "interrupted") != trace
    with pytest.raises(ValueError, match="read-only"):
        trace[0].accuracy[0] = 1.0


def test_a_notebook_shows_the_levels(trace):
    page = trace._repr_html_()
    assert "60.0% right by the best of 13 subsets; the end: converged" in page
    assert "a, b, d</td><td" in page
    assert "&lt;c&gt;" in page
    long = BeamTrace(trace.levels * 9, trace.names, trace.end)
    assert "the first 16 levels are not shown" in long._repr_html_()
