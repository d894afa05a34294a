import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.subset._splits import mean_shares, split_beta, split_index, stacked_beta
from reference.engine import sensitivity_shares
from reference.splits import split_of

CLASSES = np.array(["a", "b", "c", "d"])
SPLITS = [split_of(["a", "b", "d"]), split_of(["b", "c"], n_train=3), split_of(["a", "b", "c", "d"])]


@pytest.mark.parametrize("n_test", [0, 2])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_rows_to_train_on_come_before_rows_to_predict(n_test, as_rows):
    split = split_of(["a", "b"], n_test=n_test, as_rows=as_rows)
    rows = split.rows
    assert sparse.issparse(rows) == sparse.issparse(split.X)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    np.testing.assert_array_equal(dense, np.arange(3.0 * (4 + n_test)).reshape(-1, 3))


def test_machines_and_rows_of_all_splits_are_numbered():
    index = split_index(SPLITS, CLASSES, 5)
    assert index.split.tolist() == [0, 0, 0, 1, 2, 2, 2, 2]
    # Two classes have one machine, for the second of them.
    assert index.positive.tolist() == [0, 1, 3, 2, 0, 1, 2, 3]
    assert index.negative.tolist() == [0, 1, 0]
    assert index.first.tolist() == [0, 3, 4]
    assert index.last.tolist() == [3, 4, 8]
    assert index.start.tolist() == [0, 6, 11]
    assert (index.n.tolist(), index.n_all.tolist()) == ([4, 3, 4], [6, 5, 6])
    # Training rows have no weight in the confusion table.
    np.testing.assert_allclose(index.weight[:6], [0.0, 0.0, 0.0, 0.0, 1.0, 2.0])
    assert index.truth[4:6].tolist() == [0, 1]


def test_a_label_counts_in_the_splits_that_have_learned_it():
    index = split_index(SPLITS, CLASSES, 5)
    np.testing.assert_allclose(index.label_scale, [1 / 2, 1 / 3, 1 / 2, 1 / 2, 0.0])


def test_shares_are_means_over_all_splits():
    index = split_index(SPLITS, CLASSES, 5)
    sensitivities = np.random.default_rng(0).random((8, 3))
    sensitivities[5] = 0.0
    shares = sensitivity_shares(sensitivities)
    expected = np.zeros((4, 3))
    for row, label in enumerate([0, 1, 3, 2, 0, 1, 2, 3]):
        expected[label] += shares[row] / 3
    expected[1] += shares[3] / 3
    found = mean_shares(index, sensitivities)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    # With the scale that makes up for splits that lack a class, every class shares out one whole.
    np.testing.assert_allclose(found.sum(axis=1) * 3 * index.label_scale[:4], 1.0)


def test_dual_variables_are_stacked_and_split():
    parts = [np.random.default_rng(q).random((t.n_machines, t.X.shape[0])) for q, t in enumerate(SPLITS)]
    beta = stacked_beta(parts)
    assert beta.shape == (8, 4)
    assert beta[3, 3] == 0.0
    for part, again in zip(parts, split_beta(beta, SPLITS), strict=True):
        np.testing.assert_array_equal(part, again)
        assert not np.shares_memory(beta, again)
    for part, nothing in zip(parts, split_beta(None, SPLITS), strict=True):
        assert nothing.shape == part.shape
        assert not nothing.any()
