"""What a process says to its caller."""

DONE = 0
FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
