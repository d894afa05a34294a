"""Results as data frames, of whichever library is installed."""

from importlib.util import find_spec
from typing import Any

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import MissingDependencyError


def to_native_frame(data: dict[str, Any], backend: str | None, owner: str) -> Any:
    """Return `data`, columns by name, as a frame: pandas if `backend` is None and it is there, else polars.

    Examples
    --------
    >>> to_native_frame({"size": [3, 2]}, "polars", "SelectionPath.to_frame").shape
    (2, 1)
    """
    import narwhals as nw

    check_choice("backend", backend, (None, "pandas", "polars"), owner)
    if backend is None:
        backend = "pandas" if find_spec("pandas") else "polars"
    elif find_spec(backend) is None:
        raise MissingDependencyError(f"to_frame(backend={backend!r}) needs {backend}: pip install {backend}.")
    wanted: Any = backend
    return nw.from_dict(data, backend=wanted).to_native()
