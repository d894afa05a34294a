"""From a fitted classifier to each feature's share of each class indicator."""

from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import column_or_1d

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import FloatArray
from infoprop._core._weights import check_weights
from infoprop.credit._class_pairs import pairs_inside, shares_of_pairs
from infoprop.credit._contributions import indicators_of
from infoprop.credit._covariance import Contributions, covariance_contributions, labelled_rows
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._networks import NETWORKS, needed_rows, network_shares
from infoprop.credit._one_vs_one import one_vs_one_sensitivities
from infoprop.credit._origins import starts_with_words
from infoprop.credit._unwrapping import Inner, unwrapped
from infoprop.mlp import MLPClassifier
from infoprop.svm import OneVsRestSVC
from infoprop.svm._sensitivity import sensitivity_shares

SHARING = ("margin", "covariance")
SUPPORTED = (
    "infoprop's own classifiers and selectors; scikit-learn's SVC and NuSVC (linear, poly, rbf, sigmoid); "
    "linear classifiers with coef_ (LinearSVC, LogisticRegression, RidgeClassifier, SGDClassifier, "
    "LinearDiscriminantAnalysis, ...); MLPClassifier; OneVsRestClassifier, RFE, RFECV, grid and random "
    "searches of these; torch.nn.Sequential of Linear and activation modules; "
    "a Pipeline that ends in one of them and whose steps make every column of columns that are known; and "
    "any classifier with a method credit_shares(X)"
)


def credit_shares(
    estimator: Any,
    X: Any = None,
    sample_weight: Any = None,
    *,
    y: Any = None,
    sharing: str = "margin",
    groups: "GroupSpecification | ColumnGroups" = None,
) -> FloatArray:
    r"""Return each feature's share of each class indicator.

    ``sharing="margin"``, the papers' rule: ``P[r, k] = D_k^r / sum_p D_p^r`` (equation 6 of SVM-Infoprop),
    with D_k^r the sensitivity of class r's machine to feature k: equation 5 for support vector machines,
    read as ``D_k = sum_i |b_i| |sum_j b_j dK(x_i, x_j)/dx_i^k|`` with b = alpha y; ``|w_k|`` for linear
    machines, which is the same after normalising. In one-vs-one machines a class gets the sum over its
    machines; in a ``PairwiseClassifier``, whose pairs may be anything, the mean of the shares of its pairs. A
    machine that no feature moves shares evenly. In a network the shares are the product of its layers'
    matrices ``|c_kj| / sum_j |c_kj|`` with ``c_kj = Cov(O_k, w_kj O_j)``, the covariance over the rows of a
    unit's output with what each unit before it contributes (moi-2004, equation 8; see
    :func:`infoprop.mlp.propagated_shares`). An output that is the same for all rows has a row of zeros.

    ``sharing="covariance"``: how much of what the indicator says about the rows of X varies because of the
    feature, as far as it varies with the class. The output is a sum of terms, ``f = sum_k t_k``, with
    ``t_k = w_k x_k`` for linear machines, what is handed back from unit to unit for networks (f is what goes
    into the last activation; a unit's change from the mean row belongs to the units that feed it in
    proportion to what they add to it), and, to first order, ``t_k = (x_k - mean_k) df/dx_k`` for kernels.
    With ``c_k = Cov(f, t_k) / Var(f)``, ``g_k = Cov(s, t_k)``, s = 1 on the rows of the class and 0 on
    others, and their standard errors sigma and tau over the rows, the share is
    ``|g_k| max(0, 1 - 3 sigma_k^2 / c_k^2) max(0, 1 - 3 tau_k^2 / g_k^2)`` where both have the same sign,
    normalised. The output of a kernel machine falls in every direction that leads away from the data, so its
    c_k say little: the first factor is left out, and a negative g_k counts as none. Take rows that the
    classifier has not seen: what it has learned by heart says nothing about their class. In one-vs-one
    machines f is the sum of the outputs of the class's machines. Without `y` the share is
    ``|c_k| max(0, 1 - 3 sigma_k^2 / c_k^2)``, where a negative c_k of a kernel machine counts as none.

    Parameters
    ----------
    estimator : fitted classifier
        Its own method ``credit_shares(X)`` is used if it has one. A ``torch.nn.Sequential`` counts as one:
        its outputs are its classes, or two classes if there is a single output. Steps of a pipeline are
        followed back to its input columns: encoders, splines, imputers, polynomials (a product of columns is
        shared between them in proportion to their powers; a column of ones belongs to no input and has no
        share), vectorizers of text (at the beginning of a pipeline its words are the features; of a column in
        a ``ColumnTransformer``, the column is).
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features), default=None
        Rows to look at. Networks and ``sharing="covariance"`` need them, and so may classifiers with their
        own ``credit_shares``.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of these rows.
    y : array-like of shape (n_samples,), default=None
        Their true labels, for ``sharing="covariance"``.
    sharing : {"margin", "covariance"}, default="margin"
    groups : None, list of lists, mapping, array-like of shape (n_features,) or ColumnGroups, default=None
        Columns that belong together, as in :func:`credit_features`: the result has a column for each group.
        By covariance a group is one contribution, the sum of its columns' terms; by margin its shares are
        added up.

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        Non-negative rows that sum to one, in the order of ``estimator.classes_``.

    References
    ----------
    SVM-Infoprop (2001), equations 5 and 6; moi-2004, equation 8; L. Breiman, "Better subset regression using
    the nonnegative garrote", Technometrics 37 (4), 1995; A. Shrikumar et al., "Learning important features
    through propagating activation differences", ICML 2017.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from infoprop.credit._shares import credit_shares
    >>> model = RidgeClassifier().fit([[0, 5], [1, 5], [2, 5], [3, 5]], [0, 0, 1, 1])
    >>> credit_shares(model)
    array([[1., 0.],
           [1., 0.]])
    """
    if groups is not None and not isinstance(groups, ColumnGroups):
        groups = ColumnGroups.from_specification(groups, column_names(estimator, X))
    check_choice("sharing", sharing, SHARING, "credit_shares")
    inner = unwrapped(estimator, X)
    if sharing == "covariance" and not has_own_rule(inner.classifier):
        return contributions(inner, y, sample_weight, groups).shares()
    return fixed_shares(inner, sample_weight, groups)


def fixed_shares(inner: Inner, sample_weight: Any, groups: ColumnGroups | None) -> FloatArray:
    """Shares by the papers' rule, or by the classifier's own."""
    own = _inner_shares(inner, sample_weight)
    shares = inner.given_back(own)
    if inner.is_nobodys.any():
        # What a constant column has is left to the others, in proportion; outputs without shares keep none.
        shares = np.where(own.any(axis=1, keepdims=True), sensitivity_shares(shares), 0.0)
    return shares if groups is None else groups.sums(shares)


def contributions(
    inner: Inner, y: Any = None, sample_weight: Any = None, groups: ColumnGroups | None = None
) -> Contributions:
    """Signed contributions of every feature (or group) to every class, by covariance; see `credit_shares`."""
    if inner.rows is None:
        raise ParameterError(
            "sharing='covariance' looks at rows: X must be given. Pass rows that the classifier has not "
            "seen, or use sharing='margin'."
        )
    indicators = indicators_of(inner)
    n_rows = indicators[0].machines[0].rows.shape[0]
    weights = np.ones(n_rows) if sample_weight is None else check_weights(sample_weight, n_rows)
    membership = None if groups is None else groups.membership
    classes = np.asarray(inner.classifier.classes_)
    is_class = None if y is None else labelled_rows(indicators, classes, column_or_1d(y))
    return per_class(covariance_contributions(indicators, weights, membership, is_class), len(classes))


def per_class(found: Contributions, n_classes: int) -> Contributions:
    """A row for each class: two classes share one machine, in opposite directions."""
    if found.values.shape[-2] == n_classes:
        return found
    values, variances, gaps, gap_variances = (np.repeat(part, n_classes, axis=-2) for part in found[:4])
    return Contributions(values, variances, gaps, gap_variances, found.is_exact, found.has_labels)


def has_own_rule(classifier: Any) -> bool:
    """Whether shares do not depend on `sharing`: those of classifiers that say their own."""
    pairs = pairs_inside(classifier)
    if pairs is not None:
        return any(has_own_rule(unwrapped(pair.estimator).classifier) for pair in pairs)
    return hasattr(classifier, "credit_shares") and not isinstance(classifier, (OneVsRestSVC, *NETWORKS))


def _inner_shares(inner: Inner, sample_weight: Any) -> FloatArray:
    classifier, rows, _ = inner
    pairs = pairs_inside(classifier, rows)
    if pairs is not None:
        own = [credit_shares(pair.estimator, pair.rows, sample_weight)[-1] for pair in pairs]
        return shares_of_pairs(pairs, own, np.asarray(classifier.classes_), classifier.n_features_in_)
    if hasattr(classifier, "credit_shares"):
        return _own_shares(classifier, rows, sample_weight)
    if isinstance(classifier, PeerMLPClassifier):
        return network_shares(classifier, rows, sample_weight)
    return sensitivity_shares(_sensitivities(classifier, rows, sample_weight))


def column_names(estimator: Any, X: Any, n_features: int | None = None) -> tuple[str, ...]:
    """Names of the columns: the classifier's or its words, else those of the data frame, else x0, x1, ..."""
    words = starts_with_words(estimator)
    if words is not None:
        return tuple(map(str, words.get_feature_names_out()))
    names: Sequence[Any] | None = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    if n_features is None:
        n_features = getattr(estimator, "n_features_in_", None)
        n_features = int(np.shape(X)[1]) if n_features is None else int(n_features)
    if names is None or len(names) != n_features or not all(isinstance(name, str) for name in names):
        return tuple(f"x{k}" for k in range(n_features))
    return tuple(str(name) for name in names)


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


def _sensitivities(estimator: Any, X: Any, sample_weight: Any) -> FloatArray:
    """Sensitivities of shape (n_classes, n_features), up to a factor for each row."""
    if isinstance(estimator, SVC | NuSVC):
        return one_vs_one_sensitivities(estimator)
    if isinstance(estimator, OneVsRestClassifier) and not estimator.multilabel_:
        n_features = estimator.n_features_in_
        machines = [_machine_share(m, n_features, X, sample_weight) for m in estimator.estimators_]
        return row_per_class(np.vstack(machines), len(estimator.classes_))
    if is_classifier(estimator) and hasattr(estimator, "coef_") and hasattr(estimator, "classes_"):
        coef = estimator.coef_
        w = np.abs(coef.toarray() if sparse.issparse(coef) else np.atleast_2d(coef)).astype(np.float64)
        n_classes = np.size(estimator.classes_)
        if np.ndim(estimator.classes_) == 1 and len(w) in (1, n_classes):
            return row_per_class(w, n_classes)
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


def row_per_class(w: FloatArray, n_classes: int) -> FloatArray:
    """Two classes share one machine, and with it its row."""
    return np.repeat(w, n_classes, axis=0) if len(w) == 1 else w
