import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop._core._formulas import without_formulas, without_guard


def guarded(text):
    return without_formulas(pl.DataFrame({"x": [text]}))["x"][0]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "=cmd|' /C calc'!A0", "+SUM(A1)", "@import", "-cmd", "-1+1", "\tx", "\rx", "\nx", "＝1", "=é"],
)
def test_a_formula_begins_with_an_apostrophe(text):
    assert guarded(text) == "'" + text


@pytest.mark.parametrize(
    "text", ["", "a=b", "-1.5", "+3", "-1e5", "-,5", "+", "-", "=", "@", "'tis", " =1", "1-2", None]
)
def test_numbers_single_signs_and_other_texts_are_left_alone(text):
    assert guarded(text) == text


def test_names_are_guarded_and_numbers_stay_numbers():
    frame = pl.DataFrame({"=A1": [-1.5, 2.0], "ok": [True, False], "@x": ["-", "-a"]})
    safe = without_formulas(frame)
    assert safe.columns == ["'=A1", "ok", "'@x"]
    assert safe.dtypes == frame.dtypes
    assert safe["'=A1"].to_list() == [-1.5, 2.0]


@given(st.lists(st.text(alphabet="'=+-@\t\n\r1a.e,＝", max_size=5)))
def test_the_guard_comes_off_again(texts):
    column = pl.Series("x", texts, dtype=pl.String)
    assert without_guard(without_formulas(column.to_frame())["x"]).to_list() == texts
