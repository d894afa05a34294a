"""Labels of any hashable type: read them, number them, put them in one stable order."""

from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._exceptions import DataError
from infoprop._core._typing import IntArray, LabelArray

LabelsLike: TypeAlias = ArrayLike | Sequence[Any]

_ARRAY_KINDS = {bool: "b", int: "iu", float: "f", str: "U"}


class EncodedLabels(NamedTuple):
    """`values[codes[i]]` is the label of row i; each value stands once, in no special order."""

    values: list[Any]
    codes: IntArray


def encode_labels(y: LabelsLike, name: str) -> EncodedLabels:
    """Number the distinct labels of `y`; `name` is what errors call it."""
    array = _as_vector(y, name)
    if array.dtype.kind not in "biufU":
        return _encode_objects(list(array), name)
    values, codes = np.unique(array, return_inverse=True)
    if array.dtype.kind == "f" and np.isnan(values).any():
        raise _missing(name)
    return EncodedLabels(values.tolist(), codes.astype(np.intp, copy=False))


def order_labels(values: Iterable[Any]) -> list[Any]:
    """Sort labels whatever their types: numbers, then strings, then other types by name, then None.

    Within a type the order is that of the values, or of their `repr` where they have none.
    """
    groups: dict[tuple[int, str], list[Any]] = {}
    for value in values:
        groups.setdefault(_rank(value), []).append(value)
    ordered: list[Any] = []
    for rank in sorted(groups):
        # First by repr: a partial order such as that of sets would keep the order of arrival.
        group = sorted(groups[rank], key=repr)
        try:
            ordered += sorted(group)
        except TypeError:
            ordered += group
    return ordered


def label_array(values: list[Any]) -> LabelArray:
    """One-dimensional array of `values`: a plain dtype if that loses nothing, else object.

    NumPy alone would turn ``[1, "1"]`` into two equal strings and ``"a\\0"`` into ``"a"``.
    """
    types = {type(value) for value in values}
    kind = _ARRAY_KINDS.get(types.pop(), "") if len(types) == 1 else ""
    if kind:
        array = np.asarray(values)
        if array.dtype.kind in kind and array.tolist() == values:
            return array
    return np.fromiter(values, dtype=object, count=len(values))


def _as_vector(y: LabelsLike, name: str) -> LabelArray:
    if hasattr(y, "__array__") or hasattr(y, "shape"):
        array = np.asarray(y)
    elif isinstance(y, str | bytes | Mapping | Set) or not isinstance(y, Iterable):
        raise DataError(f"{name} must be a one-dimensional array of labels. Got {type(y).__name__}.")
    else:
        array = label_array(list(y))
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional, one label per row. Got shape {array.shape}.")
    if array.size == 0:
        raise DataError(f"{name} is empty; at least one label is needed.")
    return array


def _encode_objects(rows: list[Any], name: str) -> EncodedLabels:
    codes = np.empty(len(rows), dtype=np.intp)
    numbers: dict[Any, int] = {}
    for row, value in enumerate(rows):
        label = value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value
        try:
            codes[row] = numbers.setdefault(label, len(numbers))
        except TypeError:
            raise DataError(
                f"{name} must hold one hashable label per row. Got {type(value).__name__} in row {row}."
            ) from None
    if any(_is_missing(value) for value in numbers):
        raise _missing(name)
    return EncodedLabels(list(numbers), codes)


def _is_missing(value: Any) -> bool:
    try:
        return not bool(value == value)
    except (TypeError, ValueError):
        # pandas.NA refuses to say whether it equals itself.
        return True


def _missing(name: str) -> DataError:
    return DataError(f"{name} holds missing values (NaN), which cannot be labels; drop or name those rows.")


def _rank(value: Any) -> tuple[int, str]:
    if isinstance(value, Real):
        return 0, ""
    if isinstance(value, str):
        return 1, ""
    if value is None:
        return 3, ""
    return 2, f"{type(value).__module__}.{type(value).__qualname__}"
