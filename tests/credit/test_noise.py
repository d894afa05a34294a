import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from infoprop.credit import NoiseFloor, credit_features
from infoprop.credit._noise import RowTerms, gap_draws, shuffled_codes
from infoprop.svm import OneVsRestSVC


def planted(seed, n_rows=200, n_columns=12, strength=1.0):
    """Two informative columns among noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (strength * (X[:, 0] + X[:, 1]) + rng.normal(size=n_rows) > 0).astype(int)
    return X, y


def test_statistics_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    terms, weights = rng.normal(size=(30, 4)), rng.uniform(0.5, 2.0, 30)
    y = rng.integers(0, 3, 30)
    outputs = terms.sum(axis=1) + (y == 1)
    codes = shuffled_codes(y, 5, np.random.default_rng(1))
    blocks = [(slice(0, 10), terms[:10]), (slice(10, 30), terms[10:])]
    found = gap_draws(RowTerms(outputs, blocks, 1), codes, weights)
    gap = np.cov(y == 1, outputs, aweights=weights, ddof=0)[0, 1]
    for draw, labels in enumerate(codes):
        for k in range(4):
            own = np.cov(labels == 1, terms[:, k], aweights=weights, ddof=0)[0, 1]
            np.testing.assert_allclose(found[draw, k], own / gap)
    np.testing.assert_array_equal(np.sort(codes, axis=1), np.tile(np.sort(y), (6, 1)))


def test_p_values_count_the_luckiest_feature_of_every_draw():
    draws = np.array([[1.0, -20.0], [-1.0, 0.0], [1.0, 20.0], [-1.0, 0.0]] * 10)
    floor = NoiseFloor.from_draws(np.array([3.0, 1.0]), draws)
    spread = np.vstack([[3.0, 1.0], draws]).std(axis=0)
    largest = (draws / spread).max(axis=1)
    expected = [(1 + (largest >= 3.0 / spread[0]).sum()) / 41, (1 + (largest >= 1.0 / spread[1]).sum()) / 41]
    np.testing.assert_allclose(floor.p_values, expected)
    np.testing.assert_allclose(floor.floor, spread * largest.max())
    np.testing.assert_array_equal(floor.is_above, [True, False])


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        OneVsRestSVC(kernel="linear"),
        make_pipeline(StandardScaler(), SVC()),
        PeerMLPClassifier((4,), solver="lbfgs", max_iter=100, random_state=0),
    ],
    ids=["logistic", "linear", "rbf", "network"],
)
def test_informative_columns_are_above_the_floor_and_noise_is_not(model):
    X, y = planted(0, 400, strength=2.0)
    credits = credit_features(
        model.fit(X[:200], y[:200]), X[200:], y[200:], sharing="covariance", null="shuffled", random_state=0
    )
    assert credits.noise.is_above.nonzero()[0].tolist() == [0, 1]
    assert (credits.noise.floor[:2] > 0).all()
    assert credits.noise.n_draws == 199
    np.testing.assert_array_equal(credits.noise.is_above, credits.noise.statistics > credits.noise.floor)


def test_one_in_twenty_sets_of_pure_noise_has_any_feature_above():
    n_above = 0
    for seed in range(60):
        X, _ = planted(seed, 100, 6)
        y = np.random.default_rng([seed, 1]).integers(0, 2, 100)
        model = LogisticRegression().fit(X[:50], y[:50])
        noise = credit_features(model, X[50:], y[50:], null="shuffled", n_null=59, random_state=0).noise
        n_above += noise.is_above.any()
    # Binomial(60, 0.05): more than 7 in one of 600 samples.
    assert n_above <= 7


def test_noise_beside_columns_that_tell_many_classes_is_above_as_rarely():
    n_above = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.arange(120) % 5
        X = rng.normal(size=(120, 14))
        X[:, :4] += 3.0 * np.eye(5)[y, :4]
        model = LogisticRegression().fit(X[:60], y[:60])
        noise = credit_features(model, X[60:], y[60:], null="shuffled", n_null=39, random_state=0).noise
        n_above += noise.is_above[4:].any()
    # Binomial(40, 0.05): more than 6 in one of 300 samples.
    assert n_above <= 6


def test_a_group_has_one_p_value():
    X, y = planted(0, 300, 4)
    model = LogisticRegression().fit(X[:150], y[:150])
    credits = credit_features(
        model, X[150:], y[150:], groups=[0, 0, 1, 1], null="shuffled", random_state=0, sharing="covariance"
    )
    assert credits.noise.is_above.tolist() == [True, False]


def test_nominal_columns_are_tested_as_one():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    nominal = np.column_stack([rng.integers(0, 30, 600), np.where(rng.uniform(size=600) < 0.8, y, 1 - y)])
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    credits = credit_features(
        model.fit(nominal[:300], y[:300]), nominal[300:], y[300:], null="shuffled", random_state=0
    )
    assert credits.noise.is_above.tolist() == [False, True]


def test_the_same_seed_gives_the_same_floor():
    X, y = planted(0)
    model = LogisticRegression().fit(X[:100], y[:100])
    first, second = (credit_features(model, X, y, null="shuffled", random_state=3).noise for _ in range(2))
    assert first == second


def test_what_cannot_be_drawn_is_refused():
    X, y = planted(0)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(
        ValueError, match="'null' parameter of credit_features must be one of None, 'shuffled'"
    ):
        credit_features(model, X, y, null="labels")
    with pytest.raises(ValueError, match="'n_null' parameter of credit_features"):
        credit_features(model, X, y, null="shuffled", n_null=5)
