"""A model meets a table: columns matched, classes named, and judged where they are known."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop.datasets import Table
from infoprop.metrics import InformationFlow
from infoprop.workflow._explaining import Explanation, explanations
from infoprop.workflow._models import SavedModel
from infoprop.workflow._options import DataOptions
from infoprop.workflow._preparation import encoded, listed
from infoprop.workflow._reading import identifiers_of, load, tell_notes
from infoprop.workflow._steps import Steps

_TEXTS_SHOWN = 3


@dataclass(frozen=True)
class Predictions:
    """Classes that a model names.

    Attributes
    ----------
    source : str
        How the data is called.
    predicted : ndarray of shape (n_rows,)
    classes : ndarray of shape (n_classes,)
        In the order of the columns of `probabilities`.
    probabilities : ndarray of shape (n_rows, n_classes), or None
        If the model gives any.
    true : ndarray of shape (n_rows,), or None
        If the data tells.
    explained : tuple of Explanation
        Of the first rows, if that was asked for.
    identifiers : tuple of str and ndarray of shape (n_rows,), or None
        Name and cells of the column that identifies the rows, if there is one.
    scores : ndarray of shape (n_rows, n_classes), or None
        Outputs of the classifier, or votes, if they were asked for.
    """

    source: str
    predicted: LabelArray
    classes: LabelArray
    probabilities: FloatArray | None
    true: LabelArray | None
    explained: tuple[Explanation, ...] = ()
    identifiers: tuple[str, LabelArray] | None = None
    scores: FloatArray | None = None

    @property
    def flow(self) -> InformationFlow | None:
        """What the predictions deliver about the true classes."""
        if self.true is None:
            return None
        if all(np.issubdtype(labels.dtype, np.number) for labels in (self.true, self.predicted)):
            return InformationFlow.from_predictions(self.true, self.predicted)
        # A later table may have texts where the first had numbers only: labels are compared as written.
        return InformationFlow.from_predictions(self.true.astype(str), self.predicted.astype(str))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries, lists, numbers and strings."""
        plain: dict[str, Any] = {
            "data": self.source,
            "n_rows": len(self.predicted),
            "classes": self.classes.tolist(),
            "identifiers": None if self.identifiers is None else self.identifiers[1].tolist(),
            "predicted": self.predicted.tolist(),
            "probabilities": None if self.probabilities is None else self.probabilities.tolist(),
            "scores": None if self.scores is None else self.scores.tolist(),
            "true": None if self.true is None else self.true.tolist(),
            "judged": None,
            "explained": [asdict(one) for one in self.explained],
        }
        if self.flow is not None:
            plain["judged"] = {
                "accuracy": float(self.flow.accuracy),
                "information": float(self.flow.information),
                "class_entropy": float(self.flow.class_entropy),
                "labels": self.flow.labels.tolist(),
                "confusion": self.flow.counts.tolist(),
            }
        return plain


def predict_table(
    model: SavedModel,
    data: DataOptions,
    ignore_extra: bool,
    steps: Steps,
    say: Callable[[str], None],
    *,
    n_explained: int = 0,
    with_scores: bool = False,
) -> Predictions:
    """Read a table as `data` says and let `model` name the class of every row, and explain the first ones."""
    table = load(replace(data, target=model.target), like=model.kinds)
    tell_notes(table, say)
    _tell_passed_over(model, table, ignore_extra, say)
    X = numbers_of(model, table, ignore_extra)
    _tell_unknown_texts(model, table, say)
    steps.begin(f"naming the classes of {table.n_rows:,} rows")
    predicted, found, scores = model.answers(X, with_scores=with_scores)
    if with_scores and scores is None:
        raise ParameterError("--scores: this model has probabilities only; leave the option out.")
    explained = explanations(model, X[:n_explained], predicted[:n_explained]) if n_explained else ()
    true = table.y if table.is_labelled else None
    answers = (predicted, model.classes, found, true, explained)
    return Predictions(data.name, *answers, identifiers_of(table), scores)


def numbers_of(model: SavedModel, table: Table, ignore_extra: bool) -> Matrix:
    """Code `table` as the model learned it; refuse gaps that it cannot fill and columns that it never saw."""
    kinds = model.encoder.parts["kinds"]
    gaps = [name for name in table.missing if name in kinds]
    if gaps and model.impute is None:
        raise DataError(
            f"{table.source} has missing values in {listed(gaps)}, and the model was trained without "
            "--impute; fill the cells, or train it with --impute."
        )
    X = encoded(model.encoder, table, model.impute, ignore_extra=True)
    extra = [name for name in table.columns if name not in model.kinds]
    if extra and not (ignore_extra or table.lists_no_zeros):
        raise DataError(
            f"{table.source} has {listed(extra)}, which the model was not trained on; leave out what is not "
            "needed with --drop, or all of it with --ignore-extra."
        )
    return X


def _tell_passed_over(
    model: SavedModel, table: Table, ignore_extra: bool, say: Callable[[str], None]
) -> None:
    """Say which columns of a file without zeros are new: they were zero in all rows of the training."""
    extra = [name for name in table.columns if name not in model.kinds]
    if table.lists_no_zeros and extra and not ignore_extra:
        say(f"note: {listed(extra)} of {table.source} never occurred in training; passed over")


def _tell_unknown_texts(model: SavedModel, table: Table, say: Callable[[str], None]) -> None:
    for name, known in model.encoder.parts["categories"].items():
        if table.frame is None or name not in table.frame.columns:
            continue
        strange = sorted(set(table.frame[name].drop_nulls().unique().to_list()) - set(known))
        if strange:
            texts = ", ".join(repr(text) for text in strange[:_TEXTS_SHOWN])
            more = f" and {len(strange) - _TEXTS_SHOWN:,} more" if len(strange) > _TEXTS_SHOWN else ""
            say(f"note: column {name!r} holds {texts}{more}, unknown categories: ignored")
