"""The page of a comparison of methods."""

from dataclasses import dataclass
from typing import Any

from infoprop.report._comparison_figures import comparison_figures
from infoprop.report._comparisons import COMPARISON_SCHEMA, ComparisonPage, comparison_of
from infoprop.report._inputs import ReportParts
from infoprop.report._parts import printable, run_of
from infoprop.report._render import rendered, rendered_page
from infoprop.report._written import WrittenPage, json_text, schema_of_reports
from infoprop.selection import Comparison


@dataclass(frozen=True)
class ComparisonReport(WrittenPage):
    """Several ways to choose features on one page; :meth:`Report.from_comparison` makes it.

    Parameters
    ----------
    summary : ComparisonPage
        The numbers to show.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from infoprop.report import Report
    >>> from infoprop.selection import compare_selectors
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = compare_selectors({"F": SelectKBest(), "all": None}, X, y, sizes=[1, 2], random_state=0)
    >>> Report.from_comparison(comparison, data="iris").summary.headline
    'Best on rows not seen: F with 2 features, right on 91.3% (± 2.9)'
    """

    summary: ComparisonPage

    @classmethod
    def from_comparison(cls, comparison: Comparison, parts: ReportParts) -> "ComparisonReport":
        """Take the numbers out of `comparison`; see :meth:`Report.from_comparison`."""
        numbers = comparison_of(comparison)
        assert numbers is not None
        run = run_of(parts)
        title = parts.get("title")
        if not title:
            what = "ways to choose features, compared"
            title = what.capitalize() if run.data is None else f"{run.data}: {what}"
        return cls(ComparisonPage(COMPARISON_SCHEMA, printable(title), numbers, run))

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema (2020-12) of :meth:`json`, with a description of every field.

        Returns
        -------
        dict

        Examples
        --------
        >>> from infoprop.report import ComparisonReport
        >>> ComparisonReport.schema()["required"]
        ['schema', 'headline', 'title', 'comparison', 'run']
        """
        reports = schema_of_reports()
        fields = {
            "schema": {**reports["properties"]["schema"], "const": COMPARISON_SCHEMA},
            "headline": reports["properties"]["headline"],
            "title": reports["properties"]["title"],
            "comparison": {"$ref": "#/$defs/comparison"},
            "run": reports["properties"]["run"],
        }
        parts = ("comparison", "compared_choice", "stability", "run")
        return {
            "$schema": reports["$schema"],
            "title": "infoprop comparison",
            "type": "object",
            "description": "Every number of a comparison of infoprop, unrounded. Information is in bits.",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
            "$defs": {part: reports["$defs"][part] for part in parts},
        }

    def html(self) -> str:
        """The page as HTML text."""
        return rendered_page(
            "comparison_page.html",
            summary=self.summary,
            comparison=self.summary.comparison,
            figures=comparison_figures(self.summary.comparison),
        )

    def json(self) -> str:
        """Every number of the page as JSON text."""
        return json_text(self.summary.to_dict())

    def markdown(self) -> str:
        """The words and tables of the page as Markdown text."""
        return rendered("comparison_page.md", summary=self.summary, comparison=self.summary.comparison)
