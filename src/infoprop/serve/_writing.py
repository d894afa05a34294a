"""The page of the server, in the style of the reports."""

from importlib.resources import files

from infoprop.report._markup import Markup, escape
from infoprop.workflow._choice import COMBINATIONS, METHODS
from infoprop.workflow._classifier_names import CLASSIFIERS, PAIRWISE


def page(token: str) -> str:
    """The page; `token` goes into the requests that its script sends."""
    style = files("infoprop.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    text = files("infoprop.serve").joinpath("templates/serve.html").read_text(encoding="utf-8")
    classifiers = [name for name in CLASSIFIERS if name != PAIRWISE]
    parts = {
        "style": Markup(style),
        "token": escape(token),
        "methods": _options(METHODS, {name: " ".join(COMBINATIONS[name]) for name in METHODS}),
        "classifiers": _options(classifiers, {}),
    }
    for name, part in parts.items():
        text = text.replace(f"[[{name}]]", str(part))
    return text


def _options(names: "list[str] | tuple[str, ...]", goes_with: dict[str, str]) -> Markup:
    option = Markup('<option value="{0}" data-with="{1}">{0}</option>')
    return Markup("").join(option.format(name, goes_with.get(name, "")) for name in names)
