"""Kernels and their gradients, for dense and CSR data.

A kernel here is a link applied to one of three bases: inner products (linear, poly, sigmoid), squared
distances (rbf), or a sum of one-dimensional Gaussians (anova). Whoever moves a machine between feature
subsets keeps the base, which is a plain sum over features, and applies the link anew.
"""

from infoprop.kernels._functions import kernel_gradient, kernel_matrix
from infoprop.kernels._gradients import decision_gradient, link_slope
from infoprop.kernels._gram import apply_link, base_matrix, diagonal, gram_rows
from infoprop.kernels._spec import KERNELS, KernelSpec, Moments

__all__ = [
    "KERNELS",
    "KernelSpec",
    "Moments",
    "apply_link",
    "base_matrix",
    "decision_gradient",
    "diagonal",
    "gram_rows",
    "kernel_gradient",
    "kernel_matrix",
    "link_slope",
]
