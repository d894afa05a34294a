"""The few numbers of a page that another report is set beside, as JSON that the page can hold."""

from infoprop.report._feature_table import page_json, short
from infoprop.report._markup import Markup
from infoprop.report._summary import ReportSummary


def own_data(summary: ReportSummary) -> Markup:
    """Figures of the model that the page shows first; its features stand in the page's first table."""
    judged = summary.retrained or summary
    return page_json(
        {
            "accuracy": short(judged.accuracy),
            "balanced_accuracy": short(judged.balanced_accuracy),
            "auc": None if summary.auc is None else short(summary.auc),
            "information": short(judged.information),
            "n_judged": short(summary.n_judged),
            "n_used": summary.n_features if summary.selected is None else len(summary.selected),
        }
    )
