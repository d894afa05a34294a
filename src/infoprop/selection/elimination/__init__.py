"""Backward elimination: the selector, its steps, and the path they leave."""
