"""RefitSubsetModel: any classifier, trained again wherever it is moved."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from infoprop._core._subset import SubsetModel
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.credit._covariance import Contributions
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._evaluation import Answer, SubsetEvaluator
from infoprop.selection._moving import moving_model


def subset_model(
    evaluator: SubsetEvaluator, *, has_shares: bool = True, groups: ColumnGroups | None = None
) -> SubsetModel:
    """Return the fastest model that gives the answers of the evaluator's classifier.

    Without shares any classifier will do, for searches that only count predictions. `groups` are for searches
    that share by covariance: see :class:`~infoprop.selection._sharing.CovarianceSharing`.
    """
    return moving_model(evaluator) or RefitSubsetModel(evaluator, has_shares=has_shares, groups=groups)


class RefitSubsetModel:
    """The always correct model: a clone is trained from nothing in every split.

    Its state is the columns alone. Works with every classifier that
    :func:`infoprop.credit.credit_shares` supports, without shares with every classifier; fast models are
    tested against it.

    Parameters
    ----------
    evaluator : SubsetEvaluator
        Holds the classifier, the rows and the splits.
    has_shares : bool, default=True
        Whether it will be asked for credit shares.
    groups : ColumnGroups, default=None
        Given if it will be asked for the contributions of groups by covariance instead.
    """

    moves_between_snapshots = 1

    def __init__(
        self, evaluator: SubsetEvaluator, *, has_shares: bool = True, groups: ColumnGroups | None = None
    ) -> None:
        self._evaluator = evaluator
        self._groups = groups
        self._has_shares = has_shares
        self._is_standing = np.ones(len(evaluator.feature_names), dtype=bool)
        self._answers: list[Answer] = []

    @property
    def columns(self) -> IntArray:
        """Numbers of the columns it stands on, ascending."""
        return np.flatnonzero(self._is_standing)

    @property
    def classes(self) -> LabelArray:
        """Labels of all classes that occur in the training rows, ascending."""
        return self._evaluator.classes

    def add(self, columns: IntArray) -> None:
        """Take columns in."""
        self._is_standing[columns] = True

    def drop(self, columns: IntArray) -> None:
        """Leave columns out."""
        self._is_standing[columns] = False

    def fit(self) -> None:
        """Train a clone on the columns, in every split."""
        wanted = self._has_shares if self._groups is None else self._groups
        self._answers = self._evaluator.answers(self.columns, with_shares=wanted)

    def credit_shares(self) -> FloatArray:
        """Shares, mean over the splits: (n_classes, n_columns); a split without the class counts as zeros."""
        total = np.zeros((len(self.classes), int(self._is_standing.sum())))
        for answer in self._answers:
            assert answer.shares is not None
            total[np.searchsorted(self.classes, answer.classes)] += answer.shares
        return total / len(self._answers)

    def contributions(self) -> tuple[list[Contributions], list[IntArray]] | None:
        """Of every split with validation rows, with the numbers of its classes; None for networks."""
        known = [answer for answer in self._answers if answer.contributions is not None]
        if not known:
            return None
        found = [answer.contributions for answer in known if answer.contributions is not None]
        return found, [np.searchsorted(self.classes, answer.classes) for answer in known]

    def predict(self) -> tuple[LabelArray, ...]:
        """Labels of the rows that each split tests; an empty array for a split that tests none."""
        return tuple(
            self.classes[:0] if answer.predicted is None else answer.predicted for answer in self._answers
        )

    def snapshot(self) -> Mapping[str, Any]:
        """Return nothing: the columns are all it goes on from."""
        return {}

    def restore(self, columns: IntArray, snapshot: Mapping[str, Any]) -> None:
        """Stand on `columns`, not yet trained."""
        self._is_standing[:] = False
        self._is_standing[columns] = True
        self._answers = []
