"""States of many machines, stacked, for compiled code."""

from typing import Any, NamedTuple

from infoprop._core._jit import njit, unowned_view
from infoprop.svm.active_set._pivots_fast import Machine


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
    """State of machine q, borrowed from those of all."""
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
