"""Arrays for the curvature of the layers of a network, or none where it does not pay."""

from itertools import pairwise

import numpy as np

from infoprop.mlp._curvature_fast import Curvature

# Smaller problems (weights times rows) are solved before the layers' curvature pays; wider layers take too
# long to invert.
_FEWEST_PRODUCTS = 200_000
_WIDEST_LAYER = 256


def curvature_for(sizes: tuple[int, ...], n_rows: int) -> Curvature | None:
    """Arrays for the curvature of a network with layers of these widths, or None where it does not pay.

    Of a wide first layer only the diagonal of the inputs' products is kept.
    """
    n_weights = sum((below + 1) * above for below, above in pairwise(sizes))
    if n_rows * n_weights < _FEWEST_PRODUCTS or max(sizes[1:]) > _WIDEST_LAYER:
        return None
    n_in, n_out = np.array(sizes[:-1]) + 1, np.array(sizes[1:])
    inputs = n_in**2
    if n_in[0] > _WIDEST_LAYER:
        inputs[0] = n_in[0]
    starts = np.zeros((2, n_in.size + 1), dtype=np.int64)
    starts[:, 1:] = np.cumsum(inputs), np.cumsum(n_out**2)
    return _new_curvature(starts, int((n_in * n_out).max()))


def _new_curvature(starts: np.ndarray[tuple[int, ...], np.dtype[np.int64]], largest: int) -> Curvature:
    n_inputs, n_outputs = int(starts[0, -1]), int(starts[1, -1])
    return Curvature(
        inputs=np.zeros(n_inputs),
        slopes=np.zeros(n_outputs),
        outputs=np.zeros(n_outputs),
        inverse_inputs=np.zeros(n_inputs),
        inverse_outputs=np.zeros(n_outputs),
        starts=starts,
        damping=np.zeros(starts.shape[1] - 1),
        scratch=np.zeros(largest),
    )
