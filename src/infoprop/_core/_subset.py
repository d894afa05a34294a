"""SubsetModel stands on some of the columns and moves to others; SubsetJudge says how good they are."""

from collections.abc import Mapping
from typing import Any, Protocol

from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray


class SubsetModel(Protocol):
    """What every search moves: a classifier trained in all splits of a validation plan.

    A model starts on all columns, not yet trained. `add` and `drop` move it; `fit` trains it where it
    stands, from whatever it kept of where it stood before. The answers are those of a classifier trained
    from nothing.
    """

    @property
    def columns(self) -> IntArray:
        """Numbers of the columns it stands on, ascending."""

    @property
    def classes(self) -> LabelArray:
        """Labels of all classes that occur in the training rows, ascending."""

    def add(self, columns: IntArray) -> None:
        """Take columns in."""

    def drop(self, columns: IntArray) -> None:
        """Leave columns out."""

    def fit(self) -> None:
        """Train on the columns it stands on, in every split."""

    def credit_shares(self) -> FloatArray:
        """Shares of the columns in each class indicator, mean over the splits: (n_classes, n_columns)."""

    def predict(self) -> tuple[LabelArray, ...]:
        """Labels of the rows that each split tests, one array per split."""

    @property
    def moves_between_snapshots(self) -> int:
        """Number of trainings after which the search takes a snapshot."""

    def snapshot(self) -> Mapping[str, Any]:
        """Return arrays to go on from, and go on from them.

        What the model does afterwards follows from the columns and these arrays alone, bit for bit, so a
        model that is given them by `restore` in another process ends with the same numbers.
        """

    def restore(self, columns: IntArray, snapshot: Mapping[str, Any]) -> None:
        """Stand on `columns` as after a `snapshot` taken there."""


class SubsetJudge(Protocol):
    """Tells how often a classifier is right in validation when it is trained on a subset of the columns.

    A judge does not remember what it was asked: a search that does not want to pay twice for a subset keeps
    the answers.
    """

    @property
    def n_columns(self) -> int:
        """Number of columns there are."""

    def judge(self, masks: BoolArray) -> FloatArray:
        """Weighted accuracy on each subset, from 0 to 1: (n_masks, n_columns) to (n_masks,).

        Without columns, that of always naming the most frequent class.
        """

    def judge_grown(self, columns: IntArray, candidates: IntArray) -> FloatArray:
        """Accuracy on `columns` with each of the `candidates` added: shape (n_candidates,)."""

    def snapshot(self) -> Mapping[str, Any]:
        """Return arrays to go on from, and go on from them, as a :class:`SubsetModel` does."""

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go on as after that `snapshot`."""
