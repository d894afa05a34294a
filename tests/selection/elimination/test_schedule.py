from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import ParameterError
from infoprop.selection.elimination._schedule import Schedule, check_step


def sizes(step, n_groups, n_target):
    schedule = Schedule.from_step(step, n_groups, n_target)
    found = [n_groups]
    while count := schedule.count(found[-1]):
        found.append(found[-1] - count)
    assert schedule.n_steps(n_groups) == len(found)
    return found


def test_a_number_goes_at_a_time_and_the_target_is_met():
    assert sizes(1, 5, 2) == [5, 4, 3, 2]
    assert sizes(3, 10, 2) == [10, 7, 4, 2]
    assert sizes(100, 10, 1) == [10, 1]
    assert sizes(1, 4, 4) == [4]


def test_a_fraction_is_one_of_those_left():
    assert sizes(0.5, 20, 1) == [20, 10, 5, 3, 2, 1]
    assert sizes(0.1, 12, 9) == [12, 11, 10, 9]


def test_halving_goes_one_by_one_near_the_end():
    small = sizes("halving", 7129, 1)
    assert small[:6] == [7129, 3565, 1783, 892, 500, 499]
    assert small[-1] == 1
    assert sizes("halving", 10000, 900)[:5] == [10000, 5000, 2500, 1800, 1799]
    assert sizes("halving", 30, 28) == [30, 29, 28]


STEPS = st.one_of(st.integers(1, 50), st.floats(0.01, 0.99), st.just("halving"))


@given(STEPS, st.integers(1, 3000), st.integers(1, 3000))
def test_every_schedule_falls_to_its_target(step, n_groups, n_target):
    n_target = min(n_groups, n_target)
    path = sizes(step, n_groups, n_target)
    assert path[-1] == n_target
    assert all(larger > smaller for larger, smaller in pairwise(path))


@given(STEPS, st.integers(2, 2000), st.integers(1, 250), st.integers(1, 250))
def test_another_target_only_cuts_the_way_short(step, n_groups, first, second):
    near, far = sorted((min(first, n_groups), min(second, n_groups)), reverse=True)
    longer, shorter = sizes(step, n_groups, far), sizes(step, n_groups, near)
    assert shorter[:-1] == longer[: len(shorter) - 1]


@pytest.mark.parametrize("step", [0, -1, 0.0, 1.0, 1.5, "half", True, None, float("nan")])
def test_impossible_steps_are_refused(step):
    with pytest.raises(ParameterError, match="'step' parameter of SomeSelector"):
        check_step(step, "SomeSelector")


@pytest.mark.parametrize("step", [1, 7, 0.5, "halving"])
def test_possible_steps_are_not(step):
    check_step(step, "SomeSelector")
