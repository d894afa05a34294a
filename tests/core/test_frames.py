import pandas as pd
import polars as pl
import pytest

from infoprop._core import _frames
from infoprop._core._frames import to_native_frame
from infoprop.exceptions import MissingDependencyError, ParameterError

DATA = {"size": [2, 1], "name": ["a", "b"]}


def test_the_frame_is_of_the_library_asked_for():
    assert isinstance(to_native_frame(DATA, "pandas", "owner"), pd.DataFrame)
    assert isinstance(to_native_frame(DATA, "polars", "owner"), pl.DataFrame)
    assert isinstance(to_native_frame(DATA, None, "owner"), pd.DataFrame)


def test_without_pandas_it_is_polars(monkeypatch):
    monkeypatch.setattr(_frames, "is_installed", lambda name: name == "polars")
    assert isinstance(to_native_frame(DATA, None, "owner"), pl.DataFrame)
    with pytest.raises(MissingDependencyError, match=r"^owner\(backend='pandas'\) needs pandas.*pandas\.$"):
        to_native_frame(DATA, "pandas", "owner")


def test_without_both_the_sentence_names_both(monkeypatch):
    monkeypatch.setattr(_frames, "is_installed", lambda name: False)
    with pytest.raises(MissingDependencyError, match=r"^owner\(\) needs pandas or polars"):
        to_native_frame(DATA, None, "owner")


def test_other_libraries_are_refused():
    with pytest.raises(ParameterError, match="'backend' parameter of owner"):
        to_native_frame(DATA, "duckdb", "owner")
