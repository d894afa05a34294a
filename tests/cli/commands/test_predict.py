"""Models from the command line to disk and back, on tables that differ from the first."""

import json
from zipfile import ZipFile

import numpy as np
import polars as pl
import pytest
from skops.io import dump

from infoprop.workflow._models import SavedModel
from reference.command_line import CLASSIFIERS

WORDS = {"good": "fine lovely warm bright", "bad": "awful cold dark grim"}


@pytest.fixture
def pets(write):
    """Three classes by numbers and a nominal column."""
    generator = np.random.default_rng(0)
    lines = ["weight,legs,colour,idle,class"]
    for number in range(90):
        kind = number % 3
        weight = generator.normal(3 * kind)
        colour = ["black", "white", "green"][kind if generator.random() < 0.8 else 0]
        legs = 4 if kind < 2 else 2
        lines.append(f"{weight:.3f},{legs},{colour},{generator.normal():.3f},{['cat', 'dog', 'bird'][kind]}")
    return write("pets.csv", "\n".join(lines) + "\n")


@pytest.fixture
def counts(write):
    """Two classes by sparse columns."""
    generator = np.random.default_rng(0)
    rows = []
    for number in range(60):
        words = sorted({1 + number % 2, *generator.integers(3, 9, 3).tolist()})
        rows.append(f"{number % 2} " + " ".join(f"{word}:{1 + number % 3}" for word in words))
    return write("counts.svm", "\n".join(rows) + "\n")


@pytest.fixture
def letters(write):
    """Two classes by running text, beside a number and a name."""
    generator = np.random.default_rng(0)
    lines = ["letter,length,place,class"]
    for number in range(60):
        label = ["good", "bad"][number % 2]
        said = " ".join(generator.choice(WORDS[label].split(), 3).tolist() + ["the", "day"])
        lines.append(f'"{said}",{generator.normal():.3f},{["here", "there"][number % 3 % 2]},{label}')
    return write("letters.csv", "\n".join(lines) + "\n")


@pytest.fixture
def trained(run, tmp_path):
    """Train a model on a table and return where it lies."""

    def call(data, *words):
        path = tmp_path / "model.skops"
        outcome = run("classify", data, "--model", path, "--quiet", *words)
        assert outcome.code == 0, outcome.err
        return path

    return call


def small(classifier):
    return ["--classifier", classifier, *(["--hidden", 2] if classifier == "mlp" else [])]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("table", ["pets", "counts", "letters"])
def test_every_model_says_after_a_round_trip_what_it_said_before(
    run, trained, tmp_path, request, table, classifier
):
    data = request.getfixturevalue(table)
    words = ["--text", "letter"] if table == "letters" else []
    path = trained(data, *words, *small(classifier))
    model = SavedModel.load(path)
    outcome = run("predict", path, data, "--json", "--quiet")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert told["classes"] == model.classes.tolist()
    assert told["judged"]["accuracy"] > 0.9
    assert told["probabilities"] is not None
    assert told["judged"]["accuracy"] == np.mean(np.array(told["predicted"]) == np.array(told["true"]))


@pytest.mark.parametrize(
    "words",
    [
        ["-k", 2],
        ["--method", "forward", "--classifier", "knn", "-k", 1],
        ["--method", "forward", "--classifier", "pairwise", "--member", "knn", "--beam", 1],
        ["--method", "backward", "-k", 1, "--classifier", "logistic"],
    ],
)
def test_model_of_a_selection_needs_only_what_was_chosen(run, pets, tmp_path, words):
    path, report = tmp_path / "model.skops", tmp_path / "run.json"
    assert run("select", pets, *words, "--model", path, "--report", report, "--quiet").code == 0
    chosen = json.loads(report.read_text(encoding="utf-8"))["selected"]
    needed = list(SavedModel.load(path).encoder.parts["kinds"])
    if "pairwise" not in words:
        assert needed == chosen
    frame = pl.read_csv(pets)
    frame.select(needed).write_csv(tmp_path / "few.csv")
    few, whole = (
        json.loads(run("predict", path, data, "--json").out)["predicted"]
        for data in (tmp_path / "few.csv", pets)
    )
    assert few == whole


def test_columns_are_found_by_name(run, trained, pets, tmp_path):
    path = trained(pets)
    frame = pl.read_csv(pets)
    frame.select(reversed(frame.columns)).drop("class").write_parquet(tmp_path / "new.parquet")
    new = json.loads(run("predict", path, tmp_path / "new.parquet", "--json").out)
    old = json.loads(run("predict", path, pets, "--json").out)
    assert new["predicted"] == old["predicted"]
    assert new["true"] is new["judged"] is None


def test_changed_columns_are_refused_in_one_sentence(refused, trained, pets, tmp_path):
    path, new = trained(pets), tmp_path / "new.csv"
    frame = pl.read_csv(pets).drop("class")

    def sentence(changed, *words):
        changed.write_csv(new)
        return refused("predict", path, new, *words)

    lacking = sentence(frame.drop("colour", "legs"))
    assert lacking == (
        f"{new} lacks columns 'legs', 'colour', which the model was trained on; add what is missing."
    )
    extra = frame.with_columns(tail=pl.lit(1.0))
    assert "has column 'tail', which the model was not trained on" in sentence(extra)
    assert "--ignore-extra" in sentence(extra)
    as_text = frame.with_columns(weight=pl.lit("heavy"))
    assert "Column 'weight'" in sentence(as_text)
    assert "is nominal, but the model was trained on a numeric column" in sentence(as_text)
    gap = frame.with_columns(weight=pl.when(pl.col("legs") == 4).then(pl.col("weight")))
    assert "missing values in column 'weight', and the model was trained without --impute" in sentence(gap)


def test_extra_columns_are_passed_over_on_request(run, trained, pets, tmp_path):
    path, new = trained(pets), tmp_path / "new.csv"
    pl.read_csv(pets).with_columns(tail=pl.lit(1.0)).write_csv(new)
    expected = run("predict", path, pets).out
    assert run("predict", path, new, "--ignore-extra").out == expected
    assert run("predict", path, new, "--drop", "tail").out == expected


def test_columns_left_out_in_training_may_be_there_or_not(run, trained, pets, tmp_path):
    path = trained(pets, "--drop", "idle")
    new = tmp_path / "new.csv"
    frame = pl.read_csv(pets)
    # What is not used may hold anything, even what could not be learned from.
    frame.with_columns(idle=pl.lit("2026-11-16"), split=pl.lit("test")).write_csv(new)
    expected = run("predict", path, pets).out
    assert run("predict", path, new).out == expected
    frame.drop("idle").write_csv(new)
    assert run("predict", path, new).out == expected


def test_unknown_text_is_none_of_the_known_ones(run, trained, pets, tmp_path):
    path, new = trained(pets), tmp_path / "new.csv"
    pl.read_csv(pets).with_columns(colour=pl.lit("mauve")).write_csv(new)
    outcome = run("predict", path, new)
    assert outcome.code == 0
    assert "note: column 'colour' holds 'mauve', unknown categories: ignored" in outcome.err
    model = SavedModel.load(path)
    assert model.encoder.parts["categories"]["colour"] == ["black", "green", "white"]


def test_names_that_look_like_numbers_stay_names(run, write, trained, tmp_path):
    rows = "".join(f"{['1', '2', '3more'][n % 3]},{n % 5},{'ab'[n % 3 == 0]}\n" for n in range(60))
    path = trained(write("codes.csv", "code,x,class\n" + rows))
    outcome = run("predict", path, write("new.csv", "code,x\n1,2\n2,3\n"), "--json")
    assert json.loads(outcome.out)["predicted"] == ["b", "a"]


def test_gaps_are_filled_as_in_training(run, trained, mixed, tmp_path):
    path = trained(mixed, "--impute", "median")
    assert run("predict", path, mixed, "--quiet").code == 0


def test_text_among_numbers_is_missing_on_request_as_in_training(run, refused, write, trained):
    rows = [f"{'unknown' if k == 17 else k % 9},{k % 5},{'ab'[k % 9 > 4]}" for k in range(60)]
    data = write("odd.csv", "\n".join(["x,two,class", *rows]))
    path = trained(data, "--impute", "median", "--numeric", "x")
    assert "'unknown'" in refused("predict", path, data)
    assert run("predict", path, data, "--numeric", "x", "--quiet").code == 0


def test_predictions_are_written_with_probabilities(run, trained, pets, tmp_path):
    path, table = trained(pets, "--classifier", "shaped"), tmp_path / "classes.csv"
    outcome = run("predict", path, pets, "--output", table)
    assert outcome.code == 0
    assert "90 rows: 30 bird," in outcome.out
    assert "row" not in outcome.out.splitlines()[-1]
    assert f"predictions written to {table}" in outcome.err
    frame = pl.read_csv(table)
    expected = ["row", "true", "predicted", "probability_bird", "probability_cat", "probability_dog"]
    assert frame.columns == expected
    assert frame["row"].to_list() == list(range(1, 91))
    np.testing.assert_allclose(frame[:, 3:].to_numpy().sum(axis=1), 1.0)


def test_first_rows_are_printed(run, trained, pets):
    outcome = run("predict", trained(pets), pets, "--top", 3)
    assert "and 87 more (--top 0 shows all, --output writes them)" in outcome.out
    assert "of them are named right" in outcome.out


def test_labels_of_other_types_are_compared_as_written(run, trained, write, tmp_path):
    rows = [f"{n % 2 + 0.01 * n},{n % 2}" for n in range(40)]
    path = trained(write("ones.csv", "x,class\n" + "\n".join(rows) + "\n"))
    later = write("later.csv", "x,class\n0.1,0\n1.1,1\n1.2,unknown\n")
    told = json.loads(run("predict", path, later, "--json").out)
    assert told["judged"]["accuracy"] == pytest.approx(2 / 3)


def test_files_that_are_no_models_are_refused(refused, pets, tmp_path):
    absent, other, broken = tmp_path / "absent.skops", tmp_path / "other.skops", tmp_path / "broken.skops"
    assert refused("predict", absent, pets) == f"There is no file {absent}."
    assert "is not a model file; give a file that was written by --model" in refused("predict", pets, pets)
    dump({"a": 1}, other)
    assert "holds no model of infoprop" in refused("predict", other, pets)
    dump({"layout": 99, "infoprop": "9.9"}, other)
    sentence = refused("predict", other, pets)
    assert "was written by infoprop 9.9, whose models this version" in sentence
    assert sentence.endswith("train it again.")
    with ZipFile(broken, "w") as archive:
        archive.writestr("hello.txt", "hello")
    assert "cannot be read as a model file" in refused("predict", broken, pets)


class Stranger:
    """Of a type that models are not made of."""


def test_types_that_are_not_trusted_are_refused_unopened(refused, pets, tmp_path, monkeypatch):
    path = tmp_path / "stranger.skops"
    dump({"layout": 1, "infoprop": "1", "classifier": Stranger()}, path)
    sentence = refused("predict", path, pets)
    assert "Stranger, which is not among the types that a model of infoprop is made of" in sentence
    assert "it was not opened" in sentence


def test_model_never_overwrites_what_it_comes_from(refused, run, trained, pets, tmp_path):
    words = ["classify", pets, "--model", pets]
    assert refused(*words) == f"--model {pets} must end in .skops."
    path = tmp_path / "x.csv"
    path.write_bytes(trained(pets).read_bytes())
    assert "would overwrite the data" in refused("predict", path, pets, "--output", path)


def test_rows_are_explained_on_request(run, trained, pets):
    outcome = run("predict", trained(pets), pets, "--explain", "2", "--json", "--quiet")
    explained = json.loads(outcome.out)["explained"]
    assert [one["row"] for one in explained] == [1, 2]
    for one in explained:
        assert sorted(name for name, _ in one["features"]) == ["colour", "idle", "legs", "weight"]
        total = one["base"] + sum(value for _, value in one["features"]) + one["remainder"]
        assert total == pytest.approx(one["output"])
    assert "row 1: " in run("predict", trained(pets), pets, "--explain", "1", "--quiet").out


def test_scores_probabilities_and_identifiers_are_given(run, refused, write, tmp_path):
    rows = [f"r{k},{k % 7},{k % 5},{'ab'[k % 7 > 3]}" for k in range(60)]
    data = write("x.csv", "\n".join(["name,one,two,class", *rows]))
    model, output, judged = (tmp_path / name for name in ("m.skops", "p.csv", "j.csv"))
    words = ("--id", "name", "--model", model, "--output", judged, "--model-rows", "train")
    outcome = run("classify", data, *words)
    assert "the figures are of this model" in outcome.out
    assert pl.read_csv(judged).columns[:2] == ["row", "name"]
    assert run("predict", model, data, "--id", "name", "--scores", "--output", output).code == 0
    frame = pl.read_csv(output)
    assert frame.columns[:2] == ["row", "name"]
    assert {"probability_a", "probability_b", "score_a", "score_b"} <= set(frame.columns)
    told = refused("classify", data, "--validation", 3, "--model", model, "--model-rows", "train")
    assert told.endswith("give --validation as a fraction or as split, not as folds.")
