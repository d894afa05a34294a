"""Feature shaping: every value becomes what it says about the class, every column as long as it is worth.

Transformers for linear classifiers (:class:`FeatureShaper` and its parts :class:`LocalProbabilityShaper` and
:class:`BNSScaler`), dense and sparse. All is computed from tables of distinct values
(:class:`ValueTables`), which add up over parts of the data.
"""

from infoprop.shaping._rule import ShapingRule
from infoprop.shaping._shapers import BNSScaler, FeatureShaper, LocalProbabilityShaper
from infoprop.shaping._shapes import FeatureShapes
from infoprop.shaping._tables import ValueTables

__all__ = [
    "BNSScaler",
    "FeatureShaper",
    "FeatureShapes",
    "LocalProbabilityShaper",
    "ShapingRule",
    "ValueTables",
]
