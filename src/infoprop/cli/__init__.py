"""The command line: ``infoprop demo``, ``infoprop credit``, ``infoprop select``.

Importing it costs nothing: each command brings in what it needs when it runs.
"""

from infoprop.cli._main import main

__all__ = ["main"]
