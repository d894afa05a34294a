"""Pipelines that people really have, from the columns of a table to credits and back to these columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC

from infoprop.credit import credit_features, credit_rows
from infoprop.exceptions import UnsupportedEstimatorError
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper

N = 160
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
NUMBERS = pd.DataFrame(RNG.normal(size=(N, 3)) + np.outer(Y, [0.0, 2.0, 0.0]), columns=["a", "told", "b"])
HOLES = NUMBERS.mask(pd.DataFrame(RNG.uniform(size=(N, 3)) < 0.1, columns=NUMBERS.columns))
TEXTS = pd.DataFrame(
    {
        "a": RNG.choice(list("pqrst"), N),
        "told": np.where(RNG.uniform(size=N) < 0.9, np.array(["no", "yes"])[Y], "none"),
        "b": RNG.choice(list("uvw"), N),
    }
)
DOCUMENTS = pd.DataFrame(
    {
        "told": [f"word {'good' if label else 'bad'} thing" for label in Y],
        "a": NUMBERS["a"],
        "b": NUMBERS["b"],
    }
)


def table(numbers, texts):
    return pd.concat([numbers[["a"]], texts[["told"]], numbers[["b"]]], axis=1)


def words(vectorizer):
    return ColumnTransformer([("words", vectorizer, "told")], remainder="passthrough")


PIPELINES = {
    "OneHotEncoder": (OneHotEncoder(handle_unknown="ignore"), TEXTS),
    "OneHotEncoder, drop": (OneHotEncoder(drop="first", min_frequency=20, handle_unknown="ignore"), TEXTS),
    "OrdinalEncoder": (OrdinalEncoder(categories=[list("pqrst"), ["no", "none", "yes"], list("uvw")]), TEXTS),
    "TargetEncoder": (TargetEncoder(cv=StratifiedKFold(5)), TEXTS),
    "KBinsDiscretizer": (KBinsDiscretizer(4, quantile_method="averaged_inverted_cdf"), NUMBERS),
    "SplineTransformer": (SplineTransformer(4), NUMBERS),
    "PolynomialFeatures": (PolynomialFeatures(2, include_bias=False), NUMBERS),
    "PolynomialFeatures, with ones": (PolynomialFeatures(2), NUMBERS),
    "CountVectorizer": (words(CountVectorizer()), DOCUMENTS),
    "TfidfVectorizer": (words(TfidfVectorizer()), DOCUMENTS),
    "SimpleImputer": (SimpleImputer(add_indicator=True), HOLES),
    "ColumnTransformer": (
        ColumnTransformer([("texts", OneHotEncoder(), ["told"]), ("numbers", StandardScaler(), ["a", "b"])]),
        table(NUMBERS, TEXTS),
    ),
    "FeatureUnion": (FeatureUnion([("s", SplineTransformer(3)), ("z", StandardScaler())]), NUMBERS),
    "FeatureShaper": (FeatureShaper(), NUMBERS),
    "LocalProbabilityShaper": (LocalProbabilityShaper(), NUMBERS),
    "BNSScaler": (BNSScaler(), (NUMBERS > 0.7).astype(float)),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_credits_belong_to_the_columns_of_the_table(name):
    transformer, X = PIPELINES[name]
    model = make_pipeline(transformer, LogisticRegression()).fit(X[::2], Y[::2])
    credits = credit_features(model, X[1::2], Y[1::2])
    assert sorted(credits.feature_names) == ["a", "b", "told"]
    assert credits.top(1)[0][0] == "told"
    assert credits.values.sum() == pytest.approx(credits.information)
    assert credits.shares[credits.feature_names.index("told")] > 0.7
    rows = credit_rows(model, X[1:4])
    assert abs(rows.remainder).max() < 1e-9


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_steps_may_put_out_data_frames(output):
    transformer = OneHotEncoder(sparse_output=False, handle_unknown="ignore").set_output(transform=output)
    X = TEXTS if output == "pandas" else pl.DataFrame(TEXTS.to_dict("list"))
    plain = make_pipeline(OneHotEncoder(sparse_output=False, handle_unknown="ignore"), LogisticRegression())
    model = make_pipeline(transformer, LogisticRegression()).fit(X, Y)
    expected = credit_features(plain.fit(TEXTS, Y), TEXTS, Y)
    np.testing.assert_allclose(credit_features(model, X, Y).values, expected.values)


@pytest.mark.parametrize("sharing", ["covariance", "margin"])
def test_one_vs_one_machines_credit_groups(sharing):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 150)
    codes = pd.DataFrame({"told": np.array(list("xyz"))[y], "a": rng.choice(list("pqrstuvw"), 150)})
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC(kernel="linear"))
    credits = credit_features(model.fit(codes[::2], y[::2]), codes[1::2], y[1::2], sharing=sharing)
    assert credits.top(1)[0][0] == "told"
    assert credits.values.sum() == pytest.approx(credits.information)
    if sharing == "covariance":
        assert credits.shares[1] < 0.02


def test_what_mixes_columns_is_refused_with_a_reason():
    model = make_pipeline(StandardScaler(), PCA(2), LogisticRegression()).fit(NUMBERS, Y)
    with pytest.raises(UnsupportedEstimatorError, match="PCA: its output columns are mixtures"):
        credit_features(model, NUMBERS, Y)


@pytest.mark.parametrize("sharing", ["covariance", "margin"])
def test_column_of_ones_is_nobodys_and_takes_no_credit(sharing):
    ones, plain = (
        make_pipeline(PolynomialFeatures(2, include_bias=bias), LogisticRegression())
        for bias in (True, False)
    )
    ones.fit(NUMBERS[::2], Y[::2])
    plain.fit(NUMBERS[::2], Y[::2])
    # The same function: all of the constant is in the column of ones.
    coef, intercept = ones[-1].coef_, ones[-1].intercept_
    coef[:, 1:], coef[:, 0], intercept[:] = plain[-1].coef_, plain[-1].intercept_, 0.0
    X, y = NUMBERS[1::2], Y[1::2]
    credits = credit_features(ones, X, y, sharing=sharing)
    expected = credit_features(plain, X, y, sharing=sharing)
    np.testing.assert_allclose(credits.values, expected.values, atol=1e-12)
    assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
    rows, expected_rows = credit_rows(ones, X[:3]), credit_rows(plain, X[:3])
    np.testing.assert_allclose(rows.base, expected_rows.base, atol=1e-12)
    np.testing.assert_allclose(rows.contributions, expected_rows.contributions, atol=1e-12)
