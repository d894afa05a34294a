"""The public face of a report."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Unpack

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report._inputs import ReportParts
from infoprop.report._render import render_html, render_json, render_markdown
from infoprop.report._summary import ReportSummary


@dataclass(frozen=True)
class Report:
    """A run on one page: what every feature is worth, through which classes, and what was run.

    The page is self-contained (no network, one file), follows the reader's light or dark setting, and is made
    of the summary alone: the same summary gives the same bytes.

    Parameters
    ----------
    summary : ReportSummary
        The numbers to show.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.credit import credit_features
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> report = Report.from_credits(credit_features(LogisticRegression().fit(X, y), X, y), data="toy")
    >>> report.markdown().splitlines()[2]
    '**2 features deliver 1.00 of 1.00 bits**'
    """

    summary: ReportSummary

    @classmethod
    def from_credits(cls, credits: FeatureCredits, **parts: Unpack[ReportParts]) -> "Report":
        """Report on what every feature is worth.

        Parameters
        ----------
        credits : FeatureCredits
            What every feature is worth.
        title : str, optional
            Title of the page; made from `data` if not given.
        selected : ndarray of bool of shape (n_features,), optional
            The features that were chosen.
        retrained : InformationFlow, optional
            Of the classifier trained again on the chosen features, on the same rows.
        path : SelectionPath, optional
            `path_` of the selector, if it eliminated.
        rule : {"best", "one-se", "tolerance"}, optional
            Rule by which it picked the size; not given if the size was.
        tolerance : float, optional
            Of the rule "tolerance".
        trace : SearchTrace, optional
            `trace_` of a :class:`~infoprop.selection.DirectedSearchSelector`.
        beam : BeamTrace, optional
            `trace_` of a :class:`~infoprop.selection.ForwardBeamSelector`.
        evolution : GeneticTrace, optional
            `trace_` of a :class:`~infoprop.selection.GeneticSelector`, or of a `PairwiseClassifier`.
        pairs : PairwiseClassifier, optional
            Fitted: which pair of classes uses which features.
        shapes : FeatureShaper, LocalProbabilityShaper or BNSScaler, optional
            Fitted: what the values of the best columns become.
        owners : sequence of str, length n_columns, optional
            The feature that each column of `pairs` or `shapes` comes from, if a feature has several columns.
        nested : Comparison, optional
            What the whole selection delivers on rows that it has not seen.
        code : str, optional
            Python that repeats the run.
        data, target : str, optional
            Names of the data and of the column that holds the classes.
        n_rows : int, optional
            Number of rows of the data.
        settings : mapping, optional
            What the run was told, in the order to be shown.

        Returns
        -------
        Report
        """
        return cls(ReportSummary.from_credits(credits, **parts))

    @classmethod
    def from_flow(
        cls, flow: InformationFlow, *, feature_names: Sequence[str], **parts: Unpack[ReportParts]
    ) -> "Report":
        """Report on a classifier that has no credits: nearest neighbours, pairs of classes, shaped features.

        Parameters
        ----------
        flow : InformationFlow
            Of the classifier with all features; without `retrained`, of the classifier with those chosen.
        feature_names : sequence of str
            Names of all features.
        **parts : dict
            As in :meth:`from_credits`.

        Returns
        -------
        Report

        Examples
        --------
        >>> from infoprop.metrics import InformationFlow
        >>> flow = InformationFlow.from_confusion([[40, 10], [0, 50]])
        >>> Report.from_flow(flow, feature_names=["length", "width"]).summary.headline
        '2 features deliver 0.61 of 1.00 bits'
        """
        return cls(ReportSummary.from_flow(flow, feature_names=feature_names, **parts))

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema (2020-12) of :meth:`json`, with a description of every field.

        Returns
        -------
        dict

        Examples
        --------
        >>> Report.schema()["properties"]["information"]["description"]
        'I(Y;Yf) in bits.'
        """
        text = files("infoprop.report").joinpath("report_schema.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    def html(self) -> str:
        """The page as HTML text."""
        return render_html(self.summary)

    def json(self) -> str:
        """Every number of the report as JSON text."""
        return render_json(self.summary)

    def markdown(self) -> str:
        """The words and tables of the report as Markdown text."""
        return render_markdown(self.summary)

    def write_html(self, path: str | Path) -> Path:
        """Write the page to `path` and return where it lies."""
        return _write(path, self.html())

    def write_json(self, path: str | Path) -> Path:
        """Write the numbers to `path` and return where they lie."""
        return _write(path, self.json())

    def write_markdown(self, path: str | Path) -> Path:
        """Write words and tables to `path` and return where they lie."""
        return _write(path, self.markdown())


def _write(path: str | Path, text: str) -> Path:
    target = Path(path)
    # No translation of line ends: the same bytes on every system.
    target.write_text(text, encoding="utf-8", newline="\n")
    return target
