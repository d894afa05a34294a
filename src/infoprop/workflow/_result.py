"""Analysis: what was found in a table, as a report, a model, a script."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from infoprop._core._checks import check_choice
from infoprop._core._typing import IntArray, LabelArray
from infoprop.credit import FeatureCredits, RowCredits
from infoprop.metrics import InformationFlow
from infoprop.report import Report, ReportSummary
from infoprop.selection import Comparison
from infoprop.workflow._analysis import trained_model
from infoprop.workflow._annotating import annotated
from infoprop.workflow._finding import Finding
from infoprop.workflow._judging import Judged
from infoprop.workflow._models import SavedModel
from infoprop.workflow._options import MODEL_ROWS, SPLIT
from infoprop.workflow._preparation import Problem
from infoprop.workflow._probabilities import calibrating, is_calibrated, uncalibrated
from infoprop.workflow._repeating import finding_of_training_rows
from infoprop.workflow._request import Task


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """What :func:`analyse` found.

    Attributes
    ----------
    problem : Problem
        The rows as numbers (`X`, `y`), and the feature that each column belongs to (`owners`).
    task : Task
        The classifier and the selector, not fitted.
    finding : Finding
        Everything that was found, as the report takes it.
    judged : Judged or None
        Predictions for the judged rows, with ``repeat_choice=True``.
    nested : Comparison or None
        What the whole selection delivers on rows that took no part in it, with `nested`.
    rows : RowCredits or None
        What every feature adds to the outputs for the rows asked about, with `explain_rows`.
    is_interrupted : bool
        Whether Ctrl-C ended a search or the folds early; what was found until then is here.
    code : str
        Python that makes this analysis again.
    data : str or None
        How the table is called, if there is one.
    left_out : tuple of str
        Columns of the table that were left out when it was read.
    identifiers : tuple of str and ndarray of shape (n_rows,), or None
        Name and cells of the column that identifies the rows, if there is one.

    See Also
    --------
    analyse : Makes one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.workflow import analyse
    >>> analysis = analyse(*load_iris(return_X_y=True, as_frame=True))
    >>> analysis.selector is None, len(analysis.chosen), analysis.credits.n_features
    (True, 4, 4)
    >>> print(analysis.code)
    from infoprop.workflow import analyse
    <BLANKLINE>
    found = analyse(X, y)
    print(found)
    <BLANKLINE>
    """

    problem: Problem
    task: Task
    finding: Finding
    judged: Judged | None
    nested: Comparison | None
    is_interrupted: bool
    code: str
    data: str | None = None
    left_out: tuple[str, ...] = ()
    identifiers: tuple[str, LabelArray] | None = None
    rows: RowCredits | None = None

    @property
    def selector(self) -> Any:
        """The fitted selector; None if nothing was chosen, or every pair of classes has its own features."""
        return self.finding.selector

    @property
    def credits(self) -> FeatureCredits | None:
        """What every feature is worth, in bits, with all features there; None if the classifier has none."""
        return self.finding.credits

    @property
    def markers(self) -> dict[Any, tuple[tuple[str, float], ...]]:
        """Features that tell the most about each class, with their bits; empty without `per_class`."""
        return self.finding.markers

    @property
    def judgement(self) -> InformationFlow:
        """What the classifier delivers on the judging rows, with the chosen features if some were chosen."""
        return self.finding.flow if self.finding.retrained is None else self.finding.retrained

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the features chosen; all of them if there was no choice."""
        names, selected = self.finding.names, self.finding.selected
        if selected is None:
            return names
        return tuple(name for name, is_chosen in zip(names, selected, strict=True) if is_chosen)

    def report(self, **parts: Any) -> Report:
        """Return the page about this analysis.

        Parameters
        ----------
        **parts : dict
            What the page is to say otherwise: `title`, `data`, `settings`, `code`; see
            :meth:`~infoprop.report.Report.from_credits`.

        Returns
        -------
        Report
        """
        found = self.finding
        told: Any = {
            "selected": found.selected,
            "retrained": found.retrained,
            "chosen_credits": found.chosen_credits,
            "judged_on": found.judged_on,
            "auc": found.auc,
            "n_rows": len(self.problem.y),
            "target": self.problem.target,
            "owners": self.problem.owners,
            "X": self.problem.X,
            "y": self.problem.y,
            "column_names": self.problem.column_names,
            "rows": self.rows,
            "row_numbers": self.task.request.explain_rows if self.rows is not None else None,
            "row_classes": self._true_classes() if self.rows is not None else None,
            "nested": self.nested,
            "code": self.code,
            "data": self.data,
            **found.searches,
            **parts,
        }
        if found.credits is not None:
            return Report.from_credits(found.credits, **told)
        return Report.from_flow(found.flow, feature_names=found.names, **told)

    def _true_classes(self) -> list[Any]:
        return [self.problem.y[row] for row in self.task.request.explain_rows]

    def model(self, *, rows: str = "all") -> BaseEstimator:
        """Return the classifier with the chosen features, trained on rows as numbers (``problem.X``).

        Parameters
        ----------
        rows : {"all", "train"}, default="all"
            Train on all rows, also on those that judged, or on the training rows alone: then it is the
            classifier that was judged, with the features that were chosen without the judging rows if
            ``repeat_choice=True``.
        """
        return trained_model(self.problem, self.task.estimator, *self._kept(rows))

    def save(self, path: str | os.PathLike[str], *, rows: str = "all", probabilities: bool = True) -> None:
        """Train the classifier with the chosen features, and write it for `infoprop predict`.

        Parameters
        ----------
        path : str or path
            A .skops file. It holds how the columns of a table become numbers, too.
        rows : {"all", "train"}, default="all"
            See :meth:`model`.
        probabilities : bool, default=True
            Whether machines, which have none, are trained five times more to calibrate probabilities. The
            classes that they predict stay the same.
        """
        finding, trained_on = self._kept(rows)
        estimator, calibrated = self.task.estimator, None
        if probabilities:
            estimator = calibrating(estimator)
        model = trained_model(self.problem, estimator, finding, trained_on)
        if probabilities and is_calibrated(estimator, self.task.estimator):
            model, calibrated = uncalibrated(model), model
        left_out = (*self.left_out, SPLIT)
        SavedModel.of(self.problem, model, finding.used, left_out, calibrated).save(Path(path))

    def _kept(self, rows: str) -> tuple[Finding, IntArray | None]:
        """What a kept model is made of: features, and the rows to train on (None: all)."""
        check_choice("rows", rows, MODEL_ROWS, "Analysis.save")
        if rows == "all":
            return self.finding, None
        return finding_of_training_rows(self.problem, self.task, self.finding, self.judged)

    def annotate(self, data: Any) -> Any:
        """Return a copy of AnnData with what was found of every gene in its `var`.

        Parameters
        ----------
        data : AnnData
            That this is the analysis of.

        Returns
        -------
        AnnData
            Its `var` has ``infoprop_bits``, ``infoprop_bits_<class>``, ``infoprop_rank`` (1 is best), and
            after a choice ``infoprop_selected`` and ``infoprop_q_value``, if the method gives it.
        """
        return annotated(self.finding, data)

    def _summary(self) -> ReportSummary:
        """What the page says, without a look at the rows."""
        return self.report(X=None).summary

    def __str__(self) -> str:
        summary = self._summary()
        return f"{summary.headline}\n{summary.lead}"

    def __repr__(self) -> str:
        return f"<Analysis: {self._summary().headline}>"
