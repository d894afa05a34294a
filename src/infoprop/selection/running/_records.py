"""Records of a journal as text: JSON, with arrays kept bit for bit."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_ARRAY = "__array__"


def encoded(record: Mapping[str, Any]) -> str:
    """Return `record` as one line of JSON.

    Floats are written by their shortest exact form, arrays as their type, shape and bytes.

    Examples
    --------
    >>> encoded({"size": 2, "credit": 0.1})
    '{"size": 2, "credit": 0.1}'
    """
    return json.dumps(dict(record), default=_plain)


def decoded(text: str) -> dict[str, Any]:
    """Return the record that `text` was made of; NumPy's numbers come back as Python's."""
    record: dict[str, Any] = json.loads(text, object_hook=_array)
    return record


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        data = base64.b64encode(value.tobytes()).decode("ascii")
        return {_ARRAY: value.dtype.str, "shape": value.shape, "data": data}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"A journal cannot keep {value!r}.")


def _array(values: dict[str, Any]) -> Any:
    if _ARRAY not in values:
        return values
    data = base64.b64decode(values["data"])
    return np.frombuffer(data, dtype=values[_ARRAY]).reshape(values["shape"]).copy()
