"""From a path to the bytes of a table and the name of their format."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zipfile
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

from infoprop._core._checks import refused
from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._memory import fits_in_memory, memory_words

FORMATS = ("csv", "tsv", "parquet", "arff", "svmlight", "npz", "excel", "h5ad")
STANDARD_INPUT = "-"

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
    ".xlsx": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".h5ad": "h5ad",
}
_ZIPPED = ("npz", "excel")
"""Formats that are zip archives themselves."""
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
"""How packed bytes are opened, by their first ones."""
_PORTION = 1 << 24
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


def check_path(path: Any) -> Path | None:
    """Return `path` if a file lies there, None if standard input is meant."""
    if not isinstance(path, str | os.PathLike) or isinstance(path, bytes):
        raise refused("path", "load_table", "a path", path)
    if os.fspath(path) == STANDARD_INPUT:
        return None
    found = Path(path)
    try:
        is_there, is_folder = found.exists(), found.is_dir()
    except (OSError, ValueError) as error:  # a name that is too long, a folder that may not be entered
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', error)}.") from error
    if is_folder:
        raise DataError(f"{path} is a folder, not a file.")
    if not is_there:
        raise DataError(f"There is no file {path}.")
    return found


def names_h5ad(path: Path | None, format: str | None) -> bool:
    """Whether a file is to be opened where it lies, for only parts of it are read."""
    return path is not None and (format or _format_of(path.name)) == "h5ad"


def source_name(path: Path | None) -> str:
    """How messages call what is read."""
    return "standard input" if path is None else str(path)


def read_source(path: Path | None, format: str | None) -> tuple[bytes, str]:
    """Return the unpacked bytes of a file, or of standard input, and their format.

    If not given, the format is told by the name, where that tells nothing by the bytes. Packing is told by
    the first bytes, so a misnamed file still opens.
    """
    source = source_name(path)
    try:
        raw = sys.stdin.buffer.read() if path is None else path.read_bytes()
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror}.") from error
    named = format or (_format_of(path.name) if path else None) or _format_by_content(raw)
    raw, member = _unpack(raw, source, named)
    named = named or _format_of(member) or _format_by_content(raw) or ("csv" if path is None else None)
    if named is None:
        raise DataError(
            f"The name of {source} does not tell its format; name it by ",
            Parameter("format", "format=..."),
            f": {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        )
    if not raw.strip():
        raise DataError(f"{source} is empty.")
    return raw, named


def _format_by_content(raw: bytes) -> str | None:
    """Formats that have a mark of their own."""
    if raw.startswith(b"PAR1"):
        return "parquet"
    if raw.startswith(b"\xd0\xcf\x11\xe0"):
        return "excel"
    if raw[:200].lstrip().lower().startswith((b"@relation", b"%")):
        return "arff"
    members = _members(raw) if raw.startswith(b"PK\x03\x04") else []
    if "xl/workbook.xml" in members or "content.xml" in members:
        return "excel"
    return "npz" if members and all(name.endswith(".npy") for name in members) else None


def _members(raw: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def _format_of(name: str) -> str | None:
    bare = Path(name.lower())
    if bare.suffix in _COMPRESSED:
        bare = bare.with_suffix("")
    return _SUFFIXES.get(bare.suffix)


def _unpack(raw: bytes, source: str, format: str | None) -> tuple[bytes, str]:
    """Return the bytes without compression, and the name of the packed file where there is one."""
    try:
        for mark, opened in _OPENERS.items():
            if raw.startswith(mark):
                with opened(io.BytesIO(raw)) as file:
                    return read_bounded(file, source), ""
        if raw.startswith(b"PK\x03\x04") and format not in _ZIPPED:
            return _unzip(raw, source)
        if raw.startswith(b"\x28\xb5\x2f\xfd"):
            return _unpack_zstd(raw, source), ""
    except DataError:
        raise
    except _UNPACKING_ERRORS as error:
        raise DataError(f"{source} cannot be unpacked: {error}.") from error
    return raw, ""


def _unzip(raw: bytes, source: str) -> tuple[bytes, str]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = [name for name in archive.namelist() if not name.endswith("/")]
        if len(members) != 1:
            raise DataError(
                f"{source} must hold exactly one file to be read as a table; it holds {len(members)}."
            )
        with archive.open(members[0]) as file:
            return read_bounded(file, source), members[0]


def _unpack_zstd(raw: bytes, source: str) -> bytes:
    try:
        zstd = import_module("compression.zstd")
    except ImportError as error:
        raise DataError(
            f"{source} is packed with zstd, which needs Python 3.14 or later; unpack it first."
        ) from error
    try:
        with zstd.ZstdFile(io.BytesIO(raw)) as file:
            return read_bounded(file, source)
    except zstd.ZstdError as error:
        raise DataError(f"{source} cannot be unpacked: {error}.") from error


def read_bounded(file: Any, source: str) -> bytes:
    """Return what a packed file holds, unless memory would not: a few bytes can become any number."""
    parts: list[bytes] = []
    size = 0
    while part := file.read(_PORTION):
        parts.append(part)
        size += len(part)
        if not fits_in_memory(size):
            raise DataError(f"{source} unpacks to more than {memory_words()}, which is all that may be used.")
    return b"".join(parts)


def decode(raw: bytes, source: str, encoding: str = "utf-8", *, names_encoding: bool = False) -> str:
    """Return the text in `raw`, or say on which line it stops being text.

    `names_encoding` says whether the caller may name another encoding, as delimited text allows.
    """
    other: tuple[str | Parameter, ...] = (
        "; save it as UTF-8, or name its encoding by ",
        Parameter("encoding", "format=DelimitedText(encoding=...)"),
        ", latin-1 for example.",
    )
    if not names_encoding:
        other = ("; save it as UTF-8.",)
    try:
        return raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        fault = f"line {line} holds the byte 0x{raw[error.start]:02x}"
        raise DataError(f"{source} is not {encoding.upper()} text: {fault}", *other) from error
    except UnicodeError as error:  # of encodings that do not say where
        raise DataError(f"{source} is not {encoding.upper()} text", *other) from error
