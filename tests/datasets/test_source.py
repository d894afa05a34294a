import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from infoprop.datasets import load_table
from infoprop.exceptions import DataError, ParameterError

TEXT = b"x,class\n1,a\n2,b\n"


def zipped(*members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member in members:
            archive.writestr(member, TEXT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("t.csv", TEXT),
        ("T.CSV", TEXT),
        ("t.txt", TEXT),
        ("t.data", TEXT),
        ("t.csv.gz", gzip.compress(TEXT, mtime=0)),
        ("t.csv.bz2", bz2.compress(TEXT)),
        ("t.csv.xz", lzma.compress(TEXT)),
        ("t.csv.zip", zipped("inside")),
        ("t.zip", zipped("folder/inside.csv")),
        ("misnamed.csv", gzip.compress(TEXT, mtime=0)),
        ("misnamed.csv.gz", TEXT),
    ],
)
def test_packed_files_open(write, name: str, packed: bytes) -> None:
    table = load_table(write(name, packed))
    assert table.frame.to_series().to_list() == [1.0, 2.0]
    assert table.format == "csv"


def test_paths_may_be_strings(write) -> None:
    path = write("t.csv", TEXT)
    table = load_table(str(path))
    assert table.source == os.fspath(path)


@pytest.mark.parametrize(
    "packed", [gzip.compress(TEXT, mtime=0)[:-9], b"BZh", b"BZh9junk", b"\xfd7zXZ\x00junk", b"PK\x03\x04junk"]
)
def test_damaged_archives_are_refused(write, packed: bytes) -> None:
    with pytest.raises(DataError, match=r"t\.csv cannot be unpacked"):
        load_table(write("t.csv", packed))


def test_a_zip_holds_one_file(write) -> None:
    with pytest.raises(DataError, match="must hold exactly one file to be read as a table; it holds 2"):
        load_table(write("t.csv.zip", zipped("a.csv", "b.csv")))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python 3.14 and later unpack zstd")
def test_zstd_is_named_where_python_cannot_unpack_it(write) -> None:
    with pytest.raises(DataError, match="packed with zstd"):
        load_table(write("t.csv.zst", b"\x28\xb5\x2f\xfdjunk"))


def test_no_such_file_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file .*absent\.csv\."):
        load_table(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="is a folder, not a file"):
        load_table(tmp_path)
    for wrong in (None, 3, b"t.csv"):
        with pytest.raises(ParameterError, match="'path' parameter of load_table must be a path"):
            load_table(wrong)


def test_unreadable_files_say_why(write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("t.csv", TEXT)

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=r"cannot be read: Permission denied\."):
        load_table(path)


@pytest.mark.parametrize(
    ("packed", "format"),
    [
        (TEXT, None),
        (gzip.compress(TEXT, mtime=0), None),
        (bz2.compress(TEXT), "csv"),
        (zipped("inside.csv"), None),
        (TEXT.replace(b",", b"\t"), "tsv"),
        (b"@relation t\n@attribute x real\n@attribute class {a,b}\n@data\n1,a\n2,b\n", None),
    ],
)
def test_standard_input_is_read_packed_or_not(piped, packed: bytes, format: str | None) -> None:
    piped(packed)
    table = load_table("-", format=format)
    assert table.source == "standard input"
    assert table.frame.to_series().to_list() == [1.0, 2.0]
    assert table.y.tolist() == ["a", "b"]


def test_formats_with_a_mark_of_their_own_need_no_name(piped, write) -> None:
    frame = pl.DataFrame({"x": [1.0, 2.0], "class": ["a", "b"]})
    parquet, archive = io.BytesIO(), io.BytesIO()
    frame.write_parquet(parquet)
    piped(parquet.getvalue())
    assert load_table("-").format == "parquet"
    piped(gzip.compress(parquet.getvalue()))
    assert load_table("-").format == "parquet"
    X = sparse.csr_matrix(np.eye(2))
    np.savez(
        archive,
        data=X.data,
        indices=X.indices,
        indptr=X.indptr,
        shape=X.shape,
        y=[0, 1],
        classes=["a", "b"],
        vocabulary=["x", "y"],
    )
    assert load_table(write("unnamed", archive.getvalue())).format == "npz"


@pytest.mark.parametrize("packed", [b"", b"\n \n"])
def test_empty_standard_input_is_refused(piped, packed: bytes) -> None:
    piped(packed)
    with pytest.raises(DataError, match=r"^standard input is empty\.$"):
        load_table("-")


def test_unknown_formats_are_refused(write) -> None:
    path = write("t.xyz", TEXT)
    with pytest.raises(DataError, match=r"does not tell its format; name it by format=\.\.\.: csv, tsv"):
        load_table(path)
    with pytest.raises(ParameterError, match="'format' parameter of load_table must be one of 'csv', 'tsv'"):
        load_table(path, format="word")
    assert load_table(path, format="csv").n_rows == 2


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.arff", "t.svm", "t.parquet", "t.npz"])
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_empty_files_are_refused(write, name: str, content: bytes) -> None:
    with pytest.raises(DataError, match=r"t\.\w+ is empty\."):
        load_table(write(name, content))


def test_text_that_is_not_utf_8_names_line_and_byte(write) -> None:
    latin = "x,class\n1,a\n2,é\n".encode("latin-1")
    with pytest.raises(DataError, match="is not UTF-8 text: line 3 holds the byte 0xe9; save it as UTF-8"):
        load_table(write("t.csv", latin))
    with pytest.raises(DataError, match="is not UTF-8 text: line 1 holds the byte 0xff"):
        load_table(write("t.csv", TEXT.decode().encode("utf-16")))
    with pytest.raises(DataError, match="is not UTF-8 text: line 2"):
        load_table(write("t.arff", b"@relation r\n% \xe9\n"))


def test_a_byte_order_mark_is_no_part_of_the_first_name(write) -> None:
    assert load_table(write("t.csv", TEXT.decode().encode("utf-8-sig"))).feature_names == ("x",)


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "a\0b"])
def test_paths_that_no_system_has_are_refused(name: str) -> None:
    with pytest.raises(DataError, match=r"cannot be read: |There is no file"):
        load_table(name)
