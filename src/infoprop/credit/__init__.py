"""From a fitted classifier to bits per feature.

:func:`credit_features` asks the classifier for its credit shares and multiplies them with the
credits of its class indicators; :class:`FeatureCredits` is the result. :func:`credit_importance` hands the
shares to scikit-learn's own selectors. :func:`cross_val_credits` trains the classifier fold by fold
and credits it on all rows. :func:`credit_rows` does the same for single rows, in units of the
classifier's output. :func:`gradient_angles` ranks features without rows to count errors
on, by where the machine's decision turns; :func:`average_separation` is the ranking it is compared with.
"""

from infoprop.credit._angles import GradientAngles, gradient_angles
from infoprop.credit._features import credit_features, cross_val_credits
from infoprop.credit._noise import NoiseFloor
from infoprop.credit._result import FeatureCredits
from infoprop.credit._rows import RowCredits, credit_rows
from infoprop.credit._separation import average_separation
from infoprop.credit._shares import credit_importance

__all__ = [
    "FeatureCredits",
    "GradientAngles",
    "NoiseFloor",
    "RowCredits",
    "average_separation",
    "credit_features",
    "credit_importance",
    "credit_rows",
    "cross_val_credits",
    "gradient_angles",
]
