"""Files that are written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path

from infoprop._core._exceptions import DataError


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BufferedWriter]:
    """Open a file for writing that takes the place of `path` when the block ends well, and not before.

    It is written beside `path`, brought to the disk and renamed: a full disk, an error or a kill leave what
    was there as it was. The new file has the mode of the old one. A link is followed. What is no regular
    file (a pipe, a device) has nothing to keep, and is written directly.

    Parameters
    ----------
    path : str or path
        Its folder exists.

    Yields
    ------
    binary file

    Raises
    ------
    OSError
        If it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"1 2 3")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'1 2 3'
    """
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with target.open("wb") as file:
            yield file
        return
    # Short, since names of files have a limit that `path` may have reached.
    draft = target.with_name(f".infoprop-{secrets.token_hex(8)}")
    try:
        # The mode is that of any new file; exclusive, so that nothing else is overwritten.
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            _take_over(draft, before)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _bring_to_disk(target.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`, whole or not at all, as UTF-8 with the same line ends on every system."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def not_written(path: Path, error: Exception) -> DataError:
    """Say why a file could not be written after all."""
    words = getattr(error, "strerror", None) or str(error)
    return DataError(f"{path} could not be written, and what was there is as it was: {words}.")


def _take_over(draft: Path, before: os.stat_result) -> None:
    """Give the draft the owner and the mode of the file that it replaces, as far as one may."""
    with suppress(OSError, AttributeError):
        os.chown(draft, before.st_uid, before.st_gid)
    draft.chmod(stat.S_IMODE(before.st_mode))


def _bring_to_disk(folder: Path) -> None:
    """Make sure that the new name survives a power cut, where folders can be synchronised."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
