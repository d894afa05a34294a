"""Names for the arrays that travel between packages."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
BoolArray: TypeAlias = NDArray[np.bool_]
LabelArray: TypeAlias = NDArray[Any]
CSRMatrix: TypeAlias = sparse.csr_matrix | sparse.csr_array
Matrix: TypeAlias = FloatArray | CSRMatrix
"""A validated table of numbers: a C-ordered float64 array, or CSR."""
