"""What autograd's programs ask of its traced values."""

from autodiff.compat.autograd.boxes import Box, getval, isbox, notrace_primitive, register_notrace
from autodiff.compat.autograd.rules import primitive

__all__ = ["Box", "getval", "isbox", "notrace_primitive", "primitive", "register_notrace"]
