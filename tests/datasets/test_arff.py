import numpy as np
import pytest

from infoprop.datasets import load_table
from infoprop.exceptions import DataError

HEADER = """% a comment
@RELATION 'pets at home'

@attribute age numeric
@Attribute 'coat colour' {black, 'light brown', "white"}
@attribute\tweight\tREAL
@attribute class {cat,dog}

@data
"""
WORDS = """@relation words
@attribute cash numeric
@attribute 'it\\'s' integer
@attribute seen {0, 1}
@attribute class {ham, spam}
@data
"""


def test_dense_rows(write) -> None:
    text = HEADER + "3,black,4.5,cat\n% between\n?, 'light brown' , 1e1 ,dog\n\n5,\"white\",?,cat\n"
    table = load_table(write("t.arff", text))
    assert table.columns == {"age": "numeric", "coat colour": "nominal", "weight": "numeric"}
    assert table.frame.rows() == [(3.0, "black", 4.5), (None, "light brown", 10.0), (5.0, "white", None)]
    assert table.y.tolist() == ["cat", "dog", "cat"]
    assert table.missing == {"age": 1, "weight": 1}
    assert table.cardinality == {"coat colour": 3}
    assert table.format == "arff"


def test_tabs_blanks_and_line_ends_of_windows_separate_as_well(write) -> None:
    text = HEADER + "3\tblack\t4.5\tcat\n4 white 5.5 dog\n"
    table = load_table(write("t.arff", text.replace("\n", "\r\n")))
    assert table.frame["weight"].to_list() == [4.5, 5.5]


def test_quoted_cells_may_hold_anything(write) -> None:
    text = "@relation t\n@attribute s string\n@attribute n numeric\n@attribute class {a,b}\n@data\n"
    rows = """'it\\'s, well', 1, a\n"say \\"hi\\"\\tthere", 2, b\n'?', 3, a\n"""
    rows += """?, 4, b\n'', 5, 'a'\ndon't, 6, b\n"""
    table = load_table(write("t.arff", text + rows))
    assert table.frame["s"].to_list() == ["it's, well", 'say "hi"\tthere', "?", None, "", "don't"]
    assert table.frame["n"].to_list() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert table.y.tolist() == ["a", "b", "a", "b", "a", "b"]


def test_sparse_rows_of_numbers_stay_sparse(write) -> None:
    text = WORDS + "{0 2, 3 spam}\n{1 3,2 1}\n{}\n{ 1 ? , 3 'spam' }\n"
    table = load_table(write("t.arff", text))
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0, 0], [0, 3, 1], [0, 0, 0], [0, np.nan, 0]])
    assert table.feature_names == ("cash", "it's", "seen")
    assert table.y.tolist() == ["spam", "ham", "ham", "spam"]
    assert table.missing == {"it's": 1}
    assert table.frame is None


def test_sparse_rows_with_names_mean_the_first_value_by_leaving_it_out(write) -> None:
    table = load_table(write("t.arff", HEADER + "{0 3, 1 white}\n{1 'light brown', 3 dog}\n{2 ?}\n"))
    assert table.X is None
    assert table.frame.rows() == [(3.0, "white", 0.0), (0.0, "light brown", 0.0), (0.0, "black", None)]
    assert table.y.tolist() == ["cat", "dog", "cat"]


def test_a_truth_that_defaults_to_true_is_laid_out_densely(write) -> None:
    text = WORDS.replace("{0, 1}", "{TRUE, FALSE}") + "{0 2, 2 FALSE, 3 spam}\n{1 3}\n"
    table = load_table(write("t.arff", text))
    assert table.frame["seen"].to_list() == [0.0, 1.0]


def test_truths_are_numbers_unless_listed_as_nominal(write) -> None:
    dense = write("t.arff", WORDS + "1,2,1,ham\n3,4,0,spam\n5,6,?,ham\n")
    assert load_table(dense).frame["seen"].to_list() == [1.0, 0.0, None]
    assert load_table(dense, nominal=["seen"]).frame["seen"].to_list() == ["1", "0", None]
    sparse_rows = write("u.arff", WORDS + "{0 1}\n{2 1}\n")
    assert load_table(sparse_rows, nominal=["seen"]).frame["seen"].to_list() == ["0", "1"]


def test_dense_and_sparse_writing_of_one_table_agree(write) -> None:
    rng = np.random.RandomState(0)
    X = rng.poisson(0.5, size=(30, 8))
    y = rng.randint(2, size=30)
    header = (
        "@relation t\n"
        + "".join(f"@attribute w{k} numeric\n" for k in range(8))
        + "@attribute class {a,b}\n@data\n"
    )
    dense = "".join(",".join(map(str, row)) + f",{'ab'[label]}\n" for row, label in zip(X, y, strict=True))
    pairs = [
        [f"{k} {value}" for k, value in enumerate(row) if value] + ["8 b"] * label
        for row, label in zip(X, y, strict=True)
    ]
    brief = "".join("{" + ",".join(row) + "}\n" for row in pairs)
    first, second = load_table(write("d.arff", header + dense)), load_table(write("s.arff", header + brief))
    np.testing.assert_array_equal(first.frame.to_numpy(), second.X.toarray())
    np.testing.assert_array_equal(first.y, second.y)


def test_split_target_and_drop_work_on_sparse_rows(write) -> None:
    text = "@relation t\n@attribute part {train,test}\n@attribute w numeric\n@attribute v numeric\n"
    text += "@attribute k {a,b}\n@data\n{1 2}\n{0 test, 2 5, 3 b}\n"
    table = load_table(write("t.arff", text), split="part", drop=["w"])
    assert table.split.tolist() == ["train", "test"]
    assert table.X.toarray().tolist() == [[0.0], [5.0]]
    assert table.y.tolist() == ["a", "b"]
    assert load_table(write("t.arff", text), "w", drop=["part", "k"]).y.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("declared", "cells", "labels"),
    [
        ("{0,1}", "01", ["0", "1"]),
        ("integer", "12", [1, 2]),
        ("numeric [0, 1]", ("0.5", "1"), [0.5, 1.0]),
        ("string", "ab", ["a", "b"]),
        ("date yyyy", ("2001", "2002"), ["2001", "2002"]),
    ],
)
def test_labels_keep_their_declared_type(write, declared: str, cells: str, labels: list[object]) -> None:
    rows = "".join(f"{k},{cell}\n" for k, cell in enumerate(cells))
    text = f"@relation t\n@attribute x real\n@inputs x\n@outputs y\n@attribute y {declared}\n@data\n{rows}"
    assert load_table(write("t.arff", text)).y.tolist() == labels


def test_dates_are_refused_unless_listed_as_nominal(write) -> None:
    text = "@relation t\n@attribute day date 'yyyy-MM-dd'\n@attribute class {a,b}\n@data\n2020-01-01,a\n"
    with pytest.raises(DataError, match=r"Column 'day' .* holds dates or times"):
        load_table(write("t.arff", text))
    assert load_table(write("t.arff", text), nominal=["day"]).frame["day"].to_list() == ["2020-01-01"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "Line 1 of .* is not part of an ARFF header: 'hello'"),
        ("@relation t\n@attribute x numeric\n", "it has no @data line"),
        ("@relation t\n@data\n1\n", "declares no attributes before @data"),
        ("@relation t\n@attribute x\n@data\n1\n", "Line 2 of .* declares no readable attribute"),
        (
            "@relation t\n@attribute x {a,b\n@data\n1\n",
            "Line 2 of .* lacks the closing brace of attribute 'x'",
        ),
        ("@relation t\n@attribute x {a,'b}\n@data\n1\n", "Line 2 of .* has a quote that is never closed"),
        ("@relation t\n@attribute x relational\n@data\n1\n", "Attribute 'x' of .* has type 'relational'"),
        ("@relation t\n@attribute x real\n@attribute x real\n@data\n1,2\n", "more than one column named 'x'"),
        (HEADER, "has a header but no rows"),
        (HEADER + "3,black,4.5\n", "Line 10 of .* has 3 cells where 4 are expected"),
        (HEADER + "3,black,4.5,cat,\n", "Line 10 of .* has 5 cells where 4 are expected"),
        (HEADER + "3,'black,4.5,cat\n", "Line 10 of .* has a quote that is never closed"),
        (HEADER + "3,black,heavy,cat\n", "Column 'weight' of .* has 'heavy' in row 1, which is not a number"),
        (HEADER + "3,green,1,cat\n", "Column 'coat colour' of .* has 'green' in row 1, .* declared values"),
        (HEADER + "3,black,1,cow\n", "Column 'class' of .* has 'cow' in row 1, .* declared values"),
        (HEADER + "3,black,1,?\n", "target 'class' .* is missing in 1 of 1 rows"),
        (HEADER + "3,black,1,cat,{2}\n", "Line 10 of .* has an instance weight"),
        (HEADER + "3,black,1,cat\n{0 1}\n", "Line 11 of .* is a sparse row among dense ones"),
        (WORDS + "{0 1}, {0.5}\n", "Line 7 of .* has an instance weight"),
        (WORDS + "{0 1}\n1,2,0,ham\n", "Line 8 of .* is not in braces"),
        (WORDS + "{0 1, 0 2}\n", "Line 7 of .* needs increasing 'number value' pairs below 4. Got ' 0 2'"),
        (WORDS + "{4 1}\n", "Line 7 of .* needs increasing 'number value' pairs below 4"),
        (WORDS + "{cash}\n", "Line 7 of .* needs increasing 'number value' pairs"),
        (WORDS + "{0 much}\n", "Column 'cash' of .* has 'much' in row 1, which is not a number"),
        (WORDS + "{2 yes}\n", "Column 'seen' of .* has 'yes' in row 1, which is not a number"),
        (WORDS + "{3 eggs}\n", "Column 'class' of .* has 'eggs' in row 1, .* declared values"),
        (WORDS + "{0 inf}\n", "Column 'cash' of .* infinite values, first in row 1"),
        (WORDS + "{3 ?}\n", "target 'class' .* is missing in 1 of 1 rows"),
    ],
)
def test_faults_are_located(write, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_table(write("t.arff", text))


def test_sparse_rows_that_memory_cannot_hold_as_a_frame_are_refused(write, small_memory) -> None:
    header = "".join(f"@attribute a{k} numeric\n" for k in range(50))
    text = (
        f"{header}@attribute colour {{red,green}}\n@attribute class {{u,v}}\n@data\n" + "{0 1}\n{51 v}\n" * 50
    )
    path = write("t.arff", text)
    assert load_table(path).frame is not None
    small_memory(1000)
    with pytest.raises(DataError, match=r"100 sparse rows of 51 attributes, not all of them numeric"):
        load_table(path)
