"""Rules that pick a size from a path of sizes."""

from typing import Protocol

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray

BEST = "best"
ONE_STANDARD_ERROR = "one-se"
TOLERANCE = "tolerance"
RULES = (BEST, ONE_STANDARD_ERROR, TOLERANCE)

# Equal tables may give informations that differ in their last bits.
TIE_DECIMALS = 12


class InformationPath(Protocol):
    """What a rule looks at: sizes, what each delivers, and how sure that is."""

    @property
    def n_features(self) -> IntArray: ...
    @property
    def information(self) -> FloatArray: ...
    @property
    def standard_error(self) -> FloatArray: ...


def best_size(path: InformationPath, rule: str, tolerance: float) -> int:
    """Return the smallest size that delivers enough.

    Parameters
    ----------
    path : SelectionPath
        With numbers; sizes need not be in order.
    rule : {"best", "one-se", "tolerance"}
        Enough is: the most that any size delivers; that minus its standard error (of several sizes that
        deliver the most, the smallest's); or ``1 - tolerance`` times it.
    tolerance : float
        Between 0 and 1; for the rule "tolerance" only.
    """
    information = path.information.round(TIE_DECIMALS)
    most = information.max()
    smallest_best = _smallest(path.n_features, information >= most)
    if rule == ONE_STANDARD_ERROR:
        enough = most - path.standard_error[path.n_features == smallest_best][0]
    elif rule == TOLERANCE:
        enough = (1.0 - tolerance) * most
    else:
        return smallest_best
    return _smallest(path.n_features, information >= np.round(enough, TIE_DECIMALS))


def _smallest(sizes: IntArray, is_enough: BoolArray) -> int:
    return int(sizes[is_enough].min())
