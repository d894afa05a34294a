import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.kernels._exponential_fast import exponentials


def ours(values, gamma=1.0):
    base = np.atleast_2d(np.array(values, dtype=float))
    out = np.empty_like(base)
    exponentials(base, np.arange(len(base)), gamma, out)
    return out


@given(st.lists(st.floats(0.0, 700.0), min_size=1, max_size=40), st.floats(1e-3, 1.0))
def test_exponentials_are_right_to_the_last_bits(values, gamma):
    np.testing.assert_allclose(ours(values, gamma)[0], np.exp(-gamma * np.array(values)), rtol=5e-16)


def test_ends_of_the_scale():
    found = ours([0.0, -0.0, 5e-324, 708.0, 1e6, np.inf, np.nan])[0]
    assert found[:3].tolist() == [1.0, 1.0, 1.0]
    assert found[3] == pytest.approx(np.exp(-708.0), rel=5e-16)
    assert (found[4:6] < 1e-300).all()
    assert np.isnan(found[6])


def test_a_value_does_not_depend_on_its_neighbours():
    values = np.random.default_rng(0).uniform(0.0, 50.0, 101)
    whole = ours(values)[0]
    for cut in (1, 2, 3, 5, 50):
        np.testing.assert_array_equal(np.concatenate([ours(values[:cut])[0], ours(values[cut:])[0]]), whole)


def test_only_the_rows_asked_for_are_written():
    base, out = np.ones((4, 3)), np.zeros((4, 3))
    exponentials(base, np.array([1, 3]), 2.0, out)
    assert out[[0, 2]].tolist() == [[0.0] * 3] * 2
    np.testing.assert_allclose(out[[1, 3]], np.exp(-2.0), rtol=5e-16)
