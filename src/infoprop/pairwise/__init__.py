"""The n² classifier: every pair of classes has a classifier, and features, of its own."""

from infoprop.pairwise._classifier import PairwiseClassifier
from infoprop.pairwise._pairs import ClassPair, ClassPairs

__all__ = ["ClassPair", "ClassPairs", "PairwiseClassifier"]
