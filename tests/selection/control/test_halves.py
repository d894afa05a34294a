import numpy as np
import pytest
from scipy import sparse

from infoprop.exceptions import DataError
from infoprop.selection.control._halves import half_masks

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.repeat([0, 1, 2], [10, 14, 16])


def test_every_class_is_halved_and_pairs_differ():
    masks = half_masks(X, Y, np.ones(40), None, n_pairs=8, seed=1)
    assert [masks[:, number == Y].sum(axis=1).tolist() for number in range(3)] == [[5] * 8, [7] * 8, [8] * 8]
    assert len(np.unique(masks, axis=0)) == 8


def test_order_storage_and_weights_do_not_matter():
    masks = half_masks(X, Y, np.ones(40), None, n_pairs=3, seed=1)
    order = np.random.default_rng(2).permutation(40)
    np.testing.assert_array_equal(half_masks(X[order], Y[order], np.ones(40), None, 3, 1), masks[:, order])
    np.testing.assert_array_equal(half_masks(sparse.csr_array(X), Y, np.ones(40), None, 3, 1), masks)
    weights = np.where(np.arange(40) % 7 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(40), weights.astype(int))
    weighted = half_masks(X, Y, weights, None, 3, 1)
    np.testing.assert_array_equal(
        half_masks(X[twice], Y[twice], np.ones(len(twice)), None, 3, 1), weighted[:, twice]
    )


def test_rows_of_a_group_go_together():
    groups = np.arange(40) // 2
    masks = half_masks(X, Y, np.ones(40), groups, n_pairs=5, seed=0)
    np.testing.assert_array_equal(masks[:, ::2], masks[:, 1::2])
    assert (np.abs(masks.sum(axis=1) - 20) <= 4).all()
    assert len(np.unique(masks, axis=0)) > 1


def test_halves_need_two_classes():
    with pytest.raises(DataError, match="at least two different ones of each class"):
        half_masks(X[:5], np.array([0, 1, 1, 1, 1]), np.ones(5), None, 2, 0)
    with pytest.raises(DataError, match="one row group"):
        half_masks(X, Y, np.ones(40), np.zeros(40), 2, 0)
