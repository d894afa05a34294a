"""Columns that are other than they look, told by options."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def messy(tmp_path):
    """A table with an identifier, a date, a price and a percentage."""
    rng = np.random.default_rng(0)
    lines = ["who,when,price,share,x,class"]
    for number in range(60):
        label = number % 3 == 0
        price = f'"€ {1000 + 700 * label + rng.integers(300):,}"'
        lines.append(
            f"C-{number:03d},2020-{1 + number % 12:02d}-03,{price},{rng.integers(50)} %,"
            f"{rng.normal() + 2 * label:.3f},{'yes' if label else 'no'}"
        )
    path = tmp_path / "messy.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def told(outcome):
    return json.loads(outcome.out)


def test_an_identifier_is_left_out_and_that_is_said(run, messy) -> None:
    outcome = run("credit", messy, "--drop", "when", "--null", "0", "--json")
    assert "note: column 'who' is left out: it identifies rows" in outcome.err
    assert "note: price: numbers written as text, such as '€ " in outcome.err
    assert "note: infoprop check messy.csv lists everything" in outcome.err
    assert "who" not in told(outcome)["features"]["name"]


def test_an_identifier_is_carried_to_predictions(run, messy, tmp_path) -> None:
    columns = ("--numeric", "price,share", "--date", "when")
    model, answers = tmp_path / "m.skops", tmp_path / "p.csv"
    outcome = run("credit", messy, "--id", "who", *columns, "--null", "0", "--json")
    assert outcome.code == 0
    names = set(told(outcome)["features"]["name"])
    assert {"price", "share", "when.month", "when.days", "x"} <= names
    assert run("classify", messy, "--id", "who", *columns, "--model", model).code == 0
    assert run("predict", model, messy, "--id", "who", "--output", answers).code == 0
    frame = pl.read_csv(answers)
    assert frame.columns[:2] == ["row", "who"]
    assert frame["who"][0] == "C-000"


def test_genes_in_rows_with_labels_apart(run, tmp_path) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    samples = [f"s{number}" for number in range(40)]
    genes = {"G1": y + 0.1 * rng.normal(size=40), "G2": rng.normal(size=40)}
    lines = ["\t".join(["gene", *samples])]
    lines += ["\t".join([name, *(f"{cell:.3f}" for cell in cells)]) for name, cells in genes.items()]
    path, labels = tmp_path / "g.tsv", tmp_path / "l.csv"
    path.write_text("\n".join(lines) + "\n")
    labels.write_text("sample,kind\n" + "".join(f"{s},{'ab'[k]}\n" for s, k in zip(samples, y, strict=True)))
    outcome = run("credit", path, "--transpose", "--labels", labels, "--null", "0", "--json")
    assert outcome.code == 0
    assert told(outcome)["features"]["name"][0] == "G1"
