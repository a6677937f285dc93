"""Whole programs as they stand: what NumPy cannot ask traced values is asked by the program's own module.

``differentiable`` compiles functions, classes and modules of the user again, with a few calls in their syntax trees
that look at what arrives. Nothing of NumPy is changed, and no file.
"""

from autodiff.programs import polynomials as _polynomials  # noqa: F401 - enters what stands for NumPy's
from autodiff.programs import statistics as _statistics  # noqa: F401 - enters what stands for Python's
from autodiff.programs.switch import differentiable

__all__ = ["differentiable"]
