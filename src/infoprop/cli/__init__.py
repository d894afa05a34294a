"""The command line: ``infoprop COMMAND DATA --target COL ...``.

Importing it costs nothing: each command brings in what it needs when it runs.
"""

from infoprop.cli._main import main

__all__ = ["main"]
