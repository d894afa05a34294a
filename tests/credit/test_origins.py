import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from infoprop.credit._origins import column_origins, single_origins, starts_with_words
from infoprop.exceptions import UnsupportedEstimatorError
from infoprop.shaping import BNSScaler, FeatureShaper

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(30, 5)))
Y = (X[:, 1] > X[:, 3]).astype(int)


def owners(transformer, n_columns=5):
    """The one input column of every output column."""
    return single_origins(column_origins(transformer, n_columns)).tolist()


def slow_owners(transformer, rows):
    """Which input column an output column changes with: one column at a time is shuffled."""
    plain = _dense(transformer.transform(rows))
    found = np.full(plain.shape[1], -1)
    for k in range(rows.shape[1]):
        changed = rows.copy()
        changed[:, k] = changed[::-1, k]
        moved = (_dense(transformer.transform(changed)) != plain).any(axis=0)
        assert (found[moved] == -1).all()
        found[moved] = k
    return found


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


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
        OrdinalEncoder(),
        KBinsDiscretizer(encode="ordinal", strategy="uniform"),
        Normalizer(),
        TfidfTransformer(),
        FunctionTransformer(),
        FunctionTransformer(np.sqrt, feature_names_out="one-to-one"),
        make_pipeline(StandardScaler(), "passthrough", None),
    ],
    ids=str,
)
def test_per_column_maps_keep_every_column_where_it_is(transformer):
    assert owners(transformer.fit(X, Y)) == [0, 1, 2, 3, 4]


CODES = np.random.default_rng(1).integers(0, 6, (60, 3)) * np.array([1, 2, 3])
CLASSES = np.arange(60) % 3


@pytest.mark.parametrize(
    "transformer",
    [
        OneHotEncoder(),
        OneHotEncoder(drop="first"),
        OneHotEncoder(drop="if_binary", sparse_output=False),
        OneHotEncoder(min_frequency=12, handle_unknown="infrequent_if_exist"),
        OneHotEncoder(max_categories=3, drop="first"),
        KBinsDiscretizer(4, strategy="uniform"),
        KBinsDiscretizer(3, encode="onehot-dense", strategy="uniform"),
        SplineTransformer(),
        SplineTransformer(n_knots=3, include_bias=False),
        TargetEncoder(cv=2, random_state=0),
        FeatureShaper(multiclass="ovr", norm=None),
        FeatureShaper(multiclass="ovr", norm=None, keep_raw=True),
        BNSScaler(positive_label=1),
        make_union(OneHotEncoder(), "drop", StandardScaler(), "passthrough"),
        make_pipeline(SplineTransformer(n_knots=3), StandardScaler(), VarianceThreshold()),
    ],
    ids=str,
)
def test_output_columns_belong_to_the_column_they_change_with(transformer):
    rows = CODES.astype(float)
    fitted = transformer.fit(rows, CLASSES)
    slow = slow_owners(fitted, rows)
    found = np.array(owners(fitted, 3))
    assert found.shape == slow.shape
    # A column that never changes with anything is given to somebody all the same.
    assert (found[slow >= 0] == slow[slow >= 0]).all()
    assert (slow >= 0).mean() > 0.6


def test_a_product_belongs_to_its_factors_by_their_powers_and_a_constant_to_nobody():
    origins = column_origins(PolynomialFeatures(2).fit(X[:, :2]), 2).toarray()
    np.testing.assert_allclose(origins, [[0, 0], [1, 0], [0, 1], [1, 0], [0.5, 0.5], [0, 1]])
    with pytest.raises(UnsupportedEstimatorError, match="PolynomialFeatures"):
        single_origins(column_origins(PolynomialFeatures(2).fit(X[:, :2]), 2))


@pytest.mark.parametrize(
    "transformer",
    [
        PCA(),
        FunctionTransformer(np.sort),
        make_pipeline(StandardScaler(), PCA()),
        FeatureUnion([("p", PCA())]),
    ],
    ids=lambda step: type(step).__name__,
)
def test_maps_that_mix_columns_are_refused(transformer):
    with pytest.raises(UnsupportedEstimatorError, match=r"cannot be followed back through .*: its output"):
        column_origins(transformer.fit(X, Y), 5)


def test_selectors_point_to_the_columns_they_chose():
    steps = make_pipeline(StandardScaler(), SelectKBest(k=3), VarianceThreshold(), SelectKBest(k=1)).fit(X, Y)
    expected = steps.get_feature_names_out([f"x{k}" for k in range(5)])
    assert [f"x{k}" for k in owners(steps)] == list(expected)


@pytest.mark.parametrize("as_frame", [False, True])
def test_imputers_leave_empty_columns_out(as_frame):
    holes = X.copy()
    holes[:, 2] = np.nan
    rows = pd.DataFrame(holes, columns=list("abcde")) if as_frame else holes
    assert owners(SimpleImputer().fit(rows)) == [0, 1, 3, 4]
    kept = SimpleImputer(keep_empty_features=True).fit(rows)
    assert owners(kept) == [0, 1, 2, 3, 4]


def test_missing_value_indicators_belong_to_the_column_with_the_holes():
    assert owners(SimpleImputer(add_indicator=True).fit(X)) == [0, 1, 2, 3, 4]
    holes = X.copy()
    holes[3, 1] = holes[4, 3] = np.nan
    assert owners(SimpleImputer(add_indicator=True).fit(holes)) == [0, 1, 2, 3, 4, 1, 3]


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
    assert [frame.columns[k] for k in owners(transformer)] == expected


def test_encoders_and_words_in_a_column_transformer_belong_to_their_columns():
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 3.0], "text": ["a fine wine", "a red", "red wine"], "colour": list("rgr")}
    )
    transformer = ColumnTransformer(
        [("words", TfidfVectorizer(), "text"), ("code", OneHotEncoder(), ["colour"])], remainder="passthrough"
    ).fit(frame)
    assert owners(transformer, 3) == [1, 1, 1, 2, 2, 0]


def test_a_pipeline_that_begins_with_words_has_them_for_features():
    words = CountVectorizer()
    assert starts_with_words(make_pipeline(make_pipeline(words), TfidfTransformer())) is words
    assert starts_with_words(make_pipeline(StandardScaler())) is None
