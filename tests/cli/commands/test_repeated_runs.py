"""The Python in a report, run: it gives the numbers of the report."""

import json

import numpy as np
import pytest

REVIEWS = [
    ("the wine is good and warm", "yes"),
    ("a good red wine", "yes"),
    ("bad sour wine", "no"),
    ("sour and bad and cold", "no"),
]


@pytest.fixture
def reviews(write):
    lines = [f"{words} {number % 3},{number % 5},{label}" for number in range(5) for words, label in REVIEWS]
    return write("reviews.csv", "\n".join(["text,stars,liked", *lines]) + "\n")


@pytest.fixture
def sparse_table(write):
    generator = np.random.default_rng(0)
    rows = []
    for label in generator.integers(0, 2, 60):
        words = sorted({label + 1, *generator.integers(1, 9, 3)})
        rows.append(f"{label} " + " ".join(f"{word}:{generator.integers(1, 4)}" for word in words))
    return write("counts.svm", "\n".join(rows) + "\n")


@pytest.fixture
def repeat(run, tmp_path, monkeypatch):
    """Run a command, then the code in its report, and return both outcomes."""

    def call(command, path, *words):
        report = tmp_path / "report.json"
        outcome = run(command, path, *words, "--report", report)
        assert outcome.code == 0, outcome.err
        told = json.loads(report.read_text(encoding="utf-8"))
        monkeypatch.chdir(tmp_path)
        names = {}
        exec(told["run"]["code"], names)
        return told, names

    return call


def is_same(told, names):
    found = names["found"]
    again = json.loads(found.report().json())
    for part in ("information", "features", "selected", "retrained", "pairs"):
        assert again[part] == told[part]


@pytest.mark.parametrize(
    "words",
    [
        ("--kernel", "rbf", "--C", 10, "--drop", "sepal width", "--no-scale"),
        ("--classifier", "mlp", "--hidden", 3, "--validation", 3, "--seed", 4),
    ],
)
def test_credits_are_repeated(repeat, iris, words):
    is_same(*repeat("credit", iris, "--target", "class", *words))


def test_nominal_columns_holes_and_parts_are_repeated(repeat, mixed):
    is_same(*repeat("credit", mixed, "--target", "class", "--impute", "median", "--validation", "split"))


def test_words_are_repeated(repeat, reviews):
    is_same(*repeat("credit", reviews, "--target", "liked", "--text", "text", "--min-df", 3))


def test_sparse_rows_are_repeated(repeat, sparse_table):
    is_same(*repeat("credit", sparse_table))


def test_other_delimiters_are_repeated(repeat, iris, tmp_path):
    other = tmp_path / "iris.dat"
    other.write_text(iris.read_text(encoding="utf-8").replace(",", "|"), encoding="utf-8")
    is_same(*repeat("credit", other, "--format", "csv", "--delimiter", "|"))


@pytest.mark.parametrize(
    "words",
    [
        ("--threshold", "0.3"),
        ("--method", "backward", "-k", "auto", "--rule", "one-se", "--validation", 3),
        ("--method", "directed", "-k", 2, "--init", "petal width,sepal width"),
        ("--method", "genetic", "--classifier", "knn", "--population", 4, "--generations", 2),
        ("--classifier", "pairwise", "--member", "knn", "--method", "forward", "--seed", 3),
    ],
)
def test_choices_are_repeated(repeat, iris, words):
    is_same(*repeat("select", iris, "--target", "class", *words))


def test_choice_among_nominal_columns_is_repeated(repeat, mixed):
    words = ("--impute", "mean", "--method", "backward", "-k", 1)
    told, names = repeat("select", mixed, "--target", "class", *words)
    is_same(told, names)
    # A column that tells parts apart was left out of the run.
    assert 'drop=["split"]' in told["run"]["code"]


def test_judged_classifiers_are_repeated(repeat, iris):
    words = ("--method", "backward", "-k", 2, "--validation", 3)
    is_same(*repeat("classify", iris, "--target", "class", *words))


def test_demo_is_repeated(run, tmp_path, capsys):
    report = tmp_path / "demo.json"
    assert run("demo", "--report", report).code == 0
    told, names = json.loads(report.read_text(encoding="utf-8")), {}
    exec(told["run"]["code"], names)
    is_same(told, names)


def test_code_is_one_call_and_shows_only_what_differs(repeat, iris):
    told, _ = repeat("select", iris, "--target", "class", "--method", "backward", "-k", 2, "--jobs", 2)
    assert told["run"]["code"].splitlines() == [
        "from infoprop.datasets import load_table",
        "from infoprop.selection import BackwardEliminationSelector",
        "from infoprop.workflow import analyse",
        "",
        "found = analyse(",
        '    load_table("iris.csv", target="class"),',
        "    method=BackwardEliminationSelector(n_features_to_select=2),",
        ")",
        "print(found)",
    ]
