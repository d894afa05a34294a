"""Gradient angles, held to differences of the decision function and to the paper's own example."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from infoprop.credit import GradientAngles, gradient_angles
from infoprop.credit._angles import importances
from infoprop.datasets import make_graded_noise
from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.svm import OneVsRestSVC
from reference.angles import estimator_angles

KERNELS = {
    "poly": {"degree": 2, "gamma": 1.0, "coef0": 1.0},
    "rbf": {"gamma": 0.3},
    "sigmoid": {"gamma": 0.05, "coef0": -0.5},
    "anova": {"gamma": 0.5, "degree": 2},
}


def scaled_iris(n_classes=3):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[y < n_classes], y[y < n_classes]


def overlapping_iris():
    X, y = scaled_iris()
    return X[y > 0], y[y > 0]


def linear_values(w):
    return 1.0 - 2.0 / np.pi * np.arccos(np.abs(w) / np.linalg.norm(w, axis=1, keepdims=True))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("data", [scaled_iris, overlapping_iris])
def test_own_machines_agree_with_differences_of_their_outputs(kernel, data):
    X, y = data()
    model = OneVsRestSVC(kernel=kernel, C=2.0, tol=1e-6, **KERNELS[kernel]).fit(X, y)
    angles = gradient_angles(model, X, y)
    slow, n_rows = estimator_angles(model, X, y, 0.1)
    np.testing.assert_allclose(angles.by_machine, slow, atol=1e-5)
    np.testing.assert_array_equal(angles.n_rows, n_rows)
    np.testing.assert_allclose(angles.values, slow.mean(axis=0), atol=1e-5)


@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid", "linear"])
@pytest.mark.parametrize("data", [scaled_iris, overlapping_iris])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_pair_machines_agree_with_differences_of_their_outputs(kernel, data, container):
    X, y = data()
    options = KERNELS.get(kernel, {})
    model = SVC(kernel=kernel, C=2.0, tol=1e-6, decision_function_shape="ovo", **options).fit(container(X), y)
    angles = gradient_angles(model, container(X), y)
    slow, n_rows = estimator_angles(model, X, y, 0.1)
    np.testing.assert_allclose(angles.by_machine, slow, atol=1e-5)
    np.testing.assert_array_equal(angles.n_rows, n_rows)


def test_the_shape_of_decisions_that_the_user_asked_for_does_not_matter():
    X, y = scaled_iris()
    first, second = (
        gradient_angles(SVC(decision_function_shape=shape).fit(X, y), X, y) for shape in ("ovo", "ovr")
    )
    assert first == second
    assert first.machines == ((0, 1), (0, 2), (1, 2))


def test_two_classes_have_one_machine():
    X, y = overlapping_iris()
    for model in (SVC(), NuSVC(nu=0.2), LinearSVC(), OneVsRestSVC(), OneVsRestClassifier(SVC())):
        angles = gradient_angles(model.fit(X, y), X, y)
        assert angles.by_machine.shape == (1, 4)
        assert angles.machines[0][0] == 2


def test_nu_machines_have_their_margin_at_one_too():
    X, y = overlapping_iris()
    model = NuSVC(nu=0.2, gamma=0.3, tol=1e-6).fit(X, y)
    slow, n_rows = estimator_angles(model, X, y, 0.1)
    angles = gradient_angles(model, X, y)
    np.testing.assert_allclose(angles.by_machine, slow, atol=1e-5)
    assert n_rows == angles.n_rows.tolist()
    assert n_rows[0] > 3


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        LogisticRegression(),
        RidgeClassifier(),
        LinearDiscriminantAnalysis(),
        OneVsRestSVC(kernel="linear"),
        OneVsRestClassifier(LinearSVC()),
        SVC(kernel="linear"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_linear_machines_have_one_angle_everywhere(model):
    X, y = scaled_iris()
    model.fit(X, y)
    w = np.vstack([each.coef_ for each in getattr(model, "estimators_", [model])])
    angles = gradient_angles(model, X, y)
    np.testing.assert_allclose(angles.by_machine, linear_values(w), atol=1e-9)
    assert (angles.n_rows > 0).all()
    np.testing.assert_array_equal(gradient_angles(model, X[::9], y[::9]).values, angles.values)


def test_a_machine_on_one_axis_scores_one_there_and_zero_elsewhere():
    X, y = [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [0, 0, 1, 1]
    for kernel in ("linear", "rbf"):
        np.testing.assert_allclose(
            gradient_angles(OneVsRestSVC(kernel=kernel).fit(X, y), X, y).values, [1, 0], atol=1e-7
        )


def test_one_vs_rest_of_kernel_machines_is_our_own_machine():
    X, y = scaled_iris()
    inner = SVC(gamma=0.3, tol=1e-8, C=2.0)
    peer = gradient_angles(OneVsRestClassifier(inner).fit(X, y), X, y)
    own = gradient_angles(OneVsRestSVC(gamma=0.3, tol=1e-8, C=2.0).fit(X, y), X, y)
    np.testing.assert_allclose(peer.by_machine, own.by_machine, atol=1e-6)
    assert peer.machines == own.machines == ((0, None), (1, None), (2, None))


def test_machines_with_kernels_of_their_own_are_taken_unnormalised():
    X, y = scaled_iris()
    kernels = {0: "linear", 1: "rbf", 2: {"kernel": "poly", "degree": 2, "coef0": 1.0}}
    mixed = OneVsRestSVC(kernel=kernels, tol=1e-6).fit(X, y)
    plain = OneVsRestSVC(kernel="rbf", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        gradient_angles(mixed, X, y).by_machine[1], gradient_angles(plain, X, y).by_machine[1], atol=1e-6
    )


def test_columns_behind_a_scaler_are_measured_on_its_scale():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), SVC(gamma=0.1)).fit(X, y)
    angles = gradient_angles(model, X, y)
    inside = gradient_angles(model[-1], model[0].transform(X), y)
    np.testing.assert_array_equal(angles.values, inside.values)
    assert angles.feature_names == tuple(X.columns)
    assert inside.feature_names[0] == "x0"


def test_scalers_inside_one_vs_rest_are_followed_too():
    X, y = load_wine(return_X_y=True)
    model = OneVsRestClassifier(make_pipeline(StandardScaler(), SVC(gamma=0.1))).fit(X, y)
    same = make_pipeline(StandardScaler(), OneVsRestClassifier(SVC(gamma=0.1))).fit(X, y)
    np.testing.assert_allclose(
        gradient_angles(model, X, y).values, gradient_angles(same, X, y).values, atol=1e-9
    )


def test_columns_that_a_selector_left_out_score_zero():
    X, y = scaled_iris()
    model = RFE(LinearSVC(), n_features_to_select=2).fit(X, y)
    values = gradient_angles(model, X, y).values
    np.testing.assert_array_equal(values > 0, model.support_)


@pytest.mark.parametrize("to_frame", [pd.DataFrame, pl.DataFrame])
def test_names_come_from_the_frame(to_frame):
    X, y = scaled_iris()
    frame = to_frame(dict(zip("abcd", X.T, strict=True)))
    angles = gradient_angles(SVC(gamma=0.3).fit(frame, y), frame, y)
    assert angles.feature_names == ("a", "b", "c", "d")
    np.testing.assert_array_equal(angles.values, gradient_angles(SVC(gamma=0.3).fit(X, y), X, y).values)


def test_a_group_is_measured_against_the_plane_of_its_axes():
    X, y = scaled_iris()
    model = LinearSVC().fit(X, y)
    angles = gradient_angles(model, X, y, groups={"petal": [2, 3]})
    assert angles.feature_names == ("x0", "x1", "petal")
    w = model.coef_
    planes = np.column_stack([np.abs(w[:, 0]), np.abs(w[:, 1]), np.linalg.norm(w[:, 2:], axis=1)])
    cosines = planes / np.linalg.norm(w, axis=1, keepdims=True)
    np.testing.assert_allclose(angles.by_machine, 1 - 2 / np.pi * np.arccos(cosines), atol=1e-9)


def test_all_columns_in_one_group_leave_no_angle():
    X, y = scaled_iris()
    angles = gradient_angles(SVC().fit(X, y), X, y, groups=[[0, 1, 2, 3]])
    np.testing.assert_allclose(angles.values, [1.0], atol=1e-7)


def test_a_row_of_weight_two_counts_as_two_rows():
    X, y = overlapping_iris()
    model = SVC(gamma=0.3).fit(X, y)
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    weights[5:20] = 0.0
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = gradient_angles(model, X, y, sample_weight=weights)
    repeated = gradient_angles(model, X[rows], y[rows])
    np.testing.assert_allclose(weighted.values, repeated.values, rtol=1e-12)


def test_zero_width_means_the_margin_vectors():
    X, y = overlapping_iris()
    model = OneVsRestSVC(gamma=0.3, C=5.0, tol=1e-6).fit(X, y)
    machine = model.machines_[0]
    free = (machine.alpha > 1e-6) & (machine.alpha < 5.0 - 1e-6)
    angles = gradient_angles(model, X, y, epsilon=0.0)
    assert angles.n_rows[0] == free.sum()
    only = gradient_angles(model, X[machine.support[free]], y[machine.support[free]])
    np.testing.assert_allclose(angles.values, only.values, rtol=1e-9)


def test_without_rows_in_the_band_the_margin_vectors_step_in():
    X, y = overlapping_iris()
    model = OneVsRestSVC(gamma=0.3, C=5.0, tol=1e-6).fit(X, y)
    margin = gradient_angles(model, X, y, epsilon=0.0)
    inside = np.flatnonzero(np.abs(np.where(y == 2, 1, -1) * model.decision_function(X) - 1) > 0.2)
    angles = gradient_angles(model, X[inside], y[inside])
    assert angles == margin


def test_without_margin_vectors_all_support_vectors_step_in():
    X, y = overlapping_iris()
    # Equally many rows of each class, and a C so small that every one ends at its bound.
    model = OneVsRestSVC(gamma=0.3, C=1e-3).fit(X, y)
    machine = model.machines_[0]
    assert (machine.alpha == 1e-3).all()
    angles = gradient_angles(model, X, y, epsilon=0.01)
    assert angles.n_rows[0] == len(machine.support)
    np.testing.assert_allclose(
        angles.values, gradient_angles(model, machine.support_vectors, y, epsilon=2.0).values, rtol=1e-9
    )


@pytest.mark.parametrize(
    "model",
    [SVC(gamma=0.0), SVC(kernel="poly", degree=0, gamma=1.0), SVC(gamma=1e5), OneVsRestSVC(gamma=1e5)],
)
def test_a_machine_without_a_slope_has_zeros(model):
    X = np.random.RandomState(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    angles = gradient_angles(model.fit(X, y), X, y)
    np.testing.assert_array_equal(angles.values, np.zeros(3))
    np.testing.assert_array_equal(angles.n_rows, [0])


def test_rows_where_the_gradient_vanishes_are_left_out():
    X = np.array([[-2.0, 0.3], [-1.0, 0.1], [0.0, 0.0], [1.0, -0.2], [2.0, 0.1], [0.1, 0.2]])
    y = np.array([1, 1, 0, 1, 1, 0])
    model = SVC(kernel="poly", degree=2, coef0=0.0, gamma=1.0, C=100.0).fit(X, y)
    # The middle row has the slope 0 in every direction.
    angles = gradient_angles(model, X, y, epsilon=10.0)
    assert angles.n_rows[0] == 5
    others = np.arange(6) != 2
    np.testing.assert_allclose(
        angles.values, gradient_angles(model, X[others], y[others], epsilon=10.0).values
    )


def test_several_labels_per_row_are_refused():
    X, y = scaled_iris()
    indicators = np.column_stack([y == label for label in range(3)]).astype(int)
    with pytest.raises(UnsupportedEstimatorError, match="OneVsRestClassifier"):
        gradient_angles(OneVsRestClassifier(LinearSVC()).fit(X, indicators), X, y)


@pytest.mark.filterwarnings("ignore:Label not")
def test_a_constant_in_place_of_a_machine_has_zeros():
    X, y = scaled_iris(n_classes=1)
    angles = gradient_angles(OneVsRestClassifier(LinearSVC()).fit(X, y), X, y)
    np.testing.assert_array_equal(angles.values, np.zeros(4))


def test_the_paper_s_ranking_follows_the_noise():
    correlations = []
    for seed in range(3):
        X, y = make_graded_noise(500, random_state=seed, return_X_y=True)
        model = OneVsRestSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=10.0).fit(X, y)
        values = gradient_angles(model, X, y).values
        correlations.append(spearmanr(-values, np.arange(20)).statistic)
    assert np.mean(correlations) > 0.9


def test_sparse_rows_stay_what_they_are():
    random = np.random.RandomState(0)
    X = sparse.random(80, 30, density=0.2, random_state=random, format="csr")
    y = np.asarray(X[:, [0, 1]].sum(axis=1)).ravel() > 0.4
    for kernel in ("linear", "rbf", "poly"):
        model = OneVsRestSVC(kernel=kernel, tol=1e-8).fit(X, y)
        dense = OneVsRestSVC(kernel=kernel, tol=1e-8).fit(X.toarray(), y)
        np.testing.assert_allclose(
            gradient_angles(model, X, y).values, gradient_angles(dense, X.toarray(), y).values, atol=1e-6
        )
        # A machine trained on one kind of storage can be asked about the other.
        np.testing.assert_allclose(
            gradient_angles(model, X.toarray(), y).values, gradient_angles(model, X, y).values, atol=1e-9
        )


@given(
    arrays.arrays(np.float64, (3, 5), elements=st.floats(-1e3, 1e3)),
    st.sampled_from([1e-200, 1.0, 1e150]),
)
def test_sines_of_the_complements_are_a_unit_vector_whatever_the_size_of_the_gradient(gradients, size):
    values = importances(gradients * size, np.arange(5), 5)
    assert ((values >= 0.0) & (values <= 1.0)).all()
    lengths = (np.sin(np.pi / 2.0 * values) ** 2).sum(axis=1)
    np.testing.assert_allclose(lengths, (gradients * size).any(axis=1), atol=1e-12)


def test_small_importances_keep_their_digits():
    values = importances(np.array([[1.0, 1e-12, 0.0]]), np.arange(3), 3)[0]
    assert values[1] == pytest.approx(2e-12 / np.pi, rel=1e-9)
    assert values[2] == 0.0


def test_the_order_of_columns_and_rows_does_not_matter():
    X, y = scaled_iris()
    columns, rows = [2, 0, 3, 1], np.random.RandomState(0).permutation(150)
    plain = gradient_angles(OneVsRestSVC(gamma=0.3, tol=1e-8).fit(X, y), X, y)
    moved = X[rows][:, columns]
    turned = gradient_angles(OneVsRestSVC(gamma=0.3, tol=1e-8).fit(moved, y[rows]), moved, y[rows])
    np.testing.assert_allclose(turned.values, plain.values[columns], atol=1e-6)


def test_results_are_values():
    X, y = scaled_iris()
    angles = gradient_angles(SVC().fit(X, y), X, y)
    assert pickle.loads(pickle.dumps(angles)) == angles
    with pytest.raises(ValueError, match="read-only"):
        angles.values[0] = 1.0
    tied = GradientAngles(
        np.array([0.1, 0.5, 0.5 + 1e-15]), np.zeros((1, 3)), ((1, None),), np.array([1]), ("a", "b", "c")
    )
    assert tied.ranking.tolist() == [1, 2, 0]
    assert tied.top(1) == (("b", 0.5),)
    assert tied.n_features == 3


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, "wide", True])
def test_a_wrong_width_is_refused(epsilon):
    with pytest.raises(ParameterError, match="'epsilon' parameter of gradient_angles"):
        gradient_angles(SVC(), [[0.0], [1.0]], [0, 1], epsilon=epsilon)


@pytest.mark.parametrize(
    "model", [KNeighborsClassifier(), make_pipeline(PCA(), SVC()), SVC(kernel=lambda X, Y: X @ Y.T)]
)
def test_what_has_no_gradient_is_refused(model):
    X, y = scaled_iris()
    with pytest.raises(UnsupportedEstimatorError):
        gradient_angles(model.fit(X, y), X, y)


def test_things_that_are_no_classifier_are_refused():
    with pytest.raises(UnsupportedEstimatorError, match="fitted classifier is needed"):
        gradient_angles(SVC, [[0.0], [1.0]], [0, 1])


def test_labels_of_another_problem_are_refused():
    X, y = scaled_iris()
    with pytest.raises(DataError, match="No label in y is a class"):
        gradient_angles(SVC().fit(X, y), X, np.array(["a", "b"] * 75))


def test_rows_of_a_label_never_learned_are_left_out():
    X, y = scaled_iris()
    model = SVC(gamma=0.3).fit(X[y < 2], y[y < 2])
    assert gradient_angles(model, X, y) == gradient_angles(model, X[y < 2], y[y < 2])


def test_other_columns_than_in_training_are_refused():
    X, y = scaled_iris()
    with pytest.raises(ValueError, match="4 features"):
        gradient_angles(SVC().fit(X, y), X[:, :3], y)
