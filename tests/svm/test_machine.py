import numpy as np
import pytest

from infoprop.svm._machine import DualProblem, DualSolution

PROBLEM = DualProblem(np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, 2.0, 1.0, 2.0]))


def test_old_variables_are_made_feasible():
    beta = PROBLEM.feasible(np.array([5.0, 0.5, -0.25, 0.75]))
    assert np.all((beta >= PROBLEM.low) & (beta <= PROBLEM.high))
    assert beta.sum() == pytest.approx(0.0)
    feasible = np.array([0.5, 0.5, -0.5, -0.5])
    assert np.array_equal(PROBLEM.feasible(feasible), feasible)


def test_an_imbalance_of_rounding_takes_no_variable_off_its_bound():
    beta = np.array([1.0, 0.5, -1.0, -0.5 + 1e-15])
    assert np.array_equal(PROBLEM.feasible(beta), beta)


def test_what_rounding_leaves_beside_a_bound_is_put_on_it():
    beta = PROBLEM.settled(np.array([1e-17, 2.0 - 1e-15, -0.5, -1e-14]))
    assert beta.tolist() == [0.0, 2.0, -0.5, 0.0]


def test_bias_puts_free_support_vectors_on_the_margin():
    solution = DualSolution(np.array([1.0, 0.5, -1.0, -0.5]), np.array([9.0, 0.3, 9.0, 0.3]), 1, True)
    assert solution.bias(PROBLEM) == pytest.approx(-0.3)


def test_bias_without_free_variables_is_the_middle_of_its_interval():
    solution = DualSolution(np.array([1.0, 0.0, -1.0, 0.0]), np.array([-0.5, 0.2, 0.7, -0.1]), 1, True)
    assert solution.bias(PROBLEM) == pytest.approx(-(0.2 - 0.1) / 2)


def test_bias_with_one_open_end_takes_the_other():
    problem = DualProblem(np.array([1.0, 1.0]), np.ones(2))
    solution = DualSolution(np.zeros(2), np.array([-0.5, -1.0]), 1, True)
    assert solution.bias(problem) == 1.0


def test_gap_is_the_largest_violation():
    solution = DualSolution(np.array([1.0, 0.0, -1.0, 0.0]), np.array([-0.5, 0.2, 0.7, -0.1]), 1, True)
    assert solution.gap(PROBLEM) == pytest.approx(-0.1 - 0.2)
    solution = DualSolution(np.array([0.0, 0.5, -1.0, -0.5]), np.array([-0.5, 0.2, 0.7, -0.1]), 1, True)
    assert solution.gap(PROBLEM) == pytest.approx(0.2 + 0.5)
