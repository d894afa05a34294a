"""Selectors that say how many of the features they choose are chosen by luck."""
