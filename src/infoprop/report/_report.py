"""The public face of a report."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infoprop._core._typing import BoolArray
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report._render import render_html, render_json, render_markdown
from infoprop.report._summary import ReportSummary
from infoprop.selection import SearchTrace, SelectionPath


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
    def from_credits(
        cls,
        credits: FeatureCredits,
        *,
        title: str | None = None,
        selected: BoolArray | None = None,
        retrained: InformationFlow | None = None,
        path: SelectionPath | None = None,
        trace: SearchTrace | None = None,
        data: str | None = None,
        n_rows: int | None = None,
        target: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> "Report":
        """Report on `credits`; the parameters are those of :meth:`ReportSummary.from_credits`."""
        return cls(
            ReportSummary.from_credits(
                credits,
                title=title,
                selected=selected,
                retrained=retrained,
                path=path,
                trace=trace,
                data=data,
                n_rows=n_rows,
                target=target,
                settings=settings,
            )
        )

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
