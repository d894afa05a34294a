"""Every generator keeps the same promises; each is tested by being listed here."""

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from infoprop.datasets import (
    LabelledData,
    make_corral,
    make_graded_noise,
    make_infoprop_synthetic,
    make_led24,
    make_parity,
    make_waveform40,
)
from infoprop.exceptions import ParameterError

GENERATORS = [
    make_corral,
    make_graded_noise,
    make_infoprop_synthetic,
    make_led24,
    make_parity,
    make_waveform40,
]
every_generator = pytest.mark.parametrize("make", GENERATORS, ids=lambda make: make.__name__)
Make = Callable[..., LabelledData]


@every_generator
def test_result_is_whole_and_consistent(make: Make) -> None:
    data = make(60 if make is not make_corral else 128, random_state=3)
    n_samples, n_features = data.X.shape
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.isfinite(data.X).all()
    assert data.y.shape == (n_samples,)
    assert len(set(data.feature_names)) == n_features
    assert data.relevant
    assert all(type(k) is int and 0 <= k < n_features for k in data.relevant)
    assert data.X[:, data.relevant].shape == (n_samples, len(data.relevant))
    assert data.description.endswith(".")
    assert f"{n_samples} rows" in repr(data)


@every_generator
def test_same_seed_gives_the_same_rows(make: Make) -> None:
    first, second, other = make(random_state=7), make(random_state=7), make(random_state=8)
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)
    assert not np.array_equal(first.X, other.X)


@every_generator
def test_a_stream_goes_on_where_it_was_and_the_global_one_is_left_alone(make: Make) -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    stream = np.random.RandomState(7)
    first, second = make(random_state=stream), make(random_state=stream)
    np.testing.assert_array_equal(first.X, make(random_state=7).X)
    assert not np.array_equal(first.X, second.X)
    assert not np.array_equal(make().X, make().X)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@every_generator
def test_a_generator_and_a_numpy_integer_serve_as_random_state(make: Make) -> None:
    drawn = [make(random_state=np.random.default_rng(5)).X for _ in range(2)]
    np.testing.assert_array_equal(*drawn)
    np.testing.assert_array_equal(make(random_state=np.int64(7)).X, make(random_state=7).X)


@every_generator
def test_return_X_y_gives_the_arrays_alone(make: Make) -> None:
    X, y = make(random_state=1, return_X_y=True)
    data = make(random_state=1)
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_array_equal(y, data.y)


@every_generator
def test_result_is_frozen(make: Make) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        make(random_state=0).y = None


@every_generator
@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 2.5}, "n_samples"),
        ({"n_samples": True}, "n_samples"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "0"}, "random_state"),
        ({"random_state": 2**32}, "random_state"),
        ({"return_X_y": 1}, "return_X_y"),
    ],
)
def test_bad_parameters_are_named(make: Make, parameters: dict[str, object], name: str) -> None:
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of {make.__name__} must be .*Got"):
        make(**parameters)
