"""Errors of infoprop. Each is also the built-in error that scikit-learn users expect.

Their module is the one that users import them from, so that a traceback says where to find them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

PUBLIC_MODULE = "infoprop.exceptions"


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

    Examples
    --------
    >>> from infoprop.exceptions import InfopropError
    >>> from infoprop.selection import CreditSelector
    >>> try:
    ...     CreditSelector(n_features_to_select=0).fit([[0.0], [1.0]], [0, 1])
    ... except InfopropError as error:
    ...     print(error)
    The 'n_features_to_select' parameter of CreditSelector must be a whole number >= 1. Got 0.
    """

    __module__ = PUBLIC_MODULE

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
    """A parameter has a value it cannot have.

    Examples
    --------
    >>> from infoprop.exceptions import ParameterError
    >>> from infoprop.svm import OneVsRestSVC
    >>> try:
    ...     OneVsRestSVC(C=-1).fit([[0.0], [1.0]], [0, 1])
    ... except ParameterError as error:
    ...     print(error)
    The 'C' parameter of OneVsRestSVC must be a finite number > 0. Got -1.
    """

    __module__ = PUBLIC_MODULE


class DataError(InfopropError, ValueError):
    """The data cannot be used as given.

    Examples
    --------
    >>> from infoprop.exceptions import DataError
    >>> from infoprop.metrics import output_information
    >>> try:
    ...     output_information([0, 1], [0, 1, 1])
    ... except DataError as error:
    ...     print(error)
    y_true and y_pred must have the same length. Got 2 and 3.
    """

    __module__ = PUBLIC_MODULE


class UnsupportedEstimatorError(InfopropError, TypeError):
    """An estimator offers no way to do what is asked of it.

    Examples
    --------
    >>> from infoprop.credit import credit_features
    >>> from infoprop.exceptions import UnsupportedEstimatorError
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> nearest = KNeighborsClassifier(n_neighbors=1).fit(X, y)
    >>> try:
    ...     credit_features(nearest, X, y, sharing="margin")
    ... except UnsupportedEstimatorError as error:
    ...     print(error)
    KNeighborsClassifier has no known feature sensitivities. Supported: ...
    """

    __module__ = PUBLIC_MODULE


class MissingDependencyError(InfopropError, ImportError):
    """An optional package is needed and not installed.

    Examples
    --------
    >>> from infoprop.exceptions import MissingDependencyError
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """

    __module__ = PUBLIC_MODULE


class ClusterError(InfopropError, RuntimeError):
    """The workers that were to do the work are gone.

    Examples
    --------
    >>> from infoprop.exceptions import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """

    __module__ = PUBLIC_MODULE
