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


def is_same_credit(told, names):
    credits = names["credits"]
    assert told["information"] == pytest.approx(credits.information, abs=1e-9)
    by_name = dict(zip(credits.feature_names, credits.values, strict=True))
    assert {feature["name"] for feature in told["features"]} == set(by_name)
    for feature in told["features"]:
        assert feature["credit"] == pytest.approx(by_name[feature["name"]], abs=1e-9)


def is_same_choice(told, names):
    assert told["selected"] == names["chosen"]
    assert told["retrained"]["information"] == pytest.approx(names["flow"].information, abs=1e-9)
    assert told["retrained"]["accuracy"] == pytest.approx(names["flow"].accuracy, abs=1e-9)


@pytest.mark.parametrize(
    "words",
    [
        ("--kernel", "rbf", "--C", 10),
        ("--validation", 3, "--seed", 4),
        ("--classifier", "logistic", "--drop", "sepal width", "--no-scale"),
        ("--classifier", "mlp", "--hidden", 3),
    ],
)
def test_credits_are_repeated(repeat, iris, words):
    is_same_credit(*repeat("credit", iris, "--target", "class", *words))


@pytest.mark.parametrize("validation", ["0.25", "split", "3"])
def test_nominal_columns_and_holes_are_repeated(repeat, mixed, validation):
    words = ("--impute", "median", "--validation", validation)
    is_same_credit(*repeat("credit", mixed, "--target", "class", *words))


def test_words_are_repeated(repeat, reviews):
    is_same_credit(*repeat("credit", reviews, "--target", "liked", "--text", "text", "--min-df", 3))


def test_sparse_rows_are_repeated(repeat, sparse_table):
    is_same_credit(*repeat("credit", sparse_table))


def test_other_delimiters_are_repeated(repeat, iris, tmp_path):
    other = tmp_path / "iris.dat"
    other.write_text(iris.read_text(encoding="utf-8").replace(",", "|"), encoding="utf-8")
    is_same_credit(*repeat("credit", other, "--format", "csv", "--delimiter", "|"))


def test_class_with_a_single_row_is_learned(repeat, iris):
    with iris.open("a", encoding="utf-8") as file:
        file.write("9,9,9,9,rare\n")
    is_same_credit(*repeat("credit", iris, "--target", "class"))


@pytest.mark.parametrize("validation", ["0.3", "4"])
@pytest.mark.parametrize(
    "words",
    [
        ("-k", 2),
        ("--threshold", "0.3"),
        ("--method", "backward", "-k", "auto", "--rule", "one-se"),
        ("--method", "directed", "-k", 2, "--init", "petal width,sepal width"),
        ("--method", "angle", "-k", 2),
        ("--method", "forward", "--classifier", "knn", "--neighbors", 3, "--beam", 2),
        ("--method", "genetic", "--classifier", "knn", "--population", 4, "--generations", 2),
    ],
)
def test_choices_are_repeated(repeat, iris, words, validation):
    is_same_choice(*repeat("select", iris, "--target", "class", *words, "--validation", validation))


def test_choice_among_nominal_columns_is_repeated(repeat, mixed):
    words = ("--impute", "mean", "--method", "backward", "-k", 1)
    is_same_choice(*repeat("select", mixed, "--target", "class", *words))


def test_genetic_choice_for_pairs_among_nominal_columns_is_repeated(repeat, mixed):
    words = ("--classifier", "pairwise", "--member", "knn", "--method", "genetic", "--generations", 2)
    is_same_choice(*repeat("select", mixed, "--target", "class", "--impute", "mean", *words))


@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_features_of_pairs_are_repeated(repeat, iris, method):
    words = ("--classifier", "pairwise", "--member", "knn", "--method", method, "--seed", 3)
    told, names = repeat("select", iris, "--target", "class", *words)
    is_same_choice(told, names)
    pairs = names["search"].pairs_
    assert [pair["features"] for pair in told["pairs"]["pairs"]] == [pair.columns.tolist() for pair in pairs]


def test_features_of_pairs_counted_in_folds_are_repeated(repeat, iris):
    words = ("--classifier", "pairwise", "--member", "knn", "--method", "forward", "--validation", 3)
    told, names = repeat("select", iris, "--target", "class", *words)
    assert told["selected"] == names["chosen"]
    assert told["information"] == pytest.approx(names["flow"].information, abs=1e-9)


@pytest.mark.parametrize("validation", ["0.3", "3"])
@pytest.mark.parametrize(
    "words",
    [
        ("--classifier", "knn"),
        ("--method", "backward", "-k", 2),
        ("--classifier", "pairwise", "--member", "knn", "--method", "forward", "-k", 2),
    ],
)
def test_judged_classifiers_are_repeated(repeat, iris, words, validation):
    told, names = repeat("classify", iris, "--target", "class", *words, "--validation", validation)
    assert told["information"] == pytest.approx(names["flow"].information, abs=1e-9)
    assert told["accuracy"] == pytest.approx(names["flow"].accuracy, abs=1e-9)
    assert told["selected"] == names.get("chosen")


def test_demo_is_repeated(run, tmp_path, capsys):
    report = tmp_path / "demo.json"
    assert run("demo", "--report", report).code == 0
    told, names = json.loads(report.read_text(encoding="utf-8")), {}
    exec(told["run"]["code"], names)
    is_same_choice(told, names)


def test_code_fits_on_a_page_and_shows_only_what_differs(repeat, iris):
    told, _ = repeat("select", iris, "--target", "class", "-k", 2)
    lines = told["run"]["code"].splitlines()
    assert max(map(len, lines)) <= 110
    assert 'OneVsRestSVC(kernel="linear")' in told["run"]["code"]
    assert "/" not in told["run"]["code"]
