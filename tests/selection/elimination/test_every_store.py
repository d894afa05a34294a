"""One elimination over every store: the same columns go as with machines trained from nothing."""

import numpy as np
import pytest

from reference.elimination_cases import assert_same, cases, middle_class, sparsely, squared
from reference.eliminations import drop_worst
from reference.squared_hinge import assert_machines_optimal

CASES = cases()
STORES = pytest.mark.parametrize("store", ["gram", "rows", "newton"])


def for_store(store, case):
    """The case as machines over that store take it."""
    return squared(case) if store == "newton" else case


@STORES
@pytest.mark.parametrize("name", CASES)
def test_the_same_as_cold_fits_in_every_step(store, name):
    case = for_store(store, CASES[name])
    machines = case.machines(store)
    found = case.dropped(machines)
    assert_same(found, case.slowly())
    np.testing.assert_array_equal(found.starts, np.concatenate([[0], np.cumsum(case.counts)]))
    gone = np.isin(case.group_of, found.groups)
    np.testing.assert_array_equal(machines.columns, np.flatnonzero(~gone))
    if store == "newton":
        assert_machines_optimal(machines)


@pytest.mark.parametrize("name", ["one by one", "folds, groups", "weights", "a split lacks a class"])
def test_the_same_on_sparse_rows(name):
    case = sparsely(CASES[name])
    assert_same(case.dropped(case.machines("rows")), case.slowly())


@STORES
@pytest.mark.parametrize("is_rebuilt", [True, False])
def test_steps_may_be_made_in_several_calls(store, is_rebuilt):
    case = for_store(store, CASES["folds"])
    whole, parts = case.machines(store), case.machines(store)
    found = case.dropped(whole)
    for first in range(0, 11, 4):
        counts = np.ones(min(4, 11 - first), dtype=np.int64)
        part = drop_worst(parts, counts, case.group_of, case.is_kept, True)
        np.testing.assert_array_equal(part.groups, found.groups[first : first + 4])
        np.testing.assert_allclose(part.credits, found.credits[first : first + 4], atol=1e-10)
        if is_rebuilt:
            parts.rebuild()


@STORES
def test_groups_are_given_what_insensitive_machines_share_evenly(store):
    # Five quiet columns together get more of the even share than one that is louder than each of them.
    case = for_store(store, middle_class(np.array([0, 1, 1, 1, 1, 1, 2])))
    machines = case.machines(store)
    if store == "gram":
        assert not machines.sensitivities()[1].any()
    found = case.dropped(machines)
    if store != "newton":
        assert found.groups.tolist() == [2, 1]
    assert_same(found, case.slowly())
