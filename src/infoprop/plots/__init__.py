"""Pictures of credits, drawn with matplotlib (``pip install infoprop[plots]``).

Displays follow scikit-learn's contract: the constructor takes what is to be drawn, ``from_estimator``
computes it, ``plot`` draws and keeps the artists. Nothing global is changed.
"""

from infoprop.plots._credits import CreditsDisplay
from infoprop.plots._flow import InformationFlowDisplay

__all__ = ["CreditsDisplay", "InformationFlowDisplay"]
