"""Where the classes lie over the values of features, as JSON that a page can hold."""

from infoprop.report._feature_table import page_json
from infoprop.report._markup import Markup
from infoprop.report._palette import bands
from infoprop.report._summary import ReportSummary


def bin_data(summary: ReportSummary) -> Markup:
    """Bins and counts of the features, with the names and colours of the classes."""
    known = summary.value_bins or ()
    styles = {member: band.style for band in bands(summary) for member in band.members}
    return page_json(
        {
            "labels": [entry.label for entry in summary.classes],
            "styles": [styles[number] for number in range(len(summary.classes))],
            "names": [one.name for one in known],
            "bins": [one.bins for one in known],
            "counts": [one.counts for one in known],
        }
    )
