import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from infoprop.svm._calibration import Sigmoid


def probability(sigmoid, output):
    return expit(sigmoid.slope * output + sigmoid.offset)


def slow_sigmoid(outputs, is_positive, weights):
    """Each row once for either class, weighted by its target: an ordinary logistic regression."""
    positive, negative = weights[is_positive].sum(), weights[~is_positive].sum()
    targets = np.where(is_positive, (positive + 1) / (positive + 2), 1 / (negative + 2))
    twice = np.r_[outputs, outputs][:, None]
    labels = np.r_[np.ones(len(outputs)), np.zeros(len(outputs))]
    model = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000)
    model.fit(twice, labels, sample_weight=np.r_[weights * targets, weights * (1 - targets)])
    return model.coef_[0, 0], model.intercept_[0]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_sigmoid_is_that_of_largest_likelihood(scale):
    rng = np.random.default_rng(0)
    is_positive = rng.random(200) < 0.3
    outputs = rng.normal(size=200) + 1.5 * is_positive
    weights = rng.random(200) + 0.5
    slope, offset = slow_sigmoid(outputs, is_positive, weights)
    found = Sigmoid.fit(scale * outputs, is_positive, weights)
    assert found.slope * scale == pytest.approx(slope, rel=1e-4)
    assert found.offset == pytest.approx(offset, abs=1e-4)


def test_a_row_of_weight_two_is_two_rows():
    outputs, is_positive = np.array([-1.0, 0.2, 0.1, 2.0]), np.array([False, True, False, True])
    twice = np.array([0, 1, 1, 2, 3, 3])
    weighted = Sigmoid.fit(outputs, is_positive, np.array([1.0, 2.0, 1.0, 2.0]))
    repeated = Sigmoid.fit(outputs[twice], is_positive[twice], np.ones(6))
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-7)
    assert weighted.offset == pytest.approx(repeated.offset, rel=1e-7)


def test_outputs_that_separate_the_classes_give_a_finite_slope():
    found = Sigmoid.fit(np.array([-3.0, -2.0, 2.0, 3.0]), np.array([False, False, True, True]), np.ones(4))
    assert 0.0 < found.slope < 10.0
    assert np.all(np.diff(probability(found, np.linspace(-5, 5, 11))) > 0)


def test_outputs_that_are_all_the_same_give_the_share_of_the_class():
    is_positive = np.arange(10) < 3
    found = Sigmoid.fit(np.full(10, 0.7), is_positive, np.ones(10))
    # Mean of the targets: (3 * 4/5 + 7 * 1/9) / 10.
    assert probability(found, 0.7) == pytest.approx((3 * 0.8 + 7 / 9) / 10, abs=1e-6)
