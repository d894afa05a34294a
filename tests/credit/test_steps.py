import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler, TargetEncoder

from infoprop.credit import cross_val_credits
from infoprop.credit._noise import RowTerms, gap_draws
from infoprop.credit._steps import learns_from_labels, row_scales
from infoprop.shaping import FeatureShaper, LocalProbabilityShaper

TEXTS = ["ax bx bx", "cx dx", "ax dx dx dx", "bx cx cx ax"] * 3


def rows(seed=0, n_rows=60):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    return rng.normal(size=(n_rows, 4)) + y[:, None], y


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_scales_are_what_a_normalizer_multiplies_rows_by(norm, as_rows):
    X, y = rows()
    X[3] = 0.0
    model = make_pipeline(Normalizer(norm=norm), LogisticRegression()).fit(as_rows(X), y)
    scales = row_scales(model, as_rows(X))
    assert scales.shape == (60, 1)
    np.testing.assert_allclose(scales * X, model[0].transform(X), atol=1e-14)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_shapers_have_a_norm_for_each_class(norm):
    X, y = rows()
    shaper = FeatureShaper(multiclass="ovr", norm=norm, keep_raw=True)
    model = make_pipeline(StandardScaler(), shaper, LogisticRegression()).fit(X, y)
    raw = FeatureShaper(multiclass="ovr", norm=None, keep_raw=True).fit(model[0].transform(X), y)
    scaled, plain = (step.transform(model[0].transform(X)) for step in (model[1], raw))
    scales = row_scales(model, X)
    assert scales.shape == (60, 3)
    np.testing.assert_allclose(scaled[:, :12], np.repeat(scales, 4, axis=1) * plain[:, :12])
    assert model[1].norm == norm


@pytest.mark.parametrize(
    "steps",
    [
        [TfidfVectorizer()],
        [CountVectorizer(), TfidfTransformer()],
        [FeatureUnion([("words", TfidfVectorizer()), ("counts", CountVectorizer())])],
    ],
    ids=["vectorizer", "transformer", "union"],
)
def test_scales_of_words(steps):
    y = np.arange(12) % 2
    model = make_pipeline(*steps, LogisticRegression()).fit(TEXTS, y)
    plain = TfidfVectorizer(norm=None).fit_transform(TEXTS).toarray()
    expected = 1.0 / np.linalg.norm(plain, axis=1)
    np.testing.assert_allclose(row_scales(model, TEXTS), expected[:, None])


def test_steps_are_found_inside_searches_and_column_transformers():
    X, y = rows()
    part = ColumnTransformer([("norm", Normalizer(), [0, 2]), ("rest", "passthrough", [1, 3])])
    search = GridSearchCV(make_pipeline(part, LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2)
    search.fit(X, y)
    expected = 1.0 / np.linalg.norm(X[:, [0, 2]], axis=1)
    for model in (search, FrozenEstimator(search)):
        np.testing.assert_allclose(row_scales(model, X), expected[:, None])
    assert not learns_from_labels(search)
    assert row_scales(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), X) is None
    assert row_scales(make_pipeline(FeatureShaper(norm=None), LogisticRegression()).fit(X, y), X) is None


@pytest.mark.parametrize("step", [FeatureShaper(), LocalProbabilityShaper(), TargetEncoder()])
def test_supervised_steps_are_known(step):
    assert learns_from_labels(make_pipeline(step, LogisticRegression()))


def test_what_the_norm_tells_is_left_out():
    rng = np.random.default_rng(0)
    n_rows = 40
    terms, weights = rng.normal(size=(n_rows, 3)), rng.uniform(0.5, 2.0, n_rows)
    weights[:2] = 0.0
    codes = rng.integers(0, 2, (4, n_rows))
    scales = rng.uniform(size=(n_rows, 2))
    # A third one that says the same as the first, and one that never changes.
    scales = np.column_stack([scales, 2.0 * scales[:, 0], np.ones(n_rows)])
    outputs = terms.sum(axis=1) + 3.0 * codes[0]
    found = gap_draws(RowTerms(outputs, [(slice(0, n_rows), terms)], 1, scales), codes, weights)
    root = np.sqrt(weights)
    known = np.column_stack([np.ones(n_rows), scales[:, :2]]) * root[:, None]
    part = weights / weights.sum()
    gap = part @ (codes[0] * (outputs - part @ outputs))
    for draw, labels in enumerate(codes):
        fitted = known @ np.linalg.lstsq(known, labels * root, rcond=None)[0]
        residual = (labels * root - fitted) * root / weights.sum()
        np.testing.assert_allclose(found[draw], residual @ terms / gap)


@pytest.mark.parametrize("norm", ["l2", None])
def test_noise_through_a_shaper_is_rarely_above_the_floor(norm):
    n_above = n_real = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 150)
        X = rng.normal(size=(150, 12))
        X[:, :2] += 2.0 * y[:, None]
        model = make_pipeline(FeatureShaper(norm=norm), LogisticRegression())
        noise = cross_val_credits(model, X, y, null="shuffled", n_null=39, random_state=0).noise
        n_above += noise.is_above[2:].any()
        n_real += noise.is_above[:2].sum()
    # Binomial(5, 0.05): more than 1 in one of 44 samples.
    assert n_above <= 1
    assert n_real >= (10 if norm is None else 0)
