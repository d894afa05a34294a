"""What is learned from, out of a table, a data frame or arrays."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._training_rows import refuse_unusable
from infoprop._core._typing import LabelArray
from infoprop.datasets import Table, load_table
from infoprop.datasets._columns import row_groups_of
from infoprop.datasets._encoder import TableEncoder
from infoprop.datasets._frames import table_of_frame
from infoprop.datasets._h5ad import is_anndata
from infoprop.selection._containers import is_frame
from infoprop.workflow._preparation import Problem, prepare


def problem_of(data: Any, target: Any, request: Any) -> tuple[Problem, Table | None]:
    """Return the problem, and the table that it comes from, if it does.

    `request` says how columns become numbers (`impute`, `min_df`, `ngrams` and `split`), which columns are
    one feature (`groups`), and which rows belong together (`row_groups`).
    """
    problem, table = _ungrouped(data, target, request)
    return _with_groups(problem, getattr(request, "groups", None)), table


def _ungrouped(data: Any, target: Any, request: Any) -> tuple[Problem, Table | None]:
    row_groups = request.row_groups
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
    if row_groups is not None:
        data = _with_row_groups(data, row_groups)
    return prepare(data, request.impute, request.min_df, request.ngrams, split=request.split), data


def _labelled(data: Any, y: Any) -> Table:
    """AnnData with labels that are none of its columns."""
    table = load_table(data, "class", like={})
    y = column_or_1d(y)
    check_consistent_length(table.y, y)
    return replace(table, y=y, target=str(getattr(y, "name", None) or "class"))


def _with_row_groups(table: Table, row_groups: Any) -> Table:
    """Return the table with its row groups, which may be one of its columns."""
    if not isinstance(row_groups, str):
        return replace(table, row_groups=_checked_row_groups(row_groups, table.n_rows))
    if row_groups not in table.columns:
        raise ParameterError(
            Parameter("row_groups", "row_groups"),
            f" names {row_groups!r}, and {table.source} has no such column. If it is one that is not a "
            "feature, name it when the table is read: load_table(row_groups=...).",
        )
    if table.frame is not None:
        labels = row_groups_of(table.frame[row_groups], table.source)
    else:
        assert table.X is not None  # a table is dense or sparse
        labels = table.X[:, [list(table.columns).index(row_groups)]].toarray().ravel()
    return replace(table.without([row_groups]), row_groups=labels)


def _checked_row_groups(row_groups: Any, n_rows: int) -> LabelArray:
    labels = column_or_1d(row_groups)
    if len(labels) != n_rows:
        raise ParameterError(
            Parameter("row_groups", "row_groups"),
            f" must have a label for each of the {n_rows} rows. Got {len(labels)}.",
        )
    return np.asarray(labels)


def _with_groups(problem: Problem, groups: Any) -> Problem:
    """Return the problem with features that were named together as one."""
    if groups is None:
        return problem
    if not isinstance(groups, Mapping):
        raise ParameterError(
            Parameter("groups", "groups"), f" must map names of groups to features. Got {groups!r}."
        )
    features, group_of = set(problem.owners), dict[str, str]()
    for group, members in groups.items():
        for name in members:
            if name not in features:
                raise ParameterError(
                    Parameter("groups", "groups"), f" names {name!r}, and there is no such feature."
                )
            if group_of.setdefault(name, str(group)) != str(group):
                raise ParameterError(Parameter("groups", "groups"), f" has {name!r} in two groups.")
    taken = sorted(set(group_of.values()) & (features - set(group_of)))
    if taken:
        raise ParameterError(
            Parameter("groups", "groups"),
            f" has a group {taken[0]!r}, which is also a feature outside of it; rename the group.",
        )
    return replace(problem, owners=tuple(group_of.get(name, name) for name in problem.owners))


def _problem_of_arrays(X: Any, y: Any, request: Any) -> Problem:
    refuse_unusable(X, y)
    finite = True if request.impute is None else "allow-nan"
    X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=finite)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    names = [f"x{number}" for number in range(X.shape[1])]
    encoder = TableEncoder.from_parts(dict.fromkeys(names, "numeric"), {}, {}, bool(sparse.issparse(X)))
    row_groups = None
    if request.row_groups is not None:
        row_groups = _checked_row_groups(request.row_groups, X.shape[0])
    return Problem(X, y, tuple(names), "class", encoder=encoder, impute=request.impute, row_groups=row_groups)
