"""The spaces of arrays."""

from autodiff.compat.autograd.vspace import VSpace

ArrayVSpace = ComplexArrayVSpace = VSpace

__all__ = ["ArrayVSpace", "ComplexArrayVSpace", "VSpace"]
