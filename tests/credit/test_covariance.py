import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_features, cross_val_credits
from infoprop.credit._covariance import Contributions
from infoprop.svm import OneVsRestSVC
from reference.contributions import class_gaps, column_groups, garrote_shares, measured
from reference.contributions import covariance_contributions as slow_contributions

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))


def made(values, variances, is_exact):
    """Contributions without labels."""
    values = np.array(values)
    return Contributions(
        values, np.array(variances), np.zeros_like(values), np.zeros_like(values), is_exact, False
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_linear_contributions_are_those_of_the_definition_and_sum_to_one(container):
    model = LinearSVC().fit(X, Y)
    found = measured(model, container(X), WEIGHTS)
    for r, w in enumerate(model.coef_):
        values, variances = slow_contributions(X @ w, X * w, WEIGHTS)
        np.testing.assert_allclose(found.values[r], values, atol=1e-12)
        np.testing.assert_allclose(found.variances[r], variances, atol=1e-12)
        np.testing.assert_allclose(found.shares()[r], garrote_shares(values, variances), atol=1e-12)
    np.testing.assert_allclose(found.values.sum(axis=1), 1.0)
    assert found.is_exact


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_with_labels_a_contribution_counts_as_far_as_it_goes_with_the_class(container):
    model = LinearSVC().fit(X[::2], Y[::2])
    found = measured(model, container(X), WEIGHTS, y=Y)
    for r, w in enumerate(model.coef_):
        values, variances = slow_contributions(X @ w, X * w, WEIGHTS)
        gaps, gap_variances = class_gaps(r == Y, X * w, WEIGHTS)
        np.testing.assert_allclose(found.gaps[r], gaps, atol=1e-12)
        np.testing.assert_allclose(found.gap_variances[r], gap_variances, atol=1e-12)
        expected = garrote_shares(values, variances, gaps, gap_variances)
        np.testing.assert_allclose(found.shares()[r], expected, atol=1e-12)


def test_what_moves_the_output_but_not_towards_the_class_earns_nothing():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 2))
    y = rows[:, 0] > 0
    model = LinearSVC().fit(rows, y)
    model.coef_ = np.array([[1.0, 0.5]])
    np.testing.assert_allclose(measured(model, rows, np.ones(4000)).shares()[0, 1], 0.2, atol=0.02)
    credits = credit_features(model, rows, y)
    shares = credits.by_class / credits.flow.indicator_credits[:, None]
    np.testing.assert_allclose(shares, [[1, 0], [1, 0]], atol=0.01)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_kernel_contributions_are_gradient_times_centred_input(container):
    model = OneVsRestSVC().fit(container(X), Y)
    found = measured(model, container(X), WEIGHTS)
    mean = WEIGHTS @ X / WEIGHTS.sum()
    step = 1e-6
    outputs = model.decision_function(container(X))
    terms = np.empty((3, *X.shape))
    for k in range(X.shape[1]):
        moved = X.copy()
        moved[:, k] += step
        terms[:, :, k] = ((model.decision_function(container(moved)) - outputs) / step).T * (
            X[:, k] - mean[k]
        )
    for r in range(3):
        values, variances = slow_contributions(outputs[:, r], terms[r], WEIGHTS)
        np.testing.assert_allclose(found.values[r], values, atol=1e-5)
        np.testing.assert_allclose(found.variances[r], variances, atol=1e-5)
    assert not found.is_exact


def test_blocks_of_rows_give_what_one_block_does(monkeypatch):
    model = SVC().fit(X, Y)
    whole = measured(model, X, WEIGHTS)
    monkeypatch.setattr("infoprop.credit._contributions._BLOCK_ENTRIES", 50 * X.shape[1])
    parts = measured(model, X, WEIGHTS)
    np.testing.assert_allclose(parts.values, whole.values, atol=1e-13)
    np.testing.assert_allclose(parts.variances, whole.variances, atol=1e-13)


def test_a_group_is_one_contribution():
    model = LogisticRegression().fit(X, Y)
    groups = column_groups({"first": [0, 3, 5]}, 13)
    found = measured(model, X, WEIGHTS, groups.membership)
    terms = np.column_stack([(X * model.coef_[1])[:, [0, 3, 5]].sum(axis=1), (X * model.coef_[1])[:, 1]])
    values, variances = slow_contributions(X @ model.coef_[1], terms, WEIGHTS)
    np.testing.assert_allclose(found.values[1, :2], values)
    np.testing.assert_allclose(found.variances[1, :2], variances)


def test_two_columns_that_cancel_in_a_group_earn_nothing():
    rng = np.random.default_rng(1)
    noise, signal = rng.normal(size=(2, 200))
    rows = np.column_stack([signal, noise, noise])
    model = LinearSVC().fit(rows, signal > 0)
    model.coef_ = np.array([[1.0, 5.0, -5.0]])
    groups = column_groups([0, 1, 1], 3)
    together = measured(model, rows, np.ones(200), groups.membership)
    np.testing.assert_allclose(together.shares(), [[1.0, 0.0]])


def test_what_is_within_its_error_earns_nothing_and_a_sure_contribution_all_of_its_own():
    found = made([[0.5, 0.1, -0.4]], [[0.0, 0.006, 0.0]], True)
    np.testing.assert_allclose(found.shares(), [[5 / 9, 0.0, 4 / 9]])


def test_negative_contributions_count_only_where_terms_add_up():
    found = made([[0.5, 0.1, -0.4]], np.zeros((1, 3)), False)
    np.testing.assert_allclose(found.shares(), [[5 / 6, 1 / 6, 0.0]])


def test_without_sure_contributions_all_count_and_without_any_all_share_evenly():
    unsure = made([[0.3, -0.1], [0.0, 0.0]], np.ones((2, 2)), True)
    np.testing.assert_allclose(unsure.shares(), [[0.75, 0.25], [0.5, 0.5]])


def labelled(values, gaps, is_exact, gap_variances=0.0):
    """Contributions of one class with labels; those to the output are sure."""
    values, gaps = np.array([values]), np.array([gaps])
    return Contributions(
        values, np.zeros_like(values), gaps, np.full_like(gaps, gap_variances), is_exact, True
    )


def test_gaps_are_shared_where_they_have_the_sign_of_the_contribution():
    np.testing.assert_allclose(
        labelled([0.5, -0.2, 0.1], [0.3, -0.1, -0.4], True).shares(), [[0.75, 0.25, 0.0]]
    )
    np.testing.assert_allclose(labelled([0.5, 0.5], [-0.1, -0.3], True).shares(), [[0.5, 0.5]])


def test_a_kernel_machine_is_asked_for_its_gaps_alone():
    np.testing.assert_allclose(
        labelled([-0.5, 0.2, 0.1], [0.3, 0.1, -0.4], False).shares(), [[0.75, 0.25, 0.0]]
    )


def test_errors_are_parts_of_what_is_shared():
    found = labelled([0.5, -0.2], [0.3, -0.1], True, gap_variances=0.01)
    np.testing.assert_allclose(found.errors(), [[0.25, 0.25]])
    np.testing.assert_allclose(labelled([0.5], [-0.3], True, gap_variances=0.01).errors(), [[0.0]])


def test_random_categories_come_after_columns_that_help_a_little():
    rng = np.random.default_rng(104)
    y = rng.integers(0, 2, 400)
    numbers = rng.normal(size=(400, 3)) + 0.7 * y[:, None]
    blocks, owners = [numbers], [0, 1, 2]
    for number, size in enumerate((2, 5, 10, 20, 30, 50), start=3):
        codes = rng.integers(0, size, 400)
        blocks.append((codes[:, None] == np.arange(size)).astype(float))
        owners += [number] * size
    credits = cross_val_credits(OneVsRestSVC(kernel="linear", C=0.1), np.hstack(blocks), y, groups=owners)
    assert set(credits.ranking[:3]) == {0, 1, 2}
    assert credits.values[3:].sum() < 0.02 * credits.information
