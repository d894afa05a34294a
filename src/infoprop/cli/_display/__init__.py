"""What is shown: the terminal, its tables, and what becomes of findings."""
