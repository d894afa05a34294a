"""From a fitted classifier to each feature's share of each class indicator."""

from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import check_is_fitted

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import FloatArray
from infoprop.credit._networks import is_sequential, needed_rows, network_shares, sequential_shares
from infoprop.credit._one_vs_one import one_vs_one_sensitivities
from infoprop.credit._origins import column_origins
from infoprop.mlp import MLPClassifier
from infoprop.svm import sensitivity_shares

SUPPORTED = (
    "infoprop's own classifiers and selectors; scikit-learn's SVC and NuSVC (linear, poly, rbf, sigmoid); "
    "linear classifiers with coef_ (LinearSVC, LogisticRegression, RidgeClassifier, SGDClassifier, "
    "LinearDiscriminantAnalysis, ...); MLPClassifier; OneVsRestClassifier, RFE, RFECV, grid and random "
    "searches of these; torch.nn.Sequential of Linear and activation modules; "
    "a Pipeline that ends in one of them and whose steps map columns one to one or select them; and any "
    "classifier with a method credit_shares(X)"
)


def credit_shares(estimator: Any, X: Any = None, sample_weight: Any = None) -> FloatArray:
    """Return each feature's share of each class indicator.

    ``P[r, k] = D_k^r / sum_p D_p^r`` (equation 6 of SVM-Infoprop), with D_k^r the sensitivity of class r's
    machine to feature k: equation 5 for support vector machines, read as
    ``D_k = sum_i |b_i| |sum_j b_j dK(x_i, x_j)/dx_i^k|`` with b = alpha y; ``|w_k|`` for linear machines,
    which is the same after normalising. In one-vs-one machines a class gets the sum over its machines. A
    machine that no feature moves shares evenly.

    In a network the shares are the product of its layers' matrices ``|c_kj| / sum_j |c_kj|`` with
    ``c_kj = Cov(O_k, w_kj O_j)``, the covariance over the rows of a unit's output with what each unit before
    it contributes (moi-2004, equation 8; see :func:`infoprop.mlp.propagated_shares`). An output that is the
    same for all rows has a row of zeros.

    Parameters
    ----------
    estimator : fitted classifier
        Its own method ``credit_shares(X)`` is used if it has one. A ``torch.nn.Sequential`` counts as one:
        its outputs are its classes, or two classes if there is a single output.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), default=None
        Rows to look at. Networks need them, and so may classifiers with their own ``credit_shares``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of these rows.

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        Non-negative rows that sum to one, in the order of ``estimator.classes_``.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from infoprop.credit import credit_shares
    >>> model = RidgeClassifier().fit([[0, 5], [1, 5], [2, 5], [3, 5]], [0, 0, 1, 1])
    >>> credit_shares(model)
    array([[1., 0.],
           [1., 0.]])
    """
    if is_sequential(estimator):
        return sequential_shares(estimator, X, sample_weight)
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise UnsupportedEstimatorError(f"A fitted classifier is needed. Got {estimator!r}.")
    check_is_fitted(estimator)
    if hasattr(estimator, "credit_shares"):
        return _own_shares(estimator, X, sample_weight)
    if isinstance(estimator, Pipeline):
        return _pipeline_shares(estimator, X, sample_weight)
    if isinstance(estimator, RFE):
        inner = None if X is None else estimator.transform(X)
        shares = credit_shares(estimator.estimator_, inner, sample_weight)
        return scattered(shares, np.flatnonzero(estimator.support_), len(estimator.support_))
    if isinstance(estimator, FrozenEstimator):
        return credit_shares(estimator.estimator, X, sample_weight)
    if hasattr(estimator, "best_estimator_"):
        return credit_shares(estimator.best_estimator_, X, sample_weight)
    if isinstance(estimator, PeerMLPClassifier):
        return network_shares(estimator, X, sample_weight)
    return sensitivity_shares(_sensitivities(estimator, X, sample_weight))


def credit_importance(estimator: Any) -> FloatArray:
    """Return one importance per feature, for scikit-learn's own selectors.

    ``importance_k = mean_r P[r, k]``: the share of the feature, with equal weight for every class. Selectors
    hand over nothing but the fitted classifier, so there are no rows to count errors on; equal weights are
    what indicators earn that deliver equal information. Where rows are at hand, use
    :func:`credit_features` or :class:`infoprop.selection.CreditSelector`.

    Parameters
    ----------
    estimator : fitted classifier
        Anything that :func:`credit_shares` supports without rows, which networks are not.

    Returns
    -------
    ndarray of shape (n_features,)
        Non-negative, sums to one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import RFE
    >>> from sklearn.svm import SVC
    >>> from infoprop.credit import credit_importance
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 5))
    >>> xor = X[:, 1] * X[:, 3] > 0
    >>> selector = RFE(SVC(), n_features_to_select=2, importance_getter=credit_importance).fit(X, xor)
    >>> selector.get_support(indices=True)
    array([1, 3])
    """
    return np.asarray(credit_shares(estimator).mean(axis=0))


def scattered(shares: FloatArray, origins: Any, n_features: int) -> FloatArray:
    """Give the shares of inner columns back to the `n_features` input columns they come from."""
    spread = np.zeros((len(shares), n_features))
    np.add.at(spread.T, origins, shares.T)
    return spread


def _own_shares(estimator: Any, X: Any, sample_weight: Any) -> FloatArray:
    """What the estimator's own method says; weights are for those who ask for them."""
    if isinstance(estimator, MLPClassifier):
        needed_rows(estimator, X)
    weights = {}
    if sample_weight is not None and "sample_weight" in signature(estimator.credit_shares).parameters:
        weights = {"sample_weight": sample_weight}
    return np.asarray(estimator.credit_shares(X, **weights), dtype=np.float64)


def _pipeline_shares(pipeline: Pipeline, X: Any, sample_weight: Any) -> FloatArray:
    last = pipeline.steps[-1][1]
    if len(pipeline.steps) == 1:
        return credit_shares(last, X, sample_weight)
    n_columns = getattr(pipeline, "n_features_in_", None)
    if n_columns is None:
        if X is None:
            raise UnsupportedEstimatorError(
                "The pipeline does not say how many columns it was trained with (n_features_in_). "
                "Give the rows: credit_shares(pipeline, X)."
            )
        n_columns = np.shape(X)[1]
    origins = column_origins(pipeline[:-1], n_columns)
    shares = credit_shares(last, None if X is None else pipeline[:-1].transform(X), sample_weight)
    if shares.shape[1] != len(origins):
        raise UnsupportedEstimatorError(
            f"The steps of the pipeline should give {len(origins)} columns, but its classifier was trained "
            f"with {shares.shape[1]}. Credit the classifier on what comes out of the steps instead."
        )
    return scattered(shares, origins, n_columns)


def _sensitivities(estimator: Any, X: Any, sample_weight: Any) -> FloatArray:
    """Sensitivities of shape (n_classes, n_features), up to a factor for each row."""
    if isinstance(estimator, SVC | NuSVC):
        return one_vs_one_sensitivities(estimator)
    if isinstance(estimator, OneVsRestClassifier) and not estimator.multilabel_:
        n_features = estimator.n_features_in_
        machines = [_machine_share(m, n_features, X, sample_weight) for m in estimator.estimators_]
        return _row_per_class(np.vstack(machines), len(estimator.classes_))
    if is_classifier(estimator) and hasattr(estimator, "coef_") and hasattr(estimator, "classes_"):
        coef = estimator.coef_
        w = np.abs(coef.toarray() if sparse.issparse(coef) else np.atleast_2d(coef)).astype(np.float64)
        n_classes = np.size(estimator.classes_)
        if np.ndim(estimator.classes_) == 1 and len(w) in (1, n_classes):
            return _row_per_class(w, n_classes)
    raise UnsupportedEstimatorError(
        f"{type(estimator).__name__} has no known feature sensitivities. Supported: {SUPPORTED}. To credit "
        "any other classifier, give it such a method."
    )


def _machine_share(machine: Any, n_features: int, X: Any, sample_weight: Any) -> FloatArray:
    """Share of one binary machine; a label that was always or never there has a constant for a machine."""
    if not hasattr(machine, "classes_"):
        return np.zeros(n_features)
    shares: FloatArray = credit_shares(machine, X, sample_weight)[-1]
    return shares


def _row_per_class(w: FloatArray, n_classes: int) -> FloatArray:
    """Two classes share one machine, and with it its row."""
    return np.repeat(w, n_classes, axis=0) if len(w) == 1 else w
