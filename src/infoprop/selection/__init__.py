"""Feature selectors that also predict.

Each is a scikit-learn selector and a classifier: it chooses columns by what they earn, in bits, trains its
classifier on them, and then transforms, predicts and scores.
"""

from infoprop.selection._credit import CreditSelector

__all__ = ["CreditSelector"]
