"""Why a model names the class that it names, for single rows."""

from dataclasses import dataclass

import numpy as np

from infoprop._core._exceptions import Parameter, ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import LabelArray, Matrix
from infoprop.credit import RowCredits, credit_rows
from infoprop.report._explained_rows import N_ROWS
from infoprop.workflow._analysis import chosen_columns, trained_model
from infoprop.workflow._classifiers import explains_rows, last_step
from infoprop.workflow._finding import Finding
from infoprop.workflow._models import SavedModel
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Task

_MOST_NAMED = 5


@dataclass(frozen=True)
class Explanation:
    """What every feature adds to the output of the class that was named for a row.

    Attributes
    ----------
    row : int
        From 1.
    label : str
        The class named.
    output, base : float
        Its output, and what it would be without the features.
    features : tuple of (str, float)
        Every feature and what it adds, the largest first. They add up to output - base - remainder.
    remainder : float
        What is not accounted for.
    """

    row: int
    label: str
    output: float
    base: float
    features: tuple[tuple[str, float], ...]
    remainder: float

    @property
    def sentence(self) -> str:
        """The row in words: the features that count the most."""
        most = ", ".join(f"{name} {value:+.2f}" for name, value in self.features[:_MOST_NAMED])
        rest = sum(value for _, value in self.features[_MOST_NAMED:])
        others = f", others {rest:+.2f}" if len(self.features) > _MOST_NAMED else ""
        return f"row {self.row}: {self.label} ({self.output:+.2f}) = {self.base:+.2f}, {most}{others}"


def explanations(model: SavedModel, X: Matrix, predicted: LabelArray) -> tuple[Explanation, ...]:
    """Explain rows to which the model gave the classes `predicted`; nominal columns are one feature."""
    try:
        rows = credit_rows(model.classifier, X, groups=model.encoder.groups)
    except UnsupportedEstimatorError as error:
        raise ParameterError(
            f"--explain: this model does not tell what a feature adds to a row. {error}"
        ) from None
    labels = rows.labels.tolist()
    found = []
    for row, label in enumerate(predicted.tolist()):
        # Of two classes there is one output, for the second; for the first all signs turn round.
        sign, number = (1.0, labels.index(label)) if label in labels else (-1.0, 0)
        values = sign * rows.contributions[row, number]
        order = np.argsort(-np.abs(values), kind="stable")
        found.append(
            Explanation(
                row + 1,
                str(label),
                float(sign * rows.outputs[row, number]),
                float(sign * rows.base[row, number]),
                tuple((rows.feature_names[k], float(values[k])) for k in order),
                float(sign * rows.remainder[row, number]),
            )
        )
    return tuple(found)


def check_rows(task: Task, n_rows: int) -> None:
    """Refuse rows that are not there or are named twice, and classifiers that cannot explain any."""
    numbers, told = task.request.explain_rows, Parameter("explain_rows", "explain_rows")
    if not numbers:
        return
    if not explains_rows(task.estimator):
        name = type(last_step(task.estimator)).__name__
        raise ParameterError(told, f": {name} does not tell what a feature adds to a row.")
    if len(numbers) > N_ROWS:
        raise ParameterError(told, f" takes at most {N_ROWS} rows. Got {len(numbers)}.")
    for number in numbers:
        if not 0 <= number < n_rows:
            raise ParameterError(told, f": the data has {n_rows:,} rows, and no row {number + 1:,} from 1.")
    if len(set(numbers)) < len(numbers):
        raise ParameterError(told, " names a row twice.")


def explained_rows(problem: Problem, task: Task, finding: Finding) -> RowCredits:
    """Explain the rows that were asked about, by one classifier that is trained on all others.

    It has the features that were chosen. Nominal columns are one feature.
    """
    rows = np.array(task.request.explain_rows, dtype=np.intp)
    is_other = np.ones(len(problem.y), dtype=bool)
    is_other[rows] = False
    columns = chosen_columns(problem, finding.used)
    model = trained_model(problem, task.estimator, finding, np.flatnonzero(is_other))
    owners = [problem.owners[column] for column in columns]
    try:
        return credit_rows(model, problem.X[:, columns][rows], groups=owners)
    except UnsupportedEstimatorError as error:
        raise ParameterError(
            Parameter("explain_rows", "explain_rows"),
            f": this classifier does not tell what a feature adds to a row. {error}",
        ) from None
