"""Selectors compared by nested folds, and the stability of their choices."""
