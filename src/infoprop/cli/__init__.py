"""The command line: ``infoprop COMMAND DATA --target COL ...``.

Importing it costs nothing: each command brings in what it needs when it runs. A command (`_commands`) reads
its words (`_grammar`), reads a table (`_data`), computes (`_work`), writes the Python that repeats it
(`_code`), and shows what it found (`_display`).
"""

from infoprop.cli._main import main

__all__ = ["main"]
