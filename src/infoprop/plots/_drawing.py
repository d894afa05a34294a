"""What all displays need of matplotlib, imported when something is drawn."""

from typing import Any

from infoprop._core._exceptions import MissingDependencyError


def axes_to_draw_on(ax: Any, owner: str, figure_size: tuple[float, float]) -> Any:
    """Return `ax`, or new axes if there are none.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingDependencyError(
            f"{owner}.plot needs matplotlib, which is not installed: pip install 'infoprop[plots]'."
        ) from error
    if ax is not None:
        return ax
    _, ax = plt.subplots(figsize=figure_size, layout="constrained")
    return ax


def class_colours(n_classes: int) -> list[Any]:
    """The reader's own colour cycle, as often as needed."""
    import matplotlib

    cycle = matplotlib.rcParams["axes.prop_cycle"].by_key().get("color", ["C0"])
    return [cycle[number % len(cycle)] for number in range(n_classes)]


def ink() -> Any:
    """The reader's own colour of text, which stands out from any background they have chosen."""
    import matplotlib

    return matplotlib.rcParams["text.color"]


def literal(name: object) -> str:
    """`name` so that matplotlib shows it letter by letter: a dollar would begin a formula."""
    return str(name).replace("$", r"\$")
