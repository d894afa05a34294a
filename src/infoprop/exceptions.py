"""Errors that infoprop raises on purpose. Each is also the built-in error that scikit-learn users expect."""

from infoprop._core._exceptions import (
    ClusterError,
    DataError,
    InfopropError,
    MissingDependencyError,
    ParameterError,
    UnsupportedEstimatorError,
)

__all__ = [
    "ClusterError",
    "DataError",
    "InfopropError",
    "MissingDependencyError",
    "ParameterError",
    "UnsupportedEstimatorError",
]
