"""One door to all formats."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._optional import require
from infoprop.datasets._arff import read_arff
from infoprop.datasets._delimited import DelimitedText, read_delimited
from infoprop.datasets._excel import read_excel
from infoprop.datasets._h5ad import is_anndata, read_h5ad, table_of_anndata
from infoprop.datasets._labels import NO_TARGET, with_labels
from infoprop.datasets._parquet import read_parquet
from infoprop.datasets._request import Request, check_names, check_request
from infoprop.datasets._source import FORMATS, check_path, names_h5ad, read_source, source_name
from infoprop.datasets._sparse import read_svmlight, read_word_counts

if TYPE_CHECKING:
    from infoprop.datasets._table import Table

_NEEDED = {"svmlight": (), "npz": (), "excel": ("fastexcel", "polars")}
"""Packages that read a format; all others are read by polars alone."""


def load_table(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    *,
    format: str | DelimitedText | None = None,
    split: str | None = None,
    nominal: Collection[str] = (),
    text: Collection[str] = (),
    numeric: Collection[str] = (),
    dates: Collection[str] = (),
    drop: Collection[str] = (),
    identifier: str | None = None,
    row_groups: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    sheet: str | None = None,
    layer: str | None = None,
    like: Mapping[str, str] | None = None,
) -> Table:
    """Read a table of labelled examples.

    Formats, told by the end of the file's name (which may be followed by .gz, .bz2, .xz, .zip or, from
    Python 3.14 on, .zst):

    - "csv" (.csv, .txt, .data) and "tsv" (.tsv, .tab): delimited text with a header; the delimiter is
      looked for. An apostrophe before what a spreadsheet would run as a formula ("'=1+1") is taken off;
    - "parquet" (.parquet, .pq);
    - "arff" (.arff): dense and sparse, with numeric, nominal and string attributes;
    - "svmlight" (.svm, .svmlight, .libsvm): one label a row, ``index:value`` pairs. Features are named
      ``x`` and their index in the file, at most 2,147,483,647; indices that never occur are no columns;
    - "excel" (.xlsx, .xls, .ods): one sheet of a spreadsheet, whose first row holds the names. Needs
      fastexcel (``pip install 'infoprop[excel]'``);
    - "h5ad": AnnData, cells × genes, whose labels are a column of `obs`. X or a `layer` is read, as it is
      stored, and stays sparse; nothing else is. The names of the cells identify the rows. Needs anndata
      (``pip install 'infoprop[omics]'``);
    - "npz": word counts in the arrays data, indices, indptr, shape (CSR), y (numbers into classes),
      classes, vocabulary, and perhaps split (parts of the rows). Nothing pickled is ever opened.

    What becomes of a column:

    - numbers become float64, true and false become 1 and 0;
    - decimal commas and thousands separators (``1,5``, ``1,234``, ``1.234,5``, ``1 234``, ``1'234``) are
      read as numbers if all cells of the column are. One convention holds for the whole file: that of the
      columns that leave no doubt; without one, a comma is a decimal comma where semicolons separate the
      cells, and separates thousands elsewhere. `Table.notes` says what was decided;
    - text is nominal, however many values it has (`Table.cardinality` tells running text from names);
    - text cells in a column of numbers are refused; names that look like numbers (2, 3, 4, 5more) are
      nominal, and any column becomes nominal by being listed in `nominal`;
    - dates and times are refused, for as names they would say nothing of a later day; list the column
      in `dates` to have their parts as numbers, or in `nominal` to have them as names;
    - a first column without a name, as R and pandas write, holds the names of the rows;
    - of columns with equal names, the second gets ".2" behind its name;
    - an empty cell or ``?`` is missing, in delimited text also NA, NaN and the like among numbers.

    Parameters
    ----------
    path : str, path-like or AnnData
        The file, or an AnnData object that takes the place of one. "-" is standard input, which holds CSV
        unless its first bytes or `format` say otherwise.
    target : str, int or None, default=None
        Name or number (from 0; negative from the end) of the label column. None: the column "class" if
        there is one, else the last. Of no use in svmlight and npz files, which know their labels.
    format : str, DelimitedText or None, default=None
        One of the names above, or how the delimited text is written; None goes by the file's name.
    split : str or None, default=None
        Name of the column that tells which part a row belongs to ("train", "test"). It then is not a feature.
    nominal : collection of str, default=()
        Columns to be read as names though they may look like numbers or dates.
    text : collection of str, default=()
        Columns of running text. They stay as they are, with kind "text"; counting their words is the
        business of, say, scikit-learn's ``CountVectorizer``.
    numeric : collection of str, default=()
        Columns to be read as numbers whatever they look like. Currencies, percent signs and units
        (``€ 446.51``, ``12 %``, ``3 kg``) are taken off; cells that still are not numbers count as missing.
    dates : collection of str, default=()
        Columns of dates and times. Each becomes those of its parts that vary: ``when.year``, ``when.month``,
        ``when.day``, ``when.weekday`` (1 is Monday), ``when.hour`` and ``when.days`` (since 1970-01-01).
    drop : collection of str, default=()
        Columns to be left out.
    identifier : str or None, default=None
        Column that identifies the rows. It is carried along as `Table.identifiers`, and is not a feature.
        None: a first column without a name, if there is one.
    row_groups : str or None, default=None
        Column that says which rows belong together (subjects, donors), so that no split has some of them on
        either side. It becomes `Table.row_groups`, and is not a feature.
    labels : path-like or None, default=None
        A second file with the labels, for a table without. With `identifiers` in the table it is looked up
        by the first column of that file; otherwise the rows follow each other in the same order. Its target
        is found as that of a table.
    sheet : str or None, default=None
        Name of the sheet of a spreadsheet; None reads the first.
    layer : str or None, default=None
        Layer of an .h5ad file or AnnData object; None reads X.
    like : dict of str to {"numeric", "nominal", "text"} or None, default=None
        The `columns` of an earlier table that this one continues, say with rows to be predicted. Columns
        that were nominal or text are so again, and the target, which then has to be given by name, need
        not be there.

    Returns
    -------
    Table
        Features, labels, and the kind of every column.

    Raises
    ------
    ParameterError
        If a parameter has a value it cannot have, or names a column that is not there.
    DataError
        If there is no such file or it does not hold a usable table; the message says what and where.
    MissingDependencyError
        If polars is not installed, which reads all formats but "svmlight" and "npz"
        (``pip install 'infoprop[cli]'``), or fastexcel for spreadsheets.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from infoprop.datasets import load_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight;colour;kind\\n1,5;red;apple\\n2,25;green;pear\\n")
    >>> load_table(path, target="kind").frame.row(1)
    (2.25, 'green')
    """
    told = _told(locals())
    if not isinstance(format, DelimitedText):
        check_choice("format", format, (*FORMATS, None), "load_table")
    style = format if isinstance(format, DelimitedText) else DelimitedText()
    given = "csv" if isinstance(format, DelimitedText) else format
    columns: dict[str, Any] = {
        name: check_names(name, value)
        for name, value in (
            ("nominal", nominal),
            ("drop", drop),
            ("text", text),
            ("numeric", numeric),
            ("dates", dates),
        )
    }
    request = Request(
        "", "", target, split, **columns, like=like, identifier=identifier, row_groups=row_groups
    )
    check_request(request)
    if labels is not None:
        bare = replace(request, target=NO_TARGET, like={})
        table = with_labels(_read(path, bare, given, style, sheet, layer), labels, target)
    else:
        table = _read(path, request, given, style, sheet, layer)
    return replace(table, arguments=told)


def _told(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the defaults of `load_table`, which are None or empty."""
    return {
        name: value
        for name, value in arguments.items()
        # An array of names has no truth value of its own.
        if name == "path" or not (value is None or (hasattr(value, "__len__") and len(value) == 0))
    }


def read_cells(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    *,
    format: str | DelimitedText | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a file as it is, to be looked at: a column of anything is accepted.

    Formats that declare what their columns hold give the table that :func:`load_table` gives. In others,
    `frame` has all columns, the target among them, and `y` is unknown.
    """
    style = format if isinstance(format, DelimitedText) else DelimitedText()
    given = "csv" if isinstance(format, DelimitedText) else format
    return _read(path, Request("", "", target, None, (), (), is_raw=True), given, style, sheet)


def _read(
    path: Any,
    request: Request,
    given: str | None,
    style: DelimitedText,
    sheet: str | None,
    layer: str | None = None,
) -> Table:
    if is_anndata(path):
        return table_of_anndata(path, layer, replace(request, source="AnnData", format="h5ad"))
    found = check_path(path)
    if names_h5ad(found, given):
        assert found is not None  # only a file has such a name
        require(("anndata", "polars"), "omics", f"Reading {source_name(found)}")
        return read_h5ad(found, layer, replace(request, source=source_name(found), format="h5ad"))
    if layer is not None:
        raise ParameterError(
            Parameter("layer", "The 'layer' parameter of load_table"), " goes with .h5ad files."
        )
    raw, named = read_source(found, given)
    if sheet is not None and named != "excel":
        raise ParameterError(
            Parameter("sheet", "The 'sheet' parameter of load_table"),
            f" goes with spreadsheets; {source_name(found)} is {named}.",
        )
    extra = "excel" if named == "excel" else "cli"
    require(_NEEDED.get(named, ("polars",)), extra, f"Reading {source_name(found)}")
    request = replace(request, source=source_name(found), format=named)
    if named in ("csv", "tsv"):
        return read_delimited(raw, style, request)
    if named == "excel":
        return read_excel(raw, sheet, request)
    readers = {
        "parquet": read_parquet,
        "arff": read_arff,
        "svmlight": read_svmlight,
        "npz": read_word_counts,
    }
    return readers[named](raw, request)
