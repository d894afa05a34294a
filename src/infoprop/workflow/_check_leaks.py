"""Single columns that give the class away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from infoprop.workflow._check_result import TableFinding

if TYPE_CHECKING:
    import polars as pl

    from infoprop._core._typing import BoolArray, FloatArray, IntArray

GIVEN_AWAY = 0.95
"""Share of what there is to know of the class that no honest column tells alone."""

_FEWEST_ROWS = 20
_MOST_ROWS = 5000
_BLOCK = 256
_N_FOLDS = 3


def leak_findings(frame: pl.DataFrame, labels: pl.Series) -> Iterator[TableFinding]:
    """Name the columns that alone tell nearly everything of the class."""
    is_known = labels.is_not_null().to_numpy()
    classes, codes = np.unique(labels.drop_nulls().to_numpy().astype(str), return_inverse=True)
    n_rows = len(codes)
    if n_rows < _FEWEST_ROWS or not 2 <= len(classes) <= n_rows // 4:
        return
    rows = np.flatnonzero(is_known)
    if n_rows > _MOST_ROWS:
        picked = np.linspace(0, n_rows - 1, _MOST_ROWS).astype(np.intp)
        rows, codes = rows[picked], codes[picked]
    frame = frame[rows.tolist()] if len(rows) < frame.height else frame
    n_classes = len(classes)
    columns = frame.get_columns()
    told = {
        column.name: _told_by_names(column, codes, n_classes)
        for column in columns
        if not column.dtype.is_numeric() or column.null_count()
    }
    numeric = [column for column in columns if column.dtype.is_numeric()]
    for start in range(0, len(numeric), _BLOCK):
        block = numeric[start : start + _BLOCK]
        X = np.column_stack([_numbers(column) for column in block])
        for k in np.flatnonzero(_may_tell(X, codes, n_classes)):
            name = block[k].name
            told[name] = max(told.get(name, 0.0), _told_by_numbers(X[:, k], codes, n_classes))
    for name, share in told.items():
        if share >= GIVEN_AWAY:
            yield TableFinding(
                "leak",
                (name,),
                "warning",
                f"tells {share:.0%} of what there is to know of the class, alone",
                "leave it out if it is only known once the class is",
                parameter="drop",
            )


def _numbers(column: pl.Series) -> FloatArray:
    import polars as pl

    numbers: FloatArray = column.cast(pl.Float64).fill_nan(None).fill_null(float("-inf")).to_numpy()
    return numbers


def _told_by_names(column: pl.Series, codes: IntArray, n_classes: int) -> float:
    """What the majority of rows of the same name tells; that a cell is missing is a name too."""
    import polars as pl

    is_missing = column.is_null().to_numpy().astype(np.intp)
    shares = [_told_by_others(is_missing, codes, n_classes)] if is_missing.any() else [0.0]
    if not column.dtype.is_numeric() and column.n_unique() <= len(column) // 2:
        kinds = column.cast(pl.String).fill_null("").to_physical()
        _, values = np.unique(kinds.to_numpy().astype(str), return_inverse=True)
        shares.append(_told_by_others(values, codes, n_classes))
    return max(shares)


def _told_by_others(values: IntArray, codes: IntArray, n_classes: int) -> float:
    # Without the row itself only, the majority of two equal classes would always be the other one.
    fold = np.random.default_rng(0).permutation(len(codes)) % _N_FOLDS
    counts = np.zeros((_N_FOLDS, int(values.max()) + 1, n_classes))
    np.add.at(counts, (fold, values, codes), 1.0)
    others = counts.sum(axis=0) - counts
    majority = int(np.bincount(codes).argmax())
    learned = np.where(others.sum(axis=2) > 0, others.argmax(axis=2), majority)
    return _share(codes, learned[fold, values])


def _may_tell(X: FloatArray, codes: IntArray, n_classes: int) -> BoolArray:
    """Which columns bring the classes into few runs, as a tree of few leaves would."""
    order = np.lexsort((np.broadcast_to(codes[:, np.newaxis], X.shape).T, X.T), axis=-1)
    changes = (np.diff(codes[order], axis=1) != 0).sum(axis=1)
    few: BoolArray = changes <= 2 * n_classes + 0.02 * len(codes)
    return few


def _told_by_numbers(x: FloatArray, codes: IntArray, n_classes: int) -> float:
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    if np.bincount(codes).min() < _N_FOLDS:
        return 0.0
    finite = np.where(np.isfinite(x), x, np.nanmin(x[np.isfinite(x)], initial=0.0) - 1.0)
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * n_classes, random_state=0)
    folds = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0)
    predicted = cross_val_predict(tree, finite[:, np.newaxis], codes, cv=folds)
    return _share(codes, predicted)


def _share(codes: IntArray, predicted: IntArray) -> float:
    """I(Y; predicted) / H(Y)."""
    from infoprop.metrics import relative_output_information

    return relative_output_information(codes, predicted)
