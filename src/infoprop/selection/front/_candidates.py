"""The searches that the front door tries, and the numbers of features it tries them at."""

from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.front._screened import ScreenSelector
from infoprop.svm import OneVsRestSVC

# Above so many rows, or columns, an elimination with an rbf kernel takes minutes.
MOST_ROWS_FOR_RBF = 2000
MOST_COLUMNS_FOR_RBF = 100
# Products of a screen of all pairs: rows times pairs of columns.
MOST_SCREEN_PRODUCTS = 2e10
# Each size that is tried is half as large again as the one before.
GROWTH = 1.5
# Beyond this, only all features are tried.
LARGEST_SIZE = 300


def candidates_for(n_rows: int, n_features: int, *, is_sparse: bool) -> dict[str, Any]:
    """Return the selectors worth trying on a table of this size, quickest first.

    - "linear, C=0.01": backward elimination by margin, with linear machines that are regularised strongly;
    - "screen": the best columns of a screen of all columns and pairs, for an rbf kernel;
    - "rbf, C=10": backward elimination by margin with an rbf kernel that is regularised less;
    - "linear": in its place, where the table is too large for it or sparse, linear machines with C = 1.

    Eliminations by margin need no rows held out; those by information, counted on folds, take longer and
    chose no better on the sets that candidates were chosen on. With C = 10 an rbf kernel was ahead of C = 1
    on tables with little noise (vehicle, vowel) and behind on noisy ones (diabetes, yeast), which the screen
    with its C = 1 serves.

    Examples
    --------
    >>> list(candidates_for(200, 20, is_sparse=False))
    ['linear, C=0.01', 'screen', 'rbf, C=10']
    >>> list(candidates_for(200, 5000, is_sparse=False))
    ['linear, C=0.01', 'linear', 'screen']
    >>> list(candidates_for(200, 20, is_sparse=True))
    ['linear, C=0.01', 'linear']
    """

    def machine(kernel: str, C: float) -> Pipeline:
        return make_pipeline(
            MaxAbsScaler() if is_sparse else StandardScaler(), OneVsRestSVC(kernel=kernel, C=C)
        )

    def elimination(kernel: str, C: float) -> BackwardEliminationSelector:
        return BackwardEliminationSelector(
            machine(kernel, C), criterion="margin", validation=None, step="halving"
        )

    found: dict[str, Any] = {"linear, C=0.01": elimination("linear", 0.01)}
    is_small = not is_sparse and n_rows <= MOST_ROWS_FOR_RBF and n_features <= MOST_COLUMNS_FOR_RBF
    if not is_small:
        found["linear"] = elimination("linear", 1.0)
    if not is_sparse and n_rows * n_features**2 <= MOST_SCREEN_PRODUCTS:
        found["screen"] = ScreenSelector(machine("rbf", 1.0))
    if is_small:
        found["rbf, C=10"] = elimination("rbf", 10.0)
    return found


def sizes_for(n_features: int, fewest: int) -> list[int]:
    """Return the numbers of features to try, all of them among these.

    Examples
    --------
    >>> sizes_for(30, 1)
    [1, 2, 3, 5, 8, 12, 18, 27, 30]
    """
    sizes, size = [], max(fewest, 1)
    while size < min(n_features, LARGEST_SIZE):
        sizes.append(size)
        size = max(size + 1, round(size * GROWTH + 0.01))
    return [*sizes, n_features]
