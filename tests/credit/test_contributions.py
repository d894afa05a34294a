import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from reference.contributions import indicators

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize(
    "model", [LinearSVC(), OneVsRestClassifier(LinearSVC()), SVC(kernel="linear")], ids=str
)
def test_terms_of_linear_machines_add_up_to_their_outputs_but_for_a_constant(model):
    for indicator in indicators(make_pipeline(StandardScaler(), model).fit(X, Y), X):
        means = [machine.rows.mean(axis=0) for machine in indicator.machines]
        terms = np.concatenate([np.asarray(block) for _, block in indicator.terms(means)])
        outputs = indicator.outputs()
        np.testing.assert_allclose(terms.sum(axis=1), outputs - outputs.mean(), atol=1e-9)
        assert indicator.is_exact


def test_a_class_of_a_one_vs_one_machine_has_the_machines_of_its_pairs():
    found = indicators(SVC().fit(X, Y), X)
    assert [len(indicator.machines) for indicator in found] == [2, 2, 2]
    assert [list(indicator.signs) for indicator in found] == [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]
    assert not found[0].is_exact


def test_two_classes_have_one_indicator():
    two = Y < 2
    assert len(indicators(SVC().fit(X[two], Y[two]), X[two])) == 1
