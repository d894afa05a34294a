"""Models that are kept: probabilities beside the same predictions, and the rows they are trained on."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from infoprop.exceptions import InfopropError
from infoprop.workflow import analyse
from infoprop.workflow._models import SavedModel
from reference.command_line import CLASSIFIERS

X, Y = load_wine(return_X_y=True, as_frame=True)
X = X[["proline", "flavanoids", "hue"]]


def kept(found, path, **how):
    found.save(path, **how)
    return SavedModel.load(path)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_classifier_has_probabilities_and_predicts_as_without_them(classifier, tmp_path):
    found = analyse(X, Y, classifier=classifier, repeat_choice=True)
    model = kept(found, tmp_path / "m.skops")
    predicted, probabilities, scores = model.answers(found.problem.X, with_scores=True)
    np.testing.assert_array_equal(predicted, found.model().predict(found.problem.X))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities.argmax(axis=1) == Y).mean() > 0.85
    assert (scores is None) == (classifier in ("mlp", "knn"))
    if scores is not None:
        assert scores.shape == probabilities.shape


def test_two_classes_have_a_score_each(tmp_path):
    found = analyse(X[Y > 0], Y[Y > 0], repeat_choice=True)
    model = kept(found, tmp_path / "m.skops")
    predicted, probabilities, scores = model.answers(found.problem.X, with_scores=True)
    np.testing.assert_array_equal(model.classes[scores.argmax(axis=1)], predicted)
    assert probabilities.shape == scores.shape == (len(predicted), 2)


def test_probabilities_can_be_left_out(tmp_path):
    found = analyse(X, Y, repeat_choice=True)
    assert kept(found, tmp_path / "m.skops", probabilities=False).answers(found.problem.X)[1] is None


@pytest.mark.parametrize("method", [None, "credit"])
def test_the_model_of_the_training_rows_is_the_one_that_was_judged(method, tmp_path):
    how = {} if method is None else {"method": method, "n_features_to_select": 2}
    found = analyse(X, Y, repeat_choice=True, **how)
    model = kept(found, tmp_path / "m.skops", rows="train", probabilities=False)
    columns = [list(X.columns).index(name) for name in model.encoder.parts["kinds"]]
    predicted = model.answers(found.problem.X[:, columns])[0]
    np.testing.assert_array_equal(predicted[found.judged.rows], found.judged.predicted)
    with pytest.raises(InfopropError, match="not as folds"):
        analyse(X, Y, validation=3, repeat_choice=True).model(rows="train")


@pytest.mark.parametrize("classifier", ["svm", "pairwise"])
@pytest.mark.parametrize("how", [{}, {"method": "forward", "n_features_to_select": 2}])
def test_judged_rows_have_probabilities_from_the_training_rows_alone(classifier, how):
    plain = analyse(X, Y, classifier=classifier, repeat_choice=True, validation=3, **how)
    told = analyse(X, Y, classifier=classifier, repeat_choice=True, validation=3, probabilities=True, **how)
    assert plain.judged.probabilities is None
    assert "probabilities=True" in told.code
    np.testing.assert_array_equal(told.judged.predicted, plain.judged.predicted)
    np.testing.assert_allclose(told.judged.probabilities.sum(axis=1), 1.0)
    assert (told.judged.probabilities.argmax(axis=1) == Y).mean() > 0.8
