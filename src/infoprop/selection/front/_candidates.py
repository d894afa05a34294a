"""The searches that the front door tries, and the numbers of features it tries them at."""

from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.front._screened import ScreenSelector
from infoprop.svm import OneVsRestSVC

# Above so many rows, an elimination with an rbf kernel takes minutes; of more columns it takes the best.
MOST_ROWS_FOR_RBF = 2000
MOST_COLUMNS_FOR_RBF = 40
# Products of a screen: rows times squared columns times classes (two count as one). More take seconds a fold.
MOST_SCREEN_PRODUCTS = 4e9
# Each size that is tried is half as large again as the one before.
GROWTH = 1.5
# Beyond this, only all features are tried.
LARGEST_SIZE = 300


def candidates_for(n_rows: int, n_features: int, n_classes: int, *, is_sparse: bool) -> dict[str, Any]:
    """Return the selectors worth trying on a table of this size, the one to prefer first.

    - "screen": the best columns of a screen of all columns and pairs, for an rbf kernel with C = 1;
    - "linear, C=0.01": backward elimination by margin, with linear machines that are regularised strongly;
    - "rbf, C=10": backward elimination by margin, with an rbf kernel that is regularised less, of the columns
      that the screen ranks best;
    - "linear, C=0.1", or "linear" with C = 1 on sparse tables: linear machines that are regularised less.

    Where there are more columns than rows, linear machines come first, two of them, and an rbf elimination is
    left out: on the sets that candidates were chosen on, the screen had the best rank on tables with more
    rows, linear eliminations on wide ones. Tables that are sparse or too large for a screen have linear
    machines alone. Eliminations by margin need no rows held out.

    Examples
    --------
    >>> list(candidates_for(200, 20, 2, is_sparse=False))
    ['screen', 'linear, C=0.01', 'rbf, C=10']
    >>> list(candidates_for(200, 2000, 2, is_sparse=False))
    ['linear, C=0.01', 'linear, C=0.1', 'screen']
    >>> list(candidates_for(200, 20, 2, is_sparse=True))
    ['linear, C=0.01', 'linear']
    """

    def machine(kernel: str, C: float) -> Pipeline:
        return make_pipeline(
            MaxAbsScaler() if is_sparse else StandardScaler(), OneVsRestSVC(kernel=kernel, C=C)
        )

    def elimination(C: float) -> BackwardEliminationSelector:
        return BackwardEliminationSelector(
            machine("linear", C), criterion="margin", validation=None, step="halving"
        )

    linear = {"linear, C=0.01": elimination(0.01)}
    if is_sparse:
        return linear | {"linear": elimination(1.0)}
    softer = {"linear, C=0.1": elimination(0.1)}
    if not can_screen(n_rows, n_features, n_classes):
        return linear | softer
    screen: dict[str, Any] = {"screen": ScreenSelector(machine("rbf", 1.0))}
    if n_features > n_rows:
        return linear | softer | screen
    if n_rows > MOST_ROWS_FOR_RBF:
        return screen | linear
    refined = ScreenSelector(machine("rbf", 10.0), n_eliminated=MOST_COLUMNS_FOR_RBF)
    return screen | linear | {"rbf, C=10": refined}


def can_screen(n_rows: int, n_features: int, n_classes: int) -> bool:
    """Whether a screen of all pairs takes seconds at most.

    Examples
    --------
    >>> can_screen(72, 7129, 2), can_screen(200, 20_000, 2)
    (True, False)
    """
    n_products = n_rows * n_features**2 * (1 if n_classes == 2 else n_classes)
    return bool(n_products <= MOST_SCREEN_PRODUCTS)


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
