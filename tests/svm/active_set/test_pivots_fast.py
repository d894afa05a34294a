import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.svm.active_set import _pivots_fast as fast
from reference.free_set import assert_whole, free_set_of, free_step, lay_free_set, new_machine, residuals

SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, n=9, n_face=4):
    """A machine somewhere inside its box, with some rows on the free set."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n + 2))
    K = X @ X.T
    machine = new_machine(np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.uniform(0.5, 2.0, n))
    machine.numbers[fast.BIAS] = rng.normal()
    rows = rng.permutation(n)[:n_face]
    machine.beta[:] = np.where(rng.random(n) < 0.5, machine.low, machine.high)
    machine.beta[rows] = rng.uniform(machine.low[rows], machine.high[rows])
    lay_free_set(machine, K, rows)
    return rng, K, machine


@given(SEEDS, st.integers(1, 9))
def test_the_direction_solves_the_equations_of_the_face(seed, n_face):
    _, K, machine = problem(seed, n_face=n_face)
    d = np.zeros(10)
    change, size = fast.direction(machine, d)
    step, expected = free_step(machine, K)
    rows = free_set_of(machine)
    scale = max(1.0, abs(step).max())
    np.testing.assert_allclose(d[:n_face], step, atol=1e-7 * scale)
    assert change == pytest.approx(expected, abs=1e-7 * scale)
    assert size == pytest.approx(step @ K[np.ix_(rows, rows)] @ step, rel=1e-6, abs=1e-9)


@given(SEEDS)
def test_room_is_the_largest_step_that_stays_in_the_box(seed):
    rng, _, machine = problem(seed)
    d = rng.normal(size=4) * (rng.random(4) < 0.8)
    length, blocker = fast.max_step(machine, d)
    rows = free_set_of(machine)
    if not d.any():
        assert (length, blocker) == (np.inf, -1)
        return
    after = machine.beta[rows] + length * d
    low, high = machine.low[rows], machine.high[rows]
    assert (after >= low - 1e-12).all()
    assert (after <= high + 1e-12).all()
    assert min(abs(after - low)[blocker], abs(after - high)[blocker]) < 1e-12


@given(SEEDS)
def test_a_step_fits_if_it_stays_strictly_in_the_box(seed):
    rng, _, machine = problem(seed)
    d = rng.normal(size=4) * 10.0 ** rng.integers(-2, 1)
    rows = free_set_of(machine)
    after = machine.beta[rows] + d
    assert fast.fits(machine, d) == ((machine.low[rows] < after) & (after < machine.high[rows])).all()
    d[0] = (1.0 + 1e-12) * (machine.high[rows[0]] - machine.beta[rows[0]])
    assert not fast.fits(machine, d)


@given(SEEDS)
def test_a_walk_to_a_bound_ends_on_it_exactly(seed):
    rng, _, machine = problem(seed)
    before = machine.beta.copy()
    d = rng.normal(size=4)
    length, blocker = fast.max_step(machine, d)
    fast.walk(machine, d, length, blocker)
    rows = free_set_of(machine)
    np.testing.assert_allclose(machine.beta[rows], before[rows] + length * d, atol=1e-12)
    i = rows[blocker]
    assert machine.beta[i] == (machine.high if d[blocker] > 0 else machine.low)[i]
    others = np.setdiff1d(np.arange(9), rows)
    np.testing.assert_array_equal(machine.beta[others], before[others])


@given(SEEDS, st.floats(0.0, 1.0))
def test_residuals_shrink_with_the_step(seed, length):
    _, K, machine = problem(seed)
    d = np.zeros(10)
    change, _ = fast.direction(machine, d)
    rows = free_set_of(machine)
    machine.beta[rows] += length * d[:4]
    machine.numbers[fast.BIAS] += length * change
    fast.shorten_residual(machine, length)
    np.testing.assert_allclose(machine.residual[:4], residuals(machine, K), atol=1e-7 * max(1, abs(d).max()))


@given(SEEDS, st.integers(1, 6), st.data())
def test_a_row_leaves_and_the_others_close_up(seed, n_face, data):
    _, K, machine = problem(seed, n_face=n_face)
    before = free_set_of(machine).copy()
    position = data.draw(st.integers(0, n_face - 1))
    i = before[position]
    machine.beta[i] = machine.high[i]
    machine.beta[0] -= machine.beta.sum()
    machine.low[0], machine.high[0] = -np.inf, np.inf
    kept = np.delete(before, position)
    machine.residual[:n_face] = residuals(machine, K)
    fast.leave(machine, position, np.zeros(10))
    np.testing.assert_array_equal(free_set_of(machine), kept)
    np.testing.assert_allclose(machine.residual[: n_face - 1], residuals(machine, K), atol=1e-9)
    assert machine.place[i] == -1
    machine.low[0] = machine.high[0] = machine.beta[0]
    if 0 not in kept.tolist():
        assert_whole(machine, K)


@pytest.mark.parametrize(
    ("beta", "f", "bias"),
    [
        # Both can rise, both could fall: not yet optimal, the lowest begins.
        ([0.0, 0.0], [-1.0, 1.0], None),
        # All at the upper bound of alpha: b anywhere in an interval, its middle is taken.
        ([1.0, -1.0], [-3.0, 1.0], 1.0),
    ],
)
def test_an_empty_free_set_begins_or_has_its_bias_in_the_middle(beta, f, bias):
    machine = new_machine(np.array([1.0, -1.0]), np.ones(2))
    machine.beta[:] = beta
    first = fast.start_free_set(machine, np.array(f))
    if bias is None:
        assert first == 0
        assert machine.numbers[fast.BIAS] == 1.0
    else:
        assert first == -1
        assert machine.numbers[fast.BIAS] == bias


def test_if_nobody_can_rise_the_highest_faller_decides():
    machine = new_machine(np.array([1.0, 1.0]), np.ones(2))
    machine.beta[:] = 1.0
    assert fast.start_free_set(machine, np.array([-0.5, -0.25])) == -1
    assert machine.numbers[fast.BIAS] == 0.25
