"""Sessions on the terminal: commands stand out, what they answer is left alone.

Pygments' own lexer for sessions takes a ``#`` or a bracket at the begin of an answer for another prompt, and
numbers and words of a command for shell syntax.
"""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Generic, Text
from sphinx.application import Sphinx


class TerminalLexer(RegexLexer):
    """A line with a dollar is a command, with those that a backslash continues it on; the others answer."""

    name = "Terminal"
    aliases: ClassVar[list[str]] = ["console"]
    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"^(\$ )((?:.*\\\n)*.*\n)", bygroups(Generic.Prompt, Generic.Strong)),
            (r".*\n", Generic.Output),
            (r".+", Text),
        ]
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """Let blocks marked "console" be sessions."""
    app.add_lexer("console", TerminalLexer)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
