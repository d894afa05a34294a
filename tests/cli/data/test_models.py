import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from infoprop._core._exceptions import DataError
from infoprop.cli._data._models import SavedModel, restricted
from infoprop.cli._data._preparation import Coding, Problem

CODING = Coding(
    kinds={"size": "numeric", "colour": "nominal", "letter": "text", "age": "numeric"},
    categories={"colour": ["red", "white"]},
    words={"letter": ["cold", "warm", "wet"]},
    impute=None,
    is_sparse=True,
)


@pytest.fixture
def problem():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(20, len(CODING.owners)))
    return Problem(X, np.arange(20) % 2, CODING.owners, "class", None, CODING)


def test_coding_is_restricted_to_features_and_words():
    assert CODING.owners == ("size", "colour", "colour", "cold", "warm", "wet", "age")
    part = restricted(CODING, ["colour", "warm", "age"])
    assert part.kinds == {"colour": "nominal", "letter": "text", "age": "numeric"}
    assert part.words == {"letter": ["warm"]}
    assert part.owners == ("colour", "colour", "warm", "age")
    assert restricted(CODING, ["size"]).kinds == {"size": "numeric"}
    assert restricted(CODING, list(dict.fromkeys(CODING.owners))) == CODING


def test_model_knows_what_it_does_not_use(problem, tmp_path):
    selected = np.array([True, False, False, True, False, False])
    columns = [0, 4]
    classifier = LogisticRegression().fit(problem.X[:, columns], problem.y)
    model = SavedModel.of(problem, classifier, selected, ["id", "split"])
    assert list(model.coding.kinds) == ["size", "letter"]
    assert model.ignored == ("colour", "age", "id", "split")
    assert model.kinds["colour"] == "text"
    assert model.kinds["size"] == "numeric"
    path = tmp_path / "m.skops"
    model.save(path)
    again = SavedModel.load(path)
    assert again.coding == model.coding
    assert (again.ignored, again.target, again.version) == (model.ignored, "class", model.version)
    np.testing.assert_array_equal(
        again.classifier.predict(problem.X[:, columns]), classifier.predict(problem.X[:, columns])
    )


def test_file_that_cannot_be_written_is_told(problem, tmp_path):
    model = SavedModel.of(problem, LogisticRegression().fit(problem.X, problem.y))
    with pytest.raises(DataError, match="could not be written"):
        model.save(tmp_path / "absent" / "m.skops")
