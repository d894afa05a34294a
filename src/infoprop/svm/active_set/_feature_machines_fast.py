"""Free set of a machine that keeps its weights, built anew."""

from infoprop._core._jit import njit, unowned_view
from infoprop.svm.active_set._feature_store_fast import enter, price_all, settle, weights_of
from infoprop.svm.active_set._machines_fast import machine_of
from infoprop.svm.active_set._pivots_fast import N_FREE

MOST_PIVOTS = 1_000_000


@njit
def build_free_set(rows, weights, machines, splits, q, scratch, slack):
    """Take the rows strictly inside their boxes into the free set of machine q and go to the optimum."""
    rows, scratch, slack = unowned_view(rows), unowned_view(scratch), unowned_view(slack)
    machine = machine_of(machines, splits, q)
    own = unowned_view(weights_of(weights, q))
    for i in range(machine.n):
        if machine.low[i] < machine.beta[i] < machine.high[i]:
            if machine.counts[N_FREE] == machine.free.shape[0]:
                return False
            enter(machine, rows, own.w, i, scratch)
    price_all(machine, rows, own, slack)
    return settle(machine, rows, own, scratch, slack, MOST_PIVOTS)
