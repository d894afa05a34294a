import io
import zipfile

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from infoprop.datasets import load_table
from infoprop.exceptions import DataError, ParameterError

COUNTS = np.array([[0, 2, 0], [1, 0, 0], [0, 0, 3], [0, 0, 0]])


def word_counts(**changes: object) -> bytes:
    X = sparse.csr_matrix(COUNTS)
    arrays: dict[str, object] = {
        "data": X.data,
        "indices": X.indices,
        "indptr": X.indptr,
        "shape": np.array(X.shape),
        "y": np.array([0, 1, 1, 0], dtype=np.int16),
        "classes": np.array(["spam", "ham"]),
        "vocabulary": np.array(["cash", "class", "meeting"]),
    }
    arrays.update(changes)
    buffer = io.BytesIO()
    np.savez(buffer, **{key: value for key, value in arrays.items() if value is not None})
    return buffer.getvalue()


def test_word_counts_keep_words_and_classes(write) -> None:
    table = load_table(write("t.npz", word_counts()))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS)
    assert table.feature_names == ("cash", "class", "meeting")
    assert table.y.tolist() == ["spam", "ham", "ham", "spam"]
    assert (table.target, table.format, table.missing, table.cardinality) == ("class", "npz", {}, {})


def test_the_labels_of_a_sparse_file_answer_to_the_name_class_only(write) -> None:
    path = write("t.npz", word_counts())
    assert load_table(path, "class").n_rows == 4
    for target in ("y", 0):
        with pytest.raises(ParameterError, match="holds its labels apart from its columns; leave the target"):
            load_table(path, target)
    for parameters in ({"split": "split"}, {"nominal": ["cash"]}):
        with pytest.raises(ParameterError, match="neither a split column nor nominal or text ones"):
            load_table(path, **parameters)


def test_parts_of_the_rows_may_lie_beside_the_counts(write) -> None:
    parts = ["train", "train", "test", "test"]
    path = write("t.npz", word_counts(split=np.array(parts)))
    assert load_table(path).split is None
    assert load_table(path, split="split").split.tolist() == parts
    with pytest.raises(ParameterError, match="neither a split column"):
        load_table(path, split="part")
    with pytest.raises(DataError, match=r"The array 'split' of .* must have length 4"):
        load_table(write("u.npz", word_counts(split=np.array(["train"]))))


def test_words_can_be_dropped(write) -> None:
    path = write("t.npz", word_counts())
    table = load_table(path, drop=["cash"])
    np.testing.assert_array_equal(table.X.toarray(), COUNTS[:, 1:])
    assert table.feature_names == ("class", "meeting")
    with pytest.raises(ParameterError, match=r"no column 'cas' .* did you mean 'cash'"):
        load_table(path, drop=["cas"])
    with pytest.raises(DataError, match="has no feature columns"):
        load_table(path, drop=["cash", "class", "meeting"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocabulary": None, "y": None}, "lacks y, vocabulary; word counts in an .npz need data, indices"),
        ({"classes": np.array(["a", None], dtype=object)}, "holds pickled objects, which are not opened"),
        ({"y": np.array([0, 1])}, "'y' of .* must have length 4"),
        ({"vocabulary": np.array(["a"])}, "'vocabulary' of .* must have length 3"),
        ({"vocabulary": np.array(["a", "a", "b"])}, "more than one column named 'a'"),
        ({"y": np.array([0, 1, 2, 0])}, "'y' of .* must hold numbers from 0 to 1"),
        ({"y": np.array([0.0, 1, 1, 0])}, "'y' of .* must hold numbers from 0 to 1"),
        ({"shape": np.array([4])}, "'shape' of .* must be two whole numbers"),
        ({"shape": np.array([0, 3])}, "'shape' of .* must be two whole numbers"),
        ({"data": np.array(["a", "b", "c"])}, "'data' of .* must hold numbers"),
        ({"classes": np.array("spam")}, "'classes' of .* must be a list of names"),
        ({"indices": np.array([0, 1, 9])}, "does not hold a valid CSR matrix"),
        ({"indptr": np.array([0, 1])}, "does not hold a valid CSR matrix"),
        ({"data": np.array([1.0, np.inf, 2.0])}, "Column 'cash' .* infinite values, first in row 2"),
    ],
)
def test_unusable_word_counts_say_what_is_wrong(write, changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_table(write("t.npz", word_counts(**changes)))


def test_archives_that_are_none_are_refused(write) -> None:
    buffer = io.BytesIO()
    np.save(buffer, COUNTS)
    for raw in (b"junk", buffer.getvalue(), word_counts()[:-40]):
        with pytest.raises(DataError, match=r"t\.npz is not a readable \.npz archive"):
            load_table(write("t.npz", raw))


def test_nothing_pickled_is_run(write, tmp_path) -> None:
    trap = tmp_path / "sprung"

    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (open, (str(trap), "w"))

    raw = word_counts(classes=np.array([Trap(), Trap()], dtype=object))
    with pytest.raises(DataError, match="pickled"):
        load_table(write("t.npz", raw))
    assert not trap.exists()


def test_missing_counts_are_counted(write) -> None:
    table = load_table(write("t.npz", word_counts(data=np.array([np.nan, 1.0, np.nan]))))
    assert table.missing == {"class": 1, "meeting": 1}


def svmlight(X: NDArray[np.float64], y: NDArray[np.float64], *, zero_based: bool) -> bytes:
    buffer = io.BytesIO()
    dump_svmlight_file(X, y, buffer, zero_based=zero_based)
    return buffer.getvalue()


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("name", ["t.svm", "t.svmlight", "t.libsvm"])
def test_svmlight_is_read_back_and_named_by_its_indices(write, zero_based: bool, name: str) -> None:
    X = np.array([[1.5, 0.0, 2.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.25]])
    table = load_table(write(name, svmlight(X, np.array([1, -1, 1]), zero_based=zero_based)))
    np.testing.assert_array_equal(table.X.toarray(), X)
    assert table.feature_names == (("x0", "x1", "x2") if zero_based else ("x1", "x2", "x3"))
    assert table.y.tolist() == [1, -1, 1]
    assert table.y.dtype == np.int64


def test_svmlight_takes_comments_query_numbers_and_rows_without_features(write) -> None:
    table = load_table(write("t.svm", "# head\n2 qid:1 1:3 # tail\n1.5\n0 2:nan\n"))
    np.testing.assert_array_equal(table.X.toarray(), [[3, 0], [0, 0], [0, np.nan]])
    assert table.y.tolist() == [2.0, 1.5, 0.0]
    assert table.missing == {"x2": 1}
    assert load_table(write("t.svm", "1 1:2 2:3\n"), drop=["x1"]).X.toarray().tolist() == [[3.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\nspam 1:2\n", "line 2 begins with 'spam', which is not one number"),
        ("1,2 1:2\n", "line 1 begins with '1,2', which is not one number"),
        ("1 1:2 2:two\n", "line 1 has '2:two' where index:value is expected"),
        ("1 1\n", "line 1 has '1' where index:value is expected"),
        ("1 -1:2\n", "line 1 has '-1:2' where index:value is expected"),
        ("1 3:2 2:1\n", "line 1 has index 2 after 3; indices must increase"),
        ("# nothing\n", "has no rows"),
        ("1 1:2\nnan 1:2\n", "label in row 2 of .* is not a finite number"),
        ("1 1:2\n1 2:inf\n", "Column 'x2' of .* infinite values, first in row 2"),
    ],
)
def test_faults_in_svmlight_files_are_located(write, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_table(write("t.svm", text))


def test_svmlight_indices_that_never_occur_are_no_columns(write) -> None:
    table = load_table(write("t.svm", "1 0:1 7:2\n0 7:3 2000000000:4\n"))
    assert table.feature_names == ("x0", "x7", "x2000000000")
    np.testing.assert_array_equal(table.X.toarray(), [[1, 2, 0], [0, 3, 4]])
    assert table.notes == (
        "features are named x and their index; 1,999,999,998 of the indices up to 2,000,000,000 never occur "
        "and are left out",
    )
    assert load_table(write("t.svm", "1 1:1 2:2\n0 2:3\n")).notes == ()
    assert load_table(write("t.svm", "1 7:1 9:2\n"), drop=["x7"]).feature_names == ("x9",)


@pytest.mark.parametrize("n_digits", [10, 11, 19, 20, 31, 5000])
def test_an_svmlight_index_that_cannot_be_counted_is_refused_with_its_line(write, n_digits: int) -> None:
    with pytest.raises(
        DataError, match=r"line 2 has index 9+[.;].* up to 2,147,483,647 can be read\.$"
    ) as caught:
        load_table(write("t.svm", f"1 1:2\n0 1:1 {'9' * n_digits}:3\n"))
    assert len(str(caught.value)) < 300


def test_an_array_that_says_to_be_larger_than_memory_is_refused(write) -> None:
    buffer = io.BytesIO(word_counts())
    out = io.BytesIO()
    with zipfile.ZipFile(buffer) as archive, zipfile.ZipFile(out, "w") as forged:
        for name in archive.namelist():
            raw = archive.read(name)
            if name == "indices.npy":
                raw = raw.replace(b"(3,), }" + b" " * 12, b"(999999999999999,), }")
            forged.writestr(name, raw)
    with pytest.raises(DataError, match=r"not a readable \.npz archive"):
        load_table(write("t.npz", out.getvalue()))
