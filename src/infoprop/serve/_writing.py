"""The page of the server and its script, in the style of the reports and with their words and tables."""

from collections.abc import Iterable, Mapping
from importlib.resources import files

from infoprop.report._markup import Markup, escape
from infoprop.serve._words import LEARNERS, SHAPERS
from infoprop.workflow._choice import BACKWARD, COMBINATIONS, CREDIT, METHODS
from infoprop.workflow._contest_names import DEFAULT_METHODS
from infoprop.workflow._contest_names import METHODS as CONTESTANTS

_SCRIPTS = (("report", "words"), ("report", "beside"), ("serve", "serve"))


def page(token: str) -> str:
    """The page; `token` goes into the requests that its script sends."""
    goes_with = {name: " ".join(COMBINATIONS[name]) for name in METHODS}
    parts = {
        "style": Markup(_source("report", "report.css")),
        "token": escape(token),
        "credited": goes_with[CREDIT],
        "methods": _options(METHODS, goes_with, BACKWARD),
        "choices": _options(METHODS, goes_with),
        "shapers": _options(SHAPERS, {}),
        "classifiers": _options(LEARNERS, {}),
        "contestants": _boxes(CONTESTANTS, DEFAULT_METHODS),
    }
    text = _source("serve", "serve.html")
    for name, part in parts.items():
        text = text.replace(f"[[{name}]]", str(part))
    return text


def script() -> str:
    """The script of the page: what reports have in common with it, and its own."""
    parts = "\n".join(_source(package, f"{name}.js") for package, name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _source(package: str, name: str) -> str:
    return files(f"infoprop.{package}").joinpath(f"templates/{name}").read_text(encoding="utf-8")


def _options(names: Iterable[str], goes_with: Mapping[str, str], first: str = "") -> Markup:
    option = Markup('<option value="{0}" data-with="{1}"{2}>{0}</option>')
    return Markup("").join(
        option.format(name, goes_with.get(name, ""), Markup(" selected") if name == first else "")
        for name in names
    )


def _boxes(names: Iterable[str], ticked: Iterable[str]) -> Markup:
    box = Markup('<label><input type="checkbox" value="{0}"{1}> {0}</label>')
    return Markup("").join(
        box.format(name, Markup(" checked") if name in set(ticked) else "") for name in names
    )
