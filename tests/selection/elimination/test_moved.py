"""Elimination with moved machines, against the same elimination with machines trained anew in every step."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, scale

from infoprop.selection.elimination._moved import MovingElimination, elimination_for
from infoprop.svm import OneVsRestSVC
from infoprop.svm.subset import _kernel_hinge
from reference.eliminations import CRITERIA, Schedule, StepBatch, StepwiseElimination
from reference.engine import STORES, GramMachines, KernelMachines, NewtonMachines, RowMachines
from reference.evaluators import RefitSubsetModel, choose_columns, evaluator_over

X, Y = load_wine(return_X_y=True)
X = scale(X)
ROWS = np.arange(178)
SQUARED = OneVsRestSVC(kernel="linear", loss="squared_hinge")
KERNELS = {
    "rbf": OneVsRestSVC(kernel="rbf", tol=1e-10),
    "poly": OneVsRestSVC(kernel="poly", degree=2, coef0=1.0, tol=1e-10),
    "mixed": OneVsRestSVC(kernel={0: "rbf", 1: "linear", 2: "anova"}, normalize_margin=False, tol=1e-10),
}
GROUPS = [[0, 5], [1], [2, 3, 12], [4], [6], [7], [8, 9], [10], [11]]


def folds(y, n_folds=3):
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def tall():
    """Many rows, two classes."""
    rows, y = load_breast_cancer(return_X_y=True)
    return scale(rows)[:300, ::2].copy(), y[:300]


def wide(n_columns=620, n_rows=48):
    """More columns than are followed at a time, three classes."""
    rng = np.random.default_rng(3)
    rows, y = rng.normal(size=(n_rows, n_columns)), np.arange(n_rows) % 3
    rows[:, :20] += 0.7 * y[:, None]
    return rows, y


def words():
    """Sparse rows, three classes; every word is in many rows."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 120)
    often = 0.15 + 0.5 * (rng.random((3, 25)) < 0.3)
    return sparse.csr_array((rng.random((120, 25)) < often[y]) * rng.uniform(0.5, 1.5, (120, 25))), y


def pieces(
    rows=X,
    y=Y,
    *,
    splits=None,
    given=None,
    estimator=None,
    groups=None,
    keep=None,
    n_target=1,
    step=1,
    weights=None,
    n_jobs=None,
):
    splits = folds(y) if splits is None else splits
    names = tuple(f"x{k}" for k in range(rows.shape[1]))
    # Both optima have to be exact for the same choice among features that differ little.
    estimator = OneVsRestSVC(kernel="linear", tol=1e-10) if estimator is None else estimator
    evaluator = evaluator_over(splits, estimator, rows, y, weights=weights, given=given, n_jobs=n_jobs)
    choice = choose_columns(groups, keep, n_target, None, names)
    return evaluator, choice, Schedule.from_step(step, choice.groups.n_groups, n_target)


def moved(criterion="information", **parameters):
    elimination = elimination_for(*pieces(**parameters), criterion)
    assert isinstance(elimination, MovingElimination)
    return elimination


def both(criterion="information", **parameters):
    """All steps with moved machines, and with machines trained anew."""
    evaluator, choice, schedule = pieces(**parameters)
    anew = StepwiseElimination(RefitSubsetModel(evaluator), evaluator, choice, schedule, criterion)
    return elimination_for(evaluator, choice, schedule, criterion).advance(10**6), anew.advance(10**6)


def assert_same(found, expected, *, counts=True, atol=1e-8):
    assert found.dropped.tolist() == expected.dropped.tolist()
    assert found.starts.tolist() == expected.starts.tolist()
    assert found.n_columns.tolist() == expected.n_columns.tolist()
    if counts:
        np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.credits, expected.credits, rtol=0.0, atol=atol)
    np.testing.assert_allclose(found.shares, expected.shares, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    ("rows", "machines"),
    [
        ((X, Y), GramMachines),
        (tall(), RowMachines),
        (words(), RowMachines),
        ((words()[0].toarray(), words()[1]), GramMachines),
    ],
    ids=["few rows", "many rows", "sparse rows", "the same, dense"],
)
@pytest.mark.parametrize("n_folds", [1, 3])
def test_steps_are_those_of_machines_trained_anew(rows, machines, criterion, n_folds):
    parameters = {"rows": rows[0], "y": rows[1], "splits": folds(rows[1])[:n_folds]}
    assert isinstance(moved(**parameters)._machines, machines)
    found, expected = both(criterion, **parameters)
    assert_same(found, expected)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    "rows", [(X, Y), tall(), words()], ids=["many columns", "two classes", "sparse rows"]
)
@pytest.mark.parametrize("step", [1, 4])
def test_steps_with_the_squared_hinge_are_those_of_machines_trained_anew(rows, criterion, step):
    parameters = {"rows": rows[0], "y": rows[1], "estimator": SQUARED, "step": step}
    assert_same(*both(criterion, **parameters))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("step", [1, 4])
def test_steps_with_kernels_are_those_of_machines_trained_anew(kernel, criterion, step):
    parameters = {"estimator": KERNELS[kernel], "step": step}
    assert isinstance(moved(**parameters)._machines, KernelMachines)
    assert_same(*both(criterion, **parameters))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    "parameters", [{}, {"groups": GROUPS, "keep": [3], "step": 2, "n_target": 2}], ids=str
)
def test_rough_sensitivities_choose_as_exact_ones_do(monkeypatch, parameters, criterion):
    monkeypatch.setattr(_kernel_hinge, "_MANY_VECTORS", 1)
    monkeypatch.setattr(_kernel_hinge, "_MANY_COLUMNS", 1)
    found, expected = both(criterion, estimator=KERNELS["rbf"], **parameters)
    # What all columns together are worth is rough, too.
    assert_same(found, expected, atol=1e-6)


def test_copies_of_a_column_go_from_the_right_though_sensitivities_are_rough(monkeypatch):
    monkeypatch.setattr(_kernel_hinge, "_MANY_VECTORS", 1)
    monkeypatch.setattr(_kernel_hinge, "_MANY_COLUMNS", 1)
    rows = np.column_stack([X[:, :3], *[X[:, 3:4]] * 4])
    found, expected = both("margin", rows=rows, estimator=KERNELS["rbf"])
    assert_same(found, expected, atol=1e-6)


@pytest.mark.parametrize("step", [1, 7])
def test_more_columns_than_are_followed_at_a_time(step):
    rows, y = wide()
    parameters = {"rows": rows, "y": y, "splits": folds(y)[:1], "n_target": 606}
    assert_same(*both(step=step, **parameters))


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:, 30:].fill(0.0),
        lambda rows: np.copyto(rows[:, 30:], rows[:, 30:31]),
        lambda rows: rows[:, :30].fill(0.0),
    ],
    ids=["constants", "copies", "noise"],
)
def test_many_columns_of_the_same_worth_go_from_the_right(change):
    rows, y = wide()
    change(rows)
    splits = folds(y)[:1]
    assert_same(*both(rows=rows, y=y, splits=splits, n_target=612))


def test_columns_of_the_same_worth_go_by_the_number_of_their_group():
    rows, y = wide(n_columns=560)
    rows[:, 30:] = 0.0
    order = np.random.default_rng(0).permutation(560)
    found, expected = both(
        rows=rows, y=y, splits=folds(y)[:1], groups=[[int(k)] for k in order], n_target=554
    )
    assert_same(found, expected)


def test_more_columns_kept_than_are_followed_at_a_time():
    rows, y = wide()
    keep = list(range(20, 620))
    found, expected = both(rows=rows, y=y, splits=folds(y)[:1], keep=keep, n_target=612)
    assert_same(found, expected)
    assert found.dropped.max() < 20


@pytest.mark.parametrize("step", [1, 2, 5, 0.3, 0.6, "halving"])
@pytest.mark.parametrize("rows", [(X, Y), words()], ids=["dense", "sparse"])
def test_any_schedule_drops_the_same(step, rows):
    found, expected = both(rows=rows[0], y=rows[1], step=step, n_target=2, splits=folds(rows[1])[:1])
    assert_same(found, expected)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("estimator", [None, make_pipeline(RobustScaler(), MinMaxScaler())])
def test_groups_weights_kept_columns_and_scalers(criterion, estimator):
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.2, 2.0, 178)
    parameters = {"groups": GROUPS, "keep": [3], "step": 2, "n_target": 2}
    if estimator is None:
        parameters["weights"] = weights
    else:
        parameters["estimator"] = make_pipeline(*estimator, OneVsRestSVC(kernel="linear", tol=1e-10))
    found, expected = both(criterion, **parameters)
    assert_same(found, expected)
    assert 2 not in found.dropped


def test_given_rows_are_counted():
    test = ROWS % 3 == 0
    given = X[test], Y[test]
    splits = [(np.arange((~test).sum()), None)]
    evaluator, choice, schedule = pieces(X[~test], Y[~test], splits=splits, given=given)
    found = elimination_for(evaluator, choice, schedule, "information")
    anew = StepwiseElimination(RefitSubsetModel(evaluator), evaluator, choice, schedule, "information")
    assert isinstance(found, MovingElimination)
    found, expected = found.advance(100), anew.advance(100)
    assert_same(found, expected)
    assert (found.counts.sum(axis=(1, 2)) == test.sum()).all()


@pytest.mark.parametrize("rows", [(X, Y), tall(), words()], ids=["few rows", "many rows", "sparse"])
def test_without_rows_to_count_margins_rank(rows):
    everyone = np.arange(len(rows[1]))
    found, expected = both("margin", rows=rows[0], y=rows[1], splits=[(everyone, everyone[:0])])
    assert_same(found, expected)
    assert not found.counts.any()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_splits_may_lack_a_class(criterion):
    lacking = [(ROWS[label != Y], ROWS[label == Y]) for label in (2, 0)]
    found, expected = both(criterion, splits=[*lacking, (ROWS[::2], ROWS[1::2])])
    assert_same(found, expected)


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize("rows", [X, X[:100], sparse.csr_array(X)], ids=["many", "few", "sparse"])
def test_where_nothing_is_delivered_margins_decide(rows, step):
    # All rows to be predicted are of one class, so there is nothing to know about them.
    y = Y[: rows.shape[0]]
    splits = [(np.arange(len(y)), np.flatnonzero(y == 0))]
    found, expected = both(rows=rows, y=y, splits=splits, step=step)
    assert_same(found, expected, counts=False)
    assert not found.credits.any()
    margin = moved("margin", rows=rows, y=y, splits=splits, step=step).advance(100)
    assert found.dropped.tolist() == margin.dropped.tolist()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_information_that_is_only_rounding_is_none(form):
    # What is predicted does not depend on the truth, but the information of this table is not exactly zero.
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    rows[:, 0] += 3.0 * y
    probes, truth = np.zeros((15, 6)), np.tile([0, 0, 1, 1, 1], 3)
    probes[:, 0] = np.repeat([-9.0, 9.0, 9.0], 5)
    parameters = {
        "splits": [(np.arange(40), None)],
        "given": (form(probes), truth),
        "n_target": 2,
    }
    found, margin = (moved(c, rows=form(rows), y=y, **parameters).advance(100) for c in CRITERIA)
    assert found.counts[0].tolist() == [[2, 4], [3, 6]]
    assert found.dropped.tolist() == margin.dropped.tolist() != [5, 4, 3, 2]
    np.testing.assert_allclose(found.credits, 0.0, atol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_machines_that_hear_nothing_share_evenly_among_columns_not_groups(form, criterion):
    rows = X.copy()
    rows[::2] = 0.0
    splits = [(ROWS[::2], ROWS[1::2]), (ROWS[1::4], ROWS[3::4])]
    groups = [[0], [1], [2], [3, 4, 5, 6, 7], [8, 9], [10], [11], [12]]
    assert_same(*both(criterion, rows=form(rows), splits=splits, groups=groups))
    assert_same(*both(criterion, rows=form(rows), splits=splits))


def test_a_single_column_with_more_classes_than_it_can_tell_apart():
    rng = np.random.default_rng(697)
    for _ in range(20):
        y = np.arange(70) % 5
        weights = rng.uniform(0.1, 3.0, 70)
        rows = sparse.csr_array(rng.normal(size=(70, 1)))
        found = moved("margin", rows=rows, y=y, weights=weights, splits=folds(y, 2)).advance(10)
        assert found.n_columns.tolist() == [1]


def test_noise_goes_as_it_goes_with_machines_trained_anew():
    y = np.random.default_rng(4).integers(0, 3, 178)
    found, expected = both(y=y, splits=folds(y))
    assert_same(found, expected)


@pytest.mark.parametrize("label", [str, lambda y: -2.5 * y], ids=["words", "negative numbers"])
def test_labels_are_only_names(label):
    named = np.array([label(y) for y in Y.tolist()])
    found, plain = (moved(y=y, splits=folds(Y)).advance(100) for y in (named, Y))
    order = np.argsort(np.unique(named).searchsorted([label(y) for y in range(3)]))
    np.testing.assert_array_equal(found.counts, plain.counts[:, order][:, :, order])
    assert found.dropped.tolist() == plain.dropped.tolist()


CASES = {
    "few rows": {},
    "groups": {"groups": GROUPS, "keep": [3]},
    "many rows": {"rows": tall()[0], "y": tall()[1], "splits": folds(tall()[1])[:1]},
    "sparse rows": {"rows": words()[0], "y": words()[1]},
    "squared hinge": {"estimator": SQUARED},
    "rbf": {"estimator": OneVsRestSVC(kernel="rbf")},
}


@pytest.fixture
def short_batches(monkeypatch):
    """Snapshots after every third step."""
    for machines in STORES.values():
        monkeypatch.setattr(machines, "steps_between_rebuilds", 3)


def walk(elimination, n_batches=100):
    """Advance batch by batch: batches, and the snapshot after each."""
    batches, snapshots = [], []
    while len(batches) < n_batches and (batch := elimination.advance(elimination.steps_between_snapshots)):
        batches.append(batch)
        snapshots.append({name: array.copy() for name, array in elimination.snapshot().items()})
    return batches, snapshots


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("case", CASES)
def test_from_every_snapshot_it_goes_on_bit_by_bit(short_batches, case, criterion):
    batches, snapshots = walk(moved(criterion, **CASES[case]))
    assert len(batches) >= 3
    for done in range(1, len(batches) + 1):
        again = moved(criterion, **CASES[case])
        again.restore(StepBatch.joined(batches[:done]), snapshots[done - 1])
        rest, later = walk(again)
        assert rest == batches[done:]
        for one, other in zip(later, snapshots[done:], strict=True):
            np.testing.assert_array_equal(one["beta"], other["beta"])


@pytest.mark.parametrize("case", CASES)
def test_one_that_was_interrupted_goes_on_where_it_is_put(short_batches, case, monkeypatch):
    elimination = moved(**CASES[case])
    batches, snapshots = walk(elimination, 1)
    with monkeypatch.context() as context:
        interrupt_inside(context, type(elimination._machines))
        with pytest.raises(KeyboardInterrupt):
            elimination.advance(3)
    elimination.restore(batches[0], snapshots[0])
    rest, _ = walk(elimination)
    assert StepBatch.joined(batches + rest) == StepBatch.joined(walk(moved(**CASES[case]))[0])


def interrupt_inside(context, machines):
    """Somebody presses Ctrl-C while machines are moved."""
    method = {
        GramMachines: "_transposed",
        RowMachines: "_drop_one",
        NewtonMachines: "_drop_from",
        KernelMachines: "_solve",
    }[machines]
    plain, count = getattr(machines, method), [0]

    def interrupted(*arguments):
        answer = plain(*arguments)
        count[0] += 1
        if machines is GramMachines or count[0] == 2:
            raise KeyboardInterrupt
        return answer

    context.setattr(machines, method, interrupted)


@pytest.mark.parametrize("case", ["many rows", "sparse rows", "squared hinge"])
def test_machines_that_keep_weights_do_not_care_how_many_steps_go_together(case):
    whole = moved(**CASES[case]).advance(100)
    elimination, parts = moved(**CASES[case]), []
    for n_steps in (1, 4, 2, 1, 100):
        parts.append(elimination.advance(n_steps))
    assert StepBatch.joined(parts) == whole


def test_few_rows_go_in_pieces_that_depend_on_sizes_alone():
    assert moved().steps_at_a_time == 512
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(300, 1500)), np.arange(300) % 10
    crowd = moved(rows=rows, y=y, splits=folds(y, 5))
    assert isinstance(crowd._machines, GramMachines)
    assert 1 <= crowd.steps_at_a_time < 64
    assert moved(rows=rows[:, ::-1], y=y, splits=folds(y, 5)).steps_at_a_time == crowd.steps_at_a_time


@pytest.mark.parametrize("case", CASES)
def test_any_number_of_threads_gives_the_same_bits(case):
    assert moved(**CASES[case]).advance(100) == moved(**CASES[case], n_jobs=2).advance(100)


def test_machines_that_cannot_be_moved_step_by_step_are_eliminated_all_the_same():
    estimator = OneVsRestSVC(kernel="rbf", tol=1e-10, cache_size=1e-3)
    evaluator, choice, schedule = pieces(estimator=estimator, n_target=9)
    elimination = elimination_for(evaluator, choice, schedule, "information")
    assert isinstance(elimination, StepwiseElimination)
    anew = StepwiseElimination(RefitSubsetModel(evaluator), evaluator, choice, schedule, "information")
    found, expected = elimination.advance(100), anew.advance(100)
    assert found.dropped.tolist() == expected.dropped.tolist()
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.credits, expected.credits, atol=1e-7)
