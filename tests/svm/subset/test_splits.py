import numpy as np
import pytest
from scipy import sparse

from infoprop.svm.subset._splits import MachineIndex, SplitProblem, split_beta, stacked_beta
from reference.machines import DualProblem, sensitivity_shares


def team_of(labels, n_train=4, n_test=2, as_rows=np.asarray):
    """A split that has learned these labels."""
    X = np.arange(3.0 * (n_train + n_test)).reshape(-1, 3)
    n_machines = len(labels) if len(labels) > 2 else 1
    problem = DualProblem(np.ones(n_train), np.ones(n_train))
    return SplitProblem(
        as_rows(X[:n_train]), as_rows(X[n_train:]), np.array(labels), tuple([problem] * n_machines)
    )


CLASSES = np.array(["a", "b", "c", "d"])
TEAMS = [team_of(["a", "b", "d"]), team_of(["b", "c"], n_train=3), team_of(["a", "b", "c", "d"])]


@pytest.mark.parametrize("n_test", [0, 2])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_rows_to_train_on_come_before_rows_to_predict(n_test, as_rows):
    split = team_of(["a", "b"], n_test=n_test, as_rows=as_rows)
    rows = split.rows
    assert sparse.issparse(rows) == sparse.issparse(split.X)
    dense = rows.toarray() if sparse.issparse(rows) else rows
    np.testing.assert_array_equal(dense, np.arange(3.0 * (4 + n_test)).reshape(-1, 3))


def test_machines_of_all_splits_stand_in_one_line():
    index = MachineIndex.of(TEAMS, CLASSES)
    assert index.split.tolist() == [0, 0, 0, 1, 2, 2, 2, 2]
    # Two classes have one machine, for the second of them.
    assert index.positive.tolist() == [0, 1, 3, 2, 0, 1, 2, 3]
    assert index.negative.tolist() == [0, 1, 0]
    assert index.first.tolist() == [0, 3, 4]
    assert index.last.tolist() == [3, 4, 8]


def test_a_label_counts_in_the_splits_that_have_learned_it():
    index = MachineIndex.of(TEAMS, CLASSES)
    np.testing.assert_allclose(index.label_scale(5), [1 / 2, 1 / 3, 1 / 2, 1 / 2, 0.0])


def test_shares_are_means_over_all_splits():
    index = MachineIndex.of(TEAMS, CLASSES)
    sensitivities = np.random.default_rng(0).random((8, 3))
    sensitivities[5] = 0.0
    shares = sensitivity_shares(sensitivities)
    expected = np.zeros((4, 3))
    for row, label in enumerate([0, 1, 3, 2, 0, 1, 2, 3]):
        expected[label] += shares[row] / 3
    expected[1] += shares[3] / 3
    found = index.mean_shares(sensitivities)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    # With the scale that makes up for splits that lack a class, every class shares out one whole.
    np.testing.assert_allclose(found.sum(axis=1) * 3 * index.label_scale(4), 1.0)


def test_dual_variables_are_stacked_and_split():
    parts = [np.random.default_rng(q).random((t.n_machines, t.X.shape[0])) for q, t in enumerate(TEAMS)]
    beta = stacked_beta(parts)
    assert beta.shape == (8, 4)
    assert beta[3, 3] == 0.0
    for part, again in zip(parts, split_beta(beta, TEAMS), strict=True):
        np.testing.assert_array_equal(part, again)
        assert not np.shares_memory(beta, again)
    for part, nothing in zip(parts, split_beta(None, TEAMS), strict=True):
        assert nothing.shape == part.shape
        assert not nothing.any()
