import pickle

import numpy as np
import pytest

from infoprop.pairwise import ClassPair, ClassPairs


@pytest.fixture
def pairs():
    return ClassPairs(
        (
            ClassPair(("cat", "dog"), np.array([0, 2]), ("ears", "tail"), 0.9, 20, None),
            ClassPair(("cat", "owl"), np.array([1]), ("wings",), 1.0, 15, None),
            ClassPair(("dog", "owl"), np.array([1, 2]), ("wings", "tail"), float("nan"), 15, None),
        ),
        ("ears", "wings", "tail"),
    )


def test_pairs_are_a_sequence_found_by_their_classes(pairs):
    assert len(pairs) == 3
    assert pairs[0].classes == ("cat", "dog")
    assert [pair.n_rows for pair in pairs] == [20, 15, 15]
    assert pairs[1:] == pairs.pairs[1:]
    assert pairs.of("owl", "cat") is pairs.of("cat", "owl") is pairs[1]
    with pytest.raises(KeyError, match="'fox'"):
        pairs.of("cat", "fox")


def test_support_says_which_pair_uses_which_column(pairs):
    assert pairs.support.astype(int).tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 1]]
    assert pairs.credibility[:2].tolist() == [0.9, 1.0]


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_frame_has_a_row_for_every_pair(pairs, backend):
    frame = pairs.to_frame(backend)
    assert list(frame["features"]) == ["ears, tail", "wings", "wings, tail"]
    assert list(frame["n_features"]) == [2, 1, 2]
    assert list(frame["first"]) == ["cat", "cat", "dog"]


def test_pairs_are_shown_and_pickled(pairs):
    assert repr(pairs[0]) == "ClassPair('cat' | 'dog', 2 features, credibility=0.900)"
    assert repr(pairs).startswith("ClassPairs(n_pairs=3, n_features=1..2 of 3")
    again = pickle.loads(pickle.dumps(pairs))
    np.testing.assert_array_equal(again.support, pairs.support)
    with pytest.raises(ValueError, match="read-only"):
        again[0].columns[0] = 1
