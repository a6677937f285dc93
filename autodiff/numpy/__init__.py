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
    creation,
    cumulative,
    diagonals,
    elementwise,
    indexing,
    inserting,
    joining,
    mapping,
    methods,
    namespace,
    nans,
    padding,
    quantiles,
    queries,
    ranges,
    reductions,
    rounding,
    shapes,
    sorting,
    splitting,
    statistics,
    truth,
)
from autodiff.ops import operators

assignment.install_views()

__all__ = [
    "arranging",
    "assignment",
    "choosing",
    "comparing",
    "complexes",
    "creation",
    "cumulative",
    "diagonals",
    "elementwise",
    "indexing",
    "inserting",
    "joining",
    "mapping",
    "methods",
    "namespace",
    "nans",
    "operators",
    "padding",
    "quantiles",
    "queries",
    "ranges",
    "reductions",
    "rounding",
    "shapes",
    "sorting",
    "splitting",
    "statistics",
    "truth",
]


def __getattr__(name: str) -> Any:
    return namespace.lookup(name)
