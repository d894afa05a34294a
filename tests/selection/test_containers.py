import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from infoprop.selection._containers import is_frame, take_columns, take_parameters, take_rows

X = np.arange(12.0).reshape(4, 3)
ROWS, COLUMNS = np.array([3, 0]), np.array([2, 0])


def numbers(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        sparse.csr_array,
        sparse.csr_matrix,
        lambda X: pd.DataFrame(X, columns=list("abc"), index=list("wxyz")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
    ],
)
def test_rows_and_columns_keep_their_container(container):
    data = container(X)
    rows, columns = take_rows(data, ROWS), take_columns(data, COLUMNS)
    assert type(rows) is type(columns) is type(data)
    np.testing.assert_array_equal(numbers(rows), X[ROWS])
    np.testing.assert_array_equal(numbers(columns), X[:, COLUMNS])
    assert take_rows(data, None) is data
    assert take_columns(data, None) is data
    if is_frame(data):
        assert list(columns.columns) == ["c", "a"]


def test_only_parameters_with_an_entry_per_row_are_cut():
    parameters = {
        "weights": [1, 2, 3, 4],
        "series": pd.Series([1, 2, 3, 4], index=list("wxyz")),
        "side": X,
        "frame": pd.DataFrame(X),
        "csr": sparse.csr_array(X),
        "word": "four",
        "number": 4,
        "short": [1, 2],
        "scalar": np.float64(2.0),
        "none": None,
        "options": {1: 1, 2: 2, 3: 3, 4: 4},
    }
    cut = take_parameters(parameters, ROWS, 4)
    assert cut["weights"].tolist() == cut["series"].tolist() == [4, 1]
    for name in ("side", "frame", "csr"):
        np.testing.assert_array_equal(numbers(cut[name]), X[ROWS])
    for name in ("word", "number", "short", "scalar", "none", "options"):
        assert cut[name] is parameters[name]
    assert take_parameters(parameters, None, 4) is parameters
