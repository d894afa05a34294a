"""Settings of the documentation. Nothing here needs a network, neither to build nor to read."""

import re
import sys
from pathlib import Path
from typing import Any

from infoprop import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "infoprop"
author = "the infoprop developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "drawn_figures",
    "experiment_pages",
    "measured",
    "offline_math",
    "terminal",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "code"

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = f"infoprop {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathtext"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "tango"
pygments_dark_style = "monokai"

# Literals stay; fitted attributes and absolute values are what reST takes for links and substitutions.
_NOT_MARKUP = re.compile(r"(``.*?``|`.*?`)|(?<=\()\w+_(?=,)|\|\w+\|")


def keep_plain_words(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Show ``n_features_in_`` and ``|w_k|`` in docstrings as they are written."""
    lines[:] = [_NOT_MARKUP.sub(lambda hit: hit[1] or f"``{hit[0]}``", line) for line in lines]


def skip_foreign_members(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave methods inherited from scikit-learn to its own documentation."""
    module = getattr(member, "__module__", None) or ""
    is_request = name.startswith("set_") and name.endswith("_request")
    return True if is_request or module.startswith("sklearn") else None


def setup(app: Any) -> None:
    """Connect the functions above; docstrings are cleaned before numpydoc reads them."""
    app.connect("autodoc-process-docstring", keep_plain_words, priority=100)
    app.connect("autodoc-skip-member", skip_foreign_members)
