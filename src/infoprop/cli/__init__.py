"""The command line: ``infoprop COMMAND DATA --target COL ...``.

Importing it costs nothing: each command brings in what it needs when it runs. A command (`_commands`) reads
its words (`_grammar`) and a table (`_data`), leaves the work to :mod:`infoprop.workflow`, and shows
what was found (`_display`).
"""

from infoprop.cli._main import main

__all__ = ["main"]
