"""Numba's decorators in modules that are rewritten: they compile functions as these are written, however named."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from autodiff.numpy.namespace import ORIGINALS, StandIn, Substitute, enter
from autodiff.programs import counterparts
from autodiff.programs.compiling import with_code, written_code
from autodiff.programs.counterparts import FINDERS, home_of, is_a


class Compiler(Substitute):
    """What stands for a function of Numba's.

    Attributes:
        original: the function.
    """

    def __init__(self, original: FunctionType) -> None:
        self.original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.original(*map(as_written, args), **kwargs)
        return Compiler(found) if is_a(found, FunctionType) and home_of(found).startswith("numba.") else found


def as_written(value: Any) -> Any:
    """A function, or a class with its methods, as in its source; of what stands for something that; others as is."""
    if is_a(value, FunctionType):
        return with_code(value, written_code(value.__code__))
    if is_a(value, type):
        for method in vars(value).values():
            if is_a(method, FunctionType):
                method.__code__ = written_code(method.__code__)
    return ORIGINALS.get(id(value), value)


def counterpart(value: Any) -> Any:
    """What stands for a module or function of Numba's."""
    if is_a(value, ModuleType):
        return enter(value, StandIn(value, counterparts.counterpart))
    return enter(value, Compiler(value)) if is_a(value, FunctionType) else value


FINDERS["numba"] = counterpart
