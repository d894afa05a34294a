"""Problems made, files described."""

import json

import polars as pl
import pytest

from infoprop.cli._data._generators import GENERATORS
from infoprop.datasets import load_table, make_corral


def test_without_an_argument_the_problems_are_listed(run):
    outcome = run("datasets")
    assert outcome.code == 0
    for name, generator in GENERATORS.items():
        assert f" {name} " in outcome.out
        assert generator.summary in outcome.out
    found = json.loads(run("datasets", "--json").out)["generators"]
    assert [each["name"] for each in found] == list(GENERATORS)


@pytest.mark.parametrize("name", GENERATORS)
def test_every_problem_is_made_and_can_be_read_again(run, name, tmp_path):
    path = tmp_path / "made.csv"
    outcome = run("datasets", name, "--rows", 60, "--output", path)
    assert outcome.code == 0
    assert outcome.out == ""
    assert f"{name}: 60 rows" in outcome.err
    assert "relevant: " in outcome.err
    table = load_table(path)
    assert (table.n_rows, table.target) == (60, "class")
    assert table.nominal == ()


def test_values_arrive_unchanged_and_follow_the_seed(run, tmp_path):
    outcome = run("datasets", "corral", "--rows", 30, "--seed", 3, "--quiet")
    data = make_corral(30, random_state=3)
    frame = pl.read_csv(outcome.out.encode())
    assert outcome.err == ""
    assert frame.columns == [*data.feature_names, "class"]
    assert frame.drop("class").to_numpy().tolist() == data.X.tolist()
    assert frame["class"].to_list() == data.y.tolist()
    assert run("datasets", "corral", "--rows", 30, "--seed", 4, "--quiet").out != outcome.out
    noise = run("datasets", "graded-noise", "--rows", 5, "--output", tmp_path / "noise.parquet")
    assert noise.code == 0
    assert pl.read_parquet(tmp_path / "noise.parquet").shape == (5, 21)


def test_what_was_made_is_told_to_machines(run):
    told = json.loads(run("datasets", "corral", "--rows", 8, "--json", "--quiet").out)
    assert told["relevant"] == ["A0", "A1", "B0", "B1"]
    assert (told["rows"], told["seed"], told["target"]) == (8, 0, "class")


def test_a_file_is_described(run, iris):
    outcome = run("datasets", iris)
    assert outcome.code == 0
    assert "iris.csv: 150 rows, 4 features (4 numeric), 3 classes" in outcome.out
    assert "Knowing the class of a row takes 1.58 bits. No cell is missing." in outcome.out
    assert "4.3 to 7.9, median 5.8" in outcome.out
    assert (
        "infoprop credit would learn from 111 rows and judge on 39 others, with 4 columns of numbers "
        "(4 numeric)." in outcome.out
    )


def test_what_stands_against_a_file_is_told_with_what_to_do(run, mixed):
    outcome = run("datasets", mixed, "--top", 1)
    assert outcome.code == 0
    assert "note: the column 'split' (train 60, test 20) is not a feature" in outcome.out
    assert "2 cells are missing" in outcome.out
    assert "and 2 more (--top 0 shows all)" in outcome.out
    assert "infoprop credit would refuse it: " in outcome.out
    assert "--impute mean" in outcome.out
    told = json.loads(run("datasets", mixed, "--impute", "mean", "--json").out)
    assert not told["is_refused"]
    assert told["parts"] == {"train": 60, "test": 20}
    assert told["kinds"] == {"nominal": 1, "numeric": 2}
    assert [column["n_missing"] for column in told["columns"]] == [1, 1, 0]
    assert told["classes"] == {"no": 40, "yes": 40}


def test_text_and_columns_that_say_nothing_are_noticed(run, write):
    rows = "".join(f"{n},7,a word and another {n},{n * n % 5},{'xy'[n % 2]}\n" for n in range(30))
    outcome = run("datasets", write("t.csv", "id,same,note,x,class\n" + rows), "--text", "note")
    assert "on average 4 words" in outcome.out
    assert "note: column 'same' is the same in all rows" in outcome.out
    assert "note: column 'id' numbers the rows; leave it out with --drop" in outcome.out
    assert "(3 numeric, 3 words)" in outcome.out


def test_sparse_files_are_described(run, write):
    rows = "".join(f"{n % 2} 1:{n + 1} {2 + n % 2}:1\n" for n in range(20))
    outcome = run("datasets", write("t.svm", rows))
    assert "20 rows, 3 features (3 numeric), 2 classes" in outcome.out
    assert "not zero in 10 rows" in outcome.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["absent.csv"], "There is no file absent.csv."),
        (["coral"], "There is neither a file nor a problem called coral; problems are corral, "),
        (["absent", "--rows", "3"], "--rows goes with the name of a problem, and absent is none; there are"),
        (["corral", "--rows", "0"], "must be a whole number >= 1"),
        (["corral", "--output", "x.doc"], "--output x.doc must end in .csv, .parquet or .json"),
    ],
)
def test_bad_words_are_refused(refused, words, sentence):
    assert sentence in refused("datasets", *words)


def test_control_characters_in_names_do_not_reach_the_terminal(run, write):
    rows = "".join(f"{k % 3},{k % 2}\n" for k in range(20))
    outcome = run("datasets", write("t.csv", "a\x1b[31mb\x9b,class\n" + rows))
    assert outcome.code == 0
    assert " a[31mb " in outcome.out
    assert "\x1b" not in outcome.out
    assert "\x9b" not in outcome.out
