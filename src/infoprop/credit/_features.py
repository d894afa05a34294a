"""credit_features and cross_val_credits: from a classifier and rows to bits per feature."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import column_or_1d

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._cluster import SharedData
from infoprop._core._exceptions import ParameterError
from infoprop._core._row_folds import row_group_parameters, row_splits
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._training_rows import refuse_unusable
from infoprop._core._typing import IntArray, LabelArray
from infoprop.credit._crediting import Judged, SharingRule, credits_of
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._result import FeatureCredits
from infoprop.credit._shares import SHARING, column_names
from infoprop.metrics._area import area_under_curve, mean_area

NULLS = (None, "shuffled")
# Fewer draws than this cannot tell one in twenty.
_FEWEST_DRAWS = 19


def credit_features(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    sharing: str = "covariance",
    groups: "GroupSpecification | ColumnGroups" = None,
    feature_names: Any = None,
    null: str | None = None,
    n_null: int = 199,
    random_state: Any = None,
) -> FeatureCredits:
    """Credit every feature with its part of the information that a fitted classifier delivers.

    ``Credit(k) = sum_r I_r P[r, k]``, in bits, with I_r the credit of class r's indicator on the rows given
    (SVM-Infoprop, equation 3) and P the shares of the features in it: by the covariance of the output, and of
    the class, with what the feature adds to the output; or as in the papers, by the sensitivity of the
    margin (equation 6) and, in networks, layer by layer (moi-2004, equation 8). See :func:`credit_shares`.
    The credits sum to I(Y;Yf). By the papers' rule, what the class of an output that never changes earns in a
    network is credited to no feature.

    Parameters
    ----------
    estimator : fitted classifier
        See :func:`credit_shares` for what is supported. The classes of a ``torch.nn.Sequential`` are, in
        the order of its outputs, its attribute ``classes_`` if you gave it one; else 0, 1, ... if `y` holds
        whole numbers below the number of outputs; else the labels of `y`, ascending.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows that the confusion table is made of. They should not be rows the classifier was trained on.
    y : array-like of shape (n_samples,)
        Their true labels. A label that was never learned counts in the table (its rows are all errors) and
        gets a row of zeros in `by_class`, after the classes of the classifier.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the confusion table, and in covariances.
    sharing : {"covariance", "margin"}, default="covariance"
        By "covariance" noise that the classifier has learned earns next to nothing, as it says nothing about
        rows that were not seen, and features that hold the output back are known (``contributions``).
        "margin" is the papers' rule: equation 6 for support vector machines, equation 8 for networks.
    groups : None, list of lists, mapping, array-like of shape (n_features,) or ColumnGroups, default=None
        Columns that are credited together, as one feature: lists of columns, by number or name; a mapping
        from group name to columns; or a label for each column. A column of no group is one by itself.
    feature_names : sequence of str, length n_features, default=None
        Names of the columns. None takes those of the data frame that the classifier was trained on, else
        those of X, else x0, x1, ...
    null : {"shuffled"}, default=None
        "shuffled" adds ``noise``, a :class:`NoiseFloor`: what every feature would seem to be worth on these
        rows if their labels were dealt to them at random, with a p-value and whether it is above. Nothing is
        trained: it costs one more pass over the rows, with a product of matrices for all draws together.
    n_null : int, default=199
        Number of times that the labels are shuffled, at least 19.
    random_state : int, RandomState instance or None, default=None
        Shuffles the labels.

    Returns
    -------
    FeatureCredits
        With ``standard_errors`` by a jackknife over 20 groups of the rows: how much the credits would differ
        on other rows, for the classifier as it is.

    References
    ----------
    SVM-Infoprop (2001), section 4; moi-2004, section III-A.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from infoprop.credit import credit_features
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), SVC()).fit(X[::2], y[::2])
    >>> credits = credit_features(model, X[1::2], y[1::2])
    >>> [name for name, bits in credits.top(2)]
    ['flavanoids', 'alcohol']
    """
    rule = _rule(estimator, X, sharing, groups, feature_names, null, n_null, random_state, "credit_features")
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return credits_of([Judged(estimator, X, column_or_1d(y), weights)], rule)


def cross_val_credits(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    validation: Any = 5,
    row_groups: Any = None,
    sharing: str = "covariance",
    groups: "GroupSpecification | ColumnGroups" = None,
    feature_names: Any = None,
    null: str | None = None,
    n_null: int = 199,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> FeatureCredits:
    """Credit every feature on all rows, each of them judged by a classifier that has not seen it.

    The classifier is trained once for each fold. The confusion table counts all out-of-fold predictions.
    Contributions are averaged over the folds before they are compared with their standard errors, so that
    what the machines of several folds agree on stands out and what each has learned by heart does not; by
    margin the shares are averaged.

    Parameters
    ----------
    estimator : classifier
        Not yet trained; cloned for every fold.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    validation : int, splitter or iterable of splits, default=5
        A number means folds as :class:`~infoprop.selection.RowFolds` deals them.
    row_groups : array-like of shape (n_samples,), default=None
        Rows that stay together: a label for every row, such as the subject it comes from.
    sharing, groups, feature_names, null, n_null
        As in :func:`credit_features`. Labels are shuffled within the folds.
    random_state : int, RandomState instance or None, default=None
        Shuffles the labels.
    n_jobs : int, default=None
        Trainings at a time, through joblib.

    Returns
    -------
    FeatureCredits

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> from infoprop.credit import cross_val_credits
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), LinearSVC(C=0.1, random_state=0))
    >>> credits = cross_val_credits(model, X, y, validation=10)
    >>> credits.flow.n_samples, credits.n_features
    (178.0, 13)
    """
    judged = _judged_folds(estimator, X, y, validation, row_groups, n_jobs)
    rule = _rule(
        judged[0].estimator,
        X,
        sharing,
        groups,
        feature_names,
        null,
        n_null,
        random_state,
        "cross_val_credits",
    )
    return credits_of(judged, rule)


def cross_val_credits_and_area(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    validation: Any,
    row_groups: Any = None,
    n_jobs: int | None = None,
    sharing: str = "covariance",
    groups: "GroupSpecification | ColumnGroups" = None,
    null: str | None = None,
    n_null: int = 199,
    random_state: Any = None,
) -> tuple[FeatureCredits, float | None]:
    """The same, and the area under the ROC curve: its mean over the folds, as their scores have other scales.

    None if the classifier gives no scores; folds with one class do not count.
    """
    judged = _judged_folds(estimator, X, y, validation, row_groups, n_jobs)
    model, owner = judged[0].estimator, "cross_val_credits"
    rule = _rule(model, X, sharing, groups, None, null, n_null, random_state, owner)
    areas = [area_under_curve(fold.estimator, fold.X, fold.y) for fold in judged]
    return credits_of(judged, rule), mean_area(areas)


def _judged_folds(
    estimator: Any, X: Any, y: Any, validation: Any, row_groups: Any, n_jobs: int | None
) -> list[Judged]:
    """A classifier for every fold, with the rows that it has not seen."""
    refuse_unusable(X, y)
    labels = column_or_1d(y)
    splits = row_splits(validation, X, labels, row_groups=row_groups)
    sent = SharedData((estimator, X, labels, None if row_groups is None else np.asarray(row_groups)))
    fitted = results_in_order(run_tasks(_fitted, sent, [train for train, _ in splits], n_jobs))
    return [
        Judged(model, _safe_indexing(X, test), labels[test])
        for model, (_, test) in zip(fitted, splits, strict=True)
        if len(test)
    ]


def _fitted(sent: tuple[Any, Any, LabelArray, LabelArray | None], train: IntArray) -> Any:
    estimator, X, y, row_groups = sent
    told = row_group_parameters(estimator, None if row_groups is None else row_groups[train])
    return clone(estimator).fit(_safe_indexing(X, train), y[train], **told)


def _rule(
    estimator: Any,
    X: Any,
    sharing: str,
    groups: "GroupSpecification | ColumnGroups",
    feature_names: Any,
    null: str | None,
    n_null: int,
    random_state: Any,
    owner: str,
) -> SharingRule:
    """Check the parameters that both functions have."""
    check_choice("sharing", sharing, SHARING, owner)
    check_choice("null", null, NULLS, owner)
    check_integer("n_null", n_null, owner, low=_FEWEST_DRAWS)
    known = column_names(estimator, X)
    names = known if feature_names is None else tuple(feature_names)
    if len(names) != len(known) or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"The 'feature_names' parameter of {owner} must hold {len(known)} texts, one for each "
            f"column. Got {len(names)} names, such as {names[:3]}."
        )
    if groups is not None and not isinstance(groups, ColumnGroups):
        groups = ColumnGroups.from_specification(groups, names)
    seed = None if null is None else int(check_random_state(random_state).randint(2**31))
    return SharingRule(sharing, groups, names, n_null if null is not None else 0, seed)
