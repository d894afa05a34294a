import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from infoprop.exceptions import ParameterError
from infoprop.selection import ScoreScreen
from infoprop.shaping import BNSScaler


def counts(seed=0, n_rows=120, n_columns=30):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n_rows)
    X = random.poisson(1.0, (n_rows, n_columns))
    X[:, [3, 17]] += y[:, None]
    return X.astype(float), y


@pytest.mark.parametrize("score", ["information_gain", "bns", "hellinger"])
def test_keeps_the_best_by_the_score_of_the_scaler(score):
    X, y = counts()
    screen = ScoreScreen(5, scoring=score).fit(X, y)
    scores = BNSScaler(scaling=score).fit(X, y).scores_
    assert screen.scores_.tobytes() == scores.tobytes()
    assert set(screen.get_support(indices=True)) == set(np.argsort(-scores, kind="stable")[:5])
    assert {3, 17} <= set(screen.get_support(indices=True))
    assert (screen.transform(X) == X[:, screen.support_]).all()


def test_blocks_and_parts_give_the_bits_of_one_fit():
    X, y = counts()
    X = sparse.csr_matrix(X)
    whole = ScoreScreen(4).fit(X, y)
    in_blocks = ScoreScreen(4).fit_blocks([lambda: (X[:50], y[:50]), lambda: (X[50:], y[50:])])
    in_parts = ScoreScreen(4)
    for part in (slice(0, 50), slice(50, None)):
        in_parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    for other in (in_blocks, in_parts):
        assert other.scores_.tobytes() == whole.scores_.tobytes()
        assert other.support_.tobytes() == whole.support_.tobytes()


def test_a_group_is_as_good_as_its_best_column_and_comes_as_one():
    X, y = counts()
    groups = np.arange(30)
    groups[10] = 3
    screen = ScoreScreen(2, groups=groups).fit(X, y)
    assert screen.get_support(indices=True).tolist() == [3, 10, 17]


def test_of_equal_columns_the_first_are_kept_and_more_than_there_are_is_all():
    X, y = counts()
    assert ScoreScreen(2).fit(X[:, [3, 3, 3]], y).support_.tolist() == [True, True, False]
    assert ScoreScreen(99).fit(X, y).support_.all()


def test_says_what_is_wrong():
    X, y = counts()
    for screen in (ScoreScreen(0), ScoreScreen(2, groups=[1, 2]), ScoreScreen(scoring="f")):
        with pytest.raises(ParameterError):
            clone(screen).fit(X, y)
