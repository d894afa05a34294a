import pytest

from infoprop._core._numbers import aligned, aligned_percent
from infoprop.cli._display._credit_table import bar


@pytest.mark.parametrize(
    ("value", "decimals", "written"),
    [
        (0.6, 4, "0.6000"),
        (4e-5, 4, "4e-05"),
        (-4e-5, 4, "-4e-05"),
        (6e-5, 4, "0.0001"),
        (0.0, 4, "0"),
        (1e-17, 3, "0"),
        (0.0004, 3, "0.0004"),
        (12.0, 3, "12.000"),
    ],
)
def test_no_number_is_cut_to_zeros(value, decimals, written):
    assert aligned(value, decimals) == written


def test_no_percentage_is_cut_to_zeros():
    assert [aligned_percent(ratio) for ratio in (0.5, 4e-4, 0.0)] == ["50.0%", "0.04%", "0%"]


@pytest.mark.parametrize(
    ("credit", "drawn"), [(1.0, "████"), (0.5, "██"), (0.125, "▌"), (0.0, ""), (0.97, "███▉"), (0.03, "▏")]
)
def test_bar_is_as_long_as_the_credit(credit, drawn):
    assert bar(credit, 1.0, 4) == drawn


def test_bar_of_nothing_is_empty():
    assert bar(0.0, 0.0, 10) == ""
