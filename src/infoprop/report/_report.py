"""Report: what users call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report._comparison_report import ComparisonReport
from infoprop.report._inputs import PageParts, ReportParts
from infoprop.report._render import render_html, render_markdown
from infoprop.report._selectors import judged_selector
from infoprop.report._summary import ReportSummary
from infoprop.report._written import WrittenPage, json_text, schema_of_reports
from infoprop.selection import Comparison
from infoprop.selection._base import BaseFeatureSelector


@dataclass(frozen=True)
class Report(WrittenPage):
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
    '**2 features get 100% of the judged rows right (± 15.3)**'
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
        chosen_credits : FeatureCredits, optional
            Of the same classifier: what each of the chosen features is worth when there are no others. The
            page then shows these first.
        judged_on : {"unseen", "choice"}, optional
            Whether the judged rows took no part in training and choice, or helped to choose the features,
            which makes every number optimistic. Not given if that is not known.
        auc : float, optional
            Area under the ROC curve on the judged rows: of `retrained` if that is given.
        stages : tuple of two str, optional
            What the classifier was trained on before and after, if `retrained` is about something else than
            a choice: ``("raw columns", "shaped columns")``.
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
        control : StabilitySelector or KnockoffSelector, optional
            Fitted: how many of the chosen features are chosen by luck.
        front : FeatureSelector, optional
            Fitted: which searches were tried, and why one was taken.
        interactions : InteractionScreen, optional
            Of :func:`~infoprop.selection.interaction_screen`: pairs of features that work together.
        pairs : PairwiseClassifier, optional
            Fitted: which pair of classes uses which features.
        shapes : FeatureShaper, LocalProbabilityShaper or BNSScaler, optional
            Fitted: what the values of the best columns become.
        owners : sequence of str, length n_columns, optional
            The feature that each column of `pairs`, `shapes` or `X` comes from, if a feature has several
            columns.
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_columns), optional
            Rows of the data: with `y`, a feature of the page opens with the classes over its values.
        y : array-like of shape (n_samples,), optional
            Their classes.
        column_names : sequence of str, length n_columns, optional
            Names of the columns of `X`: that of the indicator of a category is ``feature=category``.
        rows : RowCredits, optional
            What every feature adds to the outputs for single rows, of :func:`~infoprop.credit.credit_rows`:
            a waterfall for each, at most 100.
        row_numbers : sequence of int, optional
            Numbers of these rows in the data, from 0; the page counts from 1.
        row_classes : sequence, optional
            Their true classes.
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
        """Report on a classifier that has no credits: nearest neighbours, pairs of classes.

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
        '2 features get 90.0% of the judged rows right (± 3.1)'
        """
        return cls(ReportSummary.from_flow(flow, feature_names=feature_names, **parts))

    @classmethod
    def from_selector(
        cls,
        selector: BaseFeatureSelector,
        X: Any,
        y: Any,
        *,
        validation: Any = 5,
        **parts: Unpack[PageParts],
    ) -> "Report":
        """Report on a fitted selector: what all features deliver, and what those that it chose deliver alone.

        Its classifier is trained twice for each fold, with all features and with those chosen, and judged on
        the rows left out. The choice is not repeated, so that what is said of the chosen features is
        optimistic; :func:`infoprop.workflow.analyse` with ``nested=5`` says by how much.

        Parameters
        ----------
        selector : selector
            Fitted.
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            The rows that it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        validation : int, splitter or iterable of splits, default=5
            Folds that judge; a number means folds as :class:`~infoprop.selection.RowFolds` deals them.
        **parts : dict
            As in :meth:`from_credits`.

        Returns
        -------
        Report

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from infoprop.selection import CreditSelector
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> model = make_pipeline(StandardScaler(), LogisticRegression())
        >>> selector = CreditSelector(model, n_features_to_select=3, random_state=0).fit(X, y)
        >>> Report.from_selector(selector, X, y, data="wine").summary.selected
        ('alcohol', 'color_intensity', 'proline')
        """
        found, names, more = judged_selector(selector, X, y, validation)
        told: Any = {**more, **parts}
        if isinstance(found, FeatureCredits):
            return cls.from_credits(found, **told)
        return cls.from_flow(found, feature_names=names, **told)

    @staticmethod
    def from_comparison(comparison: Comparison, **parts: Unpack[ReportParts]) -> ComparisonReport:
        """Report on several ways to choose features.

        Parameters
        ----------
        comparison : Comparison
            What :func:`~infoprop.selection.compare_selectors` found.
        **parts : dict
            `title`, `data`, `n_rows`, `target`, `settings` and `code`, as in :meth:`from_credits`.

        Returns
        -------
        ComparisonReport
            A page that is written in the same ways as this one.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.feature_selection import SelectKBest
        >>> from infoprop.selection import compare_selectors
        >>> comparison = compare_selectors({"F": SelectKBest()}, *load_iris(return_X_y=True), sizes=[1, 2])
        >>> Report.from_comparison(comparison, data="iris").summary.title
        'iris: ways to choose features, compared'
        """
        return ComparisonReport.from_comparison(comparison, parts)

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
        return schema_of_reports()

    def html(self) -> str:
        """The page as HTML text."""
        return render_html(self.summary)

    def json(self) -> str:
        """Every number of the report as JSON text."""
        return json_text(self.summary.to_dict())

    def markdown(self) -> str:
        """The words and tables of the report as Markdown text."""
        return render_markdown(self.summary)
