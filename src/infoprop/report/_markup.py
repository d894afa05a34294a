"""Templates and escaped text, of Jinja: the one package that reports need and the rest does not."""

from infoprop._core._exceptions import MissingDependencyError

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape
except ImportError as error:
    raise MissingDependencyError(
        "infoprop.report needs jinja2, which is not installed: pip install 'infoprop[cli]'."
    ) from error

__all__ = ["Environment", "Markup", "PackageLoader", "StrictUndefined", "escape"]
