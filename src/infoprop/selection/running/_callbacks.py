"""Searches as scikit-learn callbacks see them: a fit of many steps, each of which may be the last.

scikit-learn calls its callbacks experimental: this is the only file that knows them.

A selector inherits `CallbackSupportMixin`, decorates fit with `with_callbacks`, and in its search writes ::

    tasks = SearchTasks(self, X, y, max_steps)
    for ...:
        tasks.begin_step()
        ...
        if tasks.end_step(attributes):
            break
    tasks.end()
"""

from collections.abc import Callable
from typing import Any

from sklearn.callback import CallbackSupportMixin, with_callbacks

__all__ = ["CallbackSupportMixin", "SearchTasks", "with_callbacks"]


class SearchTasks:
    """The tasks of one fit: a search, and its steps one after another.

    Parameters
    ----------
    selector : selector
        A `CallbackSupportMixin` whose fit is decorated with `with_callbacks`.
    X, y : data and labels
        The training rows, for callbacks that ask for them.
    max_steps : int or None
        Steps that the search takes at most; None if nobody knows.

    Attributes
    ----------
    is_watched : bool
        Whether there are callbacks; if not, steps need not be told.
    """

    def __init__(self, selector: Any, X: Any, y: Any, max_steps: int | None) -> None:
        self._given = {"estimator": selector, "X": X, "y": y}
        self._search: Any = None
        self._step: Any = None
        # A search of many short steps has no time to tell them to nobody.
        self.is_watched = bool(getattr(selector, "_skl_callbacks", ()))
        if hasattr(selector, "_init_callback_context"):
            self._search = selector._init_callback_context(task_name="search", max_subtasks=max_steps)
            self._search.call_on_fit_task_begin(**self._given)

    def begin_step(self) -> None:
        """Tell the callbacks that a step begins."""
        if self.is_watched:
            self._step = self._search.subcontext(task_name="step")
            self._step.call_on_fit_task_begin(**self._given)

    def end_step(self, attributes: Callable[[], dict[str, Any]] | None = None) -> bool:
        """Tell the callbacks that the step is done, and return whether one of them wants the search to stop.

        `attributes` returns what fit would set if this step were the last; it is called only if a callback
        asks for a fitted selector.
        """
        if self._step is None:
            return False
        step, self._step = self._step, None
        return bool(step.call_on_fit_task_end(**self._given, reconstruction_attributes=attributes))

    def end(self) -> None:
        """Tell the callbacks that the search is over and the selector fitted."""
        if self._search is not None:
            self._search.call_on_fit_task_end(**self._given, reconstruction_attributes=dict)
