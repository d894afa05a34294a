import pytest

from infoprop.cli._display._credit_table import bar


@pytest.mark.parametrize(
    ("credit", "drawn"), [(1.0, "████"), (0.5, "██"), (0.125, "▌"), (0.0, ""), (0.97, "███▉"), (0.03, "▏")]
)
def test_bar_is_as_long_as_the_credit(credit, drawn):
    assert bar(credit, 1.0, 4) == drawn


def test_bar_of_nothing_is_empty():
    assert bar(0.0, 0.0, 10) == ""
