import json

import numpy as np
import pytest
from scipy import sparse

from infoprop.datasets import load_table
from infoprop.datasets._encoder import MOST_CATEGORIES, TableEncoder, encoder_of
from infoprop.exceptions import DataError
from infoprop.workflow._preparation import encoded, prepare


def test_nominal_columns_become_indicators_with_one_owner(write):
    path = write("a.csv", "colour,size,class\nred,1,x\ngreen,2,y\nred,3,x\nblue,4,y\n")
    problem = prepare(load_table(path))
    assert problem.owners == ("colour", "colour", "colour", "size")
    np.testing.assert_array_equal(problem.X, [[0, 0, 1, 1], [0, 1, 0, 2], [0, 0, 1, 3], [1, 0, 0, 4]])
    assert problem.n_features == 2
    assert problem.target == "class"
    assert problem.y.tolist() == ["x", "y", "x", "y"]


def test_missing_values_are_refused_by_name(mixed):
    table = load_table(mixed, "class")
    with pytest.raises(DataError, match=r"missing values in columns 'colour', 'size'; .*impute mean.*'drop'"):
        prepare(table)


def test_missing_text_is_a_category_and_missing_numbers_wait_for_the_pipeline(mixed):
    problem = prepare(load_table(mixed, "class", drop=["split"]), "mean")
    assert problem.owners == ("colour",) * 4 + ("size", "weight")
    np.testing.assert_array_equal(problem.X[9, :4], [1, 0, 0, 0])
    assert np.isnan(problem.X[7, 4])
    assert np.isnan(problem.X).sum() == 1


def test_empty_column_is_refused(write):
    path = write("a.csv", "void,size,class\n,1,x\n,2,y\n")
    with pytest.raises(DataError, match="no values at all in column 'void'"):
        prepare(load_table(path), "mean")


def test_running_text_is_refused_by_name(write):
    lines = [f"word number {number},{number % 2}" for number in range(MOST_CATEGORIES + 1)]
    path = write("a.csv", "text,class\n" + "\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"Column 'text' .* 201 distinct values.*drop 'text'"):
        prepare(load_table(path))


def test_split_column_sets_test_rows_apart(mixed):
    problem = prepare(load_table(mixed, "class", split="split"), "mean", split="split")
    np.testing.assert_array_equal(np.flatnonzero(problem.is_test), np.arange(60, 80))
    assert "split" not in problem.owners


def test_rows_of_other_parts_are_set_aside(write):
    path = write("a.csv", "x,split,class\n1,train,a\n2,TEST,b\n3,unused,b\n")
    problem = prepare(load_table(path, split="split"), split="split")
    assert problem.is_train.tolist() == [True, False, False]
    assert problem.is_test.tolist() == [False, True, False]
    assert problem.is_unused.tolist() == [False, False, True]


@pytest.mark.parametrize("parts", [("train", "train"), ("train", "other"), ("a", "b")])
def test_split_column_must_hold_train_and_test(write, parts):
    path = write("a.csv", f"x,split,class\n1,{parts[0]},a\n2,{parts[1]},b\n")
    with pytest.raises(DataError, match="must say 'train' of some rows and 'test' of others"):
        prepare(load_table(path, split="split"), split="split")


def test_sparse_data_stay_sparse(write):
    path = write("a.svm", "0 1:1 3:2\n1 2:5\n")
    problem = prepare(load_table(path))
    assert sparse.issparse(problem.X)
    assert problem.owners == ("x1", "x2", "x3")


def coded(write, content, text, min_df=2):
    """The encoder of a table with columns of running text, and the table."""
    table = load_table(write("training.csv", content), text=text)
    return table.encoder(min_df=min_df), table


MIXED = "colour,size,note,class\nred,1,good red wine,x\ngreen,2,good beer,y\n,3,red,x\nblue,,,y\n"


def test_encoder_takes_columns_in_any_order(write):
    encoder, table = coded(write, MIXED, ["note"], min_df=1)
    assert encoder.parts["kinds"] == {"colour": "nominal", "size": "numeric", "note": "text"}
    assert encoder.groups == ["colour"] * 4 + ["size", "beer", "good", "red", "wine"]
    names = ["colour=(missing)", "colour=blue", "colour=green", "colour=red", "size"]
    assert encoder.get_feature_names_out().tolist()[:5] == names
    first = encoded(encoder, table, "mean")
    assert sparse.issparse(first)
    np.testing.assert_array_equal(first.toarray()[0], [0, 0, 0, 1, 1, 0, 1, 1, 1])
    path = write("later.csv", "class,note,size,colour\nx,Red Red cider,7,violet\ny,,8,\n")
    later = encoded(encoder, load_table(path, text=["note"]), "mean").toarray()
    # Neither the unknown colour nor the unknown word has a column; a missing colour is a colour.
    np.testing.assert_array_equal(later, [[0, 0, 0, 0, 7, 0, 0, 2, 0], [1, 0, 0, 0, 8, 0, 0, 0, 0]])


def test_encoder_is_made_again_out_of_plain_parts(write):
    encoder, table = coded(write, MIXED, ["note"])
    again = TableEncoder.from_parts(**json.loads(json.dumps(encoder.parts)))
    assert again.parts == encoder.parts
    np.testing.assert_array_equal(
        encoded(again, table, "mean").toarray(), encoded(encoder, table, "mean").toarray()
    )


def test_words_of_several_columns_or_named_like_a_column_tell_where_they_stand(write):
    text = "title,body,class\nred wine,red cup,x\nred beer,red beer,y\n"
    encoder, _ = coded(write, text, ["title", "body"])
    assert encoder.groups == ["title:red", "body:red"]
    encoder, _ = coded(write, "note,class\nnote of wine,x\nnote of beer,y\n", ["note"])
    assert encoder.groups == ["note", "of"]
    encoder, _ = coded(write, "red,note,class\n1,red wine,x\n2,red wine,y\n", ["note"])
    assert encoder.groups == ["red", "note:red", "note:wine"]
    with pytest.raises(DataError, match="has a column 'note:red', which is also how a word of 'note'"):
        coded(write, "red,note:red,note,class\n1,1,red wine,x\n2,1,red wine,y\n", ["note"])


def test_words_of_too_few_rows_are_left_out_and_none_left_is_refused(write):
    text = "note,class\nred wine,x\nred beer,y\n"
    assert coded(write, text, ["note"])[0].groups == ["red"]
    with pytest.raises(DataError, match=r"No word occurs in 2 or more rows of column 'note'.*'min_df'"):
        coded(write, "note,class\nwine,x\nbeer,y\n", ["note"])
    with pytest.raises(DataError, match="No word occurs"):
        coded(write, "note,class\na,x\n,y\n", ["note"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("size,class\n1,x\n2,y\n", "lacks column 'colour', which the model .*; add what is missing"),
        ("size,colour,age,class\n1,red,3,x\n2,red,4,y\n", "has column 'age', which .*'ignore_extra'"),
        ("size,colour,class\n1,3,x\n2,4,y\n", "Column 'colour' .* is numeric, but .* a nominal column"),
        ("size,colour,class\n,red,x\n2,red,y\n", "missing values in column 'size'"),
    ],
)
def test_changed_columns_are_refused_by_name(write, text, told):
    table = load_table(write("training.csv", "size,colour,class\n1,red,x\n2,green,y\n"))
    encoder = table.encoder()
    with pytest.raises(DataError, match=told):
        encoded(encoder, load_table(write("later.csv", text)), None)


def test_extra_columns_can_be_passed_over_with_what_is_missing_in_them(write):
    encoder = load_table(write("training.csv", "size,class\n1,x\n2,y\n")).encoder()
    later = load_table(write("later.csv", "age,size,class\n,5,x\n4,6,y\n"))
    np.testing.assert_array_equal(encoded(encoder, later, None, ignore_extra=True), [[5], [6]])


def test_sparse_columns_are_matched_by_name_and_absent_indices_are_zero(write):
    first = load_table(write("training.svm", "0 1:1 3:2\n1 2:5\n"))
    encoder = encoder_of(first, first.feature_names, 2)
    later = encoded(encoder, load_table(write("later.svm", "0 1:4\n1 1:3 2:6\n")), None)
    np.testing.assert_array_equal(later.toarray(), [[4, 0, 0], [3, 6, 0]])
    table = load_table(write("later.csv", "x3,x1,x2,class\n7,8,9,0\n1,2,3,1\n"))
    np.testing.assert_array_equal(encoded(encoder, table, None).toarray(), [[8, 9, 7], [2, 3, 1]])
    dense = encoded(table.encoder(), load_table(write("last.svm", "0 2:6\n1 3:1\n")), None)
    np.testing.assert_array_equal(dense, [[0, 0, 6], [1, 0, 0]])
