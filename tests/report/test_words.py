import pytest

from infoprop.report._words import bits, count, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.5849, "1.585"),
        (0.1, "0.100"),
        (0.0999, "0.100"),
        (0.01234, "0.012"),
        (0.0051, "0.0051"),
        (0.00051, "5.1e-04"),
    ],
)
def test_bits(value, text):
    assert bits(value) == text


def test_tiny_bits_are_written_with_an_exponent():
    assert bits(3.21e-7) == "3.2e-07"


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.0, "0%"), (1.0, "100%"), (0.5, "50.0%"), (0.9996, "100.0%"), (0.00012, "0.012%")]
)
def test_percent(ratio, text):
    assert percent(ratio) == text


@pytest.mark.parametrize(("value", "text"), [(12.0, "12"), (12345.0, "12,345"), (2.25, "2.25")])
def test_count(value, text):
    assert count(value) == text
