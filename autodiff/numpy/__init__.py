"""NumPy's functions by their names, for plain and traced values alike.

The modules of this folder enter their functions in the tables of :mod:`autodiff.numpy.dispatch`, by which NumPy's own
functions find them. What is looked up here by name (``autodiff.numpy.take``) is the same functions.
"""

from typing import Any

from autodiff.numpy import (
    arranging,
    assignment,
    choosing,
    comparing,
    complexes,
    convolution,
    counting,
    covariances,
    creation,
    cumulative,
    diagonals,
    differences,
    elementwise,
    emath,
    fft,
    indexing,
    inserting,
    interpolation,
    joining,
    linalg,
    mapping,
    methods,
    namespace,
    nans,
    norms,
    padding,
    polynomials,
    products,
    quantiles,
    queries,
    ranges,
    reductions,
    refused,
    rounding,
    shapes,
    sorting,
    splitting,
    statistics,
    subscripts,
    truth,
    ufunc_methods,
)
from autodiff.ops import operators

assignment.install_views()

__all__ = [
    "arranging",
    "assignment",
    "choosing",
    "comparing",
    "complexes",
    "convolution",
    "counting",
    "covariances",
    "creation",
    "cumulative",
    "diagonals",
    "differences",
    "elementwise",
    "emath",
    "fft",
    "indexing",
    "inserting",
    "interpolation",
    "joining",
    "linalg",
    "mapping",
    "methods",
    "namespace",
    "nans",
    "norms",
    "operators",
    "padding",
    "polynomials",
    "products",
    "quantiles",
    "queries",
    "ranges",
    "reductions",
    "refused",
    "rounding",
    "shapes",
    "sorting",
    "splitting",
    "statistics",
    "subscripts",
    "truth",
    "ufunc_methods",
]


def __getattr__(name: str) -> Any:
    return namespace.lookup(name)
