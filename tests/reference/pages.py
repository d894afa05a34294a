"""What a page says of its parts, whatever the classifier."""

from infoprop.metrics import InformationFlow
from infoprop.report import Report


def summary_of(names=("a", "b"), labels=("no", "yes"), **parts):
    """Numbers and words of a page with these parts, about a classifier that is right now and then."""
    table = [[4 if row == column else 1 for column in labels] for row in labels]
    flow = InformationFlow.from_confusion(table, labels=list(labels))
    return Report.from_flow(flow, feature_names=tuple(names), **parts).summary


def compared_on_page(comparison):
    """Numbers and words of a page about a comparison."""
    return Report.from_comparison(comparison).summary.comparison
