"""How much memory there is, so that sizes which cannot be held are refused before they are."""

import os
from functools import cache
from pathlib import Path

_UNKNOWN = 1 << 34
_CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@cache
def memory_limit() -> int:
    """Return the bytes that this process may use: all of the machine, or of the container if that is less."""
    limits = [_machine_memory()]
    for path in map(Path, _CONTROL_GROUPS):
        try:
            limits.append(int(path.read_text()))
        except (OSError, ValueError):  # no such file, or the word max: no limit
            continue
    return min(limits)


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not a Unix, or one that does not say
        return _UNKNOWN


def fits_in_memory(n_bytes: int) -> bool:
    """Say whether `n_bytes` may be allocated at once.

    Half of the memory may: what is read is held once more while it is looked at.
    """
    return n_bytes <= memory_limit() // 2


def memory_words() -> str:
    """The bytes that may be allocated at once, in words.

    >>> memory_words().endswith(" GB")
    True
    """
    return f"{memory_limit() / 2 / 1e9:.3g} GB"
