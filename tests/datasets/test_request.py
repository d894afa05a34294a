import numpy as np
import pytest

from infoprop.datasets import load_table
from infoprop.exceptions import DataError, ParameterError

TEXT = "width,height,class,colour\n1,2,a,red\n3,4,b,blue\n"


def test_target_defaults_to_class_else_to_the_last_column(write) -> None:
    assert load_table(write("t.csv", TEXT)).target == "class"
    other = write("u.csv", TEXT.replace("class", "kind"))
    assert load_table(other).target == "colour"
    assert load_table(other, drop=["colour"]).target == "kind"
    assert load_table(other, split="colour").target == "kind"


@pytest.mark.parametrize(
    ("target", "name"),
    [("width", "width"), (0, "width"), (1, "height"), (-1, "colour"), (np.int64(2), "class")],
)
def test_target_is_a_name_or_a_number(write, target: str | int, name: str) -> None:
    table = load_table(write("t.csv", TEXT), target)
    assert table.target == name
    assert name not in table.columns
    assert len(table.columns) == 3


def test_a_number_in_quotes_is_a_name(write) -> None:
    assert load_table(write("t.csv", "0,1,2\n5,6,7\n"), "0").y.tolist() == [5]


@pytest.mark.parametrize("role", ["target", "split", "nominal", "drop"])
def test_no_such_column_names_the_nearest(write, role: str) -> None:
    wanted = "heigt" if role in ("target", "split") else ["heigt"]
    message = rf"no column 'heigt' \(asked for as {role}\); did you mean 'height'\?"
    with pytest.raises(ParameterError, match=message):
        load_table(write("t.csv", TEXT), **{role: wanted})


def test_no_such_column_and_nothing_near_lists_the_columns(write) -> None:
    with pytest.raises(ParameterError, match=r"its columns are 'width', 'height', 'class', 'colour'\.$"):
        load_table(write("t.csv", TEXT), "zzzzzzzz")
    many = ",".join(f"a{k}" for k in range(9))
    with pytest.raises(ParameterError, match=r"'a5', \.\.\.\.$"):
        load_table(write("u.csv", f"{many}\n{many}\n"), "zzzzzzzz")


@pytest.mark.parametrize("number", [4, -5])
def test_no_such_column_number(write, number: int) -> None:
    with pytest.raises(ParameterError, match=f"has 4 columns, numbered from 0; there is no column {number}"):
        load_table(write("t.csv", TEXT), number)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target": 1.5}, "'target' parameter of load_table must be a column name, a column number or None"),
        ({"target": True}, "'target' parameter of load_table must be"),
        ({"split": 3}, "'split' parameter of load_table must be a column name or None"),
        ({"nominal": "width"}, "'nominal' parameter of load_table must be a list of column names"),
        ({"drop": [1]}, "'drop' parameter of load_table must be a list of column names"),
        ({"drop": 1}, "'drop' parameter of load_table must be a list of column names"),
        ({"target": "width", "drop": ["width"]}, "cannot be both target and drop"),
        ({"target": "width", "split": "width"}, "cannot be both target and split"),
        ({"target": "width", "nominal": ["width"]}, "cannot be both target and nominal"),
        ({"split": "width", "drop": ["width"]}, "cannot be both split and drop"),
        ({"text": "width"}, "'text' parameter of load_table must be a list of column names"),
        ({"target": "width", "text": ["width"]}, "cannot be both target and text"),
        ({"nominal": ["width"], "text": ["width"]}, "cannot be both nominal and text"),
    ],
)
def test_contradictory_or_wrong_parameters_are_refused(
    write, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        load_table(write("t.csv", TEXT), **parameters)


@pytest.mark.parametrize("names", [["width"], ("width",), {"width"}, np.array(["width"])])
def test_columns_are_dropped_whatever_holds_their_names(write, names: object) -> None:
    assert load_table(write("t.csv", TEXT), drop=names).feature_names == ("height", "colour")


def test_repeated_names_are_made_unique(write) -> None:
    table = load_table(write("t.csv", "a,b,a,a.2,a,class\n1,2,3,4,5,u\n"))
    assert table.feature_names == ("a", "b", "a.3", "a.2", "a.4")
    assert table.notes == ("more than one column is named 'a'; the second 'a' is called 'a.3'",)
    with pytest.raises(DataError, match="more than one column named 'class', which is to hold the labels"):
        load_table(write("t.csv", "a,class,class\n1,u,u\n"))


def test_absent_names_are_refused_unless_they_are_those_of_the_rows(write) -> None:
    with pytest.raises(DataError, match=r"Column 2 of .*t\.csv has no name"):
        load_table(write("t.csv", "a,,class\n1,2,u\n"))
    for text in (",b,class\nr1,2,u\nr2,3,v\n", "b,class\nr1,2,u\nr2,3,v\n"):  # pandas, R
        table = load_table(write("t.csv", text))
        assert table.feature_names == ("b",)
        assert table.identifier == "row names"
        assert table.identifiers.tolist() == ["r1", "r2"]


def test_an_identifier_is_carried_along(write) -> None:
    path = write("t.csv", "code,x,class\n007,1,u\n008,2,v\n")
    table = load_table(path, identifier="code")
    assert table.feature_names == ("x",)
    assert table.identifiers.tolist() == ["007", "008"]
    with pytest.raises(ParameterError, match="cannot be both identifier and numeric"):
        load_table(path, identifier="code", numeric=["code"])
    with pytest.raises(ParameterError, match=r"no column 'cod' \(asked for as identifier\)"):
        load_table(path, identifier="cod")


def test_features_can_be_taken_out_again(write) -> None:
    table = load_table(write("t.csv", "a,b,c,class\n1,,x,u\n2,3,y,v\n")).without(["b", "nothing"])
    assert table.feature_names == ("a", "c")
    assert table.left_out == ("b",)
    assert not table.missing
    with pytest.raises(DataError, match="no feature columns beside 'class' and those left out"):
        table.without(["a", "c"])


def test_a_table_needs_a_target_and_a_feature(write) -> None:
    with pytest.raises(DataError, match="has a single column, 'class'"):
        load_table(write("t.csv", "class\na\nb\n"))
    with pytest.raises(DataError, match="has no feature columns beside the target 'class'"):
        load_table(write("t.csv", "x,class\n1,a\n2,b\n"), drop=["x"])
    with pytest.raises(DataError, match="has no column left to be the target"):
        load_table(write("t.csv", "x,class\n1,a\n2,b\n"), split="class", drop=["x"])


def test_split_is_a_feature_unless_asked_for(write) -> None:
    path = write("t.csv", "x,class,split\n1,a,train\n2,b,test\n")
    assert load_table(path).feature_names == ("x", "split")
    table = load_table(path, split="split")
    assert table.feature_names == ("x",)
    assert table.split.tolist() == ["train", "test"]


def test_split_must_be_complete(write) -> None:
    path = write("t.csv", "x,class,split\n1,a,train\n2,b,\n")
    with pytest.raises(DataError, match=r"split column 'split' .* is missing in 1 rows"):
        load_table(path, split="split")


LIKE = {"length": "numeric", "colour": "nominal", "note": "text"}


def test_a_table_like_an_earlier_one_keeps_kinds_and_needs_no_target(write) -> None:
    text = "note,colour,length\ngood,1,2.5\n7,2,\n"
    table = load_table(write("t.csv", text), "kind", like=LIKE)
    assert table.columns == {"note": "text", "colour": "nominal", "length": "numeric"}
    assert (table.target, table.is_labelled, table.n_rows) == ("kind", False, 2)
    assert table.y.tolist() == [None, None]
    assert "with 0 labels" in repr(table)


def test_a_later_table_may_have_labels_or_an_empty_column_of_them(write) -> None:
    table = load_table(write("t.csv", "length,kind\n1,a\n2,b\n"), "kind", like=LIKE)
    assert table.is_labelled
    assert table.y.tolist() == ["a", "b"]
    assert table.feature_names == ("length",)
    assert not load_table(write("t.csv", "length,kind\n1,\n2,?\n"), "kind", like=LIKE).is_labelled
    with pytest.raises(DataError, match=r"target 'kind' .* is missing in 1 of 2 rows"):
        load_table(write("t.csv", "length,kind\n1,\n2,b\n"), "kind", like=LIKE)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.svm", "0 1:2\n1 2:3\n"),
        ("t.arff", "@relation t\n@attribute x real\n@attribute y real\n@data\n{0 1}\n{1 2}\n"),
        ("t.arff", "@relation t\n@attribute x real\n@attribute colour {a,b}\n@data\n{0 1}\n{1 b}\n"),
    ],
)
def test_sparse_tables_can_be_later_ones_too(write, name: str, content: str) -> None:
    table = load_table(write(name, content), "kind", like=LIKE)
    assert table.n_rows == 2
    assert table.n_features == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"like": LIKE}, "'target' parameter of load_table must be the name of a column if 'like' is given"),
        ({"target": 0, "like": LIKE}, "'target' parameter of load_table must be the name"),
        ({"target": "kind", "like": ["x"]}, "'like' parameter of load_table must be the columns of a table"),
        ({"target": "kind", "like": {"x": "odd"}}, "'like' parameter of load_table must be"),
    ],
)
def test_what_a_table_is_like_must_be_columns(write, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        load_table(write("t.csv", TEXT), **parameters)


def test_a_table_remembers_what_it_was_read_with(write) -> None:
    path = write("t.csv", TEXT)
    table = load_table(path, drop=np.array(["width"]), nominal=())
    assert set(table.arguments) == {"path", "drop"}
    assert table.arguments["drop"].tolist() == ["width"]
