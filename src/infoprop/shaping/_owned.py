"""Records of large arrays that are taken over, not copied."""

from dataclasses import dataclass, fields

import numpy as np

from infoprop._core._frozen import FrozenArrays


@dataclass(frozen=True, eq=False)
class OwnedArrays(FrozenArrays):
    """Base of frozen dataclasses whose arrays are made read-only where they are.

    Tables can be as large as the data, and several records share them. Compiled code tells read-only arrays
    from others, so arrays that come back from a pickle have to be read-only again.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
