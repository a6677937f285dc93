"""The text of a kernel as instructions of LLVM, without Numba.

Printing a kernel takes a small part of the time that Numba takes to find out what bytecode does. Types and results are
those that Numba finds; what is no part of the language is left to Numba.
"""

from autodiff.backends.llvm.statements.target import compiled

__all__ = ["compiled"]
