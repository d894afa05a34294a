"""Errors of infoprop. Each is also the built-in error that scikit-learn users expect."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A parameter named in a message.

    Python calls it `text`. Other callers know it by another name, such as an option of the command line,
    which they look up by `name`.

    Examples
    --------
    >>> error = ParameterError("The file is empty; see ", Parameter("format"), ".")
    >>> str(error)
    "The file is empty; see 'format'."
    >>> error.in_words_of({"format": "--format"})
    'The file is empty; see --format.'
    """

    name: str
    text: str = ""

    def __str__(self) -> str:
        return self.text or repr(self.name)


class InfopropError(Exception):
    """Root of all errors raised on purpose by infoprop.

    Parameters
    ----------
    *parts : str or Parameter
        The sentence, in parts, so that every caller can be told of a parameter under the name they know.
    """

    def __init__(self, *parts: str | Parameter) -> None:
        super().__init__(*parts)

    def __str__(self) -> str:
        return "".join(str(part) for part in self.args)

    def in_words_of(self, names: Mapping[str, str]) -> str:
        """Return the sentence with parameters called as `names` has them; others keep their Python name."""
        return "".join(
            names.get(part.name, str(part)) if isinstance(part, Parameter) else str(part)
            for part in self.args
        )


class ParameterError(InfopropError, ValueError):
    """A parameter has a value it cannot have."""


class DataError(InfopropError, ValueError):
    """The data cannot be used as given."""


class UnsupportedEstimatorError(InfopropError, TypeError):
    """An estimator offers no way to do what is asked of it."""


class MissingDependencyError(InfopropError, ImportError):
    """An optional package is needed and not installed."""


class ClusterError(InfopropError, RuntimeError):
    """The workers that were to do the work are gone."""
