from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier

from infoprop.selection.elimination._stepwise import (
    CRITERIA,
    EliminationStep,
    StepBatch,
    StepwiseElimination,
    worst_first,
)
from reference.elimination import eliminate
from reference.eliminations import Schedule, elimination_for
from reference.evaluators import RefitSubsetModel, choose_columns, evaluator_over
from reference.wine import X, Y

ROWS = np.arange(178)
NAMES = tuple(f"x{k}" for k in range(13))
HALVES = [(ROWS[side != ROWS % 2], ROWS[side == ROWS % 2]) for side in range(2)]


def ridge():
    return RidgeClassifier(alpha=5.0, solver="cholesky")


def pieces(splits=HALVES, groups=None, keep=None, n_target=1, step=1, rows=X, weights=None):
    evaluator = evaluator_over(splits, ridge(), rows, Y, weights=weights)
    choice = choose_columns(groups, keep, n_target, None, NAMES[: rows.shape[1]])
    return evaluator, choice, Schedule.from_step(step, choice.groups.n_groups, n_target)


def steps_of(criterion="information", n_steps=1000, **parameters):
    evaluator, choice, schedule = pieces(**parameters)
    return steps_in(elimination_for(evaluator, choice, schedule, criterion).advance(n_steps))


def steps_in(batch):
    """Steps of a batch, each with its own table and what it dropped."""
    return [
        SimpleNamespace(
            counts=one.counts[0],
            n_columns=one.n_columns[0],
            dropped=one.dropped,
            credits=one.credits,
            shares=one.shares,
        )
        for one in batch.one_by_one()
    ]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("splits", [HALVES[:1], HALVES], ids=["one split", "two splits"])
def test_every_step_is_that_of_the_loop_written_out(criterion, splits):
    found = steps_of(criterion, splits=splits)
    expected = eliminate(ridge(), X, Y, splits, n_target=1, n_dropped=lambda n: 1, criterion=criterion)
    assert [step.dropped.tolist() for step in found] == [step.dropped for step in expected]
    for step, twin in zip(found, expected, strict=True):
        assert step.n_columns == len(twin.standing)
        np.testing.assert_allclose(step.credits, [twin.worth[group] for group in twin.dropped], atol=1e-12)


def test_groups_weights_and_kept_columns_follow_the_same_loop():
    weights = np.random.default_rng(1).uniform(0.2, 2.0, 178)
    groups = [[0, 5], [1], [2, 3, 12], [4], [6], [7], [8, 9], [10], [11]]
    found = steps_of(groups=groups, keep=[3], step=2, n_target=2, weights=weights)
    expected = eliminate(
        ridge(),
        X,
        Y,
        HALVES,
        n_target=2,
        n_dropped=lambda n: 2,
        groups=groups,
        keep=(2,),
        weights=weights,
    )
    assert [step.dropped.tolist() for step in found] == [step.dropped for step in expected]
    assert 2 not in np.concatenate([step.dropped for step in found])
    np.testing.assert_allclose(
        np.concatenate([step.credits for step in found]),
        [twin.worth[group] for twin in expected for group in twin.dropped],
        atol=1e-12,
    )


def test_the_first_step_alone_tells_the_shares_and_the_last_drops_nothing():
    found = steps_of(n_target=9)
    assert [len(step.dropped) for step in found] == [1, 1, 1, 1, 0]
    np.testing.assert_allclose(found[0].shares.sum(axis=1), 1.0)
    assert all(step.shares is None for step in found[1:])


def test_without_rows_to_count_margins_still_rank():
    splits = [(ROWS, ROWS[:0])]
    found = steps_of("margin", splits=splits, n_target=10)
    w = np.abs(ridge().fit(X, Y).coef_)
    assert found[0].dropped.tolist() == [int((w / w.sum(axis=1, keepdims=True)).mean(axis=0).argmin())]
    assert found[0].counts.sum() == 0


def test_where_nothing_is_delivered_margins_decide():
    # All rows to be predicted are of one class, so there is nothing to know about them.
    splits = [(ROWS, ROWS[Y == 0])]
    plain, margin = (steps_of(criterion, splits=splits, n_target=8) for criterion in CRITERIA)
    assert [step.dropped.tolist() for step in plain] == [step.dropped.tolist() for step in margin]
    assert all((step.credits == 0).all() for step in plain)
    assert all((step.credits > 0).all() for step in margin[:-1])


def test_of_equals_the_higher_number_goes_first():
    worth = np.array([0.5, 0.1, 0.3, 0.1 + 1e-14, 0.1])
    assert worst_first(worth, worth, np.array([0, 1, 2, 3, 4])).tolist() == [4, 3, 1, 2, 0]
    assert worst_first(worth, worth, np.array([0, 1, 3])).tolist() == [3, 1, 0]
    zeros = np.full(5, 1e-16)
    assert worst_first(zeros, worth, np.arange(5)).tolist() == [4, 3, 1, 2, 0]


def test_copies_of_a_column_go_from_the_right():
    rows = np.column_stack([X[:, 6], X[:, 12], X[:, 6], X[:, 6]])
    found = steps_of(rows=rows, n_target=3)
    assert found[0].dropped.tolist() in ([3], [1])


class Remembering(RefitSubsetModel):
    """A model whose snapshots hold something, so that a wrong one is noticed."""

    moves_between_snapshots = 3

    def snapshot(self):
        return {"columns": self.columns}

    def restore(self, columns, snapshot):
        np.testing.assert_array_equal(columns, snapshot["columns"])
        super().restore(columns, snapshot)


@pytest.mark.parametrize("n_done", [1, 4, 7, 10])
def test_an_elimination_goes_on_from_its_steps_and_a_snapshot(n_done):
    evaluator, choice, schedule = pieces(n_target=4, groups=[[0, 12]])
    first, second, whole = (
        StepwiseElimination(Remembering(evaluator), evaluator, choice, schedule, "information")
        for _ in range(3)
    )
    assert first.steps_between_snapshots == 3
    expected = whole.advance(100)
    done = first.advance(n_done)
    second.restore(StepBatch.from_record(done.to_record()), first.snapshot())
    rest = second.advance(100)
    assert StepBatch.joined([done, rest]) == expected
    assert rest.shares is None
    assert len(second.advance(100)) == 0


def test_batches_are_values():
    evaluator, choice, schedule = pieces()
    first, second = (elimination_for(evaluator, choice, schedule, "information").advance(3) for _ in range(2))
    assert len(first) == 3
    assert first == second
    assert StepBatch.from_record(first.to_record()) == first
    with pytest.raises(ValueError, match="read-only"):
        first.counts[0, 0, 0] = 1


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=4), st.booleans())
def test_batches_are_taken_apart_and_put_together(sizes, has_first):
    rng = np.random.default_rng(0)
    shares = rng.random((2, 5)) if has_first else None
    steps = [
        EliminationStep(rng.random((2, 2)), size, rng.integers(0, 9, size), rng.random(size), None)
        for size in chain.from_iterable(sizes)
    ]
    if steps:
        steps[0] = steps[0]._replace(shares=shares)
    whole, begin, batches = StepBatch.from_steps(steps, 2), 0, []
    for part in sizes:
        batches.append(StepBatch.from_steps(steps[begin : begin + len(part)], 2))
        begin += len(part)
    batches = [batch for batch in batches if batch] or batches[:1]
    assert StepBatch.joined(batches) == whole
    assert len(whole) == len(steps)
    assert whole.counts.shape == (len(steps), 2, 2)
    if steps:
        assert StepBatch.joined(list(whole.one_by_one())) == whole
    for one, step in zip(whole.one_by_one(), steps, strict=True):
        assert one.dropped.tolist() == step.dropped.tolist()
        assert one.credits.tolist() == step.credits.tolist()
        assert one.n_columns.tolist() == [step.n_columns]


@settings(max_examples=20)
@given(
    st.integers(0, 2**20),
    st.integers(2, 8),
    st.sampled_from([1, 2, 3, 0.3, 0.6, "halving"]),
    st.sampled_from(CRITERIA),
)
def test_every_way_down_drops_each_group_once_and_never_a_kept_one(seed, n_groups, step, criterion):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_groups, 13)
    groups = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    keep = [int(rng.integers(13))] if seed % 2 else None
    n_target = int(rng.integers(1, len(groups) + 1))
    parameters = {"groups": groups, "keep": keep, "n_target": n_target, "step": step}
    evaluator, choice, schedule = pieces(HALVES[:1], **parameters)
    found = steps_in(elimination_for(evaluator, choice, schedule, criterion).advance(100))
    gone = np.concatenate([one.dropped for one in found])
    assert len(found) == schedule.n_steps(choice.groups.n_groups)
    assert len(np.unique(gone)) == len(gone) == len(groups) - n_target
    assert not np.isin(choice.keep, gone).any()
    for one in found[:-1]:
        assert (np.diff(one.credits.round(12)) >= 0).all()
        total = evaluator.pooled.flow(one.counts).information if criterion == "information" else 1.0
        assert one.credits.sum() <= total + 1e-12
