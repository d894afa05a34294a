"""Dates and times become numbers."""

from datetime import date

import polars as pl
import pytest

from infoprop.datasets import load_table
from infoprop.datasets._dates import read_dates
from infoprop.exceptions import DataError


@pytest.mark.parametrize(
    ("cells", "day", "hour"),
    [
        (["2020-03-04"], date(2020, 3, 4), None),
        (["2020-03-04T12:30:00Z"], date(2020, 3, 4), 12.5),
        (["2020-03-04 06:15"], date(2020, 3, 4), 6.25),
        (["4.3.2020"], date(2020, 3, 4), None),
        (["04/03/2020"], date(2020, 3, 4), None),
        (["03/04/2020", "12/31/2020"], date(2020, 3, 4), None),
        (["04/03/20", "31/03/20"], date(2020, 3, 4), None),
        (["4 Mar 2020"], date(2020, 3, 4), None),
        (["March 4, 2020"], date(2020, 3, 4), None),
        (["7:30"], None, 7.5),
    ],
)
def test_dates_are_read_in_many_ways(cells: list[str], day: date | None, hour: float | None) -> None:
    dates = read_dates(pl.Series("when", cells))
    assert dates is not None
    assert dates.n_read == len(cells)
    assert (dates.day[0], dates.hour[0]) == (day, hour)


@pytest.mark.parametrize("cells", [["1.5", "2.5"], ["1.2.3"], ["north"], ["12345"], [None], ["0043-12-1"]])
def test_other_cells_are_no_dates(cells: list[str | None]) -> None:
    dates = read_dates(pl.Series("when", cells, dtype=pl.String))
    assert dates is None or not dates.n_read


def test_parts_that_vary_become_columns(write) -> None:
    path = write("t.csv", "when,x,class\n2020-03-04,1,a\n2020-04-05,2,b\n2020-04-05 12:00,3,b\nsoon,4,a\n")
    table = load_table(path, dates=["when"])
    assert table.feature_names == ("when.month", "when.day", "when.weekday", "when.days", "x")
    assert table.frame["when.weekday"].to_list() == [3.0, 7.0, 7.0, None]
    assert table.frame["when.days"].to_list() == [18325.0, 18357.0, 18357.5, None]
    assert table.notes == ("1 cells of column 'when' are not dates: missing",)


def test_a_later_table_has_the_same_parts(write) -> None:
    learned = load_table(
        write("t.csv", "when,class\n2020-03-04,a\n2020-04-04,b\n"), target="class", dates=["when"]
    )
    later = load_table(write("u.csv", "when\n2021-01-31\n"), target="class", like=learned.columns)
    assert later.frame.row(0, named=True) == {"when.month": 1.0, "when.weekday": 7.0, "when.days": 18658.0}


def test_typed_dates_have_parts_too(tmp_path) -> None:
    frame = pl.DataFrame({"when": [date(2020, 3, 4), date(2021, 3, 4)], "class": ["a", "b"]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert load_table(tmp_path / "t.parquet", dates=["when"]).feature_names == (
        "when.year",
        "when.weekday",
        "when.days",
    )


def test_what_holds_no_dates_is_refused(write) -> None:
    with pytest.raises(DataError, match=r"Column 'x' of .* holds no dates or times \(such as 'red'\)"):
        load_table(write("t.csv", "x,class\nred,a\nblue,b\n"), dates=["x"])


def test_a_day_that_could_be_a_month_is_told(write) -> None:
    table = load_table(write("t.csv", "when,class\n03/04/2020,a\n05/04/2020,b\n"), dates=["when"])
    assert table.notes == ("column 'when' is read with the day before the month (03/04/2020)",)
