"""NumPy's functions by their names, for plain and traced values alike."""

from autodiff.numpy import elementwise, methods
from autodiff.ops import operators

__all__ = ["elementwise", "methods", "operators"]
