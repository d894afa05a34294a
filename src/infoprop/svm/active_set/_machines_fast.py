"""States of machines, for compiled code.

Rows are numbered within their split, training rows first. ``free[place[i]] = i`` for rows of the free set,
``place[i] = -1`` for the others; the factor ``U' U = K_FF + shift 11'`` and ``U' ones = (1, ..., 1)`` belong
to the free set in its order; `residual` is ``K beta - y + b`` there, zero at the optimum. The words and the
reference are those of `_core_fast`.
"""

from typing import Any, NamedTuple

import numpy as np

from infoprop._core._jit import njit, unowned_view

# Positions in `counts`: rows of the free set, pivots made, candidates of a store, rows whose change a
# store has not followed yet, rows that wait to enter, and how many of those had their turn.
N_FREE, N_PIVOTS, N_CANDIDATES, N_MOVED, N_WAITING, N_SERVED, N_COUNTS = range(7)

# Positions in `numbers`: b, the violation below which everything is rounding, what is added to every entry of
# K, how far weights may move before all rows have to be priced, and what the sum of beta has to be.
BIAS, TOL, SHIFT, REACH, TOTAL, N_NUMBERS = range(6)

# f is known to about a hundred units in the last place of its largest term.
UNIT_OF_ROUNDING = 100.0 * 2.0**-52
# Rows that enter a free set together: more of them are more often turned back.
MOST_AT_ONCE = 16


class Machine(NamedTuple):
    """State of one machine; or of several, stacked: everything has one more axis, the first.

    `start` is where its split's rows begin among all, `n` how many it trains on.
    """

    y: Any
    beta: Any
    low: Any
    high: Any
    free: Any
    place: Any
    residual: Any
    U: Any
    ones: Any
    counts: Any
    numbers: Any
    start: Any
    n: Any


class Scratch(NamedTuple):
    """Workspace of one machine at a time.

    `z`, `d`, `work`: over the free set; `row`: over the columns, zero between calls. Over the rows: `column`,
    zero between calls; `moved`, by how much beta has moved since the store followed it, which `is_moved`
    marks and the first N_MOVED of `rows` list; `keys`, `copy` and `asked`, anything. `entering`: rows that
    enter next.
    """

    z: Any
    d: Any
    work: Any
    row: Any
    column: Any
    moved: Any
    is_moved: Any
    rows: Any
    keys: Any
    copy: Any
    asked: Any
    entering: Any


class SplitIndex(NamedTuple):
    """Rows and machines of all splits.

    The rows of a split are ``start : start + n_all``, the first `n` of them to train on, the others to
    predict; its machines are ``first : last``. A single machine votes for `negative` where its output is not
    positive. `split` and `positive` (the label of its class) belong to each machine, `truth` and `weight` to
    the rows that are predicted. `label_scale` is one over the number of splits that have learned a label,
    zero if none has; `n_classes` is the number of labels that some have learned.
    """

    start: Any
    n: Any
    n_all: Any
    first: Any
    last: Any
    split: Any
    positive: Any
    negative: Any
    truth: Any
    weight: Any
    label_scale: Any
    n_classes: Any


@njit
def new_machine(y, beta, low, high, capacity):
    """State of one machine over the first rows, at beta, with an empty free set for `capacity` rows."""
    n = beta.shape[0]
    return Machine(
        y=y,
        beta=beta,
        low=low,
        high=high,
        free=np.zeros(capacity, np.int64),
        place=np.full(n, -1, np.int64),
        residual=np.zeros(capacity),
        U=np.empty((capacity, capacity)),
        ones=np.zeros(capacity),
        counts=np.zeros(N_COUNTS, np.int64),
        numbers=np.zeros(N_NUMBERS),
        start=0,
        n=n,
    )


@njit
def new_scratch(capacity, n_rows, n_columns):
    """Workspace of one machine at a time, over its free set, rows and columns."""
    return Scratch(
        z=np.zeros(capacity + 1),
        d=np.zeros(capacity + 1),
        work=np.zeros(capacity + 1),
        row=np.zeros(n_columns),
        column=np.zeros(n_rows),
        moved=np.zeros(n_rows),
        is_moved=np.zeros(n_rows, np.bool_),
        rows=np.zeros(n_rows, np.int64),
        keys=np.zeros(n_rows),
        copy=np.zeros(n_rows),
        asked=np.zeros(n_rows, np.int64),
        entering=np.zeros(MOST_AT_ONCE, np.int64),
    )


@njit
def machine_of(machines, q):
    """State of machine q, a view of those of all."""
    machines = unowned_view(machines)
    return Machine(
        machines.y[q],
        machines.beta[q],
        machines.low[q],
        machines.high[q],
        machines.free[q],
        machines.place[q],
        machines.residual[q],
        machines.U[q],
        machines.ones[q],
        machines.counts[q],
        machines.numbers[q],
        machines.start[q],
        machines.n[q],
    )
