import pandas as pd
import polars as pl
import pytest

from infoprop._core._exceptions import MissingDependencyError, ParameterError
from infoprop.selection import _frames
from infoprop.selection._frames import to_native_frame

DATA = {"size": [2, 1], "name": ["a", "b"]}


def test_the_frame_is_of_the_library_asked_for():
    assert isinstance(to_native_frame(DATA, "pandas", "owner"), pd.DataFrame)
    assert isinstance(to_native_frame(DATA, "polars", "owner"), pl.DataFrame)
    assert isinstance(to_native_frame(DATA, None, "owner"), pd.DataFrame)


def test_without_pandas_it_is_polars(monkeypatch):
    monkeypatch.setattr(_frames, "find_spec", lambda name: name == "polars" or None)
    assert isinstance(to_native_frame(DATA, None, "owner"), pl.DataFrame)
    with pytest.raises(MissingDependencyError, match="pip install pandas"):
        to_native_frame(DATA, "pandas", "owner")


def test_other_libraries_are_refused():
    with pytest.raises(ParameterError, match="'backend' parameter of owner"):
        to_native_frame(DATA, "duckdb", "owner")
