import numpy as np
import pytest

from reference.networks import Rows


def dealt(rows, size):
    """Lay the rows out one by one: row i goes to block i % n_blocks."""
    n, d = rows.X.shape
    n_blocks = -(-n // size)
    X, labels, weights = np.zeros((n_blocks, d, size)), np.zeros((n_blocks, size)), np.zeros((n_blocks, size))
    for i in range(n):
        block, place = i % n_blocks, i // n_blocks
        X[block, :, place] = rows.X[i]
        labels[block, place] = rows.labels[i]
        weights[block, place] = rows.weights[i] / rows.weights.sum()
    return X, labels, weights


@pytest.mark.parametrize("n_rows", [1, 16, 17, 300, 513])
@pytest.mark.parametrize(("precision", "digits"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_rows_lie_in_blocks_as_dealt_one_by_one(n_rows, precision, digits):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.normal(size=(n_rows, 5)))
    rows = Rows(X, rng.integers(3, size=n_rows), rng.random(n_rows) + 0.1)
    blocks = rows.blocks(precision, rows.block_size)
    assert blocks.X.dtype == blocks.weights.dtype == precision
    for found, expected in zip(blocks, dealt(rows, rows.block_size), strict=True):
        np.testing.assert_allclose(found, expected, rtol=digits)
    assert blocks.weights.sum() == pytest.approx(1.0, rel=digits)
