import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Pair(FrozenArrays):
    values: FloatArray
    name: str


def test_arrays_are_read_only_copies():
    source = np.arange(3.0)
    pair = Pair(source, "a")
    source[0] = 7
    assert pair.values.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        pair.values[0] = 7


def test_equality_compares_every_field():
    pair = Pair(np.arange(3.0), "a")
    assert pair == Pair(np.arange(3.0), "a")
    assert pair != Pair(np.arange(3.0), "b")
    assert pair != Pair(np.arange(4.0), "a")
    assert pair != Pair(np.array([0, 1, 3.0]), "a")
    assert pair != "a"


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_copies_and_pickles_are_equal_and_still_read_only(remake):
    pair = Pair(np.arange(3.0), "a")
    again = remake(pair)
    assert again == pair
    assert not again.values.flags.writeable


def test_instances_cannot_be_hashed():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Pair(np.arange(3.0), "a"))
