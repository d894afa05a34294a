import datetime
import io
from contextlib import suppress

import polars as pl
import pytest

from infoprop.datasets import load_table
from infoprop.exceptions import DataError


def parquet(**columns: object) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def test_types_follow_the_schema(write) -> None:
    raw = parquet(
        whole=pl.Series([1, None, 3], dtype=pl.Int8),
        real=pl.Series([1.5, float("nan"), 2.5], dtype=pl.Float32),
        exact=pl.Series(["1.25", "2.50", "3.75"]).cast(pl.Decimal(10, 2)),
        truth=[True, False, None],
        code=["1", "2", "?"],
        colour=pl.Series(["red", None, "red"], dtype=pl.Categorical),
        empty=pl.Series([None, None, None], dtype=pl.Null),
        label=["x", "y", "x"],
    )
    table = load_table(write("t.parquet", raw))
    assert table.numeric == ("whole", "real", "exact", "truth", "empty")
    assert table.nominal == ("code", "colour")
    assert table.frame["real"].to_list() == [1.5, None, 2.5]
    assert table.frame["exact"].to_list() == [1.25, 2.5, 3.75]
    assert table.frame["truth"].to_list() == [1.0, 0.0, None]
    assert table.frame["code"].to_list() == ["1", "2", "?"]
    assert table.missing == {"whole": 1, "real": 1, "truth": 1, "colour": 1, "empty": 3}
    assert table.cardinality == {"code": 3, "colour": 1}
    assert set(table.frame.dtypes) == {pl.Float64, pl.String}
    assert table.target == "label"


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([1, 2], "i"),
        ([0.5, 2.0], "f"),
        ([True, False], "b"),
        (["1", "2"], "U"),
        ([datetime.date(2020, 1, 1)] * 2, "U"),
    ],
)
def test_labels_keep_their_declared_type(write, labels: list[object], kind: str) -> None:
    assert load_table(write("t.pq", parquet(x=[1, 2], label=labels))).y.dtype.kind == kind


def test_listed_columns_become_nominal(write) -> None:
    raw = parquet(code=[3, 4], day=[datetime.date(2020, 1, 1), None], label=[0, 1])
    with pytest.raises(DataError, match=r"Column 'day' .* holds dates or times \(such as 2020-01-01\)"):
        load_table(write("t.parquet", raw))
    table = load_table(write("t.parquet", raw), nominal=["code", "day"])
    assert table.frame.rows() == [("3", "2020-01-01"), ("4", None)]


@pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"x", b"y"]])
def test_columns_that_are_no_cells_are_refused(write, values: list[object]) -> None:
    with pytest.raises(DataError, match=r"Column 'x' .* only numbers and text can be read"):
        load_table(write("t.parquet", parquet(x=values, label=[0, 1])))
    with pytest.raises(DataError, match=r"Column 'x' .* cannot be labels"):
        load_table(write("t.parquet", parquet(x=values, label=[0, 1])), "x")


def test_missing_and_infinite_cells_are_refused_where_they_must_be(write) -> None:
    inf = float("inf")
    with pytest.raises(DataError, match=r"Column 'x' .* infinite values, first in row 2"):
        load_table(write("t.parquet", parquet(x=[1.0, -inf], label=[0, 1])))
    with pytest.raises(DataError, match=r"target 'label' .* is missing in 1 of 2 rows, first in row 2"):
        load_table(write("t.parquet", parquet(x=[1.0, 2.0], label=[0.0, float("nan")])))
    with pytest.raises(DataError, match=r"Column 'label' .* infinite values, first in row 1"):
        load_table(write("t.parquet", parquet(x=[1.0, 2.0], label=[inf, 1.0])))
    with pytest.raises(DataError, match=r"target 'label' .* is missing in 2 of 2 rows"):
        load_table(write("t.parquet", parquet(x=[1.0, 2.0], label=pl.Series([None, None], dtype=pl.Null))))


def test_files_that_are_not_parquet_or_hold_nothing_are_refused(write) -> None:
    with pytest.raises(DataError, match="is not a Parquet file, or only part of one"):
        load_table(write("t.parquet", b"a,b\n1,2\n"))
    with pytest.raises(DataError, match="is not a readable Parquet file: "):
        load_table(write("t.parquet", b"PAR1 nothing at all PAR1"))
    with pytest.raises(DataError, match="has columns but no rows"):
        load_table(
            write("t.parquet", parquet(x=pl.Series([], dtype=pl.Int8), y=pl.Series([], dtype=pl.Int8)))
        )
    with pytest.raises(DataError, match="has no columns"):
        load_table(write("t.parquet", parquet()))


def test_rows_that_memory_cannot_hold_are_refused(tmp_path, small_memory) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0] * 4000, "class": ["u", "v"] * 2000}).write_parquet(path)
    small_memory(100_000)
    with pytest.raises(DataError, match=r"has 4,000 rows of 2 columns, which take more than 5e-05 GB"):
        load_table(path)


def test_damaged_bytes_are_refused_wherever_they_are(tmp_path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0, 2.0] * 20, "class": ["u", "v"] * 20}).write_parquet(path)
    raw = path.read_bytes()
    for place in range(4, len(raw) - 4, 11):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 0xFF]) + raw[place + 1 :])
        # Bytes that nobody looks at may be wrong; whatever else happens is said.
        with suppress(DataError):
            load_table(path)
