import numpy as np
import pytest
from rich.console import Console

from infoprop.cli._display._prediction_tables import confusion_table, predictions_frame, predictions_table
from infoprop.metrics import InformationFlow


def shown(table, width=200):
    console = Console(width=width, record=True, file=None, quiet=False, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_confusion_has_a_column_for_each_class_where_there_is_room():
    flow = InformationFlow.from_confusion([[4, 1], [0, 5]], labels=["[red]", "white"])
    lines = shown(confusion_table(flow, 80)).splitlines()
    assert lines[1].split() == ["true", "class", "[red]", "white", "right"]
    assert lines[3].split() == ["[red]", "4", "1", "80.0%"]
    assert lines[4].split() == ["white", ".", "5", "100.0%"]


@pytest.mark.parametrize("width", [40, 80])
def test_many_classes_are_told_by_their_worst_mistake(width):
    labels = [f"kind {number}" for number in range(20)]
    counts = np.eye(20) * 5
    counts[3, 7] = 2
    counts[4] = 0
    lines = shown(confusion_table(InformationFlow.from_confusion(counts, labels=labels), width)).splitlines()
    assert lines[1].split() == ["true", "class", "rows", "right", "most", "often", "mistaken", "for"]
    assert lines[6].split() == ["kind", "3", "7", "71.4%", "kind", "7", "(2)"]
    assert lines[7].split() == ["kind", "4", "0"]


def test_predictions_are_numbered_from_one_and_keep_their_types():
    rows, labels = np.array([0, 4]), np.array([3, 5])
    frame = predictions_frame(rows, labels, labels, labels, np.array([[0.25, 0.75], [1.0, 0.0]]))
    assert frame.columns == ["row", "true", "predicted", "probability_3", "probability_5"]
    assert frame.row(1) == (5, 5, 5, 1.0, 0.0)
    assert "0.250" in shown(predictions_table(frame))
    plain = predictions_frame(rows, np.array(["a", "b"]), None, np.array(["a", "b"]), None)
    assert plain.columns == ["row", "predicted"]
