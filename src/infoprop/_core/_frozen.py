"""Results that hold arrays and still behave as values: read-only, comparable, picklable."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True, eq=False)
class FrozenArrays:
    """Base of frozen dataclasses with array fields.

    Arrays are copied and made read-only; two instances are equal when all their fields are. Instances
    cannot be hashed, as arrays cannot.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                # A read-only view would still change with the array behind it.
                own = value.copy()
                own.setflags(write=False)
                object.__setattr__(self, field.name, own)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_is_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the read-only flag in a pickle; building anew sets it again.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))


def _is_same(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.shape == second.shape and bool(first.tolist() == second.tolist())
    return bool(first == second)
