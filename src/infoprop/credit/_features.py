"""credit_features: from a fitted classifier and rows to bits per feature."""

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import column_or_1d

from infoprop.credit._networks import SequentialClassifier, is_sequential
from infoprop.credit._result import FeatureCredits
from infoprop.credit._shares import credit_shares


def credit_features(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> FeatureCredits:
    """Credit every feature with its part of the information that a fitted classifier delivers.

    ``Credit(k) = sum_r I_r D_k^r / sum_p D_p^r`` (SVM-Infoprop, equation 6), in bits, with I_r the credit of
    class r's indicator on the rows given (equation 3). The credits sum to I(Y;Yf). In a network the
    covariances of its layers take the place of D (moi-2004, equation 8); what the class of an output that
    never changes earns is credited to no feature.

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
        Weights of the rows in the confusion table, and in the covariances of a network.

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
    shares = credit_shares(estimator, X, sample_weight)
    y = column_or_1d(y)
    classifier = SequentialClassifier.from_labels(estimator, y) if is_sequential(estimator) else estimator
    return FeatureCredits.from_predictions(
        y,
        classifier.predict(X),
        classes=classifier.classes_,
        shares=shares,
        feature_names=column_names(estimator, X, shares.shape[1]),
        sample_weight=sample_weight,
    )


def column_names(estimator: Any, X: Any, n_features: int) -> tuple[str, ...]:
    """Names of the columns: the classifier's, else those of the data frame, else x0, x1, ..."""
    names: Sequence[Any] | None = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is None or len(names) != n_features or not all(isinstance(name, str) for name in names):
        return tuple(f"x{k}" for k in range(n_features))
    return tuple(str(name) for name in names)
