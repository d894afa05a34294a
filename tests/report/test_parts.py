import pytest

from infoprop.report._parts import printable


@pytest.mark.parametrize(
    ("name", "text"),
    [("plain", "plain"), (3, "3"), ("tab\there", "tab�here"), ("", "(blank)"), ("two\nlines", "two�lines")],
)
def test_printable_text(name, text):
    assert printable(name) == text
