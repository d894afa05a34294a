"""Results as data frames, of whichever library is installed."""

from typing import Any

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import MissingDependencyError
from infoprop._core._optional import is_installed

_LIBRARIES = ("pandas", "polars")


def to_native_frame(data: dict[str, Any], backend: str | None, owner: str) -> Any:
    """Return `data`, columns by name, as a frame: pandas if `backend` is None and it is there, else polars.

    Raises
    ------
    MissingDependencyError
        If the library asked for is not installed, or neither is.

    Examples
    --------
    >>> to_native_frame({"size": [3, 2]}, "polars", "SelectionPath.to_frame").shape
    (2, 1)
    """
    import narwhals as nw

    check_choice("backend", backend, (None, *_LIBRARIES), owner)
    there = [library for library in _LIBRARIES if backend in (None, library) and is_installed(library)]
    if not there:
        asked, needed = ("", "pandas or polars") if backend is None else (f"backend={backend!r}", backend)
        raise MissingDependencyError(
            f"{owner}({asked}) needs {needed}, not installed: pip install {backend or 'pandas'}."
        )
    wanted: Any = there[0]
    return nw.from_dict(data, backend=wanted).to_native()
