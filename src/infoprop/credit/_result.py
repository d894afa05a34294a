"""FeatureCredits: what every feature is worth, in bits."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from scipy.special import stdtrit

from infoprop._core._checks import check_integer, check_number
from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._frames import to_native_frame
from infoprop._core._numbers import aligned
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._noise import NoiseFloor
from infoprop.credit._tables import class_columns, html_table, rich_table, text_table
from infoprop.metrics import InformationFlow

TIE_DECIMALS = 12


@dataclass(frozen=True, eq=False, repr=False)
class FeatureCredits:
    """Bits of output information credited to every feature.

    The credit of feature k through class r is ``by_class[r, k] = I_r P[r, k]``: the indicator's credit
    (equation 3 of SVM-Infoprop) times the feature's share of that indicator's sensitivity. Summed over
    the classes it is the feature's credit (equation 6); summed over everything it is I(Y;Yf).

    Attributes
    ----------
    values : ndarray of shape (n_features,)
        Credit of every feature, in bits.
    by_class : ndarray of shape (n_classes, n_features)
        The same, class by class, in bits. Rows follow `classes`.
    flow : InformationFlow
        Information delivered by the classifier on the rows that were credited.
    classes : ndarray of shape (n_classes,)
        Labels: the classes of the classifier, then labels that occur in the rows but were never learned.
    feature_names : tuple of str
    contributions : ndarray of shape (n_classes, n_features) or None
        By ``sharing="covariance"``, the part of the variance of each class's output that is due to the
        feature, signed: a negative one holds the output back (a suppressor). None by the margin rule.
    standard_errors : ndarray of shape (n_features,) or None
        Of the credits, by a jackknife over groups of the rows; None where credits were not made from rows,
        or were summed over groups afterwards.
    n_row_groups : int
        Number of those groups.
    unshrunk : ndarray of shape (n_features,) or None
        By covariance, what the credits would be without being shrunk by their errors: noise earns, too.
    noise : NoiseFloor or None
        What chance alone could earn, if it was asked for.
    gaps : ndarray of shape (n_classes, n_features) or None
        By covariance, the covariance of what the feature adds to a class's output with the class, in units of
        the output. It ranks features whose credits are equal.

    References
    ----------
    SVM-Infoprop (2001), equations 3, 5 and 6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from infoprop.credit import credit_features
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> credits = credit_features(LinearSVC(random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> credits.top(1)[0][0]
    'petal length (cm)'
    >>> bool(abs(credits.values.sum() - credits.information) < 1e-12)
    True
    """

    values: FloatArray
    by_class: FloatArray
    flow: InformationFlow
    classes: LabelArray
    feature_names: tuple[str, ...]
    contributions: FloatArray | None = None
    standard_errors: FloatArray | None = None
    n_row_groups: int = 0
    noise: NoiseFloor | None = None
    unshrunk: FloatArray | None = None
    gaps: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("values", "by_class", "contributions", "standard_errors", "unshrunk", "gaps"):
            if getattr(self, name) is not None:
                own = np.array(getattr(self, name), dtype=np.float64)
                own.setflags(write=False)
                object.__setattr__(self, name, own)

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickled array forgets that it is read-only; building anew sets it again.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelArray,
        y_pred: LabelArray,
        *,
        classes: LabelArray,
        shares: Any,
        feature_names: Sequence[str],
        sample_weight: Any = None,
    ) -> Self:
        """Credit the features of a classifier with known `classes` and `shares` for its predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
        classes : ndarray of shape (n_learned_classes,)
            Labels that the classifier was taught. Others in `y_true` are appended to them.
        shares : array-like of shape (n_learned_classes, n_features)
            Non-negative rows that sum to one.
        feature_names : sequence of str, length n_features
        sample_weight : array-like of shape (n_samples,), default=None
        """
        labels = flow_labels(classes, y_true)
        flow = InformationFlow.from_predictions(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        return cls.from_shares(flow, shares, feature_names)

    @classmethod
    def from_shares(cls, flow: InformationFlow, shares: Any, feature_names: Sequence[str]) -> Self:
        """Share the indicator credits of `flow` out among the features.

        Parameters
        ----------
        flow : InformationFlow
            Its first labels are the classes that `shares` has rows for, in that order. Further labels were
            never learned, so never predicted, and earn nothing.
        shares : array-like of shape (n_learned_classes, n_features)
            Non-negative rows that sum to one.
        feature_names : sequence of str, length n_features
        """
        shares = np.asarray(shares, dtype=np.float64)
        if shares.ndim != 2 or shares.shape[1] != len(feature_names) or len(shares) > len(flow.labels):
            raise ParameterError(
                f"The 'shares' must have a row for each learned class, at most {len(flow.labels)}, and "
                f"{len(feature_names)} columns, one per feature. Got shape {shares.shape}."
            )
        by_class = np.zeros((len(flow.labels), len(feature_names)))
        by_class[: len(shares)] = flow.indicator_credits[: len(shares), None] * shares
        return cls(by_class.sum(axis=0), by_class, flow, flow.labels, tuple(feature_names))

    def with_contributions(self, contributions: FloatArray, gaps: FloatArray) -> Self:
        """Return the same credits with signed contributions and gaps of the learned classes."""
        padded = np.zeros((2, *self.by_class.shape))
        padded[:, : len(contributions)] = contributions, gaps
        return replace(self, contributions=padded[0], gaps=padded[1])

    def with_doubt(self, standard_errors: FloatArray, n_row_groups: int, noise: NoiseFloor | None) -> Self:
        """Return the same credits with their standard errors and with what chance could earn."""
        return replace(self, standard_errors=standard_errors, n_row_groups=n_row_groups, noise=noise)

    def interval(self, level: float = 0.95) -> FloatArray:
        """Interval for every credit, in bits: shape (n_features, 2), not below zero.

        The credit and as many of its standard errors to either side as Student's t asks for. Shrinking takes
        from weak features and gives to strong ones, so the interval holds what they would have without it,
        too, with the same errors. It says how much the credits of *this* classifier would differ on other
        rows like these; another training may differ by more.

        Parameters
        ----------
        level : float, default=0.95
            Chance that the interval holds the credit on all rows there are.
        """
        check_number("level", level, "FeatureCredits.interval", low=0.0, high=1.0)
        if self.standard_errors is None:
            raise ParameterError(
                "These credits have no standard errors: they were summed over groups, or not made from rows. "
                "Pass groups= to credit_features instead."
            )
        reach = stdtrit(self.n_row_groups - 1, (1.0 + level) / 2.0) * self.standard_errors
        other = self.values if self.unshrunk is None else self.unshrunk
        low, high = np.minimum(self.values, other) - reach, np.maximum(self.values, other) + reach
        return np.maximum(np.column_stack([low, high]), 0.0)

    @property
    def is_suppressor(self) -> BoolArray:
        """Which features earn credit by holding outputs back more than they drive them.

        Their contributions and their gaps, weighted by what each class's indicator earns, sum to less than
        zero. None is one where these are not known.
        """
        if self.contributions is None or self.gaps is None:
            return np.zeros(self.n_features, dtype=bool)
        signed = (self.flow.indicator_credits @ part for part in (self.contributions, self.gaps))
        return np.asarray(np.all([part < 0.0 for part in signed], axis=0) & (self.values > 0.0))

    @property
    def information(self) -> float:
        """I(Y;Yf) in bits: what the credits add up to."""
        return float(self.flow.information)

    @property
    def n_features(self) -> int:
        """Number of features (or groups)."""
        return len(self.feature_names)

    @property
    def ranking(self) -> IntArray:
        """Column numbers, best first; of credits equal to twelve decimals the larger gap, if known.

        Many weak features earn nothing, as they are not sure; what they have to do with the class on these
        rows still ranks them. What is still equal goes to the lower number.
        """
        # Copies of a column differ in the last bits, by where in a sum they happen to stand.
        credits = self.values.round(TIE_DECIMALS)
        if self.gaps is None:
            order: IntArray = np.argsort(-credits, kind="stable")
            return order
        gaps = (self.flow.indicator_credits @ self.gaps).round(TIE_DECIMALS)
        return np.lexsort((-gaps, -credits))

    @property
    def shares(self) -> FloatArray:
        """Each feature's part of the information; zeros where there is none to share."""
        if self.information <= 0.0:
            return np.zeros_like(self.values)
        return self.values / self.information

    def top(self, k: int) -> tuple[tuple[str, float], ...]:
        """Names and credits (bits) of the `k` best features, best first; all of them if there are fewer."""
        k = check_integer("k", k, "FeatureCredits.top", low=0)
        return tuple((self.feature_names[column], float(self.values[column])) for column in self.ranking[:k])

    def markers(self, k: int) -> dict[Any, tuple[tuple[str, float], ...]]:
        """Names and bits of the `k` features that tell the most about each class, best first.

        A feature may be a marker of several classes; one that is worth nothing for a class is none of its
        markers. Of two classes, what tells one tells the other.

        Parameters
        ----------
        k : int
            Features for each class.

        Returns
        -------
        dict of label to tuple of (str, float)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from infoprop.credit import credit_features
        >>> from infoprop.svm import OneVsRestSVC
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> credits = credit_features(OneVsRestSVC().fit(X, y), X, y)
        >>> {label: found[0][0] for label, found in credits.markers(1).items()}
        {0: 'petal length (cm)', 1: 'petal length (cm)', 2: 'petal length (cm)'}
        """
        k = check_integer("k", k, "FeatureCredits.markers", low=1)
        found: dict[Any, tuple[tuple[str, float], ...]] = {}
        for label, bits in zip(self.classes.tolist(), self.by_class, strict=True):
            worth = self.values if len(self.classes) == 2 else bits
            best = [column for column in np.argsort(-worth, kind="stable")[:k] if worth[column] > 0.0]
            found[label] = tuple((self.feature_names[column], float(worth[column])) for column in best)
        return found

    def grouped(self, groups: "GroupSpecification | ColumnGroups") -> "FeatureCredits":
        """Sum the credits over groups of columns.

        Parameters
        ----------
        groups : list of lists, mapping, array-like of shape (n_features,), or ColumnGroups
            As in :func:`credit_features`. A column of no group stands for itself.

        Returns
        -------
        FeatureCredits
            One "feature" per group, in the order of each group's first column.
        """
        columns = groups
        if not isinstance(columns, ColumnGroups):
            columns = ColumnGroups.from_specification(columns, self.feature_names)
        return FeatureCredits(
            columns.sums(self.values),
            columns.sums(self.by_class),
            self.flow,
            self.classes,
            columns.names,
            None if self.contributions is None else columns.sums(self.contributions),
            gaps=None if self.gaps is None else columns.sums(self.gaps),
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per feature, in column order.

        Columns: ``feature``, ``credit`` (bits), ``share`` (of the information), ``class_<label>`` (bits)
        for each class, ``suppressor`` if contributions are known, ``low`` and ``high`` (95 % interval) if
        standard errors are, ``noise_floor`` (bits), ``p_value`` and ``above_noise`` if the noise floor is,
        and ``rank`` (1 is best).

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        rank = np.empty(self.n_features, dtype=np.int64)
        rank[self.ranking] = np.arange(1, self.n_features + 1)
        data: dict[str, Any] = {
            "feature": list(self.feature_names),
            "credit": self.values,
            "share": self.shares,
        }
        data.update(zip(class_columns(self.classes), self.by_class, strict=True))
        if self.contributions is not None:
            data["suppressor"] = self.is_suppressor
        if self.standard_errors is not None:
            data["low"], data["high"] = self.interval().T
        if self.noise is not None:
            data["noise_floor"] = self.noise.floor
            data["p_value"] = self.noise.p_values
            data["above_noise"] = self.noise.is_above
        data["rank"] = rank
        return to_native_frame(data, backend, "FeatureCredits.to_frame")

    def __repr__(self) -> str:
        return (
            f"FeatureCredits(n_features={self.n_features}, n_classes={len(self.classes)}, "
            f"information={aligned(self.information, 4)} bits)"
        )

    def __str__(self) -> str:
        return text_table(self)

    def __rich__(self) -> Any:
        """Return a table that rich prints."""
        return rich_table(self)

    def _repr_html_(self) -> str:
        return html_table(self)


def flow_labels(classes: LabelArray, y: LabelArray) -> list[Any]:
    """Classes of the classifier, then labels of `y` that it was never taught."""
    known: list[Any] = np.asarray(classes).tolist()
    occurring = list(dict.fromkeys(np.asarray(y).tolist()))
    learned = set(known)
    unseen = [label for label in occurring if label not in learned]
    if len(unseen) == len(occurring):
        # Information does not depend on names, so labels of a wrong type would otherwise go unnoticed.
        raise DataError(
            f"No label in y is a class of the classifier, which knows {known[:5]}. Got {occurring[:5]} in y."
        )
    return known + sorted(unseen, key=lambda label: (type(label).__name__, repr(label)))
