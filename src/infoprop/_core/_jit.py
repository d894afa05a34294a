"""How compiled loops are compiled: in one place, cached on disk, without the GIL.

Numba stamps a cached function with the date of its own file only, so an edit in a callee of another
file goes unseen. The cache folder is therefore named after the content of every ``*_fast.py`` file.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba


@cache
def cache_folder() -> Path:
    """Folder of the compiled code of this very version of the sources (not created here)."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*_fast.py")):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return _cache_root() / f"compiled-{digest.hexdigest()[:16]}"


def _cache_root() -> Path:
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given) / "infoprop"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = base / "infoprop"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"infoprop-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    return root


def is_compiled() -> bool:
    """Whether some compiled code of this version lies on disk."""
    return any(cache_folder().rglob("*.nbc"))


def njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on first call; keep the result on disk; release the GIL while it runs."""
    return _compiled(function, set())


def njit_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`njit` does, and let sums be taken in any order, so that they run on vectors.

    The order is fixed when the function is compiled: the same numbers give the same sum every time.
    """
    return _compiled(function, {"reassoc", "contract"})


def _compiled(function: Callable[..., Any], freedoms: set[str]) -> Callable[..., Any]:
    """Compile into the cache folder of this version.

    The folder is handed to Numba for the moment of decoration only, so that other packages that use
    Numba in the same process keep their own.
    """
    config: Any = numba.config
    configured = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        decorate: Any = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=freedoms)
        compiled: Callable[..., Any] = decorate(function)
    finally:
        config.CACHE_DIR = configured
    return compiled
