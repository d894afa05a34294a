"""States of machines, for compiled code.

Rows are numbered within their split, training rows first. ``free[place[i]] = i`` for rows of the free set,
``place[i] = -1`` for the others; the factor ``U' U = K_FF + shift 11'`` and ``U' ones = (1, ..., 1)`` belong
to the free set in its order; `residual` is ``K beta - y + b`` there, zero at the optimum. The words and the
reference are those of `_core_fast`.
"""

from typing import Any, NamedTuple

from infoprop._core._jit import njit, unowned_view

# Positions in `counts`: rows of the free set, pivots made, rows that a store follows, rows whose change a
# store has not heard of, rows that wait to enter, and how many of those had their turn.
N_FREE, N_PIVOTS, N_CANDIDATES, N_MOVED, N_WAITING, N_SERVED, N_COUNTS = range(7)

# Positions in `numbers`: b, the violation below which everything is rounding, what is added to every entry of
# K, how far weights may go before all rows have to be priced, and what the sum of beta has to be.
BIAS, TOL, SHIFT, REACH, TOTAL, N_NUMBERS = range(6)

# f is known to about a hundred units in the last place of its largest term.
UNIT_OF_ROUNDING = 100.0 * 2.0**-52
# Rows that enter a free set together: more of them are more often turned back.
MOST_AT_ONCE = 16


class Machine(NamedTuple):
    """State of one machine; `start` is where its split's rows begin among all, `n` how many it trains on."""

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
    zero between calls; `moved`, by how much beta has moved since the store heard of it, which `is_moved`
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


class Machines(NamedTuple):
    """States of all machines, stacked; `split` and `positive` (the label of its class) of each."""

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
    split: Any
    positive: Any


class SplitIndex(NamedTuple):
    """Rows and machines of all splits.

    Its rows are ``start : start + n_all``, the first `n` of them to train on, the others to predict; its
    machines are ``first : last``. A single machine votes for `negative` where its output is not positive.
    `truth` and `weight` belong to the rows that are predicted. `label_scale` is one over the number of splits
    that have learned a label, zero if none has; `n_classes` is the number of labels that some have learned.
    """

    start: Any
    n: Any
    n_all: Any
    first: Any
    last: Any
    negative: Any
    truth: Any
    weight: Any
    label_scale: Any
    n_classes: Any


@njit
def machine_of(machines, splits, q):
    """State of machine q, a view of those of all."""
    machines = unowned_view(machines)
    t = machines.split[q]
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
        splits.start[t],
        splits.n[t],
    )
