"""Everything that is wrong in a table is found, and nothing in one that is clean."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoprop.datasets import DelimitedText, load_table
from infoprop.exceptions import DataError
from infoprop.workflow import TableCheck, check_table

N_ROWS = 40
SPOILT = {
    "identifier": [f"A-{number}" for number in range(N_ROWS)],
    "constant": ["EUR"] * N_ROWS,
    "empty": [""] * N_ROWS,
    "date": [f"2020-03-{1 + number % 28:02d}" for number in range(N_ROWS)],
    "number as text": [f"€ {1000 + 37 * (number % 30):,}.50" for number in range(N_ROWS)],
    "mixed": [str(number % 25 + 0.5) for number in range(N_ROWS - 1)] + ["oops"],
    "spelling": ["south", "South", "north", "west", "east"] * (N_ROWS // 5),
    "missing": ["", *(str(number % 7) for number in range(N_ROWS - 1))],
    "leak": ["x" if number % 4 else "y" for number in range(N_ROWS)],
    "text": [f"the {number} quick brown foxes jump over" for number in range(N_ROWS)],
    "infinite": ["inf", *(str(number % 7 + 0.5) for number in range(N_ROWS - 1))],
}
LABELS = ["good" if number % 4 else "bad" for number in range(N_ROWS)]
NOISE = [str(value) for value in np.random.default_rng(0).normal(size=N_ROWS).round(3)]


def written(path: Path, columns: dict[str, list[str]]) -> Path:
    rows = [
        [f'"{cell}"' if "," in cell else cell for cell in row] for row in zip(*columns.values(), strict=True)
    ]
    path.write_text("\n".join(",".join(row) for row in [list(columns), *rows]) + "\n")
    return path


def kinds(check: TableCheck) -> dict[str, tuple[str, ...]]:
    return {finding.kind: finding.columns for finding in check.findings}


@pytest.mark.parametrize("kind", SPOILT)
def test_each_fault_is_found_in_its_column(tmp_path: Path, kind: str) -> None:
    columns = {"noise": NOISE, "column": SPOILT[kind], "class": LABELS}
    found = kinds(check_table(written(tmp_path / "t.csv", columns)))
    assert found == {kind: ("column",)}


def test_all_faults_are_found_at_once_and_the_command_goes_on(tmp_path: Path) -> None:
    columns = {"noise": NOISE, **SPOILT, "class": LABELS}
    check = check_table(written(tmp_path / "t.csv", columns))
    assert set(SPOILT) <= set(kinds(check))
    assert check.has_errors
    assert check.identifiers == ("identifier",)
    settings = dict(check.settings)
    assert settings.pop("impute") == ("median",)
    assert settings.pop("identifier") == ("identifier",)
    table = load_table(tmp_path / "t.csv", identifier="identifier", **settings)
    assert {"noise", "number as text", "mixed", "date.day"} <= set(table.feature_names)
    assert not {"constant", "empty", "leak", "infinite"} & set(table.feature_names)


def test_mixed_cells_are_named_with_their_rows(tmp_path: Path) -> None:
    check = check_table(written(tmp_path / "t.csv", {"x": SPOILT["mixed"], "class": LABELS}))
    assert check.findings[0].rows == (N_ROWS,)
    assert check.findings[0].seen == "numbers, but 1 cells hold text, such as 'oops'"


def test_the_example_data_of_scikit_learn_are_clean() -> None:
    from sklearn.datasets import load_breast_cancer

    frame = load_breast_cancer(as_frame=True).frame
    assert check_table(frame, "target").findings == ()


@pytest.mark.parametrize("n_rows", [4, 300])
def test_text_that_names_rows_is_an_identifier_at_any_number_of_rows(n_rows: int) -> None:
    frame = pl.DataFrame({"who": [f"P{k}" for k in range(n_rows)], "class": ["a", "b"] * (n_rows // 2)})
    assert check_table(frame).identifiers == ("who",)


@pytest.mark.parametrize(
    ("name", "numbers", "is_identifier"),
    [
        ("row", np.arange(50), True),
        ("row", np.random.default_rng(0).permutation(50) + 1000, True),
        ("stamp", np.cumsum(np.random.default_rng(0).integers(1, 900, 50)), True),
        ("customer_id", np.random.default_rng(0).choice(10**6, 50, replace=False), True),
        ("price", np.random.default_rng(0).choice(10**6, 50, replace=False), False),
        ("grid", np.random.default_rng(0).normal(size=50), False),
        ("age", np.random.default_rng(0).integers(18, 90, 50), False),
    ],
)
def test_numbers_that_name_rows_are_identifiers(name: str, numbers: np.ndarray, is_identifier: bool) -> None:
    check = check_table(pd.DataFrame({name: numbers, "class": ["a", "b"] * 25}))
    assert ("identifier" in kinds(check)) == is_identifier


def test_short_tables_of_names_are_left_alone() -> None:
    frame = pl.DataFrame({"colour": ["red", "green"], "class": ["a", "b"]})
    assert check_table(frame).identifiers == ()


def test_numbers_that_give_the_class_away_are_found_and_good_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.05
    frame = pd.DataFrame(
        {
            "leak": y + 0.001 * rng.normal(size=400),
            "only_missing": np.where(y, 1.5 + rng.normal(size=400), np.nan),
            "good": 2.0 * y + rng.normal(size=400),
            "class": np.where(y, "yes", "no"),
        }
    )
    leaks = [finding.columns for finding in check_table(frame).findings if finding.kind == "leak"]
    assert sorted(leaks) == [("leak",), ("only_missing",)]


def test_copies_and_contradictions_are_found() -> None:
    frame = pl.DataFrame({"x": [1.5, 2.5, 1.5, 2.5, 3.5], "class": ["a", "b", "a", "c", "b"]})
    found = {finding.kind: finding.rows for finding in check_table(frame).findings}
    assert found["duplicate rows"] == (3,)
    assert found["contradiction"] == (2, 4)


@pytest.mark.parametrize(
    ("labels", "kind", "severity"),
    [
        (["a"] * 50, "class", "error"),
        ([str(k) for k in range(50)], "class", "error"),
        (["a"] * 47 + ["b"] * 3, "small class", "warning"),
        (["a"] * 190 + ["b"] * 10, "imbalance", "warning"),
        (["a", None] * 20 + ["b"] * 20, "unlabelled", "error"),
    ],
)
def test_classes_are_looked_at(labels: list[str | None], kind: str, severity: str) -> None:
    frame = pl.DataFrame({"x": np.random.default_rng(0).normal(size=len(labels)), "class": labels})
    found = check_table(frame).findings
    assert [(finding.kind, finding.severity) for finding in found] == [(kind, severity)]


def test_repeated_and_absent_names_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",x,x,class\nr1,1.5,2.5,a\nr2,3.5,4.5,b\n")
    assert [finding.kind for finding in check_table(path).findings] == ["small class", "name", "name"]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="takes a path, a Table, or a data frame"):
        check_table([1, 2])
    with pytest.raises(DataError, match="no column 'y'"):
        check_table(pl.DataFrame({"x": [1]}), target="y")


def test_a_check_is_a_frame_and_json() -> None:
    check = check_table(pl.DataFrame({"x": [1.5, 1.5], "class": ["a", "b"]}))
    assert check.to_frame("polars")["kind"].to_list() == ["small class", "constant", "contradiction"]
    assert (
        json.loads(json.dumps(check.to_dict()))["command"] == "infoprop credit table --target class --drop x"
    )


def test_many_warnings_are_told_briefly() -> None:
    frame = pl.DataFrame({f"x{k}": ["1 %", "2 %"] for k in range(8)} | {"class": ["a", "b"]})
    lines = check_table(frame).brief()
    assert len(lines) == 5
    assert lines[-1] == "and 4 more warnings"


def test_cells_that_are_neither_numbers_nor_text_are_named(tmp_path: Path) -> None:
    lists = [[number % 3, 1] for number in range(N_ROWS)]
    frame = pl.DataFrame({"noise": [float(cell) for cell in NOISE], "lists": lists, "class": LABELS})
    path = tmp_path / "lists.parquet"
    frame.write_parquet(path)
    findings = {finding.kind: finding for finding in check_table(path).findings}
    assert findings["unreadable"].columns == ("lists",)
    assert findings["unreadable"].severity == "error"
    with pytest.raises(DataError, match=r"'lists' of .* holds List.* cannot be labels"):
        check_table(path, target="lists")


def test_commas_that_may_mean_two_things_are_told_with_what_settles_them(tmp_path):
    path = tmp_path / "mixed.csv"
    lines = [f'"{k + 1},{500 + k}","0,{k:02d}",€ {k}.5,{"ab"[k % 2]}' for k in range(30)]
    path.write_text("\n".join(["income,part,price,class", *lines]))
    check = check_table(path)
    finding = next(finding for finding in check.findings if finding.kind == "commas")
    assert finding.columns == ("income",)
    assert finding.severity == "error"
    assert check.settings["thousands"] == (",",)
    with pytest.raises(DataError, match=r"'income' .* two ways; say which one by 'thousands' or 'decimal'"):
        load_table(path, numeric=["price"])
    style = DelimitedText(thousands=",")
    table = load_table(path, numeric=["price"], format=style)
    assert table.frame["income"][0] == 1500.0
    assert table.frame["part"][1] == 0.01
    assert not any(finding.kind == "commas" for finding in check_table(path, format=style).findings)


def test_a_rare_class_is_met_by_weights():
    frame = pl.DataFrame({"x": np.arange(400.0) ** 2, "class": ["a"] * 390 + ["b"] * 10})
    check = check_table(frame)
    assert check.command.endswith("--class-weight balanced")
    assert any("--class-weight balanced" in line for line in check.brief())
