import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoprop.credit._groups import ColumnGroups
from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.selection import PathStep, SelectionPath
from infoprop.selection._pooling import PooledTable
from reference.eliminations import EliminationStep, StepBatch

LABELS = np.array([0, 1])
NAMES = ("a", "b", "c", "d", "e")
GROUPS = ColumnGroups.from_specification({"ad": ["a", "d"]}, NAMES)
RIGHT, WRONG = np.array([[5.0, 0.0], [0.0, 5.0]]), np.array([[4.0, 1.0], [2.0, 3.0]])


def table(n_rows=10):
    truth = np.repeat(LABELS, n_rows // 2)
    return PooledTable.from_rows(LABELS, [np.ones(2, dtype=bool)], [truth], None)


def step(counts, n_columns, dropped, credits):
    return EliminationStep(counts, n_columns, np.array(dropped, dtype=np.intp), np.array(credits), None)


def path_of(steps, n_rows=10, groups=GROUPS):
    return SelectionPath.from_steps(StepBatch.from_steps(steps, 2), table(n_rows), groups)


STEPS = [
    step(RIGHT, 5, [2], [0.01]),
    step(RIGHT, 4, [0, 3], [0.1, 0.2]),
    step(WRONG, 1, [], []),
]


@pytest.fixture
def path():
    return path_of(STEPS)


def test_a_path_is_a_sequence_of_steps(path):
    assert len(path) == 3
    assert [one.n_features for one in path] == [4, 3, 1]
    assert path[1].dropped == ("ad", "e")
    assert path[1].credits == (0.1, 0.2)
    assert path[-1].dropped == path[-1].credits == ()
    assert path[:2] == path.steps[:2] == (path[0], path[1])
    assert path[::-2] == (path[2], path[0])
    assert tuple(path) == path.steps
    assert isinstance(path[0], PathStep)
    assert path[0] in path
    for number in (3, -4):
        with pytest.raises(IndexError):
            path[number]


def test_what_was_dropped_is_kept_in_columns(path):
    assert path.order.tolist() == [2, 0, 3]
    assert path.credits.tolist() == [0.01, 0.1, 0.2]
    assert path.starts.tolist() == [0, 1, 3, 3]
    assert path.n_columns.tolist() == [5, 4, 1]


def test_numbers_are_those_of_the_tables(path):
    flow = InformationFlow.from_confusion(WRONG)
    assert path[2].information == flow.information
    assert path[2].relative_information == flow.relative_information
    assert path[2].standard_error == flow.standard_error
    assert path[2].accuracy == flow.accuracy == 0.7
    assert path[2].error_lower == flow.error_bounds.lower
    assert path[2].error_upper == flow.error_bounds.upper
    np.testing.assert_array_equal(path.information, [1.0, 1.0, flow.information])
    np.testing.assert_array_equal(path.accuracy, [1.0, 1.0, 0.7])
    np.testing.assert_array_equal(path.n_features, [4, 3, 1])
    assert path.relative_information[0] == 1.0
    assert path.standard_error[0] == 0.0
    assert [one.n_columns for one in path] == [5, 4, 1]


def test_supports_are_nested_and_sizes_in_between_follow_the_order_of_dropping(path):
    assert path.order.tolist() == [2, 0, 3]
    assert path.best_first.tolist() == [1, 3, 0, 2]
    assert path.support_at(4).all()
    assert path.support_at(3).tolist() == [True, True, False, True, True]
    assert path.support_at(2).tolist() == [False, True, False, False, True]
    assert path.support_at(1).tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("size", [0, 5, 1.5, True, "2"])
def test_sizes_off_the_path_are_refused(path, size):
    with pytest.raises(ParameterError, match="n_features"):
        path.support_at(size)


def test_what_an_unfinished_search_dropped_last_still_stands():
    path = path_of(STEPS[:2])
    assert [one.n_features for one in path] == [4, 3]
    assert path[-1].dropped == ()
    assert path.order.tolist() == [2]
    only = path_of(STEPS[:1])
    assert only.order.tolist() == []
    assert only.support_at(4).all()


def test_without_rows_to_count_numbers_are_missing():
    path = path_of(STEPS, n_rows=0)
    assert np.isnan(path.information).all()
    assert np.isnan(path.accuracy).all()
    assert path[1].credits == (0.1, 0.2)
    assert "nan" in repr(path)
    assert pickle.loads(pickle.dumps(path)) == path


@pytest.mark.parametrize(("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames_have_a_row_per_step(path, backend, kind):
    frame = path.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame.columns) == [
        "n_features",
        "n_columns",
        "dropped",
        "credit",
        "information",
        "relative_information",
        "standard_error",
        "accuracy",
        "error_lower",
        "error_upper",
    ]
    assert list(frame["dropped"]) == ["c", "ad, e", ""]
    assert list(frame["credit"]) == pytest.approx([0.01, 0.3, 0.0])


def test_paths_are_values_that_travel(path):
    again = pickle.loads(pickle.dumps(path))
    assert again == path
    assert again.order.flags.writeable is False
    assert repr(path) == f"SelectionPath(n_steps=3, n_features=4..1, information=1.0000..{0.1245:.4f} bits)"


def test_the_table_is_escaped_and_short():
    groups = ColumnGroups.from_specification(None, [f"<b>{k}" for k in range(40)])
    steps = [step(RIGHT, 40 - k, [k], [0.0]) for k in range(39)] + [step(RIGHT, 1, [], [])]
    html = path_of(steps, groups=groups)._repr_html_()
    assert html.count("<tr>") == 21
    assert "<b>" not in html
    assert "&lt;b&gt;38" in html
    assert "the first 20 steps are not shown" in html
    many = path_of([step(RIGHT, 40, range(9), [0.0] * 9), step(RIGHT, 31, [], [])], groups=groups)
    assert "and 6 more" in many._repr_html_()
