import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from infoprop.selection.running._records import decoded, encoded


@given(st.floats(width=64))
def test_floats_come_back_bit_for_bit(value):
    back = decoded(encoded({"value": value}))["value"]
    assert (
        math.isnan(back) if math.isnan(value) else np.float64(back).tobytes() == np.float64(value).tobytes()
    )


@given(
    hnp.arrays(
        st.sampled_from([np.dtype(code) for code in ("<f8", "<f4", "<i8", "|b1", "<U3")]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    )
)
def test_arrays_come_back_bit_for_bit_with_type_and_shape(array):
    back = decoded(encoded({"name": "x", "array": array}))["array"]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


def test_arrays_that_come_back_can_be_written_to():
    back = decoded(encoded({"array": np.zeros(3)}))["array"]
    back += 1.0
    assert back.tolist() == [1.0, 1.0, 1.0]


def test_numbers_of_numpy_come_back_as_python_s():
    record = decoded(encoded({"size": np.intp(3), "is_best": np.True_, "credit": np.float64(0.1)}))
    assert record == {"size": 3, "is_best": True, "credit": 0.1}
    assert [type(value) for value in record.values()] == [int, bool, float]


@pytest.mark.parametrize("value", [object(), {1, 2}, np.array([object()])])
def test_what_cannot_be_kept_is_refused(value):
    with pytest.raises(TypeError, match="cannot keep"):
        encoded({"value": value})
