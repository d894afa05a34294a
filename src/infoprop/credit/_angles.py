"""Gradient angles: how nearly a machine's decision turns along each feature's axis, near its margin."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from infoprop._core._checks import check_integer, check_number
from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop._core._weights import check_weights
from infoprop.credit._groups import ColumnGroups, GroupSpecification
from infoprop.credit._machines import KernelFunction, LinearFunction, Machine, NetworkFunction, machines_of
from infoprop.credit._origins import single_origins
from infoprop.credit._result import TIE_DECIMALS, flow_labels
from infoprop.credit._shares import column_names, scattered
from infoprop.credit._unwrapping import refuse_unfitted


@dataclass(frozen=True, eq=False)
class GradientAngles(FrozenArrays):
    r"""Importance of every feature by the angle between a machine's gradient and the feature's axis.

    1 where the gradient points along the axis, 0 where it is orthogonal to it: nothing in between is a
    share, so the values do not add up to one.

    Attributes
    ----------
    values : ndarray of shape (n_features,)
        :math:`\tilde\alpha_j`, the mean over the machines; between 0 and 1.
    by_machine : ndarray of shape (n_machines, n_features)
        The same, machine by machine. A machine without a slope has zeros.
    machines : tuple of (label, label or None), length n_machines
        The class that each machine tells apart, and from which one; None means from all others.
    n_rows : ndarray of shape (n_machines,)
        Rows that each machine's angles were averaged over.
    feature_names : tuple of str

    References
    ----------
    L. Hermes, J. M. Buhmann, "Feature selection for support vector machines", International Conference on
    Pattern Recognition, 2000, equations 6 to 8.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from infoprop.credit import gradient_angles
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear", C=10.0)).fit(X, y)
    >>> angles = gradient_angles(model, X, y)
    >>> angles.by_machine.shape, [name for name, value in angles.top(2)]
    ((3, 13), ['proline', 'color_intensity'])
    """

    values: FloatArray
    by_machine: FloatArray
    machines: tuple[tuple[Any, Any], ...]
    n_rows: IntArray
    feature_names: tuple[str, ...]

    @property
    def n_features(self) -> int:
        """Number of features (or groups)."""
        return len(self.feature_names)

    @property
    def ranking(self) -> IntArray:
        """Column numbers, best first; values equal to twelve decimals go to the lower number."""
        order: IntArray = np.argsort(-self.values.round(TIE_DECIMALS), kind="stable")
        return order

    def top(self, k: int) -> tuple[tuple[str, float], ...]:
        """Names and values of the `k` best features, best first; all of them if there are fewer."""
        k = check_integer("k", k, "GradientAngles.top", low=0)
        return tuple((self.feature_names[column], float(self.values[column])) for column in self.ranking[:k])


def gradient_angles(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    epsilon: float = 0.1,
    groups: "GroupSpecification | ColumnGroups" = None,
    sample_weight: Any = None,
) -> GradientAngles:
    r"""Measure the angles between a fitted machine's gradient and the axes of the features.

    At a row x the angle to the axis of feature j is :math:`\alpha_j = \arccos(|\partial_j g| / \|\nabla g\|)`
    (equation 7: the smaller of the two angles, at most :math:`\pi/2`). It is averaged over the rows near the
    margin, :math:`I_\epsilon = \{i : |y_i\, g(x_i) - 1| \le \epsilon\}`, and turned round so that large is
    important (equation 8):

    .. math:: \tilde\alpha_j = 1 - \frac{2}{\pi} \cdot \frac{1}{|I_\epsilon|} \sum_{i \in I_\epsilon}
              \alpha_j(x_i)

    The paper prints :math:`|g(x_i) - 1|`, which would leave one of the two classes out, and "close to
    :math:`\pi`" for an angle that is at most :math:`\pi/2`. Several machines (one per class; one per pair of
    classes in scikit-learn's ``SVC``) are averaged with equal weight.

    Parameters
    ----------
    estimator : fitted classifier
        ``OneVsRestSVC``; scikit-learn's ``SVC``, ``NuSVC`` and linear classifiers; ``OneVsRestClassifier``,
        ``RFE``, selectors and searches of these; and pipelines of steps that map columns one to one or select
        them. Behind a pipeline the angles are those in the space that the classifier sees: after a scaler,
        per unit of the scaled column.
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows that the classifier was trained on.
    y : array-like of shape (n_samples,)
        Their labels. Rows of a label that was never learned are left out.
    epsilon : float, default=0.1
        Half the width of the band around the margin, at least 0. It is never taken narrower than the
        solver's own ``tol``, so 0 means the margin vectors alone.
    groups : list of lists, mapping, array-like of shape (n_features,), or ColumnGroups, default=None
        Columns that belong together, as in :func:`credit_features`. The angle is then the one to the plane
        that the axes of the group span, :math:`\arccos(\|\nabla_G g\| / \|\nabla g\|)`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in the averages.

    Returns
    -------
    GradientAngles

    Notes
    -----
    If no row is in the band, the machine's margin vectors are taken (support vectors with
    :math:`|y g - 1|` within ``tol``); if there are none, all its support vectors. Rows where the gradient
    vanishes have no angle and are left out; a machine with no other rows gets zeros. A linear machine has the
    same gradient everywhere, :math:`\tilde\alpha_j = 1 - (2/\pi) \arccos(|w_j| / \|w\|)`: rows then decide
    nothing but `n_rows`.

    Cost: the output at every row and the gradient at the rows of the band, each (number of rows) x (number of
    support vectors) x n_features.

    References
    ----------
    L. Hermes, J. M. Buhmann, "Feature selection for support vector machines", International Conference on
    Pattern Recognition, 2000.

    Examples
    --------
    >>> from infoprop.credit import gradient_angles
    >>> from infoprop.datasets import make_graded_noise
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = make_graded_noise(n_features=4, noise=0.5, growth=1.5, random_state=0, return_X_y=True)
    >>> machine = OneVsRestSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=10.0).fit(X, y)
    >>> gradient_angles(machine, X, y).values.round(2)
    array([0.42, 0.36, 0.32, 0.08])
    """
    epsilon = check_number("epsilon", epsilon, "gradient_angles", low=0.0)
    refuse_unfitted(estimator)
    y = column_or_1d(y)
    check_consistent_length(X, y)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    weights = np.ones(len(y)) if sample_weight is None else check_weights(sample_weight, len(y))
    machines = machines_of(estimator, X)
    flow_labels(estimator.classes_, y)
    weights = np.where(np.isin(y, estimator.classes_), weights, 0.0)
    n_columns = int(np.shape(X)[1])
    columns = groups
    if not isinstance(columns, ColumnGroups):
        columns = ColumnGroups.from_specification(columns, column_names(estimator, X, n_columns))
    results = [_angles(machine, y, weights, epsilon, columns) for machine in machines]
    by_machine = np.stack([values for values, _ in results])
    return GradientAngles(
        values=by_machine.mean(axis=0),
        by_machine=by_machine,
        machines=tuple((_plain(machine.positive), _plain(machine.negative)) for machine in machines),
        n_rows=np.array([n_rows for _, n_rows in results], dtype=np.intp),
        feature_names=columns.names,
    )


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _angles(
    machine: Machine, y: LabelArray, weights: FloatArray, epsilon: float, groups: ColumnGroups
) -> tuple[FloatArray, int]:
    """Equation 8 for one machine, and how many rows it was averaged over."""
    function, labels = machine.function, groups.labels
    if isinstance(function, NetworkFunction):
        raise UnsupportedEstimatorError("Gradient angles are those of machines, not of networks.")
    if machine.origins is not None:
        labels = labels[single_origins(machine.origins)]
    signs = machine.signs(y)
    weights = np.where(signs != 0.0, weights, 0.0)
    violations = np.abs(signs * function.outputs(machine.rows) - 1.0)
    near = np.where(violations <= max(epsilon, function.tolerance), weights, 0.0)
    if isinstance(function, LinearFunction):
        values = importances(function.w[None], labels, groups.n_groups)[0]
        looked_at = near if near.any() else weights
        return values, int((looked_at > 0.0).sum()) if values.any() else 0
    if near.any():
        chosen = near > 0.0
        return _averaged(function, machine.rows[chosen], near[chosen], labels, groups.n_groups)
    vectors = _margin_vectors(function)
    return _averaged(function, vectors, np.ones(vectors.shape[0]), labels, groups.n_groups)


def _margin_vectors(function: KernelFunction) -> Matrix:
    """Support vectors below their bound, where there are any; else all.

    The bound C depends on weights that a fitted machine has forgotten, but a vector below it answers 1.
    """
    violations = np.abs(np.sign(function.coefficients) * function.outputs(function.vectors) - 1.0)
    margin = violations <= function.tolerance
    return function.vectors[margin] if margin.any() else function.vectors


def _averaged(
    function: KernelFunction, rows: Matrix, weights: FloatArray, labels: IntArray, n_features: int
) -> tuple[FloatArray, int]:
    total, weight, n_rows = np.zeros(n_features), 0.0, 0
    for block, gradients in function.gradients(rows):
        sloping = gradients.any(axis=1)
        used = weights[block][sloping]
        total += used @ importances(gradients[sloping], labels, n_features)
        weight += float(used.sum())
        n_rows += len(used)
    return (total / weight if n_rows else total), n_rows


def importances(gradients: FloatArray, labels: IntArray, n_features: int) -> FloatArray:
    r"""Turn gradients into :math:`1 - (2/\pi) \alpha` at every row, as :math:`(2/\pi) \arcsin(\cdot)`.

    The sine of the complement keeps the digits of small values, which arccos would lose next to one.

    Parameters
    ----------
    gradients : ndarray of shape (n_rows, n_inner)
    labels : ndarray of shape (n_inner,)
        Feature that each column of the gradients belongs to; several may share one.
    n_features : int

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Zeros in rows whose gradient is zero.
    """
    # Divided by the largest entry first: squares of very small numbers would be lost.
    largest = np.abs(gradients).max(axis=1, keepdims=True)
    scaled = np.divide(gradients, largest, out=np.zeros_like(gradients), where=largest > 0.0)
    squares = scattered(scaled * scaled, labels, n_features)
    total = squares.sum(axis=1, keepdims=True)
    cosines = np.sqrt(np.divide(squares, total, out=np.zeros_like(squares), where=total > 0.0))
    return np.asarray(2.0 / np.pi * np.arcsin(np.minimum(cosines, 1.0)))
