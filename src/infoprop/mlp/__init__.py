"""Small multilayer perceptrons, trained by compiled second-order methods."""

__all__: list[str] = []
