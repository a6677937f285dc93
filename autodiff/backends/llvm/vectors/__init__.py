"""Innermost loops of kernels as vector instructions, printed directly."""

from autodiff.backends.llvm.vectors.lowering import found_loops

__all__ = ["found_loops"]
