"""No command writes a CSV file that a spreadsheet would run, unless it is told to."""

import csv

import pytest

from infoprop.datasets import load_table

FORMULA = "=cmd|' /C calc'!A0"
LABELS = ("@u", "-v")
LEARNED = ("--classifier", "logistic", "--target", "+class", "--quiet")
COMMANDS = {
    "credit": LEARNED,
    "select": (*LEARNED, "-k", "1"),
    "classify": LEARNED,
    "shape": ("--target", "+class", "--quiet"),
}


@pytest.fixture
def data(write):
    """A table whose names and labels are formulas."""
    lines = [f'"{FORMULA}",b,+class']
    lines += [f"{k % 2 + k / 100:.2f},{-(k % 5)},{LABELS[k % 2]}" for k in range(40)]
    return write("t.csv", "\n".join(lines) + "\n")


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [cell for row in csv.reader(file) for cell in row]


def formulas(path):
    return {cell for cell in cells(path) if len(cell) > 1 and cell[0] in "=+@-" and not is_number(cell)}


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("command", COMMANDS)
def test_texts_of_a_table_are_no_formulas_unless_raw(run, data, tmp_path, command):
    safe, raw = tmp_path / "safe.csv", tmp_path / "raw.csv"
    assert run(command, data, *COMMANDS[command], "--output", safe).code == 0
    assert run(command, data, *COMMANDS[command], "--output", raw, "--raw-csv").code == 0
    assert formulas(safe) == set()
    assert formulas(raw)
    assert [cell.removeprefix("'") for cell in cells(safe)] == cells(raw)


def test_predictions_are_no_formulas_unless_raw(run, data, tmp_path):
    model, safe, raw = tmp_path / "m.skops", tmp_path / "safe.csv", tmp_path / "raw.csv"
    assert run("classify", data, *LEARNED, "--model", model).code == 0
    assert run("predict", model, data, "--output", safe).code == 0
    assert run("predict", model, data, "--output", raw, "--raw-csv").code == 0
    assert formulas(safe) == set()
    assert set(LABELS) <= formulas(raw)


def test_negative_numbers_stay_numbers_and_the_table_comes_back(run, data, tmp_path):
    safe = tmp_path / "safe.csv"
    assert run("shape", data, "--target", "+class", "--method", "bns", "--output", safe, "--quiet").code == 0
    table = load_table(safe, target="+class", drop=["split"])
    assert set(table.y.tolist()) == set(LABELS)
    assert table.feature_names == (FORMULA, "b")
    assert table.numeric == table.feature_names


def test_what_is_made_on_standard_output_is_as_it_was(run):
    assert run("datasets", "corral", "--quiet").out == run("datasets", "corral", "--quiet", "--raw-csv").out
