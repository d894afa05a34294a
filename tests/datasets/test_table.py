import dataclasses

import numpy as np
import pytest

from infoprop.datasets import load_table


def test_a_dense_table_says_what_its_columns_are(write) -> None:
    table = load_table(write("t.csv", "age,colour,size,class\n3,red,1.5,a\n4,,2.5,b\n5,red,,a\n"))
    assert table.columns == {"age": "numeric", "colour": "nominal", "size": "numeric"}
    assert table.feature_names == ("age", "colour", "size")
    assert table.numeric == ("age", "size")
    assert table.nominal == ("colour",)
    assert table.missing == {"colour": 1, "size": 1}
    assert table.cardinality == {"colour": 1}
    assert (table.n_rows, table.n_features, table.is_sparse) == (3, 3, False)
    assert table.X is None
    assert table.frame.columns == ["age", "colour", "size"]
    assert table.split is None
    assert table.format == "csv"
    assert table.target == "class"


def test_a_sparse_table_has_a_matrix_and_no_frame(write) -> None:
    table = load_table(write("t.svm", "1 1:2\n2 3:4\n"))
    assert table.frame is None
    assert table.is_sparse
    assert table.X.format == "csr"
    assert table.X.dtype == np.float64
    assert table.numeric == ("x1", "x3")
    assert table.nominal == ()


def test_the_representation_is_one_line(write) -> None:
    path = write("t.csv", "a,b,class\n1,x,u\n2,y,v\n")
    table = load_table(path)
    expected = "2 rows, 1 numeric and 1 nominal features, target 'class' with 2 labels)"
    assert repr(table) == f"Table({str(path)!r}: {expected}"


def test_a_table_is_frozen(write) -> None:
    table = load_table(write("t.csv", "a,class\n1,u\n"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.target = "a"


def test_running_text_is_a_kind_of_its_own(write) -> None:
    table = load_table(write("t.csv", "note,code,class\ngood wine,1,a\n,2,b\n"), text=["note", "code"])
    assert table.columns == {"note": "text", "code": "text"}
    assert table.text == ("note", "code")
    assert table.frame["note"].to_list() == ["good wine", ""]
    assert table.missing == table.cardinality == {}
    assert "0 nominal features, 2 of running text, target" in repr(table)
