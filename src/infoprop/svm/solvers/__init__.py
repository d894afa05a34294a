"""Cold fits: solvers that need no good start."""
