"""From a path to the bytes of a table and the name of their format."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

from infoprop._core._exceptions import DataError, ParameterError

FORMATS = ("csv", "tsv", "parquet", "arff", "svmlight", "npz")

_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".npz": "npz",
}
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_UNPACKING_ERRORS = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)


def check_path(path: Any) -> Path:
    """Return `path` if a file lies there."""
    if not isinstance(path, str | os.PathLike) or isinstance(path, bytes):
        raise ParameterError(f"The 'path' parameter of load_table must be a path. Got {path!r}.")
    found = Path(path)
    if found.is_dir():
        raise DataError(f"{path} is a folder, not a file.")
    if not found.exists():
        raise DataError(f"There is no file {path}.")
    return found


def read_source(path: Path, format: str | None) -> tuple[bytes, str]:
    """Return the unpacked bytes of a file and their format, told by the name if not given.

    Packing is told by the first bytes, so a misnamed file still opens.
    """
    named = format or _format_of(path.name)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    if named != "npz":  # an .npz is a zip archive itself
        raw, member = _unpack(raw, path)
        named = named or _format_of(member)
    if named is None:
        raise DataError(
            f"The name of {path} does not tell its format; pass format as one of {', '.join(FORMATS)}."
        )
    if not raw.strip():
        raise DataError(f"{path} is empty.")
    return raw, named


def _format_of(name: str) -> str | None:
    bare = Path(name.lower())
    if bare.suffix in _COMPRESSED:
        bare = bare.with_suffix("")
    return _SUFFIXES.get(bare.suffix)


def _unpack(raw: bytes, path: Path) -> tuple[bytes, str]:
    """Return the bytes without compression, and the name of the packed file where there is one."""
    try:
        if raw.startswith(b"\x1f\x8b"):
            return gzip.decompress(raw), ""
        if raw.startswith(b"BZh"):
            return bz2.decompress(raw), ""
        if raw.startswith(b"\xfd7zXZ\x00"):
            return lzma.decompress(raw), ""
        if raw.startswith(b"PK\x03\x04"):
            return _unzip(raw, path)
        if raw.startswith(b"\x28\xb5\x2f\xfd"):
            return _unpack_zstd(raw, path), ""
    except DataError:
        raise
    except _UNPACKING_ERRORS as error:
        raise DataError(f"{path} cannot be unpacked: {error}.") from error
    return raw, ""


def _unzip(raw: bytes, path: Path) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [name for name in archive.namelist() if not name.endswith("/")]
        if len(members) != 1:
            raise DataError(
                f"{path} must hold exactly one file to be read as a table; it holds {len(members)}."
            )
        return archive.read(members[0]), members[0]


def _unpack_zstd(raw: bytes, path: Path) -> bytes:
    try:
        zstd = import_module("compression.zstd")
    except ImportError as error:
        raise DataError(
            f"{path} is packed with zstd, which needs Python 3.14 or later; unpack it first."
        ) from error
    try:
        unpacked: bytes = zstd.decompress(raw)
    except zstd.ZstdError as error:
        raise DataError(f"{path} cannot be unpacked: {error}.") from error
    return unpacked


def decode(raw: bytes, source: str, encoding: str = "utf-8") -> str:
    """Return the text in `raw`, or say on which line it stops being text."""
    try:
        return raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{source} is not {encoding.upper()} text: line {line} holds the byte "
            f"0x{raw[error.start]:02x}; save it as UTF-8."
        ) from error
