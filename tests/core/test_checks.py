import numpy as np
import pytest

from infoprop._core._checks import check_boolean, check_choice, check_integer, check_number
from infoprop.exceptions import InfopropError, ParameterError


def test_good_values_come_back():
    assert check_choice("p", "a", ("a", "b"), "Owner") == "a"
    assert check_number("p", np.float32(0.5), "Owner", low=0, high=1) == 0.5
    assert check_integer("p", np.int64(3), "Owner", low=1) == 3
    assert check_boolean("p", np.True_, "Owner") is True


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (lambda: check_choice("p", "c", ("a", "b"), "Owner"), "must be one of 'a', 'b'. Got 'c'."),
        (lambda: check_choice("p", ["a"], ("a", "b"), "Owner"), "must be one of"),
        (lambda: check_number("p", 0, "Owner", low=0, low_open=True), "must be a finite number > 0. Got 0."),
        (lambda: check_number("p", 1.0, "Owner", high=1, high_open=True), "must be a finite number < 1"),
        (lambda: check_number("p", np.nan, "Owner"), "must be a finite number. Got nan."),
        (lambda: check_number("p", True, "Owner"), "must be a finite number. Got True."),
        (lambda: check_number("p", "1", "Owner"), "must be a finite number. Got '1'."),
        (lambda: check_integer("p", 1.5, "Owner"), "must be a whole number. Got 1.5."),
        (lambda: check_integer("p", 0, "Owner", low=1, high=3), "must be a whole number >= 1 and <= 3"),
        (lambda: check_boolean("p", 1, "Owner"), "must be True or False. Got 1."),
    ],
)
def test_bad_values_are_named(check, sentence):
    with pytest.raises(ParameterError, match="The 'p' parameter of Owner") as caught:
        check()
    assert sentence in str(caught.value)
    assert isinstance(caught.value, InfopropError)
