"""From a table to an answer: coded as numbers, judged, searched, explained, kept.

What the command line does, as a library. Nothing is imported until it is asked for: the parser of the command
line takes its words from here.
"""

__all__: list[str] = []
