"""LocalProbabilityShaper, BNSScaler, FeatureShaper: feature shaping as scikit-learn transformers."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._checks import check_boolean, check_choice, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray, LabelArray, Matrix
from infoprop.shaping._base import TableTransformer
from infoprop.shaping._rule import ShapingRule
from infoprop.shaping._separation import SCORES
from infoprop.shaping._tables import ValueTables


class _LocalShaper(TableTransformer):
    """What the two shapers by local probabilities share."""

    window: Any
    probability: Any
    discrete: Any
    missing: Any

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        if self.window != "auto":
            check_number("window", self.window, owner, low=0.0, low_open=True)
        check_choice("probability", self.probability, ("local", "log-odds"), owner)
        check_choice("missing", self.missing, ("error", "bin"), owner)
        if isinstance(self.discrete, str) and self.discrete != "auto":
            raise ParameterError(
                f"The 'discrete' parameter of {owner} must be 'auto' or a list of columns. "
                f"Got {self.discrete!r}."
            )

    def _nominal(self) -> BoolArray:
        """Mask of the columns declared discrete, by number, name or mask."""
        nominal = np.zeros(self.n_features_in_, dtype=np.bool_)
        if isinstance(self.discrete, str):
            return nominal
        columns = np.asarray(self.discrete)
        names = {name: column for column, name in enumerate(getattr(self, "feature_names_in_", ()))}
        if columns.dtype.kind in "UO" and all(name in names for name in columns.tolist()):
            nominal[[names[name] for name in columns.tolist()]] = True
        elif columns.dtype.kind == "b" and columns.shape == nominal.shape:
            nominal[:] = columns
        elif columns.size == 0 or (
            columns.dtype.kind in "iu" and columns.min() >= 0 and columns.max() < len(nominal)
        ):
            nominal[columns.astype(np.intp)] = True
        else:
            raise ParameterError(
                f"The 'discrete' parameter of {type(self).__name__} must be 'auto' or columns of X: numbers "
                f"from 0 to {len(nominal) - 1}, names, or a mask of {len(nominal)}. Got {self.discrete!r}."
            )
        return nominal


class LocalProbabilityShaper(_LocalShaper):
    r"""Replace every value by the probability of the positive class around it.

    For each column, the estimate :math:`\tilde p(v)` is the share of positives among up to `window` rows
    below and as many above, with Laplace's correction; values between those of the training rows lie on the
    line between their neighbours, values beyond the ends are as the ends (sections 3.2 and 3.3 of the
    paper). The exact formula stands in :class:`ShapingRule`.

    Parameters
    ----------
    window : float or "auto", default=15
        Weight of the neighbours on each side. "auto" is :math:`\min(15, N / 8)`, at least 2, for the N rows
        of a column that can be neighbours: fewer neighbours where there are few rows.
    probability : {"local", "log-odds"}, default="local"
        The probability itself, or :math:`\log \tilde p - \log (1 - \tilde p)`.
    discrete : "auto" or list of columns, default="auto"
        Columns whose values are names: each value is estimated from its own rows, and one that was never
        seen gets the probability of all rows. Numbers, names, or a mask. Columns with at most two distinct
        values are estimated like that in any case.
    missing : {"error", "bin"}, default="error"
        Whether NaN is refused, or is a value of its own with a probability of its own.
    zero_bin : {"auto", True, False}, default="auto"
        Whether zero is kept apart: it is estimated from its own rows, is nobody's neighbour, and is mapped to
        zero by subtracting its probability. "auto" does so if the first rows are sparse. Sparse rows
        stay sparse in any case.
    multiclass : {"ovr", "best", "error"}, default="ovr"
        What to do with more than two classes: give one shaped copy of all columns for each class, shape every
        column for the class that it separates best from all others only (the largest bi-normal separation;
        `best_classes_` names it), or refuse.
    positive_label : label, default=None
        Class whose probability is estimated; all others are negatives, however many. By default the second
        of two classes.
    n_jobs : int, default=None
        Number of threads; -1 takes all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels, ascending.
    tables_ : ValueTables
        Distinct values of every column with the weight of each class.
    shapes_ : tuple of FeatureShapes
        What is learned: one, or one for each class with ``multiclass="ovr"``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X has names.

    References
    ----------
    G. Forman, M. Scholz, S. Rajaram, "Feature Shaping for Linear SVM Classifiers", KDD 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from infoprop.shaping import LocalProbabilityShaper
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> shaper = LocalProbabilityShaper().fit(X, y)
    >>> shaper.transform(X[:2, :])[:, :3].round(2)
    array([[0.06, 0.84, 0.03],
           [0.03, 0.75, 0.03]])
    """

    def __init__(
        self,
        *,
        window: float | Literal["auto"] = 15,
        probability: Literal["local", "log-odds"] = "local",
        discrete: Literal["auto"] | ArrayLike = "auto",
        missing: Literal["error", "bin"] = "error",
        zero_bin: Literal["auto"] | bool = "auto",
        multiclass: Literal["ovr", "best", "error"] = "ovr",
        positive_label: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.probability = probability
        self.discrete = discrete
        self.missing = missing
        self.zero_bin = zero_bin
        self.multiclass = multiclass
        self.positive_label = positive_label
        self.n_jobs = n_jobs

    def _rule(self) -> ShapingRule:
        return ShapingRule(
            window=self.window,
            probability=self.probability,
            scaling=None,
            zero_bin=self._zero_bin,
            zero_stays=self._zero_stays,
            nominal=self._nominal(),
        )


class BNSScaler(TableTransformer):
    r"""Stretch every column to a range as long as it separates the classes.

    A column becomes :math:`s (v - \min v) / (\max v - \min v)`, where s is the best score over all thresholds
    between its distinct values: bi-normal separation, :math:`|z(tpr) - z(fpr)|` with z the normal quantile
    and rates kept within [0.0005, 0.9995] (sections 2.2 and 3.4 of the paper), or another score. Values
    beyond the ends are as the ends. A constant column becomes zero.

    Parameters
    ----------
    scaling : {"bns", "information_gain", "hellinger"}, default="bns"
        The score: bi-normal separation, information about the class in bits, or Hellinger distance.
    norm : {"l2", "l1"} or None, default=None
        Divide every row by its length; rows of zeros stay.
    zero_bin : {"auto", True, False}, default="auto"
        Whether zero is mapped to zero: :math:`s v / (\max(v, 0) - \min(v, 0))`. Always so for sparse rows.
    multiclass : {"best", "ovr", "error"}, default="best"
        What to do with more than two classes: scale every column by its largest score over the classes, each
        against all others (`best_classes_` names that class), give one scaled copy of all columns for each
        class, or refuse.
    positive_label : label, default=None
        Class that is to be separated from all others. By default the second of two classes.
    n_jobs : int, default=None
        Number of threads; -1 takes all cores. The result does not depend on it.

    Attributes
    ----------
    scores_ : array of shape (n_features,) or (n_classes, n_features)
        Score of the best threshold of each column.
    classes_ : array of shape (n_classes,)
        Labels, ascending.
    tables_ : ValueTables
        Distinct values of every column with the weight of each class.
    shapes_ : tuple of FeatureShapes
        What is learned: one, or one for each class with ``multiclass="ovr"``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X has names.

    References
    ----------
    G. Forman, M. Scholz, S. Rajaram, "Feature Shaping for Linear SVM Classifiers", KDD 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.shaping import BNSScaler
    >>> X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [5.0, 4.0]])
    >>> BNSScaler().fit_transform(X, ["no", "no", "yes", "yes"]).round(2)
    array([[0.  , 0.  ],
           [1.65, 2.19],
           [3.29, 1.1 ],
           [6.58, 3.29]])
    """

    def __init__(
        self,
        *,
        scaling: Literal["bns", "information_gain", "hellinger"] = "bns",
        norm: Literal["l2", "l1"] | None = None,
        zero_bin: Literal["auto"] | bool = "auto",
        multiclass: Literal["best", "ovr", "error"] = "best",
        positive_label: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.scaling = scaling
        self.norm = norm
        self.zero_bin = zero_bin
        self.multiclass = multiclass
        self.positive_label = positive_label
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("scaling", self.scaling, tuple(SCORES), "BNSScaler")
        check_choice("norm", self.norm, ("l2", "l1", None), "BNSScaler")

    def _rule(self) -> ShapingRule:
        return ShapingRule(policy="none", scaling=self.scaling, zero_stays=self._zero_stays)


class FeatureShaper(_LocalShaper):
    r"""Shape, scale, normalise: the columns as a linear classifier likes them.

    Every value becomes the local probability of the positive class (:class:`LocalProbabilityShaper`), every
    column is stretched to [0, BNS], the best bi-normal separation over all thresholds on the *shaped* values
    (:class:`BNSScaler`), and every row is divided by its length. The defaults are the paper's; the other
    switches remove limits that the paper names. Which to turn when: see the guide.

    Parameters
    ----------
    window : float or "auto", default=15
        Weight of the neighbours on each side. "auto" is :math:`\min(15, N / 8)`, at least 2, for the N rows
        of a column that can be neighbours: fewer neighbours where there are few rows.
    probability : {"local", "log-odds"}, default="local"
        The probability itself, or :math:`\log \tilde p - \log (1 - \tilde p)`.
    scaling : {"bns", "information_gain", "hellinger"} or None, default="bns"
        Score to which a column is stretched; None leaves probabilities as they are.
    norm : {"l2", "l1"} or None, default="l2"
        Divide every row by its length; rows of zeros stay.
    policy : {"all", "auto"}, default="all"
        Shape all columns, or only those where local probabilities predict rows that they have not seen
        better than a straight line in the log odds; the others keep their values, scaled as
        :class:`BNSScaler` does.
    keep_raw : bool, default=False
        Put the columns as they were, stretched to [0, 1], beside the shaped ones, after these were
        normalised. A missing value becomes the mean of its column.
    discrete : "auto" or list of columns, default="auto"
        Columns whose values are names: each value is estimated from its own rows, and one that was never
        seen gets the probability of all rows. Numbers, names, or a mask. Columns with at most two distinct
        values are estimated like that in any case.
    missing : {"error", "bin"}, default="error"
        Whether NaN is refused, or is a value of its own with a probability of its own.
    zero_bin : {"auto", True, False}, default="auto"
        Whether zero is kept apart: it is estimated from its own rows, is nobody's neighbour, and is mapped to
        zero by subtracting its probability. "auto" does so if the first rows are sparse. Sparse rows
        stay sparse in any case.
    multiclass : {"ovr", "best", "error"}, default="ovr"
        What to do with more than two classes: give one shaped copy of all columns for each class, each
        normalised by itself, shape every column for the class that it separates best from all others only
        (the largest score; `best_classes_` names it), or refuse.
    positive_label : label, default=None
        Class whose probability is estimated; all others are negatives, however many. By default the second
        of two classes.
    n_jobs : int, default=None
        Number of threads; -1 takes all cores. The result does not depend on it.

    Attributes
    ----------
    scores_ : array of shape (n_features,) or (n_classes, n_features)
        Score to which each column is stretched.
    classes_ : array of shape (n_classes,)
        Labels, ascending.
    tables_ : ValueTables
        Distinct values of every column with the weight of each class.
    shapes_ : tuple of FeatureShapes
        What is learned: one, or one for each class with ``multiclass="ovr"``.
    raw_shapes_ : FeatureShapes or None
        How the raw columns are stretched; None without `keep_raw`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X has names.

    References
    ----------
    G. Forman, M. Scholz, S. Rajaram, "Feature Shaping for Linear SVM Classifiers", KDD 2009.

    Examples
    --------
    A column that is large for one class at both ends is of no use to a linear classifier before it is shaped:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> from infoprop.shaping import FeatureShaper
    >>> x = np.linspace(-1.0, 1.0, 400)
    >>> X, y = np.column_stack([x, np.ones(400)]), np.abs(x) > 0.5
    >>> LinearSVC().fit(X, y).score(X, y)
    0.5
    >>> make_pipeline(FeatureShaper(norm=None), LinearSVC()).fit(X, y).score(X, y) > 0.97
    True
    """

    def __init__(
        self,
        *,
        window: float | Literal["auto"] = 15,
        probability: Literal["local", "log-odds"] = "local",
        scaling: Literal["bns", "information_gain", "hellinger"] | None = "bns",
        norm: Literal["l2", "l1"] | None = "l2",
        policy: Literal["all", "auto"] = "all",
        keep_raw: bool = False,
        discrete: Literal["auto"] | ArrayLike = "auto",
        missing: Literal["error", "bin"] = "error",
        zero_bin: Literal["auto"] | bool = "auto",
        multiclass: Literal["ovr", "best", "error"] = "ovr",
        positive_label: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.probability = probability
        self.scaling = scaling
        self.norm = norm
        self.policy = policy
        self.keep_raw = keep_raw
        self.discrete = discrete
        self.missing = missing
        self.zero_bin = zero_bin
        self.multiclass = multiclass
        self.positive_label = positive_label
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("scaling", self.scaling, (*SCORES, None), "FeatureShaper")
        check_choice("norm", self.norm, ("l2", "l1", None), "FeatureShaper")
        check_choice("policy", self.policy, ("all", "auto"), "FeatureShaper")
        check_boolean("keep_raw", self.keep_raw, "FeatureShaper")

    def _rule(self) -> ShapingRule:
        return ShapingRule(
            window=self.window,
            probability=self.probability,
            scaling=self.scaling,
            policy=self.policy,
            zero_bin=self._zero_bin,
            zero_stays=self._zero_stays,
            nominal=self._nominal(),
        )

    def _learn(self, tables: ValueTables) -> "FeatureShaper":
        super()._learn(tables)
        self.raw_shapes_ = None
        if self.keep_raw:
            rule = ShapingRule(policy="none", scaling=None, zero_stays=self._zero_stays)
            self.raw_shapes_ = rule.learn(tables, 0)
        return self

    def _extra_parts(self, X: Matrix) -> list[Matrix]:
        return [] if self.raw_shapes_ is None else [self.raw_shapes_.apply(X, self.n_jobs)]

    def _extra_names(self, names: LabelArray) -> list[str]:
        return [] if self.raw_shapes_ is None else [f"{name}@raw" for name in names]
