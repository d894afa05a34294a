import numpy as np
import pytest

from infoprop.exceptions import ParameterError
from infoprop.selection import CreditSelector, ScoreScreen
from infoprop.workflow import analyse


def noisy(n_columns=40):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 100)
    X = random.normal(size=(100, n_columns))
    X[:, 5] += 1.5 * y
    return X, y


def test_the_screen_learns_from_training_rows_alone():
    X, y = noisy()
    found = analyse(X, y, method="credit", n_features_to_select=2, screen=6, n_null=0)
    problem = found.problem
    train = ~problem.is_test
    screen = ScoreScreen(6).fit(X[train], y[train])
    assert list(problem.owners) == [f"x{k}" for k in screen.get_support(indices=True)]
    assert (screen.transform(X) == problem.X).all()
    assert problem.n_unscreened == 40
    assert "x5" in found.chosen
    assert "screen=6" in found.code


def test_noise_looks_like_noise_after_a_screen():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(200, 1000)), random.integers(0, 2, 200)
    found = analyse(X, y, method="credit", n_features_to_select=5, screen=20, n_null=0)
    assert found.judgement.accuracy < 0.65


def test_features_named_to_be_kept_outlive_the_screen():
    X, y = noisy()
    selector = CreditSelector(n_features_to_select=2, keep=["x39"])
    found = analyse(X, y, method=selector, screen=3, n_null=0)
    assert "x39" in found.chosen
    assert len(found.problem.owners) in (3, 4)


@pytest.mark.parametrize(
    "more", [{"validation": 5}, {"nested": 3}, {"repeat_choice": True}, {"screen": 0}, {"screen": 2.5}]
)
def test_what_does_not_go_together_is_refused(more):
    X, y = noisy(8)
    told = {"method": "credit", "n_features_to_select": 1, "screen": 2} | more
    with pytest.raises((ParameterError, ValueError), match="screen"):
        analyse(X, y, **told)
