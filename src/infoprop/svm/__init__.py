"""Support vector machines that share their Gram matrix and go on from old optima.

:class:`OneVsRestSVC` is the classifier; :class:`ShapedLinearClassifier` trains linear machines on shaped
features, :class:`BlockwiseLinearSVC` on rows that do not fit into memory. What other packages of infoprop
need besides is imported from modules that say so: `_sensitivity`, `_calibration`, `subset._model`,
`subset._protocol`.
"""

from infoprop.svm._blockwise import BlockwiseLinearSVC
from infoprop.svm._classifier import OneVsRestSVC
from infoprop.svm._shaped import ShapedLinearClassifier

__all__ = ["BlockwiseLinearSVC", "OneVsRestSVC", "ShapedLinearClassifier"]
