"""One machine as compiled code has it, set up by plain NumPy; and what its free set should be."""

import numpy as np

from infoprop.svm.active_set._machines_fast import BIAS, N_COUNTS, N_FREE, N_NUMBERS, SHIFT, TOL, Machine
from reference.cholesky import factor


def new_machine(y, upper, *, start=0, tol=1e-10, shift=1.0):
    """A machine with nothing learned and an empty free set."""
    n = len(y)
    numbers = np.zeros(N_NUMBERS)
    numbers[[TOL, SHIFT]] = tol, shift
    return Machine(
        y=np.asarray(y, dtype=float),
        beta=np.zeros(n),
        low=np.where(y > 0, 0.0, -upper),
        high=np.where(y > 0, upper, 0.0),
        free=np.zeros(n + 1, dtype=np.int64),
        place=np.full(n, -1, dtype=np.int64),
        residual=np.zeros(n + 1),
        U=np.zeros((n + 1, n + 1)),
        ones=np.zeros(n + 1),
        counts=np.zeros(N_COUNTS, dtype=np.int64),
        numbers=numbers,
        start=start,
        n=n,
    )


def free_set_of(machine):
    """Rows of the free set, in its order."""
    return machine.free[: machine.counts[N_FREE]]


def lay_free_set(machine, K, rows):
    """Put `rows` on the free set, with a factor made from nothing."""
    m = len(rows)
    machine.free[:m] = rows
    machine.place[:] = -1
    machine.place[rows] = np.arange(m)
    machine.counts[N_FREE] = m
    if m:
        machine.U[:m, :m], machine.ones[:m] = factor(K[np.ix_(rows, rows)] + machine.numbers[SHIFT])
    machine.residual[:m] = residuals(machine, K)


def residuals(machine, K):
    """``K beta - y + b`` on the free set."""
    f = K[: machine.n, : machine.n] @ machine.beta - machine.y
    return f[free_set_of(machine)] + machine.numbers[BIAS]


def free_step(machine, K):
    """Step of beta on the free set to its optimum, and the change of b, as one system of equations."""
    rows = free_set_of(machine)
    m = len(rows)
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = K[np.ix_(rows, rows)]
    system[m, m] = 0.0
    solved = np.linalg.solve(system, np.append(-residuals(machine, K), 0.0))
    return solved[:m], solved[m]


def assert_whole(machine, K, atol=1e-8):
    """The state is what the dual variables say: feasible, the right free set, the right factor."""
    beta, rows = machine.beta, free_set_of(machine)
    assert ((machine.low <= beta) & (beta <= machine.high)).all()
    assert abs(beta.sum()) <= atol * max(1.0, abs(beta).sum())
    inside = np.flatnonzero((machine.low < beta) & (beta < machine.high))
    assert set(inside.tolist()) <= set(rows.tolist())
    np.testing.assert_array_equal(machine.place[rows], np.arange(len(rows)))
    assert (machine.place >= 0).sum() == len(rows)
    if len(rows):
        A = K[np.ix_(rows, rows)] + machine.numbers[SHIFT]
        U = np.triu(machine.U[: len(rows), : len(rows)])
        np.testing.assert_allclose(U.T @ U, A, atol=atol * abs(A).max())
        np.testing.assert_allclose(U.T @ machine.ones[: len(rows)], 1.0, atol=atol)


def assert_optimal(machine, K, tol=1e-8):
    """Nobody wants to leave a bound, and the free set has no residual."""
    g = K[: machine.n, : machine.n] @ machine.beta - machine.y + machine.numbers[BIAS]
    can_rise, can_fall = machine.beta < machine.high, machine.beta > machine.low
    assert g[can_rise].min(initial=0.0) >= -tol
    assert g[can_fall].max(initial=0.0) <= tol
