import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.svm import SVC

from infoprop.credit import _crediting, credit_features, cross_val_credits
from infoprop.metrics import InformationFlow
from infoprop.shaping import FeatureShaper
from infoprop.svm import OneVsRestSVC
from reference.contributions import measured
from reference.sensitivity import linear_shares

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def jackknifed(model, rows, y, sharing, weights):
    """Standard errors by the definition: credits without every twentieth row, twenty times."""
    left = []
    for group in range(20):
        kept = np.arange(len(y)) % 20 != group
        left.append(credit_features(model, rows[kept], y[kept], weights[kept], sharing=sharing).values)
    return np.sqrt(19 / 20 * ((np.array(left) - np.mean(left, axis=0)) ** 2).sum(axis=0))


@pytest.mark.parametrize("sharing", ["margin", "covariance"])
@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), SVC(), PeerMLPClassifier((3,), solver="lbfgs", max_iter=30, random_state=0)],
    ids=["linear", "rbf", "network"],
)
def test_standard_errors_are_those_of_credits_without_some_rows(model, sharing):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(Y[1::2]))
    model = clone(model).fit(X[::2], Y[::2])
    credits = credit_features(model, X[1::2], Y[1::2], weights, sharing=sharing)
    expected = jackknifed(model, X[1::2], Y[1::2], sharing, weights)
    if credits.contributions is not None:
        before = measured(model, X[1::2], weights, y=Y[1::2])
        expected = np.maximum(expected, credits.flow.indicator_credits @ before.errors())
    # Terms of kernels and networks are measured from the mean of the rows, which moves a little when some are
    # left out.
    is_exact = sharing == "margin" or isinstance(model, LogisticRegression)
    tolerance = 1e-9 if is_exact else 0.1 * expected.max()
    np.testing.assert_allclose(credits.standard_errors, expected, atol=tolerance)


def test_folds_average_contributions_before_they_are_shrunk():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    credits = cross_val_credits(model, X, Y, validation=FOLDS, sharing="covariance")
    parts = []
    for train, test in FOLDS.split(X, Y):
        fitted = clone(model).fit(X[train], Y[train])
        parts.append(measured(fitted, X[test], np.ones(len(test)), y=Y[test]))
    mean = {name: np.mean([getattr(part, name) for part in parts], axis=0) for name in ("values", "gaps")}
    errors = {
        name: np.sum([getattr(part, name) for part in parts], axis=0) / 16
        for name in ("variances", "gap_variances")
    }
    flow = InformationFlow.from_predictions(Y, cross_val_predict(model, X, Y, cv=FOLDS))
    expected = flow.indicator_credits @ parts[0]._replace(**mean, **errors).shares()
    np.testing.assert_allclose(credits.values, expected)
    np.testing.assert_allclose(credits.contributions, mean["values"])
    np.testing.assert_allclose(credits.values.sum(), credits.information)
    np.testing.assert_array_equal(credits.flow.counts, flow.counts)


def test_folds_average_shares_by_margin():
    model = LogisticRegression()
    credits = cross_val_credits(model, X, Y, validation=FOLDS, sharing="margin")
    shares = np.mean(
        [linear_shares(clone(model).fit(X[train], Y[train])) for train, _ in FOLDS.split(X, Y)], axis=0
    )
    np.testing.assert_allclose(credits.by_class, credits.flow.indicator_credits[:, None] * shares)


def test_a_fold_that_never_met_a_class_says_nothing_about_it():
    y = np.array([0] * 20 + [1] * 20 + [2])
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(41, 3)) + 2.0 * np.eye(3)[y]
    credits = cross_val_credits(
        LogisticRegression(), rows, y, validation=[(np.arange(0, 41, 2), np.arange(1, 41, 2)),
                                           (np.arange(1, 41, 2), np.arange(0, 41, 2))],
        sharing="covariance",
    )  # fmt: skip
    assert credits.classes.tolist() == [0, 1, 2]
    np.testing.assert_allclose(credits.values.sum(), credits.information)


def test_folds_have_a_noise_floor_and_names():
    wine = load_wine(as_frame=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    credits = cross_val_credits(
        model, wine.data, wine.target, sharing="covariance", null="shuffled", n_null=39, random_state=0
    )
    assert credits.feature_names[0] == "alcohol"
    assert credits.noise.is_above.sum() >= 10
    frame = credits.to_frame()
    assert {"low", "high", "noise_floor", "p_value", "above_noise"} <= set(frame.columns)
    assert (frame["low"] <= frame["credit"]).all()
    assert (frame["credit"] <= frame["high"]).all()


def test_intervals_grow_with_their_level_and_need_rows():
    model = LogisticRegression().fit(X[::2], Y[::2])
    credits = credit_features(model, X[1::2], Y[1::2], sharing="covariance")
    narrow, wide = credits.interval(0.5), credits.interval(0.99)
    assert (wide[:, 0] <= narrow[:, 0]).all()
    assert (wide[:, 1] >= narrow[:, 1]).all()
    assert (wide >= 0).all()
    with pytest.raises(ValueError, match="Pass groups= to credit_features"):
        credits.grouped([0] * 13).interval()


def test_intervals_hold_the_credit_of_all_rows():
    rng = np.random.default_rng(0)

    def draw(n_rows):
        rows = rng.normal(size=(n_rows, 5))
        y = (rows @ [1.0, 0.7, 0.4, 0.0, 0.0] + rng.normal(size=n_rows) > 0).astype(int)
        return rows, y

    model = LogisticRegression().fit(*draw(200))
    truth = credit_features(model, *draw(50_000), sharing="covariance").values
    held = []
    for _ in range(40):
        low, high = credit_features(model, *draw(300), sharing="covariance").interval().T
        held.append((low <= truth + 1e-12) & (truth <= high))
    assert np.mean(held, axis=0)[:3].min() >= 0.85


def test_gaps_of_folds_vary_twice_as_much_as_on_shuffled_labels():
    rng = np.random.default_rng(0)
    s, drawn = rng.normal(size=(2, 4000, 5, 20))
    others = s.sum(axis=1, keepdims=True) - s
    as_they_are, shuffled = ((own * others).sum(axis=(1, 2)) for own in (s, drawn))
    np.testing.assert_allclose(as_they_are.var() / shuffled.var(), 2.0, rtol=0.1)


@pytest.mark.parametrize(
    ("step", "groups", "expected"),
    [
        (StandardScaler(), None, [1, 1, 1]),
        (StandardScaler(), [0, 0, 1], [2, 1]),
        (SplineTransformer(), None, [2, 2, 2]),
        (ColumnTransformer([("s", SplineTransformer(), [1])], remainder="passthrough"), None, [1, 2, 1]),
        (FeatureShaper(norm=None), None, [2, 2, 2]),
    ],
    ids=["columns", "groups", "splines", "some splines", "shapes"],
)
def test_floors_of_folds_are_wider_for_features_with_several_weights(monkeypatch, step, groups, expected):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = rng.normal(size=(90, 3)) + y[:, None]
    model = make_pipeline(step, LogisticRegression())
    options = {"groups": groups, "null": "shuffled", "n_null": 19, "random_state": 0}
    found, measured = [], _crediting._widened
    monkeypatch.setattr(_crediting, "_widened", lambda *given: found.append(measured(*given)) or found[-1])
    cross_val_credits(model, X, y, validation=3, **options)
    credit_features(model.fit(X[:60], y[:60]), X[60:], y[60:], **options)
    np.testing.assert_allclose(found[0] ** 2, expected)
    np.testing.assert_array_equal(found[1], np.ones(len(expected)))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "poly", "degree": 2},
        {"calibration": "train"},
        {"normalize_margin": True},
        {"kernel": {0: "rbf", 1: "linear", 2: "poly"}},
        {"kernel": "linear"},
    ],
    ids=["rbf", "poly", "calibrated", "normalized", "kernels", "linear"],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_table_counts_what_the_classifier_predicts(options, n_classes):
    own = np.isin(Y, range(n_classes))
    if n_classes == 2 and isinstance(options.get("kernel"), dict):
        options = {"kernel": {0: "rbf", 1: "rbf"}}
    model = make_pipeline(StandardScaler(), OneVsRestSVC(**options)).fit(X[own][::2, :4], Y[own][::2])
    flow = credit_features(model, X[own][1::2, :4], Y[own][1::2]).flow
    expected = InformationFlow.from_predictions(Y[own][1::2], model.predict(X[own][1::2, :4]))
    np.testing.assert_array_equal(flow.counts, expected.counts)
