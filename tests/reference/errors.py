"""Errors that infoprop raises; the one place where tests know their home."""

from infoprop._core._exceptions import DataError, InfopropError, ParameterError, UnsupportedEstimatorError

__all__ = ["DataError", "InfopropError", "ParameterError", "UnsupportedEstimatorError"]
