"""credit_features: from a fitted classifier and rows to bits per feature."""

from typing import Any

from sklearn.utils.validation import column_or_1d

from infoprop._core._exceptions import ParameterError
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._networks import SequentialClassifier, is_sequential
from infoprop.credit._result import FeatureCredits
from infoprop.credit._shares import column_names, shares_and_contributions


def credit_features(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    sharing: str = "margin",
    groups: "GroupSpecification | ColumnGroups" = None,
    feature_names: Any = None,
) -> FeatureCredits:
    """Credit every feature with its part of the information that a fitted classifier delivers.

    ``Credit(k) = sum_r I_r P[r, k]``, in bits, with I_r the credit of class r's indicator on the rows given
    (SVM-Infoprop, equation 3) and P the shares of the features in it: by the sensitivity of the margin
    (equation 6), or by the covariance of the output with what the feature adds to it; see
    :func:`credit_shares`. The credits sum to I(Y;Yf). What the class of an output that never changes earns
    in a network is credited to no feature.

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
    sharing : {"margin", "covariance"}, default="margin"
        "margin" is the papers' rule. By "covariance" noise that the classifier has learned earns little, as
        it says nothing about rows that were not seen, and features that hold the output back are known
        (``contributions``).
    groups : None, list of lists, mapping, array-like of shape (n_features,) or ColumnGroups, default=None
        Columns that are credited together, as one feature; see :class:`ColumnGroups`.
    feature_names : sequence of str, length n_features, default=None
        Names of the columns. None takes those of the data frame that the classifier was trained on, else
        those of X, else x0, x1, ...

    Returns
    -------
    FeatureCredits

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
    ['color_intensity', 'alcohol']
    """
    # Before any prediction: what cannot be credited need not be run.
    known = column_names(estimator, X)
    names = known if feature_names is None else tuple(feature_names)
    if len(names) != len(known) or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"The 'feature_names' parameter of credit_features must hold {len(known)} texts, one for each "
            f"column. Got {len(names)} names, such as {names[:3]}."
        )
    if groups is not None and not isinstance(groups, ColumnGroups):
        groups = ColumnGroups.from_specification(groups, names)
    shares, parts = shares_and_contributions(estimator, X, sample_weight, sharing, groups)
    y = column_or_1d(y)
    classifier = SequentialClassifier.from_labels(estimator, y) if is_sequential(estimator) else estimator
    credits = FeatureCredits.from_predictions(
        y,
        classifier.predict(X),
        classes=classifier.classes_,
        shares=shares,
        feature_names=names if groups is None else groups.names,
        sample_weight=sample_weight,
    )
    return credits if parts is None else credits.with_contributions(parts.values)
