import numpy as np
import pytest
from rich.console import Console

from infoprop.cli._display._feature_table import feature_frame, feature_table
from infoprop.metrics import InformationFlow
from infoprop.workflow._finding import Finding, Measure

FLOW = InformationFlow.from_confusion([[4, 1], [0, 5]])


def finding(**more):
    return Finding(FLOW, ("a", "[b]", "c"), **more)


def test_chosen_features_come_first_then_by_place_then_by_measure():
    selected = np.array([False, True, True])
    measure = Measure("best with it", np.array([0.9, 0.5, 0.7]))
    assert finding(selected=selected, measure=measure).order.tolist() == [2, 1, 0]
    places = np.array([2, 1, 1])
    assert finding(selected=selected, places=places, measure=measure).order.tolist() == [2, 1, 0]
    assert finding(places=np.array([3, 1, 2])).order.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (Measure("best with it", np.array([0.905, np.nan, 0.5])), ["90.5%", "", "50.0%"]),
        (Measure("pairs", np.array([3.0, 0.0, 1.0]), is_count=True), ["3", "0", "1"]),
    ],
)
def test_table_tells_what_the_search_knows(measure, expected):
    table = feature_table(finding(selected=np.array([True, False, True]), measure=measure), [0, 1, 2], 80)
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    lines = capture.get().splitlines()[3:6]
    for line, name, value in zip(lines, ["a", "[b]", "c"], expected, strict=True):
        assert name in line
        assert value in line
    assert ["yes" in line for line in lines] == [True, False, True]


def test_frame_has_what_is_known_best_first():
    measure = Measure("last generation", np.array([0.1, 0.2, 0.3]))
    frame = feature_frame(
        finding(selected=np.array([False, True, True]), places=np.array([2, 1, 1]), measure=measure)
    )
    assert frame.columns == ["feature", "selected", "place", "last_generation"]
    assert frame["feature"].to_list() == ["c", "[b]", "a"]
