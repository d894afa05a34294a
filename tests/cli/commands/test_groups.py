"""--row-groups and --groups in every command."""

import json
import re

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    lines = ["subject,size,weight,noise,kind"]
    for row in range(90):
        label = row % 2
        cells = (f"s{row // 3}", label + random.normal(0, 0.7), label + random.normal(), random.normal())
        lines.append(",".join([cells[0], *(f"{cell:.3f}" for cell in cells[1:]), "ab"[label]]))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["credit", "--null", 0],
        ["select", "-k", 1, "--null", 0],
        ["classify", "--validation", 3],
        ["compare", "--methods", "anova-f", "--sizes", 1, "--folds", 3, "--inner-folds", 0],
        ["shape"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_keeps_row_groups_together(run, table, words):
    command, *more = words
    grouped = run(command, table, "--row-groups", "subject", "--json", *more)
    dropped = run(command, table, "--drop", "subject", "--json", *more)
    assert grouped.code == dropped.code == 0
    assert grouped.out != dropped.out
    assert "subject" not in json.dumps(json.loads(grouped.out).get("features", []))


def test_row_groups_that_are_not_there_are_refused(refused, table):
    assert "donor" in refused("credit", table, "--row-groups", "donor")


def test_feature_groups_come_from_a_file(run, refused, table, write, tmp_path):
    path, model = tmp_path / "groups.csv", tmp_path / "m.skops"
    path.write_text("feature,group\nsize,body\nweight,body\n")
    done = run("select", table, "--drop", "subject", "--groups", path, "-k", 1, "--json", "--model", model)
    assert json.loads(done.out)["features"]["name"] == ["body", "noise"]
    few = tmp_path / "few.csv"
    pl.read_csv(table).select("size", "weight").write_csv(few)
    told = [json.loads(run("predict", model, rows, "--json").out)["predicted"] for rows in (few, table)]
    assert told[0] == told[1]
    assert "has none of the columns" in refused("predict", model, write("else.csv", "noise\n1\n"))
    for text, told in (
        ("a,b\n", "the first line of .* must be feature,group"),
        ("feature,group\nsize\n", "line 2 of .* has 1 cells instead of two"),
        ("feature,group\nsize,\n", "lists no group"),
        ("feature,group\nlength,body\n", "--groups names 'length', and there is no such feature"),
    ):
        path.write_text(text)
        assert re.search(told, refused("credit", table, "--groups", path))
    assert "cannot be read" in refused("credit", table, "--groups", tmp_path / "absent.csv")
