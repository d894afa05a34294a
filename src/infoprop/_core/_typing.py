"""Names for the arrays that travel between packages."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
LabelArray: TypeAlias = NDArray[Any]
CSRMatrix: TypeAlias = Any
Matrix: TypeAlias = Any
"""A validated table of numbers: a C-ordered float64 array, or CSR (SciPy carries no types)."""
