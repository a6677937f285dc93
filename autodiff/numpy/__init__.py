"""NumPy's functions by their names, for plain and traced values alike.

The modules of this folder enter their functions in the tables of :mod:`autodiff.numpy.dispatch`, by which NumPy's own
functions find them. What is looked up here by name (``autodiff.numpy.take``) is the same functions.
"""

from typing import Any

from autodiff.numpy import (
    arranging,
    assignment,
    comparing,
    complexes,
    elementwise,
    indexing,
    joining,
    methods,
    namespace,
    reductions,
    rounding,
    shapes,
    statistics,
)
from autodiff.ops import operators

assignment.install_views()

__all__ = [
    "arranging",
    "assignment",
    "comparing",
    "complexes",
    "elementwise",
    "indexing",
    "joining",
    "methods",
    "namespace",
    "operators",
    "reductions",
    "rounding",
    "shapes",
    "statistics",
]


def __getattr__(name: str) -> Any:
    return namespace.lookup(name)
