"""The classes of functions where Chainer 1 to 4 had them: ``F.MaxPooling2D(2).apply((x,))``."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from autodiff.chainer import functions
from autodiff.chainer.running.v1.class_table import CLASSES

others = functions.__getattr__
"""What is said of other names."""


def places_of(function: str) -> list[str]:
    """The modules in which Chainer has the class of a function: where the function is, and the one of its name."""
    own = getattr(functions, function).__module__
    named = f"{own.rpartition('.')[0]}.{function}"
    return sorted({own, named} if find_spec(named) is not None else {own})


def class_of_function(name: str) -> Any:
    """The class of that name.

    Raises:
        AttributeError: if there is none.
    """
    for place in places_of(CLASSES[name][0]) if name in CLASSES else ():
        found = vars(import_module(place)).get(name)
        if found is not None:
            return found
    return others(name)


def install() -> None:
    """Let ``chainer.functions`` have the classes in this process."""
    functions.__getattr__ = class_of_function
