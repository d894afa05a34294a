import pytest

from infoprop.report._plane import Plane, axes, axis_end, round_up, share_ends


def test_heights_run_from_the_ground_to_the_top():
    plane = Plane(0.0, 10.0, most=1.0, least=0.5)
    assert plane.down(0.5) - plane.down(1.0) == pytest.approx(206)
    assert plane.down(0.75) == pytest.approx((plane.down(0.5) + plane.down(1.0)) / 2)
    assert plane.down(0.1) == plane.down(0.5)


@pytest.mark.parametrize(
    ("values", "ends"),
    [([0.93, 0.97], (1.0, 0.9)), ([0.3, 0.3], (0.4, 0.2)), ([1.0], (1.0, 0.9)), ([0.0], (0.1, 0.0))],
)
def test_ends_of_an_axis_of_shares_are_round(values, ends):
    assert share_ends(values) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("value", "rounded"), [(0, 1), (0.3, 0.5), (1.0, 1), (1.01, 2), (2.2, 2.5), (70, 100)]
)
def test_numbers_are_rounded_up_to_round_ones(value, rounded):
    assert round_up(value) == pytest.approx(rounded)


@pytest.mark.parametrize(("value", "end"), [(0, 1), (1.23, 1.5), (0.42, 0.5), (2.0, 2), (0.61, 0.8), (9, 10)])
def test_axes_end_at_round_numbers(value, end):
    assert axis_end(value) == pytest.approx(end)


def test_shares_are_told_in_percent():
    drawn = axes(Plane(1.0, 5.0, most=1.0, least=0.9), "features", "right")
    assert [text in drawn for text in (">90%<", ">95%<", ">100%<")] == [True] * 3
