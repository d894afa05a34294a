"""ScreenSelector: the best columns of a screen of all columns and pairs, and a classifier on them."""

from typing import Any

import numpy as np

from infoprop._core._typing import BoolArray
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._containers import take_rows
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection.running._work import Work
from infoprop.selection.screen._interactions import interaction_screen


class ScreenSelector(ResizableSelector):
    """Select the columns that an :func:`~infoprop.selection.interaction_screen` ranks first.

    Nothing is trained but the classifier, on what was chosen. Weights of rows are the classifier's alone.

    Parameters
    ----------
    estimator : classifier, default=None
        Trained on the chosen columns.
    n_features_to_select : int or float, default=None
        How many, or which fraction. None means half of them.
    groups, keep, random_state, verbose
        As in the other selectors.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection.front._screened import ScreenSelector
    >>> X = np.random.default_rng(0).random((300, 8))
    >>> y = (X[:, 2] - 0.5) * (X[:, 5] - 0.5) > 0
    >>> ScreenSelector(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 5])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = None,
        groups: Any = None,
        keep: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.groups = groups
        self.keep = keep
        self.random_state = random_state
        self.verbose = verbose

    n_jobs = None
    validation = None

    def support_at(self, size: int) -> BoolArray:
        """Return a mask of the columns that are chosen for another number of features (groups)."""
        choice = choose_columns(self.groups, self.keep, size, None, self._input_names())
        return choice.support(self._ranked_at(choice)[0])

    def _may_skip_validation(self) -> bool:
        return True

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        return Selection(*self._ranked_at(choice))

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return 1

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        rows = evaluator.all_rows()
        X = take_rows(evaluator.training.X, rows)
        screen = interaction_screen(X, evaluator.training.y[rows])
        work.progress.step()
        labels = choice.groups.labels[screen.feature_ranking]
        _, first = np.unique(labels, return_index=True)
        ranked = labels[np.sort(first)]
        is_kept = np.isin(ranked, choice.keep)
        order = np.concatenate([ranked[is_kept], ranked[~is_kept]])
        return Selection(np.sort(order[: choice.n_select]), order)
