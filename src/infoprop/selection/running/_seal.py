"""What the file of a journal looks like, and how it is known to be whole.

A journal is sealed by digests: one of its header; one of its records, each mixed into the one before, so that
a record costs what it is long and not what the journal is long; one of its state. They are written in the
transaction that writes what they are of. A byte that was changed since then, a row that was dropped, a record
that was edited leave the digests as they were, and that is how they are found.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

# SQLite keeps this number in the file's first bytes for whoever made it; it spells "bits".
APPLICATION_ID = int.from_bytes(b"bits", "big")
FORMAT = "2"

TABLES = {
    "header": "CREATE TABLE header (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "steps": "CREATE TABLE steps (number INTEGER PRIMARY KEY, record TEXT NOT NULL)",
    "seal": "CREATE TABLE seal (n_steps INTEGER NOT NULL, steps TEXT NOT NULL, state TEXT NOT NULL)",
    "state": "CREATE TABLE state (name TEXT PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL, "
    "data BLOB NOT NULL)",
}
"""What makes each table of a journal."""

_SEAL_OF_HEADER = "seal"


class DamagedError(Exception):
    """The file is no longer what was written; the words say in what."""


def digest_of(rows: Iterable[Iterable[Any]], before: str = "") -> str:
    """Digest of some rows of strings, numbers and bytes, mixed into the one `before` them.

    Examples
    --------
    >>> digest_of([("a", 1)]) == digest_of([("a", 1)])
    True
    >>> digest_of([("b", 2)], digest_of([("a", 1)])) == digest_of([("a", 1), ("b", 2)])
    True
    >>> digest_of([("a", "1")]) == digest_of([("a", 1)])
    False
    """
    digest = before
    for row in rows:
        mixed = hashlib.blake2b(digest.encode(), digest_size=16)
        for value in row:
            content = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
            mixed.update(f"{type(value).__name__}:{len(content)};".encode())
            mixed.update(content)
        digest = mixed.hexdigest()
    return digest


def make(connection: sqlite3.Connection, header: Mapping[str, str]) -> None:
    """Make an empty journal inside the transaction that is open."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in TABLES.values():
        connection.execute(statement)
    sealed = {**header, _SEAL_OF_HEADER: _header_digest(header)}
    connection.executemany("INSERT INTO header VALUES (?, ?)", sealed.items())


def read_header(connection: sqlite3.Connection) -> dict[str, str]:
    """Header of a journal; that of another format is returned as it is found.

    Raises
    ------
    DamagedError
        If it is not the one that was written.
    """
    header = dict(connection.execute("SELECT name, value FROM header"))
    if header.get("format", FORMAT) != FORMAT:
        return header
    seal = header.pop(_SEAL_OF_HEADER, None)
    if seal != _header_digest(header):
        raise DamagedError("its header has changed")
    return header


def read_seal(connection: sqlite3.Connection) -> tuple[int, str]:
    """Return the number of records and their digest, for :func:`digest_of` to go on from.

    Raises
    ------
    DamagedError
        If the records and the state are not those that were written.
    """
    (words,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if words != "ok":
        raise DamagedError("its structure is broken")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    if found != TABLES:
        raise DamagedError("its tables are not those of a checkpoint")
    seals = connection.execute("SELECT n_steps, steps, state FROM seal").fetchall() or [(0, "", "")]
    n_steps, steps, state = seals[0]
    (n_found,) = connection.execute("SELECT count(*) FROM steps").fetchone()
    if len(seals) > 1 or n_found != n_steps:
        raise DamagedError("records are missing or too many")
    if digest_of(connection.execute("SELECT number, record FROM steps ORDER BY number")) != steps:
        raise DamagedError("its records have changed")
    if digest_of(connection.execute("SELECT name, dtype, shape, data FROM state ORDER BY rowid")) != state:
        raise DamagedError("its state has changed")
    return n_steps, steps


def _header_digest(header: Mapping[str, str]) -> str:
    return digest_of(sorted(header.items(), key=str))
