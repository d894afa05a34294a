"""Journal: what a search has paid for, on disk, so that a killed search goes on where it was.

A journal is one SQLite file. Records and the state that the search goes on from are written in one
transaction, so that whenever the process dies, what is found is the journal before the write or after it. One
process at a time may hold a journal; the lock goes with the process.
"""

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

import infoprop
from infoprop._core._exceptions import ParameterError
from infoprop.selection._fingerprint import differing_parts
from infoprop.selection._records import decoded, encoded

# SQLite keeps this number in the file's first bytes for whoever made it; it spells "bits".
APPLICATION_ID = int.from_bytes(b"bits", "big")
FORMAT = "1"

_SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
CREATE TABLE header (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE steps (number INTEGER PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE snapshot (after_step INTEGER NOT NULL);
CREATE TABLE state (name TEXT PRIMARY KEY, dtype TEXT NOT NULL, shape TEXT NOT NULL, data BLOB NOT NULL);
"""


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
            What :func:`~infoprop.selection._fingerprint.fingerprint` says of data and settings.
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
        header = _read_header(path, owner)
        if header is None:
            _create(path, owner, fingerprint, seed)
        else:
            _check_header(header, path, fingerprint, owner)
        return cls(path, _connected(path, owner))

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
        if self._connection.execute("SELECT after_step FROM snapshot").fetchone() is None:
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
        texts = [(encoded(record),) for record in records]
        arrays = [_row(name, np.asarray(value)) for name, value in state.items()]
        try:
            with self._connection:
                self._connection.execute("BEGIN")
                self._connection.executemany("INSERT INTO steps (record) VALUES (?)", texts)
                self._connection.execute("DELETE FROM snapshot")
                self._connection.execute("INSERT INTO snapshot SELECT count(*) FROM steps")
                self._connection.execute("DELETE FROM state")
                self._connection.executemany("INSERT INTO state VALUES (?, ?, ?, ?)", arrays)
        except sqlite3.Error as error:
            raise OSError(
                f"The checkpoint {self.path} cannot be written ({error}). It holds the search up to the last "
                "step that could be; the same call goes on from there."
            ) from error

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
    except OSError as error:
        raise _unusable(path, owner, error) from error
    return path


def remembered_seed(checkpoint: str | os.PathLike[str] | None, seed: int, owner: str) -> int:
    """Seed in the journal if there is one, otherwise `seed`.

    A search whose random_state is None draws another seed in every call; to go on it needs the first.
    """
    path = check_checkpoint(checkpoint, owner)
    header = None if path is None else _read_header(path, owner)
    return seed if header is None else int(header.get("seed", seed))


def _read_header(path: Path, owner: str) -> dict[str, str] | None:
    """Header of the journal, None if there is no file or an empty one. Nothing is written, whatever it is."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    try:
        # Immutable: no locks, no recovery, no files beside it. The header never changes after the file was
        # made, so it can be read while another process writes.
        with closing(sqlite3.connect(path.as_uri() + "?immutable=1", uri=True)) as connection:
            if connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,):
                return dict(connection.execute("SELECT name, value FROM header"))
    except sqlite3.OperationalError as error:
        raise _unusable(path, owner, error) from error
    except sqlite3.DatabaseError:
        pass
    raise ParameterError(
        f"The file {path} exists and is not a checkpoint of infoprop. It was left as it is; give {owner} "
        "another path."
    )


def _check_header(header: dict[str, str], path: Path, fingerprint: str, owner: str) -> None:
    start = f"The checkpoint {path} cannot be used by this {owner}: "
    end = " It was left as it is. Give another path, or remove the file to search again from the beginning."
    if header["format"] != FORMAT or header["infoprop"] != infoprop.__version__:
        raise ParameterError(
            f"{start}it was made by infoprop {header['infoprop']}, this is {infoprop.__version__}.{end}"
        )
    if header["owner"] != owner:
        raise ParameterError(f"{start}it was made by {header['owner']}.{end}")
    if header["fingerprint"] != fingerprint:
        parts = ", ".join(differing_parts(header["fingerprint"], fingerprint))
        raise ParameterError(f"{start}it was made with other data or settings ({parts}).{end}")


def _create(path: Path, owner: str, fingerprint: str, seed: int | None) -> None:
    """Make an empty journal. It appears under its name complete or not at all."""
    header = {"format": FORMAT, "infoprop": infoprop.__version__, "owner": owner, "fingerprint": fingerprint}
    if seed is not None:
        header["seed"] = str(seed)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        connection.executemany("INSERT INTO header VALUES (?, ?)", header.items())
        connection.commit()
        content = connection.serialize()
    # Always the same name: what a process that died here leaves behind, the next one takes away.
    draft = path.with_name(f".{path.name}.new")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise _unusable(path, owner, error) from error
    finally:
        draft.unlink(missing_ok=True)


def _connected(path: Path, owner: str) -> sqlite3.Connection:
    """Open the journal for writing, alone."""
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        # A write that changes nothing: what cannot be written is found out now, not after the first step.
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        connection.close()
        if "locked" in str(error):
            raise ParameterError(
                f"The checkpoint {path} is in use by another search. Wait for it, or give {owner} "
                "another path."
            ) from error
        raise _unusable(path, owner, error) from error
    return connection


def _row(name: str, array: np.ndarray[Any, Any]) -> tuple[str, str, str, bytes]:
    if array.dtype.hasobject:
        raise TypeError(f"The state {name!r} holds objects, which a journal cannot keep.")
    return name, array.dtype.str, " ".join(str(side) for side in array.shape), array.tobytes()


def _unusable(path: Path, owner: str, error: Exception) -> ParameterError:
    return ParameterError(
        f"The checkpoint of {owner} cannot be read and written at {path} ({error}). Give a path in a folder "
        "that can be written to."
    )
