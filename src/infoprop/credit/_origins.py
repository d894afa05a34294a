"""Which input columns each column of a pipeline is made from."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    SplineTransformer,
    TargetEncoder,
)

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, IntArray
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper

SHAPERS = (BNSScaler, FeatureShaper, LocalProbabilityShaper)
VECTORIZERS = (CountVectorizer, DictVectorizer)


def column_origins(transformer: Any, n_columns: int) -> sparse.csr_array:
    """Part of every output column that belongs to every input column: shape (n_output, n_columns).

    Rows sum to one. Most transformers make an output column of one input column, which then has all of it:
    scalers, encoders, discretisers, splines, imputers and their indicators, shapers, selectors (anything with
    ``get_support``). A product of columns, as in ``PolynomialFeatures``, belongs to its factors in proportion
    to their powers, a constant to nobody (a row of zeros). Words belong to the column of text that they come
    from. A row's norm is taken as given: what a normaliser puts out for a column belongs to that column.
    Pipelines, column transformers and unions are followed through their parts.
    """
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return _owned(np.arange(n_columns), n_columns)
    if isinstance(transformer, Pipeline):
        return _through_steps([step for _, step in transformer.steps], n_columns)
    if isinstance(transformer, ColumnTransformer):
        return _through_column_transformer(transformer)
    if isinstance(transformer, FeatureUnion):
        return _through_union(transformer, n_columns)
    if isinstance(transformer, PolynomialFeatures):
        return _through_products(transformer)
    if isinstance(transformer, VECTORIZERS) and n_columns == 1:
        return _owned(np.zeros(len(transformer.get_feature_names_out()), dtype=np.intp), 1)
    owners = _owners(transformer, n_columns)
    if owners is None:
        raise UnsupportedEstimatorError(
            f"Credits cannot be followed back through {type(transformer).__name__}: its output columns are "
            "mixtures of its input columns, and no part of one belongs to any of them. Supported steps are "
            "scalers, encoders, discretisers, splines, polynomials, imputers, vectorizers of text, shapers, "
            "selectors, and column transformers and unions of these. Credit what comes out of it instead: "
            "credit_features(pipeline[-1], pipeline[:-1].transform(X), y)."
        )
    return _owned(owners, n_columns)


def single_origins(origins: sparse.csr_array) -> IntArray:
    """The one input column of every output column; refused where a column has several, or none."""
    if (np.diff(origins.indptr) != 1).any():
        raise UnsupportedEstimatorError(
            "A step before the classifier multiplies columns with one another (PolynomialFeatures), so that "
            "its output has no single input column. Ask the classifier about what comes out of the steps "
            "instead."
        )
    return np.asarray(origins.indices, dtype=np.intp)


def starts_with_words(estimator: Any) -> Any:
    """The vectorizer that a pipeline begins with, if it does: its words are the features then."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[0][1]
    return estimator if isinstance(estimator, VECTORIZERS) else None


def _owned(owners: IntArray, n_columns: int) -> sparse.csr_array:
    """The matrix in which output column i belongs to input column ``owners[i]`` alone."""
    n_output = len(owners)
    return sparse.csr_array((np.ones(n_output), owners, np.arange(n_output + 1)), shape=(n_output, n_columns))


def _owners(transformer: Any, n_columns: int) -> IntArray | None:
    """The input column of every output column of a transformer that makes each of one; None otherwise."""
    every = np.arange(n_columns)
    if hasattr(transformer, "get_support"):
        return np.flatnonzero(transformer.get_support())
    if hasattr(transformer, "add_indicator"):
        return _imputed(transformer, n_columns)
    if isinstance(transformer, SHAPERS):
        # Whole copies of the input, side by side: one for each class, and the raw columns.
        return np.tile(every, len(transformer.get_feature_names_out()) // n_columns)
    if isinstance(transformer, OneHotEncoder):
        return np.repeat(every, _n_indicators(transformer))
    if isinstance(transformer, KBinsDiscretizer):
        return np.repeat(every, 1 if transformer.encode == "ordinal" else transformer.n_bins_)
    if isinstance(transformer, SplineTransformer):
        return np.repeat(every, transformer.n_features_out_ // n_columns)
    if isinstance(transformer, TargetEncoder):
        return np.repeat(every, len(transformer.get_feature_names_out()) // n_columns)
    return every if _is_one_to_one(transformer) else None


def _is_one_to_one(transformer: Any) -> bool:
    if isinstance(transformer, Normalizer | TfidfTransformer):
        return True
    if isinstance(transformer, FunctionTransformer):
        return transformer.func is None or transformer.feature_names_out == "one-to-one"
    return isinstance(transformer, OneToOneFeatureMixin)


def _n_indicators(encoder: OneHotEncoder) -> list[int]:
    """Number of 0/1 columns of every input column: rare categories share one, and one may be left out."""
    rare = getattr(encoder, "infrequent_categories_", [None] * len(encoder.categories_))
    dropped = encoder.drop_idx_
    return [
        len(categories)
        - (0 if rare[k] is None else len(rare[k]) - 1)
        - (0 if dropped is None or dropped[k] is None else 1)
        for k, categories in enumerate(encoder.categories_)
    ]


def _imputed(imputer: Any, n_columns: int) -> IntArray:
    """Imputers leave out columns that were empty in training, and may append missing-value indicators."""
    names = getattr(imputer, "feature_names_in_", None)
    names = [f"x{k}" for k in range(n_columns)] if names is None else list(names)
    position = {name: k for k, name in enumerate(names)}
    flagged = imputer.indicator_.features_ if imputer.add_indicator else np.empty(0, dtype=np.intp)
    made = list(imputer.get_feature_names_out())
    kept = [position[name] for name in made[: len(made) - len(flagged)]]
    return np.concatenate([np.array(kept, dtype=np.intp), flagged])


def _through_steps(steps: list[Any], n_columns: int) -> sparse.csr_array:
    origins = _owned(np.arange(n_columns), n_columns)
    for step in steps:
        origins = column_origins(step, origins.shape[0]) @ origins
    return sparse.csr_array(origins)


def _through_products(transformer: PolynomialFeatures) -> sparse.csr_array:
    powers: FloatArray = np.asarray(transformer.powers_, dtype=np.float64)
    return sparse.csr_array(powers / np.maximum(powers.sum(axis=1, keepdims=True), 1.0))


def _through_union(union: FeatureUnion, n_columns: int) -> sparse.csr_array:
    parts = [step for _, step in union.transformer_list if not (isinstance(step, str) and step == "drop")]
    return sparse.csr_array(sparse.vstack([column_origins(step, n_columns) for step in parts]))


def _through_column_transformer(transformer: ColumnTransformer) -> sparse.csr_array:
    slices = transformer.output_indices_
    n_columns = transformer.n_features_in_
    parts: list[tuple[int, sparse.csr_array]] = []
    for name, step, columns in transformer.transformers_:
        part = slices[name]
        if part.stop == part.start:
            continue
        chosen = _chosen_columns(transformer, columns)
        parts.append((part.start, column_origins(step, len(chosen)) @ _owned(chosen, n_columns)))
    return sparse.csr_array(sparse.vstack([origins for _, origins in sorted(parts, key=lambda p: p[0])]))


def _chosen_columns(transformer: ColumnTransformer, columns: Any) -> IntArray:
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            names = list(transformer.feature_names_in_)
            first = None if columns.start is None else names.index(columns.start)
            last = None if columns.stop is None else names.index(columns.stop) + 1
            columns = slice(first, last)
        return np.asarray(np.arange(transformer.n_features_in_)[columns])
    chosen = np.atleast_1d(np.asarray(columns))
    if chosen.dtype.kind in "UO":
        names = list(transformer.feature_names_in_)
        return np.array([names.index(name) for name in chosen], dtype=np.intp)
    if chosen.dtype == bool:
        return np.flatnonzero(chosen)
    return np.asarray(chosen % transformer.n_features_in_, dtype=np.intp)
