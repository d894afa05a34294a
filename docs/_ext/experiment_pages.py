"""The pages of the re-run papers, taken into the documentation as they lie in ``experiments``.

Every folder there that has a ``README.md`` becomes a page; ``{rerun} moi2004`` on another page leads to it,
or says that the paper has not been re-run yet.
"""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
_FOLDER = "experiments/generated"


def write_pages(app: Sphinx) -> None:
    """Copy the pages, with links that hold where the copies lie."""
    folder = Path(app.srcdir) / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {page.parent.name: _page(page) for page in sorted(EXPERIMENTS.glob("*/README.md"))}
    for old in folder.glob("*.md"):
        if old.stem not in wanted:
            old.unlink()
    for name, text in wanted.items():
        path = folder / f"{name}.md"
        # An unchanged page keeps its date, and Sphinx need not read it again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _page(source: Path) -> str:
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"\]\(figures/", f"](../../../experiments/{source.parent.name}/figures/", text)
    text = re.sub(r"\]\(\.\./(\w+)/README\.md\)", r"](\1.md)", text)
    # The line below a figure repeats what is said to those who cannot see it.
    text = re.sub(r"!\[(.+?)\]\((\S+?)\)\n\n\1\n", r"![\1](\2)\n\n*\1*\n", text)
    return text.replace("$", r"\$")


class Rerun(SphinxDirective):
    """A link to the page of a paper that was re-run."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Link to the page if there is one."""
        name = self.arguments[0]
        if not (EXPERIMENTS / name / "README.md").exists():
            text = "This paper has not been re-run yet."
            return [nodes.paragraph(text, text)]
        words = "All numbers, published beside ours, with figures and a sentence for every difference"
        link = addnodes.pending_xref(
            "",
            nodes.inline(words, words),
            reftype="doc",
            refdomain="std",
            refexplicit=True,
            reftarget=f"/{_FOLDER}/{name}",
        )
        link["refdoc"] = self.env.docname
        return [nodes.paragraph("", "", link, nodes.Text("."))]


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages)
    app.add_directive("rerun", Rerun)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
