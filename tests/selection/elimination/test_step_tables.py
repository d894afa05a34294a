import pickle

import numpy as np
import pytest

from infoprop.metrics import InformationFlow
from infoprop.selection.elimination._step_tables import MEASURES, StepTables

RIGHT, WRONG = np.array([[5.0, 0.0], [0.0, 5.0]]), np.array([[4.0, 1.0], [2.0, 3.0]])


def step_tables(*counts, n_samples=10.0):
    return StepTables.from_counts(np.array(counts), n_samples)


def test_every_step_has_the_measures_of_its_table():
    tables = step_tables(WRONG, RIGHT, RIGHT, WRONG)
    flow = InformationFlow.from_confusion(WRONG)
    assert tables.of_step(3) == {
        "information": flow.information,
        "relative_information": flow.relative_information,
        "standard_error": flow.standard_error,
        "accuracy": flow.accuracy,
        "error_lower": flow.error_bounds.lower,
        "error_upper": flow.error_bounds.upper,
    }
    for name in MEASURES:
        assert tables.column(name).tolist() == [tables.of_step(step)[name] for step in range(4)]


def test_equal_tables_are_kept_and_measured_once_and_only_when_asked_for(monkeypatch):
    measured, plain = [], InformationFlow.from_counts
    monkeypatch.setattr(
        InformationFlow, "from_counts", lambda table: measured.append(table.counts.tolist()) or plain(table)
    )
    tables = step_tables(WRONG, RIGHT, RIGHT, WRONG, RIGHT)
    assert tables.tables.tolist() == [WRONG.tolist(), RIGHT.tolist()]
    assert tables.table_of_step.tolist() == [0, 1, 1, 0, 1]
    assert measured == []
    tables.of_step(4)
    assert measured == [RIGHT.tolist()]
    for name in MEASURES:
        tables.column(name)
    assert measured == [RIGHT.tolist(), WRONG.tolist()]


def test_effective_rows_count_for_the_standard_error():
    few, many = step_tables(WRONG, n_samples=5.0), step_tables(WRONG, n_samples=20.0)
    assert few.of_step(0)["standard_error"] == pytest.approx(2 * many.of_step(0)["standard_error"])
    assert few.of_step(0)["information"] == many.of_step(0)["information"]


def test_without_rows_nothing_is_measured():
    tables = step_tables(0 * RIGHT, 0 * RIGHT, n_samples=0.0)
    assert len(tables.tables) == 1
    assert np.isnan([tables.column(name) for name in MEASURES]).all()


def test_tables_are_values_that_travel():
    tables = step_tables(WRONG, RIGHT)
    tables.column("accuracy")
    assert pickle.loads(pickle.dumps(tables)) == tables
    assert step_tables(RIGHT, WRONG) != tables
