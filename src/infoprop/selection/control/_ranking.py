"""How a half of the rows ranks the features: by an elimination, credits, an L1 path, or any selector."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, l1_min_c
from sklearn.utils import check_array

from infoprop._core._row_folds import row_group_parameters
from infoprop._core._typing import IntArray
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._containers import take_parameters, take_rows
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection.control._controlled import eliminated
from infoprop.selection.searches._credit import CreditSelector

ELIMINATION = "elimination"
CREDIT = "credit"
L1 = "l1"
SEARCHES = (ELIMINATION, CREDIT, L1)

# Multiples of the smallest C with a column in the machine; the last ones have most of the columns that
# matter.
_COSTS = np.geomspace(1.02, 60.0, 24)


def ranked_groups(
    search: Any, evaluator: SubsetEvaluator, choice: ColumnChoice, rows: IntArray, step: Any, seed: int
) -> IntArray:
    """Return all groups, best first, as `search` ranks them from `rows` alone."""
    if search == ELIMINATION:
        return eliminated(evaluator, choice, rows, step)
    if search == L1:
        return _l1_order(evaluator.training, choice, rows, seed)
    data = evaluator.training
    selector = CreditSelector(evaluator.estimator, validation=0.25) if search == CREDIT else clone(search)
    own = {"groups": choice.groups.labels.tolist(), "keep": choice.keep.tolist()}
    known = selector.get_params(deep=False)
    selector.set_params(**{name: value for name, value in own.items() if name in known})
    if "random_state" in known:
        selector.set_params(random_state=seed)
    parameters = take_parameters(evaluator.fit_parameters, rows, len(data.y))
    if evaluator.row_groups is not None:
        parameters |= row_group_parameters(selector, evaluator.row_groups[rows])
    selector.fit(take_rows(data.X, rows), data.y[rows], **parameters)
    return _first_of_each_group(np.asarray(selector.feature_ranking_), choice)


def _first_of_each_group(columns: IntArray, choice: ColumnChoice) -> IntArray:
    """Groups in the order of the best of their columns."""
    _, first = np.unique(choice.groups.labels[columns], return_index=True)
    return np.argsort(first, kind="stable")


def _l1_order(data: LabelledRows, choice: ColumnChoice, rows: IntArray, seed: int) -> IntArray:
    """Groups in the order in which they enter linear machines with an L1 penalty as C grows.

    Of groups that enter together the one with the larger weights comes first; those that never enter are in
    random order.
    """
    X = check_array(take_rows(data.X, rows), accept_sparse="csr", dtype=np.float64)
    scaler = StandardScaler(with_mean=False)
    X, y = scaler.fit_transform(X), data.y[rows]
    weights = None if data.sample_weight is None else data.sample_weight[rows]
    smallest = l1_min_c(X, y, loss="squared_hinge")
    n_groups = choice.groups.n_groups
    entered, sizes = np.full(n_groups, len(_COSTS)), np.zeros(n_groups)
    for number, times in enumerate(_COSTS):
        machine = LinearSVC(penalty="l1", dual=False, C=times * smallest, tol=1e-3, random_state=seed)
        machine.fit(X, y, sample_weight=weights)
        own = choice.group_sums(np.abs(machine.coef_).sum(axis=0), np.arange(X.shape[1]))
        is_new = (own > 0.0) & (entered == len(_COSTS))
        entered[is_new], sizes[is_new] = number, own[is_new]
    chance = np.random.default_rng(seed).permutation(n_groups)
    return np.lexsort((chance, -sizes, entered))
