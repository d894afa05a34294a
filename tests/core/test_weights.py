import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop._core._weights import check_weights, effective_number
from infoprop.exceptions import DataError


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"one weight per row, shape \(3,\)"),
        ([[1.0], [2.0], [3.0]], "one weight per row"),
        (1.0, "one weight per row"),
        ([1.0, np.nan, 1.0], "finite"),
        ([1.0, np.inf, 1.0], "finite"),
        ([1.0, -0.5, 1.0], "not be negative. Got -0.5"),
        ([0.0, 0.0, 0.0], "at least one positive"),
        (["a", "b", "c"], "array of numbers"),
        ([1.0, None, [2]], "array of numbers"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, message):
    with pytest.raises(DataError, match=message):
        check_weights(weights, 3)


@pytest.mark.parametrize("weight", [1e-320, 1e-200, 0.1, 1.0, 1e200, 1e308])
def test_equal_weights_are_worth_their_number(weight):
    assert effective_number(np.full(7, weight)) == 7


def test_effective_number_of_unequal_weights():
    assert effective_number(np.array([3.0, 1.0])) == pytest.approx(16 / 10)


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=20))
def test_effective_number_lies_between_one_and_the_number_of_rows(weights):
    number = effective_number(np.array(weights))
    assert 1 - 1e-12 <= number <= len(weights) * (1 + 1e-12)
