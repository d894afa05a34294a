import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop.credit._origins import column_origins

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(30, 5)))
Y = (X[:, 1] > X[:, 3]).astype(int)


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        MinMaxScaler(),
        MaxAbsScaler(),
        RobustScaler(),
        PowerTransformer(),
        QuantileTransformer(n_quantiles=10),
        SimpleImputer(),
        KNNImputer(),
        TfidfTransformer(norm=None),
        FunctionTransformer(),
        FunctionTransformer(np.sqrt, feature_names_out="one-to-one"),
        make_pipeline(StandardScaler(), "passthrough", None),
    ],
    ids=str,
)
def test_per_column_maps_keep_every_column_where_it_is(transformer):
    assert column_origins(transformer.fit(X, Y), 5).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "transformer",
    [
        PCA(),
        Normalizer(),
        TfidfTransformer(),
        PolynomialFeatures(),
        FunctionTransformer(np.sort),
        make_pipeline(StandardScaler(), PCA()),
    ],
    ids=lambda step: type(step).__name__,
)
def test_maps_that_mix_columns_are_refused(transformer):
    with pytest.raises(UnsupportedEstimatorError, match="cannot be followed back"):
        column_origins(transformer.fit(X, Y), 5)


def test_selectors_point_to_the_columns_they_chose():
    steps = make_pipeline(StandardScaler(), SelectKBest(k=3), VarianceThreshold(), SelectKBest(k=1)).fit(X, Y)
    expected = steps.get_feature_names_out([f"x{k}" for k in range(5)])
    assert [f"x{k}" for k in column_origins(steps, 5)] == list(expected)


@pytest.mark.parametrize("as_frame", [False, True])
def test_imputers_leave_empty_columns_out(as_frame):
    holes = X.copy()
    holes[:, 2] = np.nan
    rows = pd.DataFrame(holes, columns=list("abcde")) if as_frame else holes
    assert column_origins(SimpleImputer().fit(rows), 5).tolist() == [0, 1, 3, 4]
    kept = SimpleImputer(keep_empty_features=True).fit(rows)
    assert column_origins(kept, 5).tolist() == [0, 1, 2, 3, 4]


def test_missing_value_indicators_are_refused_only_where_there_are_any():
    assert column_origins(SimpleImputer(add_indicator=True).fit(X), 5).tolist() == [0, 1, 2, 3, 4]
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(UnsupportedEstimatorError, match="add_indicator"):
        column_origins(SimpleImputer(add_indicator=True).fit(holes), 5)


@pytest.mark.parametrize(
    "columns",
    [
        (["e", "a"], ["c", "b"]),
        ([4, 0], [-3, 1]),
        (slice("a", "b"), ["e"]),
        (slice(0, 2), [False, False, True, False, True]),
    ],
    ids=str,
)
@pytest.mark.parametrize("remainder", ["drop", "passthrough", MinMaxScaler()], ids=str)
def test_column_transformers_of_per_column_maps_are_followed(columns, remainder):
    frame = pd.DataFrame(X, columns=list("abcde"))
    first, second = columns
    parts = [("first", StandardScaler(), first), ("second", "passthrough", second), ("none", "drop", ["d"])]
    transformer = ColumnTransformer(parts, remainder=remainder, verbose_feature_names_out=False).fit(frame)
    expected = list(transformer.get_feature_names_out())
    assert [frame.columns[k] for k in column_origins(transformer, 5)] == expected


def test_a_column_transformer_with_an_encoder_is_refused():
    transformer = ColumnTransformer([("code", OneHotEncoder(), [0])], remainder="passthrough").fit(X)
    with pytest.raises(UnsupportedEstimatorError, match="OneHotEncoder"):
        column_origins(transformer, 5)
