import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier

from infoprop.credit import credit_features
from infoprop.selection.searches._scoring import SubsetScorer
from reference.evaluators import LabelledRows, RefitSubsetModel, Split, SubsetEvaluator, ValidationPlan
from reference.running import Journal, Progress
from reference.wine import X, Y

ROWS = np.arange(178)
HALVES = tuple(Split(ROWS[side != ROWS % 2], ROWS[side == ROWS % 2]) for side in range(2))


class Model(RefitSubsetModel):
    """Counts its trainings and remembers its moves; takes snapshots every other training."""

    moves_between_snapshots = 2

    def __init__(self, evaluator):
        super().__init__(evaluator)
        self.visited, self.smallest, self.restored = [], 13, None

    def drop(self, columns):
        super().drop(columns)
        self.smallest = min(self.smallest, len(self.columns))

    def fit(self):
        super().fit()
        self.visited.append(tuple(self.columns.tolist()))

    def snapshot(self):
        return {"number": np.array([len(self.visited)])}

    def restore(self, columns, snapshot):
        super().restore(columns, snapshot)
        self.restored = snapshot["number"].tolist()


def evaluator(splits=HALVES, weights=None):
    return SubsetEvaluator(
        estimator=RidgeClassifier(),
        training=LabelledRows(X, Y, weights),
        fit_parameters={},
        plan=ValidationPlan(tuple(splits), shares_from_all=False),
        given=None,
        feature_names=tuple(f"x{k}" for k in range(13)),
        n_jobs=None,
    )


def scorer_of(journal=None, splits=HALVES, progress=None):
    rows = evaluator(splits)
    model = Model(rows)
    scorer = SubsetScorer(model, rows, journal or Journal(), progress or Progress())
    return scorer, model


def test_credits_of_one_split_are_those_of_a_classifier_without_other_columns():
    scorer, _ = scorer_of(splits=HALVES[:1])
    credits = scorer.credits(np.array([12, 0, 6]))
    train, test = HALVES[0].train, HALVES[0].test
    twin = RidgeClassifier().fit(X[train][:, [0, 6, 12]], Y[train])
    expected = credit_features(twin, X[test][:, [0, 6, 12]], Y[test], sharing="margin")
    np.testing.assert_allclose(credits.by_class, expected.by_class, atol=1e-14)
    assert credits.feature_names == ("x0", "x6", "x12")


def test_splits_pool_their_rows_and_average_their_shares():
    scorer, _ = scorer_of()
    credits = scorer.credits(np.arange(13))
    assert credits.flow.counts.sum() == 178
    shares = []
    for split in HALVES:
        w = np.abs(RidgeClassifier().fit(X[split.train], Y[split.train]).coef_)
        shares.append(w / w.sum(axis=1, keepdims=True))
    expected = credits.flow.indicator_credits[:, None] * np.mean(shares, axis=0)
    np.testing.assert_allclose(credits.by_class, expected, atol=1e-13)


@settings(max_examples=15)
@given(st.lists(st.sets(st.integers(0, 12), min_size=1), min_size=1, max_size=6))
def test_credits_sum_to_the_information_and_nothing_is_trained_twice(subsets):
    scorer, model = scorer_of()
    for subset in subsets + subsets:
        credits = scorer.credits(np.array(sorted(subset)))
        assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)
    distinct = list(dict.fromkeys(tuple(sorted(subset)) for subset in subsets))
    assert model.visited == distinct
    assert scorer.n_trainings == len(distinct)
    assert scorer.n_asked == 2 * len(subsets)
    assert model.smallest >= 1


def test_credits_sum_to_the_information_where_a_split_lacks_a_class():
    splits = [Split(ROWS[Y < 2], ROWS[Y == 2]), *HALVES]
    credits = scorer_of(splits=splits)[0].credits(np.arange(13))
    assert credits.information > 0.5
    assert credits.values.sum() == pytest.approx(credits.information, abs=1e-12)


def test_a_journal_is_taken_over_up_to_its_last_snapshot(tmp_path):
    subsets = [np.array(subset) for subset in ([0, 1], [0, 2], [1, 2, 3])]
    path = tmp_path / "journal"
    with Journal.open(path, "same=1", "Search") as journal:
        first, _ = scorer_of(journal)
        expected = [first.credits(subset) for subset in subsets]
    with Journal.open(path, "same=1", "Search") as journal:
        second, model = scorer_of(journal)
        assert model.restored == [2]
        assert model.columns.tolist() == [0, 2]
        assert second.n_trainings == 0
        again = [second.credits(subset) for subset in subsets]
        assert model.visited == [(1, 2, 3)]
        assert second.n_trainings == 3
    for one, other in zip(expected, again, strict=True):
        assert one.by_class.tobytes() == other.by_class.tobytes()
        assert one.feature_names == other.feature_names


def test_a_finished_search_leaves_nothing_unwritten(tmp_path):
    path = tmp_path / "journal"
    with Journal.open(path, "same=1", "Search") as journal:
        scorer, _ = scorer_of(journal)
        scorer.credits(np.array([4]))
        assert journal.records() == []
        scorer.finish()
        scorer.finish()
        assert [record["columns"].tolist() for record in journal.records()] == [[4]]


def test_progress_hears_of_every_new_subset():
    class Heard(Progress):
        steps = 0

        def step(self):
            self.steps += 1

    heard = Heard()
    scorer, _ = scorer_of(progress=heard)
    for subset in ([0], [1], [0], [0, 1]):
        scorer.credits(np.array(subset))
    assert heard.steps == 3
