"""From a fitted classifier to bits per feature.

:func:`credit_features` asks the classifier for its :func:`credit_shares` and multiplies them with the
credits of its class indicators; :class:`FeatureCredits` is the result. :func:`credit_importance` hands the
shares to scikit-learn's own selectors.
"""

from infoprop.credit._features import credit_features
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._result import FeatureCredits
from infoprop.credit._shares import credit_importance, credit_shares

__all__ = [
    "ColumnGroups",
    "FeatureCredits",
    "credit_features",
    "credit_importance",
    "credit_shares",
]
