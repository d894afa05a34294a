"""Packages that infoprop can do without: asked for where they are needed, before any work."""

from collections.abc import Sequence
from importlib.util import find_spec

from infoprop._core._exceptions import MissingDependencyError


def is_installed(package: str) -> bool:
    """Whether `package` could be imported; it is not imported here."""
    return find_spec(package) is not None


def require(packages: Sequence[str], extra: str, what: str) -> None:
    """Check that `packages` are there, which ``infoprop[extra]`` brings; `what` begins the sentence if not.

    Raises
    ------
    MissingDependencyError
        If one is missing.

    Examples
    --------
    >>> require(["numpy"], "cli", "Reading data.csv")
    """
    missing = [package for package in packages if not is_installed(package)]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise MissingDependencyError(
            f"{what} needs {_listed(missing)}, which {verb} not installed: pip install 'infoprop[{extra}]'."
        )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
