"""A first look at all columns and all pairs of columns, before any classifier is trained."""
