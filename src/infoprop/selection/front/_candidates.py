"""The searches that the front door tries, and the numbers of features it tries them at."""

from typing import Any

from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.elimination._schedule import Schedule
from infoprop.selection.front._screened import ScreenSelector
from infoprop.svm import OneVsRestSVC

# Above so many rows, an elimination with an rbf kernel takes minutes.
MOST_ROWS_FOR_RBF = 2000
# Columns that are eliminated after a ranking: half of them, but at least and at most so many.
FEWEST_ELIMINATED, MOST_ELIMINATED = 40, 200
# With more columns for each row, linear machines come first; with more than one where no screen is made.
WIDE = 5
# Products of a screen: rows times squared columns times classes (two count as one). More take seconds a fold.
MOST_SCREEN_PRODUCTS = 4e9
# From each size that is tried to the next, a third of the features goes; so it does in each step of an
# elimination, which passes these sizes on its way.
STEP = 1.0 / 3.0
# Beyond this, only all features are tried.
LARGEST_SIZE = 300


def candidates_for(
    n_rows: int, n_features: int, n_classes: int, *, is_sparse: bool, impute: str | None = None
) -> dict[str, Any]:
    """Return the selectors worth trying on a table of this size, the one to prefer first.

    - "joined, rbf": three orders as one, by the product of a column's places: that of a screen of all columns
      and pairs; that of its better half, 40 to 200 columns, by backward elimination with an rbf kernel, by
      credits by covariance; and that of all columns by backward elimination by margin with linear machines
      of C = 0.1. What the screen found comes first;
    - "screen, rbf": the screen and the elimination with an rbf kernel alone;
    - "screen": the screen alone, for an rbf kernel, where the elimination would take long;
    - "joined, linear": two orders as one in the same way, by elimination by margin with machines of C = 0.01
      of the columns, at most 200, that they credit most by covariance, and with C = 0.1 of all;
    - "joined, rbf, C=10": the same columns, for a machine that is regularised less;
    - "linear, C=0.1", and on large tables C = 0.01 or 1: backward elimination by margin of all columns.

    Where there are more than five times as many columns as rows, linear machines come first. Tables that are
    sparse or too large for a screen have linear machines alone. Eliminations by margin need no rows held out.
    What `impute` names fills in missing values, in every training part anew.

    Examples
    --------
    >>> list(candidates_for(200, 900, 2, is_sparse=False))
    ['joined, rbf', 'screen, rbf', 'linear, C=0.1', 'joined, rbf, C=10']
    >>> list(candidates_for(200, 2000, 2, is_sparse=False))
    ['joined, linear', 'linear, C=0.1', 'screen']
    >>> list(candidates_for(200, 20, 2, is_sparse=True))
    ['linear, C=0.01', 'linear']
    """

    def machine(kernel: str, C: float) -> Pipeline:
        imputers = [] if impute is None else [SimpleImputer(strategy=impute, keep_empty_features=True)]
        scaler = MaxAbsScaler() if is_sparse else StandardScaler()
        return make_pipeline(*imputers, scaler, OneVsRestSVC(kernel=kernel, C=C))

    def elimination(C: float) -> BackwardEliminationSelector:
        return BackwardEliminationSelector(
            machine("linear", C), criterion="margin", validation=None, step=STEP
        )

    linear = {"linear, C=0.01": elimination(0.01)}
    if is_sparse:
        return linear | {"linear": elimination(1.0)}
    softer = {"linear, C=0.1": elimination(0.1)}
    has_screen = can_screen(n_rows, n_features, n_classes)
    screen: dict[str, Any] = {"screen": ScreenSelector(machine("rbf", 1.0))}
    if n_features > n_rows * (WIDE if has_screen else 1):
        # The largest of the sizes that are tried: the elimination then passes the smaller ones.
        n_eliminated = max(size for size in sizes_for(n_features, 1) if size <= MOST_ELIMINATED)
        credited = ScreenSelector(
            machine("linear", 0.01),
            ranked_by="credit",
            n_eliminated=n_eliminated,
            joined_with=machine("linear", 0.1),
            step=STEP,
        )
        return {"joined, linear": credited} | softer | (screen if has_screen else {})
    if not has_screen:
        return linear | softer
    if n_rows > MOST_ROWS_FOR_RBF:
        return screen | softer
    n_eliminated = min(max(n_features // 2, FEWEST_ELIMINATED), MOST_ELIMINATED)
    refined = ScreenSelector(machine("rbf", 1.0), n_eliminated=n_eliminated, step=STEP)
    joined = clone(refined).set_params(joined_with=machine("linear", 0.1))
    sharper = clone(joined).set_params(estimator=machine("rbf", 10.0), eliminated_by=machine("rbf", 1.0))
    return {"joined, rbf": joined, "screen, rbf": refined} | softer | {"joined, rbf, C=10": sharper}


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
    [1, 2, 3, 4, 5, 7, 10, 14, 20, 30]
    """
    schedule, sizes = Schedule(STEP, max(fewest, 1)), [n_features]
    while (count := schedule.count(sizes[-1])) > 0:
        sizes.append(sizes[-1] - count)
    return [size for size in reversed(sizes) if size <= LARGEST_SIZE or size == n_features]
