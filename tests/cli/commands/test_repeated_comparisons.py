"""The Python in the report of a comparison, run: it gives the numbers of the report."""

import json
import warnings

import pytest

OWN = "credit,backward,directed,angle,forward"
PEERS = "rfe,mutual-information,anova-f,l1"
FEW = ("--sizes", "1,2", "--folds", "2")


@pytest.fixture
def compared(run, tmp_path, monkeypatch):
    """Run a comparison, then the code in its report; hold their numbers together, and return the code."""

    def call(path, *words):
        report = tmp_path / "report.json"
        outcome = run("compare", path, *words, "--report", report)
        assert outcome.code == 0, outcome.err
        told = json.loads(report.read_text(encoding="utf-8"))
        monkeypatch.chdir(tmp_path)
        names = {}
        with warnings.catch_warnings():
            # Constant columns, and machines that need more rounds.
            warnings.simplefilter("ignore")
            exec(told["run"]["code"], names)
        found = names["found"].comparison
        assert told["comparison"]["feature_names"] == list(found.feature_names)
        for choice, expected in zip(told["comparison"]["choices"], found, strict=True):
            assert (choice["method"], choice["size"]) == (expected.method, expected.size)
            assert choice["folds"] == [support.nonzero()[0].tolist() for support in expected.supports]
            assert choice["accuracy"] == expected.accuracy
            assert choice["information"] == expected.information
            inner = None if expected.inner_accuracy != expected.inner_accuracy else expected.inner_accuracy
            assert choice["inner_accuracy"] == inner
        return told["run"]["code"]

    return call


def test_comparison_is_repeated(compared, wine):
    code = compared(wine, *FEW, "--methods", f"{OWN},{PEERS},all-features", "--inner-folds", 2, "--seed", 3)
    assert max(map(len, code.splitlines())) <= 110
    assert "inner_validation=2" in code
    assert "random_state=3" in code


def test_packages_of_others_are_repeated(compared, wine):
    pytest.importorskip("skrebate")
    pytest.importorskip("mrmr")
    compared(wine, *FEW, "--methods", "relieff,mrmr", "--inner-folds", 0, "--classifier", "knn")


def test_gaps_names_and_a_split_are_read_as_the_run_did(compared, mixed):
    words = ("--methods", f"credit,{PEERS}", "--impute", "median", "--inner-folds", 0)
    assert 'drop=["split"]' in compared(mixed, *FEW, *words)


def test_sparse_rows_are_compared_again(compared, write):
    lines = [f"{k % 2} 1:{k % 2 + 1} 2:{k % 3 + 1} 3:{k % 5 + 1}" for k in range(40)]
    data = write("rows.svm", "\n".join(lines) + "\n")
    code = compared(data, *FEW, "--methods", "backward,anova-f", "--inner-folds", 0)
    assert code.splitlines()[3:9] == [
        "found = compare_table(",
        '    load_table("rows.svm"),',
        '    methods=["backward", "anova-f"],',
        "    sizes=[1, 2],",
        "    validation=2,",
        "    inner_validation=None,",
    ]
