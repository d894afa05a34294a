"""credit_rows: why a classifier says what it says about single rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop.credit._contributions import Indicator, indicators_of
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._row_terms import function_terms
from infoprop.credit._shares import column_names
from infoprop.credit._unwrapping import Inner, unwrapped


@dataclass(frozen=True, eq=False)
class RowCredits(FrozenArrays):
    """What every feature adds to the output of every class, row by row.

    ``outputs[i, r] = base[i, r] + contributions[i, r].sum() + remainder[i, r]``.

    Attributes
    ----------
    contributions : ndarray of shape (n_rows, n_outputs, n_features)
        In units of the output. Positive: the feature speaks for the class in this row.
    base : ndarray of shape (n_rows, n_outputs)
        The output without the features, at the reference.
    outputs : ndarray of shape (n_rows, n_outputs)
        Decision values; of a network what goes into its last activation (log odds).
    labels : ndarray of shape (n_outputs,)
        The class of every output. Of two classes there is one output, for the second.
    feature_names : tuple of str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from infoprop.credit import credit_rows
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rows = credit_rows(RidgeClassifier().fit(X, y), X[:1], background=X)
    >>> [name for name, _ in rows.top(0, 2, label=0)]
    ['petal length (cm)', 'sepal width (cm)']
    """

    contributions: FloatArray
    base: FloatArray
    outputs: FloatArray
    labels: LabelArray
    feature_names: tuple[str, ...]

    @property
    def remainder(self) -> FloatArray:
        """What the contributions do not account for: rounding, where they are exact."""
        return np.asarray(self.outputs - self.base - self.contributions.sum(axis=2))

    def output_number(self, row: int, label: Any = None) -> int:
        """Number of the output of a class; None takes the largest output of the row."""
        known = self.labels.tolist()
        if label is None:
            return int(np.argmax(self.outputs[row]))
        if label not in known:
            raise ParameterError(f"The 'label' must be one of {known}, which have an output. Got {label!r}.")
        return known.index(label)

    def top(self, row: int, k: int, label: Any = None) -> tuple[tuple[str, float], ...]:
        """Names and contributions of the `k` features that move an output the most, largest first.

        Parameters
        ----------
        row : int
        k : int
        label : default=None
            The class whose output it is; None takes the largest output of the row.
        """
        k = check_integer("k", k, "RowCredits.top", low=0)
        values = self.contributions[row, self.output_number(row, label)]
        order = np.argsort(-np.abs(values), kind="stable")[:k]
        return tuple((self.feature_names[column], float(values[column])) for column in order)


def credit_rows(
    estimator: Any,
    X: Any,
    *,
    background: Any = None,
    groups: "GroupSpecification | ColumnGroups" = None,
) -> RowCredits:
    r"""Tell what every feature adds to what a fitted classifier says about single rows.

    Linear machines add up exactly, :math:`f(x) = f(x^0) + \sum_k w_k (x_k - x^0_k)`. For rbf machines the
    contributions are Shapley values of the product kernel, in which a column that is left out has the factor
    one; other kernels are followed from the reference to the row by integrated gradients; networks layer by
    layer, by the rescale rule. What is not accounted for is ``remainder``.

    Parameters
    ----------
    estimator : fitted classifier
        Support vector machines, linear classifiers, networks, and pipelines, selectors and searches of
        these; see :func:`credit_shares`.
    X : {array-like, sparse matrix, data frame} of shape (n_rows, n_features)
    background : rows like X, default=None
        Their mean, as the classifier sees it, is the reference :math:`x^0`. None takes zero there, which
        after a ``StandardScaler`` is the mean of the training rows. rbf machines need none.
    groups : default=None
        Columns whose contributions are added up; as in :func:`credit_features`.

    Returns
    -------
    RowCredits

    References
    ----------
    M. Sundararajan, A. Taly, Q. Yan, "Axiomatic attribution for deep networks", ICML 2017; A. Shrikumar et
    al., "Learning important features through propagating activation differences", ICML 2017; M. Mohammadi et
    al., "Exact Shapley values for product-kernel models", 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from infoprop.credit import credit_rows
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), OneVsRestSVC()).fit(X, y)
    >>> rows = credit_rows(model, X[:2])
    >>> rows.contributions.shape, bool(np.abs(rows.remainder).max() < 1e-9)
    ((2, 3, 13), True)
    """
    names = column_names(estimator, X)
    if groups is not None and not isinstance(groups, ColumnGroups):
        groups = ColumnGroups.from_specification(groups, names)
    inner = unwrapped(estimator, X)
    seen = None if background is None else unwrapped(estimator, background)
    contributions, base, outputs, labels = _of_machines(inner, seen)
    if inner.is_nobodys.any():
        # Constant columns are no feature's; what they add is there without features.
        base = base + contributions[..., inner.is_nobodys].sum(axis=2)
    contributions = inner.given_back(contributions)
    if groups is not None:
        contributions = groups.sums(contributions)
    return RowCredits(contributions, base, outputs, labels, names if groups is None else groups.names)


_Found = tuple[FloatArray, FloatArray, FloatArray, LabelArray]


def _mean(rows: Matrix) -> FloatArray:
    mean: FloatArray = np.asarray(np.asarray(rows.mean(axis=0), dtype=np.float64)).ravel()
    if not np.isfinite(mean).all():
        raise DataError("The 'background' rows must be finite where the classifier sees them.")
    return mean


def _of_machines(inner: Inner, seen: Inner | None) -> _Found:
    # Without the way back, which is gone once for all outputs.
    indicators = indicators_of(inner._replace(origins=None))
    known = [None] * len(indicators) if seen is None else indicators_of(seen._replace(origins=None))
    found = [_of_indicator(own, background) for own, background in zip(indicators, known, strict=True)]
    classes = np.asarray(inner.classifier.classes_)
    return (
        np.stack([terms for terms, _ in found], axis=1),
        np.stack([base for _, base in found], axis=1),
        np.stack([indicator.outputs() for indicator in indicators], axis=1),
        classes if len(indicators) > 1 else classes[-1:],
    )


def _of_indicator(indicator: Indicator, background: Indicator | None) -> tuple[FloatArray, FloatArray]:
    """Terms and base of an output; machines have rows, and so references, of their own."""
    total: list[tuple[FloatArray, FloatArray]] = []
    for k, (machine, sign) in enumerate(zip(indicator.machines, indicator.signs, strict=True)):
        width = machine.rows.shape[1]
        start = np.zeros(width) if background is None else _mean(background.machines[k].rows)
        terms, base = function_terms(machine.function, machine.rows, start)
        terms = terms if machine.origins is None else np.asarray(terms @ machine.origins)
        total.append((sign * terms, sign * base))
    return np.sum([terms for terms, _ in total], axis=0), np.sum([base for _, base in total], axis=0)
