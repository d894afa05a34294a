"""The other searches over subsets, algorithm and selector side by side."""
