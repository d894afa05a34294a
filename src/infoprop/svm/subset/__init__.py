"""One-vs-rest machines as a subset model: they follow columns that come and go."""
