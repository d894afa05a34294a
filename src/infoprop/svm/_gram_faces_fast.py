"""All machines that keep their Gram matrices: faces built anew, a column that comes or goes, the optimum."""

from infoprop._core._jit import njit
from infoprop.svm._ballot_fast import machine_of
from infoprop.svm._gram_moves_fast import change_column, change_gram, enter, settle

MOST_PIVOTS = 200_000


@njit
def build_faces(K, f, machines, teams, scratch):
    """Take all rows strictly inside their boxes into the faces and go to the optimum."""
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, teams, q)
        t = machines.team[q]
        gram = K[t, : machine.n, : teams.n_all[t]]
        own = f[q, : teams.n_all[t]]
        for i in range(machine.n):
            if machine.low[i] < machine.beta[i] < machine.high[i]:
                enter(machine, gram, own, i, scratch)
    return settle_all(K, f, machines, teams, scratch)


@njit
def settle_all(K, f, machines, teams, scratch):
    """Pivot all machines to their optimum; False if one needs too many pivots."""
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, teams, q)
        n_all = teams.n_all[machines.team[q]]
        gram = K[machines.team[q], : machine.n, :n_all]
        if not settle(machine, gram, f[q, :n_all], scratch, MOST_PIVOTS):
            return False
    return True


@njit
def change_all(K, f, machines, teams, x, sign, scratch):
    """Let column x, given for the rows of all teams, come (+1) or go (-1)."""
    for t in range(teams.start.shape[0]):
        end = teams.start[t] + teams.n_all[t]
        change_gram(K[t, : teams.n[t], : teams.n_all[t]], x[teams.start[t] : end], sign)
    for q in range(machines.beta.shape[0]):
        machine = machine_of(machines, teams, q)
        n_all = teams.n_all[machines.team[q]]
        gram = K[machines.team[q], : machine.n, :n_all]
        own = x[machine.start : machine.start + n_all]
        change_column(machine, gram, f[q, :n_all], own, sign, scratch)
