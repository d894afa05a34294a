import json

import polars as pl
import pytest


def test_credit_prints_writes_and_reports(run, iris, tmp_path):
    output, report = tmp_path / "credits.csv", tmp_path / "report.html"
    outcome = run("credit", iris, "--target", "class", "--output", output, "--report", report)
    assert outcome.code == 0
    assert "4 features" in outcome.out
    assert f"credits written to {output}" in outcome.err
    assert f"report written to {report}" in outcome.err
    frame = pl.read_csv(output)
    assert frame.columns == [
        "feature",
        "credit",
        "share",
        "class_setosa",
        "class_versicolor",
        "class_virginica",
        "suppressor",
        "low",
        "high",
        "noise_floor",
        "p_value",
        "above_noise",
        "rank",
    ]
    assert frame["rank"].to_list() == [1, 2, 3, 4]
    assert frame["share"].sum() == pytest.approx(1.0)
    page = report.read_text(encoding="utf-8")
    assert "iris.csv" in page
    assert str(tmp_path) not in page


def test_same_run_gives_the_same_bytes(run, iris, tmp_path):
    for name in ("a", "b"):
        assert run("credit", iris, "--report", tmp_path / f"{name}.html", "--quiet").code == 0
    for ending in ("html", "json"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_select_keeps_the_best_and_says_what_they_deliver(run, iris, tmp_path):
    output, report = tmp_path / "chosen.parquet", tmp_path / "run.json"
    outcome = run(
        "select", iris, "-k", 2, "--validation", 5, "--output", output, "--report", report, "--quiet"
    )
    assert outcome.code == 0
    assert outcome.err == ""
    assert "2 of 4 features" in outcome.out
    assert pl.read_parquet(output)["selected"].to_list() == [True, True, False, False]
    plain = json.loads(report.read_text())
    assert plain["n_judged"] == 150
    assert plain["retrained"]["information"] > 1.0
    assert plain["run"]["settings"]["validation"] == "5 folds"
    assert plain["run"]["settings"]["chosen"] == "the best 2"
    assert plain["run"]["n_rows"] == 150


def test_select_by_threshold(run, iris, tmp_path):
    output = tmp_path / "chosen.json"
    assert run("select", iris, "--threshold", 0.2, "--output", output).code == 0
    rows = json.loads(output.read_text())
    assert [row["selected"] for row in rows] == [row["credit"] >= 0.2 for row in rows]


def test_nominal_columns_are_one_feature_each(run, mixed, tmp_path):
    output = tmp_path / "credits.csv"
    outcome = run("credit", mixed, "--target", "class", "--impute", "mean", "--output", output)
    assert outcome.code == 0
    assert "note: the column 'split' is left out; --validation split judges by its test rows" in outcome.err
    frame = pl.read_csv(output)
    assert sorted(frame["feature"]) == ["colour", "size", "weight"]
    assert frame["feature"][0] == "colour"


def test_split_column_judges(run, mixed, tmp_path):
    report = tmp_path / "run.json"
    words = ["--impute", "median", "--validation", "split", "--drop", "weight", "--report", report, "--quiet"]
    assert run("select", mixed, "-k", 1, *words).code == 0
    plain = json.loads(report.read_text())
    assert plain["n_judged"] == 20
    assert set(plain["features"]["name"]) == {"colour", "size"}
    assert plain["run"]["settings"] == {
        "classifier": "svm",
        "kernel": "linear",
        "C": "1",
        "sharing": "covariance",
        "shuffled labels": "199 times",
        "validation": "the test rows of the split column",
        "scaling": "yes",
        "imputation": "median",
        "left out": "weight",
        "chosen": "the best 1",
    }


@pytest.mark.parametrize(
    "words",
    [("poly", "--degree", 2, "--coef0", 1), ("rbf", "--gamma", 0.5), ("sigmoid", "--coef0", 1), ("anova",)],
)
def test_every_kernel_runs(run, iris, words):
    outcome = run("credit", iris, "--kernel", *words, "--top", 1)
    assert outcome.code == 0
    assert "4 features" in outcome.out


def test_sparse_data_run(run, write):
    rows = [f"{number % 2} {1 + number % 2}:{1 + number % 5} 3:{number % 3}" for number in range(60)]
    outcome = run("credit", write("words.svm", "\n".join(rows) + "\n"), "--no-scale")
    assert outcome.code == 0
    assert "3 features" in outcome.out


def test_hostile_names_stay_text(run, write, tmp_path):
    hostile = "<script>alert(1)</script>\x1b[31m"
    rows = "\n".join(f"{number % 2 + 0.1 * number},{number % 7},{number % 2}" for number in range(60))
    path = write("x.csv", f"{hostile},b,class\n{rows}\n")
    outcome = run("credit", path, "--report", tmp_path / "r.html")
    assert outcome.code == 0
    assert "<script>alert(1)</script>" in outcome.out
    assert "\x1b[31m" not in outcome.out
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


TABLE = "a,b,class\n" + "".join(f"{number},{number % 3},{number % 2}\n" for number in range(20))


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        (TABLE, ["--target", "klass"], "has no column 'klass' (--target); did you mean 'class'?"),
        (TABLE, ["--drop", "zzz"], "has no column 'zzz' (--drop)"),
        (TABLE, ["--drop", "a,b"], "has no feature columns beside the target 'class'"),
        (TABLE, ["--validation", "split"], "has no column 'split'"),
        (TABLE.replace(",1\n", ",0\n"), [], "Column 'class' holds a single class (0)"),
        (TABLE.replace("5,2", "5,inf"), [], "Column 'b' of"),
        (TABLE.replace("17,2", "17,oops"), [], "holds numbers, but row 18 has 'oops'"),
        (TABLE.replace("17,2", "17,"), [], "has missing values in column 'b'; fill them with --impute mean"),
        (TABLE, ["--validation", "30"], "--validation 30 asks for more folds"),
        (TABLE, ["--validation", "0.01"], "--validation 0.01 sets 1 of 20 rows apart"),
        ("", [], "is empty"),
        ("a,b,class\n", [], ""),
        (TABLE, ["--output", "x.doc"], "--output x.doc must end in .csv, .parquet or .json"),
        (TABLE, ["--report", "nowhere/x.html"], "there is no folder nowhere"),
        (TABLE, ["--format", "parquet"], ""),
    ],
)
def test_bad_input_is_refused_in_one_sentence(refused, write, text, words, sentence):
    assert sentence in refused("credit", write("x.csv", text), *words)


def test_missing_file_is_refused(refused, tmp_path):
    assert refused("credit", tmp_path / "absent.csv") == f"There is no file {tmp_path / 'absent.csv'}."
    assert "is a folder" in refused("credit", tmp_path)


def test_more_features_than_there_are_is_refused(refused, iris):
    assert refused("select", iris, "-k", 5) == "-k 5 asks for more features than the 4 there are."


def test_threshold_that_nothing_reaches_is_refused(refused, iris):
    assert "No feature is worth --threshold 9 bits" in refused("select", iris, "--threshold", 9)


def test_output_is_checked_before_the_data_are_read(refused, tmp_path):
    sentence = refused("credit", tmp_path / "absent.csv", "--output", tmp_path / "no" / "x.csv")
    assert sentence.startswith("--output")


def test_the_rule_of_sharing_and_the_noise_floor_are_options(run, refused, iris):
    words = ["credit", iris, "--target", "class", "--json", "--quiet"]
    plain = json.loads(run(*words).out)
    margin = json.loads(run(*words, "--sharing", "margin", "--null", "0").out)
    assert None not in plain["features"]["above_noise"]
    assert margin["features"]["p_value"] is None
    assert plain["information"] == margin["information"]
    assert plain["features"]["credit"][0] != margin["features"]["credit"][0]
    assert "at least 19" in refused(*words, "--null", "5")


def test_chosen_rows_are_explained_on_the_page(run, iris, tmp_path):
    report = tmp_path / "run.json"
    outcome = run("select", iris, "-k", 2, "--explain-rows", "71, 2", "--report", report, "--quiet")
    assert outcome.code == 0
    assert "Row 71: " in outcome.out
    plain = json.loads(report.read_text())
    assert "explain_rows=[70, 1]" in plain["run"]["code"]
    rows = plain["rows"]
    assert [(row["row"], row["true"]) for row in rows] == [(71, "versicolor"), (2, "setosa")]
    for row in rows:
        assert {step["name"] for step in row["steps"]} == set(plain["selected"])
        assert row["base"] + sum(step["value"] for step in row["steps"]) == pytest.approx(row["output"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--explain-rows", "0"], "must be a whole number >= 1"),
        (["--explain-rows", "3,151"], "--explain-rows: the data has 150 rows, and no row 151 from 1."),
        (["--explain-rows", "3,3"], "--explain-rows names a row twice."),
        (["--explain-rows", "3", "--classifier", "shaped"], "does not tell what a feature adds to a row"),
    ],
)
def test_rows_that_cannot_be_explained_are_refused(run, iris, words, said):
    outcome = run("credit", iris, *words)
    assert outcome.code == 2
    assert said in outcome.err


def test_pairs_of_machines_have_credits_and_pairs_of_neighbours_do_not(run, iris):
    plain = json.loads(run("credit", iris, "--classifier", "pairwise", "--json", "--quiet").out)
    assert sum(plain["features"]["credit"]) == pytest.approx(plain["information"])
    outcome = run("credit", iris, "--classifier", "pairwise", "--member", "knn")
    assert outcome.code == 2
    assert "--classifier pairwise --member knn does not tell what a feature contributes" in outcome.err
