"""A callback of scikit-learn that looks on, and may stop a search."""


class Watcher:
    """Keep what `see` makes of the selector after every step, as it would be then; stop after `n_steps`."""

    def __init__(self, n_steps=None, see=None):
        self.n_steps = n_steps
        self.see = see
        self.seen = []

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context, *, fitted_estimator):
        if context.task_name == "step":
            self.seen.append(fitted_estimator if self.see is None else self.see(fitted_estimator))
        return len(self.seen) == self.n_steps
