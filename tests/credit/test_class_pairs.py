"""Credits of a PairwiseClassifier: both rules, columns of every pair, sums."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from infoprop.credit import credit_features, credit_rows
from infoprop.exceptions import UnsupportedEstimatorError
from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.svm import OneVsRestSVC

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, 240)
# Column 0 tells 0 and 1 from 2 and 3, column 1 even from odd; two of noise.
X = RNG.normal(size=(240, 4)) + 2.5 * np.column_stack([Y > 1, Y % 2, 0 * Y, 0 * Y])
LABELS = np.array(["a", "b", "c", "d"])[Y]
MEMBERS = {
    "linear": OneVsRestSVC(kernel="linear", C=0.1),
    "rbf": make_pipeline(StandardScaler(), OneVsRestSVC(C=1.0)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}


def pairwise(member, **parameters):
    model = PairwiseClassifier(member, validation=None, random_state=0, **parameters)
    return model.fit(X[::2], LABELS[::2])


@pytest.mark.parametrize("sharing", ["covariance", "margin"])
@pytest.mark.parametrize("member", MEMBERS)
def test_credits_sum_to_the_information(member, sharing):
    credits = credit_features(pairwise(MEMBERS[member]), X[1::2], LABELS[1::2], sharing=sharing)
    assert credits.information > 0.8
    assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
    np.testing.assert_allclose(credits.by_class.sum(axis=1), credits.flow.indicator_credits, atol=1e-12)
    assert set(credits.ranking[:2].tolist()) == {0, 1}
    if sharing == "covariance":
        assert credits.shares[2:].sum() < 0.02


def test_linear_pairs_are_those_of_one_vs_one():
    # Machines of all pairs, with the same training: the shares of scikit-learn's SVC.
    model = pairwise(SVC(kernel="linear", C=0.1, tol=1e-8))
    peer = SVC(kernel="linear", C=0.1, tol=1e-8).fit(X[::2], LABELS[::2])
    own, expected = (credit_features(m, X[1::2], LABELS[1::2]) for m in (model, peer))
    own, expected = (each.by_class / each.flow.indicator_credits[:, None] for each in (own, expected))
    np.testing.assert_allclose(own, expected, atol=1e-5)


def test_pairs_have_columns_of_their_own():
    model = pairwise(MEMBERS["logistic"], selector=SelectKBest(k=1))
    used = model.pairs_.support.any(axis=0)
    assert not used.all()
    for sharing in ("covariance", "margin"):
        credits = credit_features(model, X[1::2], LABELS[1::2], sharing=sharing)
        assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
        assert (credits.values[~used] == 0).all()


def test_rows_of_pairs_add_up_and_noise_floor_is_known():
    model = pairwise(MEMBERS["rbf"])
    rows = credit_rows(model, X[1:7:2], background=X[::2])
    assert rows.contributions.shape == (3, 4, 4)
    assert np.abs(rows.remainder).max() < 1e-9
    linear = pairwise(MEMBERS["linear"])
    credits = credit_features(linear, X[1::2], LABELS[1::2], null="shuffled", random_state=0)
    assert credits.noise.is_above.tolist() == [True, True, False, False]


def test_pairs_inside_a_pipeline_follow_its_columns():
    codes = np.column_stack([np.array(list("pqrs"))[Y], RNG.choice(list("uv"), 240)])
    model = make_pipeline(OneHotEncoder(), PairwiseClassifier(LogisticRegression(), validation=None))
    credits = credit_features(model.fit(codes[::2], LABELS[::2]), codes[1::2], LABELS[1::2])
    assert credits.shares[0] > 0.98


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pairs_of_networks_add_up_and_neighbours_are_refused():
    model = pairwise(MLPClassifier(hidden_layer_sizes=(3,), alpha=1.0, max_iter=50, random_state=0))
    credits = credit_features(model, X[1::2], LABELS[1::2])
    assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
    assert credits.shares[2:].sum() < 0.05
    rows = credit_rows(model, X[1::2])
    assert np.abs(rows.remainder).max() < 1e-9
    with pytest.raises(UnsupportedEstimatorError, match="KNeighborsClassifier"):
        credit_features(pairwise(None), X, LABELS)
