"""The class of traced arrays."""

from autodiff.trace.tracer import Tracer as ArrayBox

__all__ = ["ArrayBox"]
