"""Rows that belong together are on one side of every split, in Python as in the shell."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop._core._row_folds import inner_folds, row_group_parameters
from infoprop.credit import cross_val_credits
from infoprop.datasets import load_table
from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import BackwardEliminationSelector, CreditSelector, RowFolds, compare_selectors
from infoprop.selection.running._routing import route_fit
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier, _probabilities, _shaped
from infoprop.workflow import analyse, compare_table, shape_table

N = 120


@pytest.fixture
def rows():
    """Forty subjects with three rows each: their number, a signal, noise."""
    random = np.random.default_rng(0)
    subjects = np.repeat(np.arange(40), 3)
    y = random.integers(0, 2, N)
    X = np.column_stack([subjects, y + random.normal(0.0, 0.7, N), random.standard_normal((N, 2))])
    return X, y, subjects


@pytest.fixture
def frame(rows):
    X, y, subjects = rows
    frame = pd.DataFrame(X, columns=["number", "signal", "noise", "more"])
    return frame.assign(subject=[f"s{subject}" for subject in subjects], kind=np.array(["a", "b"])[y])


def test_a_part_held_out_has_whole_subjects(rows):
    X, y, subjects = rows
    judged = analyse(X, y, row_groups=subjects, repeat_choice=True).judged
    held = np.isin(subjects, subjects[judged.rows])
    np.testing.assert_array_equal(np.flatnonzero(held), judged.rows)
    assert 20 < len(judged.rows) < 40


def test_splits_of_every_kind_of_analysis_are_the_same_for_a_column_as_for_labels(rows, frame):
    named = analyse(frame, "kind", row_groups="subject", validation=4, n_null=0)
    assert "subject" not in named.credits.feature_names
    labels = frame["subject"]
    apart = analyse(frame.drop(columns=["subject"]), "kind", row_groups=labels, validation=4, n_null=0)
    assert (named.judgement.counts == apart.judgement.counts).all()
    plain = analyse(frame.drop(columns=["subject"]), "kind", validation=4, n_null=0)
    assert (plain.judgement.counts != apart.judgement.counts).any()


@pytest.mark.parametrize("method", ["backward", "forward", "stability"])
def test_searches_keep_subjects_together(rows, method):
    X, y, subjects = rows
    size = None if method == "forward" else 2
    how = {"n_features_to_select": size, "validation": 3, "n_null": 0}
    found = analyse(X, y, method=method, row_groups=subjects, **how)
    assert "x1" in found.chosen


def test_nested_validation_and_comparisons_know_the_subjects(rows):
    X, y, subjects = rows
    found = analyse(X, y, method="credit", n_features_to_select=1, row_groups=subjects, nested=4, n_null=0)
    expected = compare_selectors(
        {"credit": found.task.told_of(found.problem).set_params(groups=None, validation=0.25)},
        X,
        y,
        estimator=found.task.estimator,
        sizes=None,
        validation=4,
        groups=[f"x{k}" for k in range(4)],
        row_groups=subjects,
        random_state=0,
    )
    assert found.nested[0].accuracy == expected[0].accuracy
    compared = compare_table(X, y, methods=["anova-f"], sizes=[1], row_groups=subjects, inner_validation=3)
    assert len(compared.comparison) == 1


def test_pairs_and_shaped_machines_take_row_groups(rows):
    X, y, subjects = rows
    kinds = y + 2 * (X[:, 2] > 0.5)
    pairs = PairwiseClassifier(validation=3, random_state=0).fit(X, kinds, groups=subjects)
    other = PairwiseClassifier(validation=3, random_state=0).fit(X, kinds)
    assert pairs.validated_accuracy_ != other.validated_accuracy_
    shaped = ShapedLinearClassifier(random_state=0).fit(X, y, groups=subjects)
    assert (
        shaped.validated_accuracy_ != ShapedLinearClassifier(random_state=0).fit(X, y).validated_accuracy_
    ).any()
    found = shape_table(X, y, row_groups=subjects)
    assert not set(subjects[found.is_test]) & set(subjects[~found.is_test])


def test_credits_of_all_rows_take_row_groups(rows):
    X, y, subjects = rows
    folds = list(RowFolds(5).split(X, y, subjects))
    ours = cross_val_credits(OneVsRestSVC(), X, y, row_groups=subjects)
    given = cross_val_credits(OneVsRestSVC(), X, y, validation=folds)
    np.testing.assert_array_equal(ours.values, given.values)


def test_selectors_split_numbers_of_folds_by_row_groups(rows):
    X, y, subjects = rows
    folds = BackwardEliminationSelector(OneVsRestSVC(), n_features_to_select=1, validation=4, random_state=0)
    assert folds.fit(X, y, groups=subjects).support_.tolist() == [False, True, False, False]
    with pytest.raises(DataError, match="or rows of two row groups"):
        folds.fit(X, y, groups=np.zeros(N))


def test_row_groups_that_are_not_there_are_refused(rows, frame):
    X, y, subjects = rows
    with pytest.raises(ParameterError, match=r"row_groups must have a label for each of the 120 rows"):
        analyse(X, y, row_groups=subjects[:5])
    with pytest.raises(ParameterError, match="row_groups names 'donor', and a data frame has no such column"):
        analyse(frame, "kind", row_groups="donor")
    frame.loc[3, "subject"] = None
    with pytest.raises(DataError, match="'subject' of a data frame is empty in row 4; every row must belong"):
        analyse(frame, "kind", row_groups="subject")


def test_tables_are_read_with_row_groups(frame, tmp_path):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    table = load_table(path, "kind", row_groups="subject")
    assert "subject" not in table.columns
    assert table.row_groups.tolist() == frame["subject"].tolist()
    read = analyse(table, validation=4, n_null=0)
    assert (
        read.judgement.counts
        == analyse(frame, "kind", row_groups="subject", validation=4, n_null=0).judgement.counts
    ).all()
    assert "row_groups='subject'" in read.code.replace('"', "'")
    with pytest.raises(ParameterError, match=r"cannot be both .*identifier"):
        load_table(path, "kind", row_groups="subject", identifier="subject")


def test_features_named_together_are_one(frame):
    groups = {"chance": ["noise", "more"]}
    data = frame.drop(columns=["subject"])
    found = analyse(data, "kind", groups=groups, n_null=0)
    assert found.credits.feature_names == ("number", "signal", "chance")
    chosen = analyse(data, "kind", groups=groups, method="backward", n_features_to_select=1, n_null=0)
    assert chosen.chosen == ("signal",)
    for wrong, told in (
        ({"chance": ["absent"]}, "groups names 'absent', and there is no such feature"),
        ({"a": ["noise"], "b": ["noise"]}, "groups has 'noise' in two groups"),
        ({"signal": ["noise", "more"]}, "a group 'signal', which is also a feature"),
        (["noise"], "groups must map names of groups to features"),
    ):
        with pytest.raises(ParameterError, match=told):
            analyse(data, "kind", groups=wrong)


@pytest.fixture
def inner_groups(monkeypatch):
    """Row groups by which inner folds were dealt, one entry for each time."""
    seen = []

    def spied(X, classes, n_folds, seed, row_groups=None):
        folds = inner_folds(X, classes, n_folds, seed, row_groups)
        seen.append(row_groups)
        for train, test in folds:
            assert row_groups is None or not set(row_groups[train]) & set(row_groups[test])
        return folds

    for module in (_probabilities, _shaped):
        monkeypatch.setattr(module, "inner_folds", spied)
    return seen


SHAPED = ShapedLinearClassifier(Cs=(0.1, 1.0), validation=3, random_state=0)
CALIBRATED = OneVsRestSVC(kernel="linear", calibration="validation")


@pytest.mark.parametrize("classifier", [SHAPED, CALIBRATED, make_pipeline(StandardScaler(), CALIBRATED)])
@pytest.mark.parametrize(
    "fit",
    [
        lambda model, X, y, groups: CreditSelector(model, n_features_to_select=2, validation=3).fit(
            X, y, groups=groups
        ),
        lambda model, X, y, groups: PairwiseClassifier(
            model, selector=CreditSelector(model, n_features_to_select=2), validation=3
        ).fit(X, y, groups=groups),
        lambda model, X, y, groups: cross_val_credits(model, X, y, validation=3, row_groups=groups),
        lambda model, X, y, groups: compare_selectors(
            {"credit": CreditSelector(model)},
            X,
            y,
            estimator=model,
            sizes=[2],
            validation=3,
            row_groups=groups,
        ),
        lambda model, X, y, groups: analyse(X, y, classifier=model, row_groups=groups, n_null=0),
        lambda model, X, y, groups: analyse(
            X, y, method="forward", classifier=model, row_groups=groups, validation=3, n_null=0
        ),
    ],
    ids=["selector", "pairs", "credits", "comparison", "analysis", "search"],
)
def test_folds_inside_a_classifier_keep_subjects_together(rows, classifier, fit, inner_groups):
    X, y, subjects = rows
    fit(classifier, X, y, np.array([f"s{number}" for number in subjects]))
    assert inner_groups
    assert all(groups is not None for groups in inner_groups)


def test_machines_without_calibration_are_updated_as_before(rows):
    subjects = rows[2]
    routed = route_fit(CreditSelector(), OneVsRestSVC(), None, {"groups": subjects})
    assert (routed.estimator, list(routed.splitter)) == ({}, ["groups"])


def test_calibration_without_folds_takes_the_rows_trained_on(rows):
    X, y, _ = rows
    one = CALIBRATED.fit(X, y, groups=y).sigmoids_
    told = clone(CALIBRATED).set_params(calibration="train").fit(X, y).sigmoids_
    assert one == told


def test_metadata_routing_leaves_row_groups_to_splitters_unless_machines_ask(rows, inner_groups):
    X, y, subjects = rows
    with config_context(enable_metadata_routing=True):
        asking = clone(CALIBRATED).set_fit_request(groups=True)
        for model in (clone(CALIBRATED), asking):
            CreditSelector(model, validation=GroupKFold(3)).fit(X, y, groups=subjects)
            assert all((groups is not None) == (model is asking) for groups in inner_groups)
            inner_groups.clear()


def test_a_sparse_table_that_was_read_takes_row_groups(rows, tmp_path):
    X, y, subjects = rows
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    table = load_table(path, "class")
    assert table.is_sparse
    name = table.feature_names[0]
    for groups in (subjects, name):
        found = analyse(table, row_groups=groups, n_null=0, validation=3)
        assert np.array_equal(found.problem.row_groups, subjects)
        assert (name in found.credits.feature_names) == (groups is not name)
    with pytest.raises(ParameterError, match=r"load_table\(row_groups="):
        analyse(table, row_groups="donor")


def test_with_metadata_routing_a_step_that_calibrates_asks_for_row_groups_or_is_refused(rows, inner_groups):
    X, y, subjects = rows
    machines = OneVsRestSVC(kernel="linear", calibration="validation")
    with config_context(enable_metadata_routing=True):
        silent = make_pipeline(StandardScaler(), machines)
        with pytest.raises(UnsupportedEstimatorError, match=r"'onevsrestsvc' deals rows .*groups=True"):
            row_group_parameters(silent, subjects)
        asking = make_pipeline(StandardScaler(), clone(machines).set_fit_request(groups=True))
        told = row_group_parameters(asking, subjects)
        asking.fit(X, y, **told)
        assert row_group_parameters(make_pipeline(StandardScaler(), OneVsRestSVC()), subjects) == {}
    assert told == {"groups": subjects}
    assert inner_groups
