"""Texts in CSV files that a spreadsheet would run as a formula, made harmless and back again.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break is a formula to a spreadsheet, and a
formula can start programs. An apostrophe in front makes it a text (OWASP, "CSV injection"). Numbers are left
alone, and so is a single character, such as the classes ``+`` and ``-``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

# Apostrophes in front count as well, so that taking one off is exactly the way back.
_FORMULA = r"(?s)^'*[=+@\t\r\n＝＋－＠-]."
_NUMBER = r"^[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?$"


def without_formulas(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Return `frame` with an apostrophe before every text, and every name, that would be a formula.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"=A1": ["=1+1", "-cmd", "-", "+3", "tea"], "n": [-1.5, 2, 3, 4, 5]})
    >>> safe = without_formulas(frame)
    >>> safe.columns, safe["'=A1"].to_list()
    (["'=A1", 'n'], ["'=1+1", "'-cmd", '-', '+3', 'tea'])
    >>> without_guard(safe["'=A1"]).to_list()
    ['=1+1', '-cmd', '-', '+3', 'tea']
    """
    import polars as pl

    columns = [_guarded(each) if each.dtype == pl.String else each for each in frame.get_columns()]
    names = _guarded(pl.Series(frame.columns, dtype=pl.String)).to_list()
    return pl.DataFrame([column.alias(name) for name, column in zip(names, columns, strict=True)])


def _guarded(column: "pl.Series") -> "pl.Series":
    is_run = _is_formula(column)
    return column.str.replace("^", "'").zip_with(is_run, column) if is_run.any() else column


def without_guard(column: "pl.Series") -> "pl.Series":
    """Return texts as they were before :func:`without_formulas` put apostrophes before some."""
    is_apostrophe = column.str.starts_with("'").fill_null(False)
    if not is_apostrophe.any():
        return column
    rest = column.str.slice(1)
    return rest.zip_with(is_apostrophe & _is_formula(rest), column)


def _is_formula(column: "pl.Series") -> "pl.Series":
    return (column.str.contains(_FORMULA) & ~column.str.contains(_NUMBER)).fill_null(False)
