"""Errors of infoprop. Each is also the built-in error that scikit-learn users expect."""


class InfopropError(Exception):
    """Root of all errors raised on purpose by infoprop."""


class ParameterError(InfopropError, ValueError):
    """A parameter has a value it cannot have."""


class DataError(InfopropError, ValueError):
    """The data cannot be used as given."""


class UnsupportedEstimatorError(InfopropError, TypeError):
    """An estimator offers no way to do what is asked of it."""


class MissingDependencyError(InfopropError, ImportError):
    """An optional package is needed and not installed."""
