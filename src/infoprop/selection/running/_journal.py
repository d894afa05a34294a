"""Journal: what a search has paid for, on disk, so that a killed search goes on where it was.

A journal is one SQLite file. Records and the state that the search goes on from are written in one
transaction, so that whenever the process dies, what is found is the journal before the write or after it. One
process at a time may hold a journal; the lock goes with the process, and a journal is made under it. What has
changed since it was written is refused (see `_seal`); nothing that is refused is touched.
"""

import errno
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

import infoprop
from infoprop._core._exceptions import ParameterError
from infoprop.selection.running._fingerprint import differing_parts
from infoprop.selection.running._records import decoded, encoded
from infoprop.selection.running._seal import (
    APPLICATION_ID,
    FORMAT,
    DamagedError,
    digest_of,
    make,
    read_header,
    read_seal,
)

_LEFT = "It was left as it is. Give another path, or remove the file to search again from the beginning."

_PATIENCE = 0.1
"""Seconds after which a journal that another process holds is called in use."""

# How the file begins that SQLite keeps beside a database: a mark, or zeros if it is not in use.
_ROLLBACK = (bytes.fromhex("d9d505f920a163d7"), bytes(8))

# What SQLite says of a place; anything else that it says of a file is about what the file holds.
_PLACE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
_PLACE |= {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_NOLFS}
# SQLite quotes what it cannot read, and then that cannot be read either.
_BROKEN = (DamagedError, sqlite3.Error, UnicodeError)
_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Journal(AbstractContextManager["Journal"]):
    """Records of a search in the order they were made, and the state it goes on from.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "search.journal")
    >>> with Journal.open(path, "data=1f", "SomeSelector") as journal:
    ...     journal.append([{"columns": np.array([0, 2])}], {"alpha": np.array([0.1])})
    >>> with Journal.open(path, "data=1f", "SomeSelector") as journal:
    ...     journal.records(), journal.state()
    ([{'columns': array([0, 2])}], {'alpha': array([0.1])})
    """

    def __init__(self, path: Path | None = None, connection: sqlite3.Connection | None = None) -> None:
        self.path = path
        self._connection = connection
        self._n_steps, self._digest = (0, "") if connection is None else read_seal(connection)

    @classmethod
    def open(
        cls, checkpoint: str | os.PathLike[str] | None, fingerprint: str, owner: str, seed: int | None = None
    ) -> "Journal":
        """Open the journal of a search, or begin one; None gives a journal that keeps nothing.

        Parameters
        ----------
        checkpoint : str, path or None
            A file that does not exist yet, or the journal of the same search.
        fingerprint : str
            What :func:`~infoprop.selection.running._fingerprint.fingerprint` says of data and settings.
        owner : str
            Name of the selector.
        seed : int or None
            Seed of the search, for :func:`remembered_seed`.

        Raises
        ------
        ParameterError
            If the file is anything else, or of another search, or cannot be written. It is left as it was.
        """
        if checkpoint is None:
            return cls()
        path = check_checkpoint(checkpoint, owner)
        assert path is not None
        header = {
            "format": FORMAT,
            "infoprop": infoprop.__version__,
            "owner": owner,
            "fingerprint": fingerprint,
        }
        if seed is not None:
            header["seed"] = str(seed)
        found = _peeked(path, owner)
        if found is not None:
            _check_header(found, path, fingerprint, owner)
        return _held(path, header)

    @property
    def is_kept(self) -> bool:
        """Whether anything is written."""
        return self._connection is not None

    def records(self) -> list[dict[str, Any]]:
        """All records, first made first; arrays and floats are those appended, bit for bit."""
        if self._connection is None:
            return []
        rows = self._connection.execute("SELECT record FROM steps ORDER BY number")
        return [decoded(text) for (text,) in rows]

    def state(self) -> dict[str, np.ndarray[Any, Any]] | None:
        """State after the last record; None if nothing has been appended."""
        if self._connection is None:
            return None
        if self._connection.execute("SELECT n_steps FROM seal").fetchone() is None:
            return None
        rows = self._connection.execute("SELECT name, dtype, shape, data FROM state ORDER BY rowid")
        return {
            name: np.frombuffer(data, dtype=dtype).reshape([int(side) for side in shape.split()]).copy()
            for name, dtype, shape, data in rows
        }

    def append(self, records: Iterable[Mapping[str, Any]], state: Mapping[str, Any]) -> None:
        """Write `records`, and `state` in place of the one before, all or nothing."""
        if self._connection is None:
            return
        steps = [(number, encoded(record)) for number, record in enumerate(records, start=self._n_steps + 1)]
        arrays = [_row(name, np.asarray(value)) for name, value in state.items()]
        seal = (self._n_steps + len(steps), digest_of(steps, self._digest), digest_of(arrays))
        try:
            with self._connection:
                self._connection.execute("BEGIN")
                self._connection.executemany("INSERT INTO steps VALUES (?, ?)", steps)
                self._connection.execute("DELETE FROM state")
                self._connection.executemany("INSERT INTO state VALUES (?, ?, ?, ?)", arrays)
                self._connection.execute("DELETE FROM seal")
                self._connection.execute("INSERT INTO seal VALUES (?, ?, ?)", seal)
        except sqlite3.Error as error:
            raise OSError(
                f"The checkpoint {self.path} cannot be written ({error}). It holds the search up to the last "
                "step that could be; the same call goes on from there."
            ) from error
        self._n_steps, self._digest, _ = seal

    @staticmethod
    def remove(path: Path) -> None:
        """Remove the journal at `path`, even one hardly begun; any other file of that name stays."""
        if not path.is_file():
            return
        is_journal = path.stat().st_size == 0
        with suppress(*_BROKEN), closing(_looked_at(path)) as connection:
            is_journal |= connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        if is_journal:
            path.unlink()

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self


def check_checkpoint(checkpoint: Any, owner: str) -> Path | None:
    """Refuse what cannot name a journal, before any work: a path whose folder exists, or None."""
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, str | os.PathLike) or not os.fspath(checkpoint):
        raise ParameterError(
            f"The 'checkpoint' parameter of {owner} must be the path of a file, or None. Got {checkpoint!r}."
        )
    path = Path(os.fsdecode(os.fspath(checkpoint))).absolute()
    try:
        if not path.parent.is_dir():
            raise ParameterError(
                f"The folder of the checkpoint of {owner} does not exist: {path.parent}. Make it, or give "
                "another path."
            )
        if path.exists() and not path.is_file():
            raise ParameterError(f"The checkpoint of {owner} must be a file. Got {path}, which is not.")
        as_who = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
        if not os.access(path.resolve().parent, os.W_OK | os.X_OK, **as_who):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _unusable(path, owner, error) from error
    return path


def remembered_seed(checkpoint: str | os.PathLike[str] | None, seed: int, owner: str) -> int:
    """Seed in the journal if there is one, otherwise `seed`.

    A search whose random_state is None draws another seed in every call; to go on it needs the first.
    """
    path = check_checkpoint(checkpoint, owner)
    header = None if path is None else _peeked(path, owner)
    return seed if header is None else int(header.get("seed", seed))


def _peeked(path: Path, owner: str) -> dict[str, str] | None:
    """Header of the journal, None if there is none yet. Nothing is written, whatever the file is."""
    beside = Path(f"{path.resolve()}-journal")
    try:
        rollback = beside.read_bytes()[:8] if beside.exists() else b""
        if rollback and rollback not in _ROLLBACK:
            raise ParameterError(
                f"The checkpoint {path} cannot be used by this {owner}: SQLite needs the name {beside}, and "
                "that is another file. It was left as it is; give another path."
            )
        if not path.exists() or path.stat().st_size == 0:
            return None
        with closing(_looked_at(path)) as connection:
            if connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,):
                return _read(connection)
    except OSError as error:
        raise _unusable(path, owner, error) from error
    except _BROKEN as error:
        if rollback:  # a process died when it had hardly begun; SQLite undoes that under the lock
            return None
        raise _refusal(path, owner, error) from error
    raise ParameterError(
        f"The file {path} exists and is not a checkpoint of infoprop. It was left as it is; give {owner} "
        "another path."
    )


def _looked_at(path: Path) -> sqlite3.Connection:
    # Immutable: no locks, no recovery, no files beside it. The header never changes after the file was made,
    # so it can be read while another process writes.
    return sqlite3.connect(path.as_uri() + "?mode=ro&immutable=1", uri=True)


def _read(connection: sqlite3.Connection) -> dict[str, str]:
    # A changed byte can ask for files that journals never have.
    if connection.execute("PRAGMA journal_mode").fetchone() != ("delete",):
        raise DamagedError("its structure is broken")
    return read_header(connection)


def _check_header(header: dict[str, str], path: Path, fingerprint: str, owner: str) -> None:
    start = f"The checkpoint {path} cannot be used by this {owner}: "
    if header.get("infoprop") != infoprop.__version__:
        raise ParameterError(
            f"{start}it was made by infoprop {header.get('infoprop')}, this is {infoprop.__version__}. "
            f"{_LEFT}"
        )
    if header["format"] != FORMAT:
        raise ParameterError(f"{start}its format is {header['format']}, and this one's is {FORMAT}. {_LEFT}")
    if header["owner"] != owner:
        raise ParameterError(f"{start}it was made by {header['owner']}. {_LEFT}")
    if header["fingerprint"] != fingerprint:
        parts = ", ".join(differing_parts(header["fingerprint"], fingerprint))
        raise ParameterError(f"{start}it was made with other data or settings ({parts}). {_LEFT}")


def _held(path: Path, header: dict[str, str]) -> Journal:
    """Take the journal for this process alone; make it if there is none."""
    with ExitStack() as failing:
        try:
            # With no patience at all, of two that come at once each may be in the way of the other.
            connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            failing.callback(connection.close)
            connection.execute("BEGIN EXCLUSIVE")
            # Not before: whoever comes second would keep what it may read from, and the first wait for it.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
                make(connection, header)
            else:
                # Another process may have made it since it was looked at.
                _check_header(read_header(connection), path, header["fingerprint"], header["owner"])
            journal = Journal(path, connection)
            # A write that changes nothing: what cannot be written is found out now, not after the first step.
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            connection.execute("COMMIT")
        except _BROKEN as error:
            raise _refusal(path, header["owner"], error) from error
        failing.pop_all()
    return journal


def _refusal(path: Path, owner: str, error: Exception) -> ParameterError:
    """Say what stands against a file, and what to do."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    if code & 0xFF in _IN_USE:
        return ParameterError(
            f"The checkpoint {path} is in use by another search. Wait for it, or give {owner} another path."
        )
    if code & 0xFF in _PLACE and code != sqlite3.SQLITE_IOERR_SHORT_READ:
        return _unusable(path, owner, error)
    if code == sqlite3.SQLITE_NOTADB:
        return ParameterError(
            f"The file {path} exists and is not a checkpoint of infoprop, or no longer one. It was left as "
            f"it is; give {owner} another path."
        )
    return ParameterError(
        f"The checkpoint {path} cannot be used by this {owner}: it is damaged ({error}). {_LEFT}"
    )


def _row(name: str, array: np.ndarray[Any, Any]) -> tuple[str, str, str, bytes]:
    if array.dtype.hasobject:
        raise TypeError(f"The state {name!r} holds objects, which a journal cannot keep.")
    return name, array.dtype.str, " ".join(str(side) for side in array.shape), array.tobytes()


def _unusable(path: Path, owner: str, error: Exception) -> ParameterError:
    return ParameterError(
        f"The checkpoint of {owner} cannot be read and written at {path} ({error}). Give a path in a folder "
        "that can be written to."
    )
