"""The Python that repeats a run, with nothing but public names."""
