"""Kernels and their gradients, for dense and CSR data.

A kernel here is a link applied to one of three bases: inner products (linear, poly, sigmoid), squared
distances (rbf), or a sum of one-dimensional Gaussians (anova). Whoever moves a machine between feature
subsets keeps the base, which is a plain sum over features, and applies the link anew.
"""

from infoprop.kernels._functions import kernel_gradient, kernel_matrix
from infoprop.kernels._spec import KernelSpec

__all__ = [
    "KernelSpec",
    "kernel_gradient",
    "kernel_matrix",
]
