import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoprop.svm import _block_fast as fast


@given(arrays(float, st.integers(1, 60), elements=st.floats(-5, 5)), st.data())
def test_select_gives_what_a_sort_gives(values, data):
    rank = data.draw(st.integers(0, values.size - 1))
    assert fast.select(values.copy(), rank) == np.sort(values)[rank]


def test_a_block_holds_the_worst_violators_and_all_free_variables():
    rng = np.random.default_rng(0)
    n = 100
    f = rng.normal(size=n)
    low, high = np.zeros(n), np.ones(n)
    beta = np.where(rng.random(n) < 0.5, 0.0, 1.0)
    free = rng.permutation(n)[:10]
    beta[free] = 0.5
    block = np.empty(40, dtype=np.int64)
    taken = np.zeros(n, dtype=bool)
    count = fast.choose_block(f, beta, low, high, np.arange(n), n, taken, block, 40)
    chosen = block[:count]
    assert len(set(chosen.tolist())) == count <= 40
    assert set(free) <= set(chosen.tolist())
    assert not taken.any()
    riser = np.flatnonzero(beta < 1)[f[beta < 1].argmin()]
    faller = np.flatnonzero(beta > 0)[f[beta > 0].argmax()]
    assert {riser, faller} <= set(chosen.tolist())
