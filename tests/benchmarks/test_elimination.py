"""Helpers of the elimination benchmarks, on tiny rows: what they compare is what they say."""

import importlib
from dataclasses import replace
from functools import partial

import elimination_sequential
import elimination_text
import numpy as np
import pytest
import run
from _elimination import (
    LINEAR_PEERS,
    Ours,
    eliminate,
    jaccard,
    last_overlap,
    rfe,
    same_path,
    sampled_steps,
    summed,
    table_row,
)
from _elimination_data import Rows, digits_rows, split_rows, word_rows
from _processes import Measured, measure, measure_here, peak_memory
from scipy import sparse
from sklearn.svm import SVC

from infoprop.credit import credit_importance
from infoprop.svm import OneVsRestSVC


def two_classes(n_columns: int = 8, n_features: int = 1) -> Rows:
    """Columns are worth the less, the higher their number."""
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], 40)
    X = random.randn(80, n_columns) + y[:, None] * np.linspace(2.0, 0.2, n_columns)
    return Rows("toy", X, y, X[::2], y[::2], "every other row", n_features)


def holds_much(rows: Rows) -> float:
    return float(np.ones(40 * 2**17).sum())


def test_eliminations_by_margin_and_by_rfe_take_the_same_path():
    rows = two_classes()
    ours = eliminate(rows)
    peer = rfe(rows, estimator=LINEAR_PEERS['RFE(SVC(kernel="linear"))'])
    assert sorted(ours.tolist()) == list(range(8))
    np.testing.assert_array_equal(ours, peer)
    assert same_path(rows, "linear", ours, peer) == "same path, all 7 steps"


def test_eliminations_with_the_squared_hinge_take_the_path_of_cold_refits():
    rows = two_classes()
    ours = eliminate(rows, loss="squared_hinge")
    peer = rfe(rows, estimator=OneVsRestSVC(kernel="linear", loss="squared_hinge"))
    np.testing.assert_array_equal(ours, peer)


def test_curved_eliminations_take_the_same_path_as_cold_refits():
    rows = two_classes(6)
    ours = eliminate(rows, kernel="rbf")
    peer = rfe(rows, estimator=OneVsRestSVC(kernel="rbf"), importance=credit_importance)
    np.testing.assert_array_equal(ours, peer)


def test_information_is_counted_on_the_rows_given():
    random = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 30)
    strength = np.array([0.1, 0.5, 2.0])[y]
    X = random.randn(90, 12) + strength[:, None] * (y[:, None] == random.randint(0, 3, 12))
    rows = Rows("toy", X, y, X, y, "training rows")
    nothing_to_tell = replace(rows, y_count=np.zeros(90, dtype=int))
    by_margin = eliminate(rows)
    np.testing.assert_array_equal(eliminate(nothing_to_tell, criterion="information"), by_margin)
    assert not np.array_equal(eliminate(rows, criterion="information"), by_margin)


def test_rfe_stops_after_the_first_steps_if_asked():
    rows = two_classes()
    whole, first = (
        rfe(rows, estimator=SVC(kernel="linear")),
        rfe(rows, estimator=SVC(kernel="linear"), n_steps=3),
    )
    np.testing.assert_array_equal(whole[-3:], first[-3:])
    assert sorted(first[:5].tolist()) == sorted(whole[:5].tolist())


def test_parting_paths_are_judged_by_a_nearly_exact_machine():
    rows = two_classes()
    ours = eliminate(rows)
    wrong = ours.copy()
    wrong[[-2, -3]] = wrong[[-3, -2]]
    said = same_path(rows, "linear", ours, wrong)
    assert said.startswith("same path for 1 of 7 steps")
    assert said.endswith("and we drop the smaller")
    assert same_path(rows, "linear", wrong, ours).endswith("the peer drops the smaller")


def test_equal_columns_may_go_in_any_order():
    rows = two_classes()
    rows = replace(rows, X=np.column_stack([rows.X, rows.X[:, 7]]))
    ours = eliminate(rows)
    other = ours.copy()
    first, second = np.flatnonzero(np.isin(ours, [7, 8]))
    other[[first, second]] = other[[second, first]]
    assert same_path(rows, "linear", ours, other).endswith("then two shares tie")


def test_overlaps():
    assert jaccard([1, 2, 3], [2, 3, 4]) == 0.5
    assert last_overlap(np.arange(8), np.arange(8)) == "1.00 of the last 2"
    assert last_overlap(np.arange(400), np.arange(400)[::-1]) == "0.00 of the last 20"


def test_tiny_rows_are_of_the_same_kind():
    rows = digits_rows()
    tiny = rows.tiny()
    assert tiny.X.shape == (225, 12)
    assert len(np.unique(tiny.y)) == 10
    words = replace(two_classes(300, 100), X=sparse.csr_matrix(two_classes(300).X)).tiny()
    assert sparse.issparse(words.X)
    assert words.n_columns == 111


def test_time_and_memory_are_measured_after_a_warm_up(monkeypatch):
    monkeypatch.setattr("_processes._SECONDS_OF_SHORT_RUNS", 0.1)
    measured = measure_here(two_classes, holds_much, repeats=2)
    assert 0.0 < measured.seconds < 10.0
    assert measured.result == 40 * 2**17
    assert measured.growth > 20.0
    assert measured.growth < measured.peak
    assert measured.shape == "80 x 8"
    assert peak_memory() > 20.0


def test_a_process_of_its_own_returns_what_the_method_found():
    measured = measure(digits_rows, partial(rfe, estimator=SVC(kernel="linear"), n_steps=1))
    assert sorted(measured.result.tolist()) == list(range(64))
    assert (measured.shape, measured.counted_on) == ("1797 x 64", "training rows")


def test_rows_of_the_table_hold_ratios(capsys):
    alone = Measured(0.5, np.arange(8), 100.0, 10.0, "80 x 8", "every other row")
    ours = Ours("information", alone, replace(alone, seconds=0.25, peak=110.0))
    row = table_row("toy", ours, "peer", replace(alone, seconds=12.3456), overlap="all")
    assert (row["ratio"], row["ratio with n_jobs=2"], row["peer s"]) == (24.7, 49.4, 12.3)
    assert row["infoprop peak MiB"] == 110
    assert (row["loss"], row["counted on"]) == ("hinge", "every other row")
    assert "ratio: 24.7" in capsys.readouterr().out
    assert run.markdown_table([row]).count("\n") == 2


def test_of_two_turns_the_better_time_and_the_larger_memory_count():
    first = Measured(0.5, np.arange(8), 100.0, 10.0, "80 x 8", "every other row")
    second = replace(first, seconds=0.4, peak=90.0, growth=20.0)
    both = replace(first, seconds=0.4, growth=20.0)
    assert repr(first.better(second)) == repr(both)
    better = Ours("margin", first, second).better(Ours("margin", second, first))
    assert repr(better) == repr(Ours("margin", both, both))


def test_the_peer_is_extrapolated_by_trainings_and_by_trapezoids():
    assert elimination_text.extrapolated(201.0, 200, 1099, 100) == 1000.0
    assert summed([(30, 2.0), (20, 1.0), (10, 1.0)]) == pytest.approx(25.0)


def test_sampled_steps_go_from_all_columns_to_the_fewest():
    rows = two_classes(30, 5)
    order = np.random.RandomState(0).permutation(30)
    found = sampled_steps(rows, estimator=SVC(kernel="linear"), best_first=order)
    sizes = [size for size, _ in found]
    assert (sizes[0], sizes[-1]) == (30, 15)
    assert sizes == sorted(sizes, reverse=True)
    assert all(seconds > 0.0 for _, seconds in found)


def test_sequential_selection_and_ours_choose_the_number_asked_for():
    rows = two_classes(5, 3)
    assert len(elimination_sequential.sequential(rows)) == 3
    chosen = elimination_sequential.ours_by_folds(rows, n_jobs=1)
    assert len(chosen) == 3
    assert 0.5 < elimination_sequential.accuracy(rows, chosen) <= 1.0


def test_every_benchmark_named_can_be_run():
    for name in run.NAMES:
        assert callable(importlib.import_module(name).run)


def test_real_tables_are_split_and_prepared(shared_data, monkeypatch):
    monkeypatch.setattr("_elimination_data.DATA", shared_data)
    satimage = split_rows("satimage", standardise=True)
    assert (satimage.shape, satimage.X_count.shape) == ("4435 x 36", (2000, 36))
    np.testing.assert_allclose(satimage.X.mean(axis=0), 0.0, atol=1e-12)
    words = word_rows("reuters-3", 100)
    assert words.X.getnnz(axis=0).min() >= 3
    assert set(words.X.data) == {1.0}
    assert words.X_count.shape[1] == words.n_columns


@pytest.mark.parametrize(("name", "shape"), [("colon", "62 x 2000"), ("srbct", "83 x 2308")])
def test_all_rows_of_a_table_are_standardised(shared_data, monkeypatch, name, shape):
    monkeypatch.setattr("_elimination_data.DATA", shared_data)
    load = partial(importlib.import_module("_elimination_data").all_rows, name)
    rows = load()
    assert rows.shape == shape
    np.testing.assert_allclose(rows.X.std(axis=0), 1.0)
