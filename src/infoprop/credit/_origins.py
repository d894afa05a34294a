"""Which input column each column of a pipeline comes from."""

from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import IntArray


def column_origins(transformer: Any, n_columns: int) -> IntArray:
    """Input column of every output column of a fitted transformer: shape (n_output_columns,).

    Credit may only flow back where each output column is a function of one input column: scalers and the
    like, imputers without indicator columns, selectors (anything with ``get_support``), and pipelines and
    column transformers made of these. A row normaliser keeps names but mixes columns: a feature that only
    appears in the norm would wrongly get nothing, so it is refused.
    """
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return np.arange(n_columns)
    if isinstance(transformer, Pipeline):
        return _through_steps([step for _, step in transformer.steps], n_columns)
    if isinstance(transformer, ColumnTransformer):
        return _through_column_transformer(transformer)
    if hasattr(transformer, "get_support"):
        return np.flatnonzero(transformer.get_support())
    if hasattr(transformer, "add_indicator"):
        return _through_imputer(transformer, n_columns)
    if _is_one_to_one(transformer):
        return np.arange(n_columns)
    raise UnsupportedEstimatorError(
        f"Credits cannot be followed back through {type(transformer).__name__}: its output columns are not "
        "each made from one input column. Supported steps are per-column ones (scalers, imputers without "
        "indicators) and selectors. Credit what comes out of it instead: "
        "credit_features(pipeline[-1], pipeline[:-1].transform(X), y)."
    )


def _is_one_to_one(transformer: Any) -> bool:
    if isinstance(transformer, Normalizer):
        return False
    if isinstance(transformer, TfidfTransformer):
        return transformer.norm is None
    if isinstance(transformer, FunctionTransformer):
        return transformer.func is None or transformer.feature_names_out == "one-to-one"
    return isinstance(transformer, OneToOneFeatureMixin)


def _through_steps(steps: list[Any], n_columns: int) -> IntArray:
    origins = np.arange(n_columns)
    for step in steps:
        origins = origins[column_origins(step, len(origins))]
    return origins


def _through_imputer(imputer: Any, n_columns: int) -> IntArray:
    """Imputers leave out columns that were empty in training, and may append missing-value indicators."""
    names = getattr(imputer, "feature_names_in_", None)
    names = [f"x{k}" for k in range(n_columns)] if names is None else list(names)
    position = {name: k for k, name in enumerate(names)}
    kept = list(imputer.get_feature_names_out())
    if imputer.add_indicator and any(name not in position for name in kept):
        raise UnsupportedEstimatorError(
            f"Credits cannot be followed back through {type(imputer).__name__}(add_indicator=True), which "
            "adds columns. Use add_indicator=False, or credit what comes out of it."
        )
    return np.array([position[name] for name in kept], dtype=np.intp)


def _through_column_transformer(transformer: ColumnTransformer) -> IntArray:
    slices = transformer.output_indices_
    n_output = max(part.stop for part in slices.values())
    origins = np.empty(n_output, dtype=np.intp)
    for name, step, columns in transformer.transformers_:
        part = slices[name]
        if part.stop == part.start:
            continue
        chosen = _chosen_columns(transformer, columns)
        origins[part] = chosen[column_origins(step, len(chosen))]
    return origins


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
