from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop._core._exceptions import DataError
from infoprop.cli._options import DataOptions, ModelOptions
from infoprop.cli._preparation import MOST_CATEGORIES, classifier, prepare
from infoprop.datasets import load_table
from infoprop.svm import OneVsRestSVC


def options(impute=None):
    return DataOptions(Path("x"), None, None, (), (), impute, True)


def test_nominal_columns_become_indicators_with_one_owner(write):
    path = write("a.csv", "colour,size,class\nred,1,x\ngreen,2,y\nred,3,x\nblue,4,y\n")
    problem = prepare(load_table(path), options())
    assert problem.owners == ("colour", "colour", "colour", "size")
    np.testing.assert_array_equal(problem.X, [[0, 0, 1, 1], [0, 1, 0, 2], [0, 0, 1, 3], [1, 0, 0, 4]])
    assert problem.n_features == 2
    assert problem.target == "class"
    assert problem.y.tolist() == ["x", "y", "x", "y"]


def test_missing_values_are_refused_by_name(mixed):
    table = load_table(mixed, "class")
    with pytest.raises(
        DataError, match=r"missing values in columns 'colour', 'size'; .*--impute mean.*--drop"
    ):
        prepare(table, options())


def test_missing_text_is_a_category_and_missing_numbers_wait_for_the_pipeline(mixed):
    problem = prepare(load_table(mixed, "class", drop=["split"]), options("mean"))
    assert problem.owners == ("colour",) * 4 + ("size", "weight")
    np.testing.assert_array_equal(problem.X[9, :4], [1, 0, 0, 0])
    assert np.isnan(problem.X[7, 4])
    assert np.isnan(problem.X).sum() == 1


def test_empty_column_is_refused(write):
    path = write("a.csv", "void,size,class\n,1,x\n,2,y\n")
    with pytest.raises(DataError, match="no values at all in column 'void'"):
        prepare(load_table(path), options("mean"))


def test_running_text_is_refused_by_name(write):
    lines = [f"word number {number},{number % 2}" for number in range(MOST_CATEGORIES + 1)]
    path = write("a.csv", "text,class\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"Column 'text' .* 201 distinct values.*--drop 'text'"):
        prepare(load_table(path), options())


def test_split_column_sets_test_rows_apart(mixed):
    problem = prepare(load_table(mixed, "class", split="split"), options("mean"))
    np.testing.assert_array_equal(np.flatnonzero(problem.is_test), np.arange(60, 80))
    assert "split" not in problem.owners


@pytest.mark.parametrize("parts", [("train", "train"), ("train", "other"), ("a", "b")])
def test_split_column_must_hold_train_and_test(write, parts):
    path = write("a.csv", f"x,split,class\n1,{parts[0]},a\n2,{parts[1]},b\n")
    with pytest.raises(DataError, match="must say 'train' or 'test' in every row"):
        prepare(load_table(path, split="split"), options())


def test_sparse_data_stay_sparse(write):
    path = write("a.svm", "0 1:1 3:2\n1 2:5\n")
    problem = prepare(load_table(path), options())
    assert sparse.issparse(problem.X)
    assert problem.owners == ("x1", "x2", "x3")


def test_classifier_is_what_was_asked_for():
    model = ModelOptions(kernel="rbf", C=3.0, gamma=0.1)
    plain = classifier(model, impute=None, is_scaled=False, is_sparse=False)
    assert isinstance(plain, OneVsRestSVC)
    assert plain.get_params()["C"] == 3.0
    full = classifier(model, impute="median", is_scaled=True, is_sparse=False)
    assert [type(step) for _, step in full.steps] == [SimpleImputer, StandardScaler, OneVsRestSVC]
    assert full[0].strategy == "median"
    sparse_steps = classifier(model, impute=None, is_scaled=True, is_sparse=True).steps
    assert [type(step) for _, step in sparse_steps] == [MaxAbsScaler, OneVsRestSVC]
