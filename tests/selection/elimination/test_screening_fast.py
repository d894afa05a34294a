import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.selection.elimination import _screening_fast as fast
from infoprop.selection.elimination._ranking_fast import Drops
from reference.elimination_cases import Case, problem
from reference.engine import split_rows

WIDTH = 500
N_CANDIDATES = 100


class Followed:
    """Machines on many columns, some of them candidate, and what a slow pricing would say."""

    def __init__(self, n_splits, n_classes):
        X, y = problem(n_classes, 60, WIDTH, n_classes)
        rows = np.arange(60)
        splits = [
            split_rows(X, y, rows[rows % 4 != fold], rows[rows % 4 == fold]) for fold in range(n_splits)
        ]
        self.held = Case(splits, [1], np.arange(WIDTH)).machines("gram")
        self.machines, self.splits = self.held.machines, self.held.splits
        self.XT = self.held._transposed()
        self.candidates = fast.new_candidates(self.XT, self.machines, n_splits, N_CANDIDATES)
        lengths = np.array([np.linalg.norm(own, axis=1) for own in map(self.own, range(n_splits))])
        self.candidates.length[:] = lengths.max(axis=0)
        self.candidates.lengths[:] = lengths.sum(axis=1)
        self.scale = np.full(len(self.held.beta), 1.0 / len(self.held.beta))
        self.key, self.worth = np.empty(WIDTH), np.empty(len(self.scale) + 1)

    def own(self, t):
        """Columns in the training rows of a split."""
        return self.XT[:, self.splits.start[t] : self.splits.start[t] + self.splits.n[t]]

    def price_all(self):
        drops = Drops(np.arange(WIDTH), np.zeros(WIDTH, dtype=bool), np.array([1]), True, False)
        given = self.XT, self.machines, self.splits, drops, self.candidates, self.scale, N_CANDIDATES
        fast.price_all(*given, self.key, np.empty(WIDTH))

    def move(self, q, change):
        """Change beta of one machine and follow it, as an elimination does."""
        t = self.splits.split[q]
        self.machines.beta[q, : len(change)] += change
        self.candidates.w[q] += self.own(t)[self.candidates.columns[:N_CANDIDATES]] @ change
        self.candidates.path[q] += np.linalg.norm(change)

    def weigh(self):
        return fast.price_candidates(
            self.XT, self.machines, self.splits, self.candidates, self.scale, self.worth, self.key
        )

    def weights(self):
        splits = self.splits.split
        return np.array(
            [self.own(t) @ self.machines.beta[q, : self.splits.n[t]] for q, t in enumerate(splits)]
        )

    def credits(self):
        sizes = np.abs(self.weights())
        return self.scale @ (sizes / sizes.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n_splits", [1, 3])
def test_candidates_are_known_and_cold_ones_bounded(n_classes, n_splits):
    rng = np.random.default_rng(n_classes)
    followed = Followed(n_splits, n_classes)
    candidates = followed.candidates
    followed.price_all()
    columns = candidates.columns[:N_CANDIDATES]
    cold = np.setdiff1d(np.arange(WIDTH), columns)
    credits = followed.credits()
    assert credits[columns].max() <= credits[cold].min() == pytest.approx(candidates.limits[0])
    n_turned = 0
    for _ in range(30):
        sign = candidates.sign.copy()
        for q, t in enumerate(followed.splits.split):
            n = followed.splits.n[t]
            size = 1e-3 * np.linalg.norm(followed.machines.beta[q])
            followed.move(q, size * rng.normal(size=n) / np.sqrt(n))
        floor = followed.weigh()
        if floor == -1.0:
            followed.price_all()
            columns = candidates.columns[:N_CANDIDATES]
            cold = np.setdiff1d(np.arange(WIDTH), columns)
            floor = followed.weigh()
        credits = followed.credits()
        np.testing.assert_allclose(followed.key[:N_CANDIDATES], credits[columns], atol=1e-12)
        for first, n in zip(followed.splits.start, followed.splits.n, strict=True):
            own = slice(first, first + n)
            np.testing.assert_array_equal(candidates.X[own], followed.XT[columns, own].T)
        assert floor <= credits[cold].min() + 1e-12
        # Signs are those of a slow pricing, those of candidates apart.
        np.testing.assert_array_equal(candidates.sign[:, cold], np.sign(followed.weights()[:, cold]))
        assert not candidates.sign[:, columns].any()
        for q, t in enumerate(followed.splits.split):
            total = candidates.sign[q] @ followed.own(t)
            np.testing.assert_allclose(candidates.screened_sum[q, : followed.splits.n[t]], total, atol=1e-10)
        n_turned += (candidates.sign != sign).sum()
    # A single machine has small weights in candidates only.
    assert n_turned > 0 or n_classes == 2


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_no_column_can_fall_by_more_than_the_reach(n_classes):
    followed = Followed(1, n_classes)
    candidates, n, n_machines = followed.candidates, followed.splits.n[0], len(followed.scale)
    candidates.limits[1] = 2.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        drift = rng.normal(size=(n_machines, n)) * rng.exponential(size=(n_machines, 1))
        candidates.drift[:, :n] = drift
        worth = rng.random(n_machines)
        reach = fast._reach(followed.splits, candidates, worth)
        # The worst columns are combinations of the drifts.
        x = rng.normal(size=(50, n_machines)) @ drift
        x *= candidates.limits[1] / np.linalg.norm(x, axis=1, keepdims=True)
        assert (np.abs(x @ drift.T) @ worth <= reach * (1.0 + 1e-12)).all()
        alone = candidates.limits[1] * worth @ np.linalg.norm(drift, axis=1)
        assert reach <= alone * (1.0 + 1e-12)


@given(st.integers(0, 2**32 - 1))
def test_sizes_are_summed_and_added(seed):
    w, key = np.random.default_rng(seed).normal(size=(2, 13))
    expected = key + 0.3 * np.abs(w)
    fast.add_sizes(w, 0.3, key)
    np.testing.assert_allclose(key, expected, rtol=1e-15)
    assert fast.total_size(w) == pytest.approx(np.abs(w).sum(), rel=1e-14)
