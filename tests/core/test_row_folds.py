import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from infoprop.exceptions import ParameterError
from infoprop.selection import RowFolds


def test_folds_cover_every_row_once_and_never_split_copies():
    X, y = np.repeat(np.arange(20.0), 2)[:, None], np.repeat([0, 1], 20)
    folds = list(RowFolds(5).split(X, y))
    assert len(folds) == RowFolds(5).get_n_splits(X, y) == 5
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(40))
    for train, test in folds:
        assert not set(X[train, 0]) & set(X[test, 0])
        assert sorted([*train, *test]) == list(range(40))
        assert np.bincount(y[test]).tolist() == [4, 4]


def test_order_storage_and_seed():
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((30, 3)), np.repeat(["a", "b", "c"], 10)
    order = generator.permutation(30)

    def folds(X, y, seed=0):
        return [{tuple(X[row]) for row in test} for _, test in RowFolds(3, random_state=seed).split(X, y)]

    assert folds(X[order], y[order]) == folds(X, y)
    assert folds(X, y, seed=1) != folds(X, y)
    for (train, test), (other, another) in zip(
        RowFolds(3).split(X, y), RowFolds(3).split(sparse.csr_matrix(X), y), strict=True
    ):
        assert train.tolist() == other.tolist()
        assert test.tolist() == another.tolist()


def test_rows_that_cannot_be_held_out_are_trained_on():
    X, y = np.arange(7.0)[:, None], np.array([0, 0, 0, 1, 1, 1, 2])
    assert all(6 in train for train, _ in RowFolds(3).split(X, y))
    same = np.zeros((6, 1))
    (train, test), *others = RowFolds(5).split(same, np.array([0, 0, 0, 1, 1, 1]))
    assert len(train) == len(test) == 6
    assert not others
    assert RowFolds(5).get_n_splits(same, np.array([0, 0, 0, 1, 1, 1])) == 1


def test_scikit_learn_takes_them():
    X, y = np.arange(30.0)[:, None], np.arange(30) // 15
    assert cross_val_score(KNeighborsClassifier(1), X, y, cv=RowFolds(3)).mean() > 0.9


@pytest.mark.parametrize("words", [{"n_splits": 1}, {"n_splits": 2.5}, {"random_state": None}])
def test_what_makes_no_folds_is_refused(words):
    with pytest.raises(ParameterError, match="must be a whole number"):
        RowFolds(**words)


def grouped_rows(n_groups=17):
    """Rows of subjects, most of which have rows of several classes."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((200, 3)), random.integers(0, 3, 200)
    return X, y, np.array([f"s{number}" for number in random.integers(0, n_groups, 200)])


def test_row_groups_are_never_on_both_sides_whatever_the_order_of_the_rows():
    X, y, subjects = grouped_rows()
    folds = list(RowFolds(5).split(X, y, subjects))
    assert len(folds) == RowFolds(5).get_n_splits(X, y, subjects) == 5
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(200))
    for train, test in folds:
        assert not set(subjects[train]) & set(subjects[test])
        # About a fifth of each class.
        np.testing.assert_allclose(np.bincount(y[test]) / np.bincount(y), 0.2, atol=0.07)
    order = np.random.default_rng(1).permutation(200)
    again = RowFolds(5).split(X[order], y[order], subjects[order])
    assert {frozenset(order[test]) for _, test in again} == {frozenset(test) for _, test in folds}


def test_copies_in_other_groups_bring_their_groups_along():
    X, y, subjects = grouped_rows()
    X[subjects == "s1"], y[subjects == "s1"] = X[subjects == "s0"][0], y[subjects == "s0"][0]
    for train, _ in RowFolds(4).split(X, y, subjects):
        assert ("s0" in subjects[train]) == ("s1" in subjects[train])


def test_a_group_that_alone_has_a_class_is_always_trained_on():
    X, y, subjects = grouped_rows()
    y[subjects == "s3"] = 3
    for train, _ in RowFolds(4).split(X, y, subjects):
        assert (subjects[train] == "s3").sum() == (subjects == "s3").sum()


def test_row_groups_have_a_label_for_every_row():
    X, y, subjects = grouped_rows()
    with pytest.raises(ParameterError, match=r"one label for each of the 200 rows\. Got .*\(3,\)"):
        list(RowFolds(4).split(X, y, subjects[:3]))


def test_rows_with_texts_are_dealt_too():
    X = np.array([["red", 1.0], ["blue", 2.0]] * 5, dtype=object)
    X[:, 1] = np.arange(10)
    tests = [test for _, test in RowFolds(2).split(X, np.repeat([0, 1], 5))]
    assert sorted(np.concatenate(tests).tolist()) == list(range(10))
