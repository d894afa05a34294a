"""Where the classes lie over the values of features, as JSON that a page can hold."""

from infoprop.report._feature_table import page_json
from infoprop.report._markup import Markup
from infoprop.report._palette import bands
from infoprop.report._summary import ReportSummary


def bin_data(summary: ReportSummary) -> Markup:
    """Bins and counts of the features, with the names and colours of the classes."""
    if summary.value_bins is None:
        return Markup("null")
    styles = {member: band.style for band in bands(summary) for member in band.members}
    return page_json(
        {
            "labels": [entry.label for entry in summary.classes],
            "styles": [styles[number] for number in range(len(summary.classes))],
            "names": [one.name for one in summary.value_bins],
            "bins": [one.bins for one in summary.value_bins],
            "counts": [one.counts for one in summary.value_bins],
        }
    )
