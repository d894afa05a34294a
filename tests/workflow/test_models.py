import json
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skops.io import dump

from infoprop.datasets import TableEncoder
from infoprop.exceptions import DataError
from infoprop.workflow._models import SavedModel
from infoprop.workflow._preparation import Problem, restricted

ENCODER = TableEncoder.from_parts(
    kinds={"size": "numeric", "colour": "nominal", "letter": "text", "age": "numeric"},
    categories={"colour": ["red", "white"]},
    words={"letter": ["cold", "warm", "wet"]},
    is_sparse=True,
)


@pytest.fixture
def problem():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20, len(ENCODER.groups)))
    return Problem(X, np.arange(20) % 2, tuple(ENCODER.groups), "class", encoder=ENCODER)


def test_encoder_is_restricted_to_features_and_words():
    assert ENCODER.groups == ["size", "colour", "colour", "cold", "warm", "wet", "age"]
    part = restricted(ENCODER, ["colour", "warm", "age"])
    assert part.parts["kinds"] == {"colour": "nominal", "letter": "text", "age": "numeric"}
    assert part.parts["words"] == {"letter": ["warm"]}
    assert part.groups == ["colour", "colour", "warm", "age"]
    assert restricted(ENCODER, ["size"]).parts["kinds"] == {"size": "numeric"}
    assert restricted(ENCODER, set(ENCODER.groups)).parts == ENCODER.parts


def test_model_knows_what_it_does_not_use(problem, tmp_path):
    selected = np.array([True, False, False, True, False, False])
    columns = [0, 4]
    classifier = LogisticRegression().fit(problem.X[:, columns], problem.y)
    model = SavedModel.of(problem, classifier, selected, ["id", "split"])
    assert list(model.encoder.parts["kinds"]) == ["size", "letter"]
    assert model.ignored == ("colour", "age", "id", "split")
    assert model.kinds["colour"] == "text"
    assert model.kinds["size"] == "numeric"
    path = tmp_path / "m.skops"
    model.save(path)
    again = SavedModel.load(path)
    assert again.encoder.parts == model.encoder.parts
    assert (again.ignored, again.target, again.version) == (model.ignored, "class", model.version)
    np.testing.assert_array_equal(
        again.classifier.predict(problem.X[:, columns]), classifier.predict(problem.X[:, columns])
    )


def test_file_that_cannot_be_written_is_told(problem, tmp_path):
    model = SavedModel.of(problem, LogisticRegression().fit(problem.X, problem.y))
    with pytest.raises(DataError, match="could not be written"):
        model.save(tmp_path / "absent" / "m.skops")


@pytest.fixture
def state(problem):
    """What a model file holds."""
    return {
        "layout": 1,
        "infoprop": "0.1.0",
        "classifier": make_pipeline(StandardScaler(), LogisticRegression()).fit(problem.X, problem.y),
        "classes": [0, 1],
        "features": ENCODER.get_feature_names_out().tolist(),
        "encoder": ENCODER.parts,
        "impute": None,
        "ignored": [],
        "target": "class",
    }


def changed(state, part, value):
    """A state with another value in one place; None leaves it out."""
    *path, last = part.split(".")
    inner = copied = dict(state)
    for name in path:
        inner[name] = dict(inner[name])
        inner = inner[name]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return copied


def test_forged_state_is_a_model_if_nothing_is_changed(state, tmp_path):
    dump(state, tmp_path / "m.skops")
    assert SavedModel.load(tmp_path / "m.skops").encoder.parts == ENCODER.parts


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("classifier", None),
        ("classifier", 5),
        ("classifier", StandardScaler()),
        ("classifier", LogisticRegression()),
        ("classifier", make_pipeline(StandardScaler(), LogisticRegression())),
        ("classifier", LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])),
        ("classes", None),
        ("classes", [0, 2]),
        ("classes", [0]),
        ("features", None),
        ("features", ["size"]),
        ("features", 7),
        ("encoder", None),
        ("encoder", []),
        ("encoder.kinds", None),
        ("encoder.kinds", {}),
        ("encoder.kinds", {"size": "round"}),
        ("encoder.kinds", ["size"]),
        ("encoder.kinds", {1: "numeric"}),
        ("encoder.categories", {}),
        ("encoder.categories", {"colour": "red"}),
        ("encoder.categories", {"colour": [1, 2]}),
        ("encoder.categories", [["colour", ["red"]]]),
        ("encoder.words", {"letter": ["cold"]}),
        ("impute", 3),
        ("encoder.is_sparse", "yes"),
        ("encoder.more", 1),
        ("ignored", None),
        ("ignored", [1]),
        ("ignored", 5),
        ("target", None),
        ("target", ["class"]),
        ("infoprop", 3),
    ],
)
def test_model_with_a_forged_part_is_one_sentence(state, tmp_path, part, value):
    path = tmp_path / "m.skops"
    dump(changed(state, part, value), path)
    with pytest.raises(DataError, match=r"holds a model that is not whole \(.*\); train it again\.$"):
        SavedModel.load(path)


@pytest.mark.parametrize("layout", ["1", 2, [1], {"a": 1}, np.arange(3)])
def test_model_of_another_layout_is_one_sentence(state, tmp_path, layout):
    dump(changed(state, "layout", layout), tmp_path / "m.skops")
    with pytest.raises(DataError, match=r"whose models this version .* cannot read; train it again"):
        SavedModel.load(tmp_path / "m.skops")


@pytest.mark.parametrize("content", [[1, 2], 5, "model", {"a": 1}, None, {"layout": 1}])
def test_file_that_holds_something_else_is_one_sentence(tmp_path, content):
    dump(content, tmp_path / "m.skops")
    with pytest.raises(DataError, match="holds no model of infoprop; give a file that was"):
        SavedModel.load(tmp_path / "m.skops")


def test_classifier_that_is_not_whole_is_one_sentence_when_it_is_asked(state, problem, tmp_path):
    classifier = LogisticRegression().fit(problem.X, problem.y)
    classifier.coef_ = classifier.coef_[:, :3]
    dump(changed(state, "classifier", classifier), tmp_path / "m.skops")
    model = SavedModel.load(tmp_path / "m.skops")
    with pytest.raises(DataError, match=r"cannot name the classes .*\(ValueError: .*train it again"):
        model.answers(problem.X)
    classifier = LogisticRegression().fit(problem.X, problem.y)
    classifier.coef_ = np.repeat(classifier.coef_, 4, axis=0)
    dump(changed(state, "classifier", classifier), tmp_path / "m.skops")
    with pytest.raises(DataError, match="train it again"):
        SavedModel.load(tmp_path / "m.skops").answers(problem.X)


@pytest.fixture
def whole(state, tmp_path):
    path = tmp_path / "whole.skops"
    dump(state, path)
    return path


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_model_is_one_sentence(whole, share):
    raw = whole.read_bytes()
    whole.write_bytes(raw[: int(share * len(raw))])
    with pytest.raises(DataError, match="is not a model file; give a file that was written by --model"):
        SavedModel.load(whole)


def test_changed_bytes_are_one_sentence_or_do_not_matter(whole, problem):
    raw, expected = whole.read_bytes(), SavedModel.load(whole).answers(problem.X)[0]
    random = np.random.default_rng(0)
    n_refused = 0
    for place in random.integers(len(raw), size=60).tolist():
        changed_bytes = bytearray(raw)
        changed_bytes[place] ^= int(random.integers(1, 256))
        whole.write_bytes(changed_bytes)
        try:
            np.testing.assert_array_equal(SavedModel.load(whole).answers(problem.X)[0], expected)
        except DataError:
            n_refused += 1
    assert n_refused > 30


def rewritten(path, schema, **options):
    """Write a model again with another schema."""
    with ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["schema.json"] = schema(members["schema.json"].decode()).encode()
    with ZipFile(path, "w", **options) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "schema",
    [
        lambda text: "",
        lambda text: "{",
        lambda text: "[]",
        lambda text: "null",
        lambda text: "{}",
        lambda text: '{"a":' * 100_000 + "1" + "}" * 100_000,
        lambda text: "[" * 100_000 + "]" * 100_000,
        lambda text: text.replace('"__loader__"', '"loader"'),
        lambda text: text.replace('"protocol"', '"more"'),
        lambda text: text.replace("LogisticRegression", "Absent"),
        lambda text: text.replace(".npy", ".npz"),
        lambda text: json.dumps({**json.loads(text), "content": {"__loader__": "DictNode"}}),
        lambda text: json.dumps({**json.loads(text), "__class__": 5}),
    ],
)
def test_forged_schema_is_one_sentence(whole, schema):
    rewritten(whole, schema)
    with pytest.raises(DataError, match=r"cannot be read as a model file|holds no model|not among the types"):
        SavedModel.load(whole)


def test_archive_that_grows_in_memory_is_not_opened(whole):
    rewritten(whole, lambda text: text + " " * 5_000_000, compression=ZIP_DEFLATED)
    assert whole.stat().st_size < 100_000
    with pytest.raises(DataError, match="is compressed, and models are not"):
        SavedModel.load(whole)
