"""What is learned from, out of a table, a data frame or arrays."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.datasets import Table, load_table
from infoprop.datasets._frames import table_of_frame
from infoprop.datasets._h5ad import is_anndata
from infoprop.selection._containers import is_frame
from infoprop.workflow._preparation import Coding, Problem, prepare


def problem_of(data: Any, target: Any, request: Any) -> tuple[Problem, Table | None]:
    """Return the problem, and the table that it comes from, if it does.

    `request` says how columns become numbers: `impute`, `min_df`, `ngrams` and `split`.
    """
    if isinstance(data, Table):
        if target is not None:
            raise ParameterError(
                "A Table knows its classes; leave out ", Parameter("target"), ", or give it to load_table."
            )
    elif target is None:
        raise ParameterError(
            "The classes are missing: give ",
            Parameter("target"),
            " as an array, or as a column of a data frame.",
        )
    elif is_anndata(data):
        data = load_table(data, target) if isinstance(target, str) else _labelled(data, target)
    elif is_frame(data):
        data = table_of_frame(data, target)
    else:
        return _problem_of_arrays(data, target, request), None
    return prepare(data, request.impute, request.min_df, request.ngrams, split=request.split), data


def _labelled(data: Any, y: Any) -> Table:
    """AnnData with labels that are none of its columns."""
    table = load_table(data, "class", like={})
    y = column_or_1d(y)
    check_consistent_length(table.y, y)
    return replace(table, y=y, target=str(getattr(y, "name", None) or "class"))


def _problem_of_arrays(X: Any, y: Any, request: Any) -> Problem:
    finite = True if request.impute is None else "allow-nan"
    X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    names = [f"x{number}" for number in range(X.shape[1])]
    coding = Coding(dict.fromkeys(names, "numeric"), {}, {}, request.impute, bool(sparse.issparse(X)))
    return Problem(X, y, tuple(names), "class", coding=coding)
