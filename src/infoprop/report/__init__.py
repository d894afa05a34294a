"""One self-contained page (HTML, JSON or Markdown) that says what a run found, in bits.

The pipe has one direction: credits become numbers (:class:`ReportSummary`), numbers become figures, numbers
and figures become text, and :class:`Report` is what users call.
"""

from infoprop.report._comparison_report import ComparisonReport
from infoprop.report._report import Report
from infoprop.report._summary import ReportSummary

__all__ = [
    "ComparisonReport",
    "Report",
    "ReportSummary",
]
