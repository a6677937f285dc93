"""Innermost loops of a kernel's text as vector instructions, printed directly.

The text stays what it is; what is compiled of it calls an intrinsic function in place of each loop that can be printed.
Importing this package does not import Numba.
"""

from autodiff.backends.numba.vectors.lowering import compiled, found_loops

__all__ = ["compiled", "found_loops"]
