"""From an old optimum to a new one by an active-set method: pivots, a Cholesky factor, and stores of rows."""
