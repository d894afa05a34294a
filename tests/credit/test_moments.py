import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit._moments import row_sums
from reference.contributions import class_gaps, column_groups, covariance_contributions, indicators

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))
MODEL = LinearSVC().fit(X, Y)
W = MODEL.coef_[1]


def moments(sums, left_out):
    """Of all rows, or without one group."""
    if left_out is None:
        return tuple(part[0] for part in sums.moments())
    return tuple(part[left_out, 0] for part in sums.moments_without_each())


def sums_of(rows, **options):
    return row_sums(indicators(MODEL, rows)[1:2], WEIGHTS, is_class=[Y == 1], **options)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("left_out", [None, 0, 6])
def test_without_a_group_contributions_are_those_of_the_other_rows(container, left_out):
    sums = sums_of(container(X), n_groups=7, first=3)
    kept = (3 + np.arange(len(Y))) % 7 != (-1 if left_out is None else left_out)
    values, variances = covariance_contributions((X @ W)[kept], (X * W)[kept], WEIGHTS[kept])
    found = moments(sums, left_out)
    np.testing.assert_allclose(found[0], values, atol=1e-12)
    np.testing.assert_allclose(found[1], variances, atol=1e-12)
    gaps, gap_variances = class_gaps((Y == 1)[kept], (X * W)[kept], WEIGHTS[kept])
    np.testing.assert_allclose(found[2], gaps, atol=1e-12)
    np.testing.assert_allclose(found[3], gap_variances, atol=1e-12)
    assert sums.n_groups == 7


def test_groups_of_columns_are_left_out_alike():
    groups = column_groups([0] * 6 + [1] * 7, 13)
    sums = sums_of(X, membership=groups.membership, n_groups=5)
    kept = np.arange(len(Y)) % 5 != 2
    values, _ = covariance_contributions((X @ W)[kept], groups.sums(X * W)[kept], WEIGHTS[kept])
    np.testing.assert_allclose(moments(sums, 2)[0], values)


@pytest.mark.parametrize("model", [SVC(), LinearSVC()], ids=["terms", "plain"])
def test_blocks_of_rows_make_no_difference(monkeypatch, model):
    own = indicators(model.fit(X, Y), X)
    whole = row_sums(own, WEIGHTS, n_groups=4)
    monkeypatch.setattr("infoprop.credit._contributions._BLOCK_ENTRIES", 50 * X.shape[1])
    monkeypatch.setattr("infoprop.credit._moments._BLOCK_ENTRIES", 50 * X.shape[1])
    parts = row_sums(own, WEIGHTS, n_groups=4)
    for group in (None, 1):
        np.testing.assert_allclose(moments(parts, group), moments(whole, group), atol=1e-13)


def test_outputs_that_do_not_vary_and_rows_without_weight_give_zeros():
    same = np.repeat(X[:1], 4, axis=0)
    sums = row_sums(indicators(MODEL, same)[:1], np.array([1.0, 0.0, 0.0, 0.0]), n_groups=4)
    for group in (None, 0):
        np.testing.assert_array_equal(moments(sums, group), np.zeros((4, 13)))


def test_indicators_together_are_those_one_by_one():
    found = indicators(MODEL, X)
    own = [label == Y for label in range(3)]
    together = row_sums(found, WEIGHTS, is_class=own, n_groups=3).moments_without_each()
    own_group = sparse.csr_array(np.eye(13))
    for r, indicator in enumerate(found):
        # Groups of one column take the way of terms.
        alone = row_sums([indicator], WEIGHTS, own_group, is_class=own[r : r + 1], n_groups=3)
        for part, expected in zip(together, alone.moments_without_each(), strict=True):
            np.testing.assert_allclose(part[:, r], expected[:, 0], atol=1e-12)
