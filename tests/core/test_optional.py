import pytest

from infoprop._core import _optional
from infoprop._core._optional import is_installed, require
from infoprop.exceptions import MissingDependencyError


def test_a_package_that_is_there_is_found_and_another_is_not():
    assert is_installed("numpy")
    assert not is_installed("no_such_package")


def test_the_sentence_names_what_is_missing_and_how_to_get_it(monkeypatch):
    monkeypatch.setattr(_optional, "is_installed", lambda name: name == "numpy")
    with pytest.raises(MissingDependencyError) as one:
        require(["numpy", "polars"], "cli", "Reading data.csv")
    assert str(one.value) == (
        "Reading data.csv needs polars, which is not installed: pip install 'infoprop[cli]'."
    )
    with pytest.raises(MissingDependencyError, match="needs jinja2, polars and rich, which are not"):
        require(["jinja2", "polars", "rich"], "cli", "infoprop demo")
