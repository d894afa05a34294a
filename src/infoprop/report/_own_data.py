"""The few numbers of a page that another report is set beside, as JSON that the page can hold."""

from infoprop.report._feature_table import N_TABLE_ROWS, page_json, short
from infoprop.report._markup import Markup
from infoprop.report._summary import ReportSummary


def own_data(summary: ReportSummary) -> Markup:
    """Figures of the model that the page shows first, and the features that it uses with their bits."""
    shown = summary.of_chosen or summary
    judged = summary.retrained or summary
    return page_json(
        {
            "accuracy": short(judged.accuracy),
            "balanced_accuracy": short(judged.balanced_accuracy),
            "information": short(judged.information),
            "n_judged": short(summary.n_judged),
            "n_used": summary.n_features if summary.selected is None else len(summary.selected),
            "features": [[one.name, short(one.credit)] for one in shown.features[:N_TABLE_ROWS]],
        }
    )
