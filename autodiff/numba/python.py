"""The Python of a function that was compiled with Numba, run on traced values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from types import CellType, FunctionType
from typing import Any

import numpy as np

from autodiff.numpy.mathematics import SAME
from autodiff.numpy.namespace import counterpart, lookup
from autodiff.trace.traced import Traced


def logarithm(x: Any, base: Any = None) -> Any:
    """``math.log``."""
    return np.log(x) if base is None else np.log(x) / np.log(base)


MATHEMATICS: dict[str, Any] = {
    **{name: counterpart(function) for name, function in vars(math).items() if callable(function)},
    **{name: getattr(np, name) for name in ("ceil", "floor", "hypot", "isfinite", "isinf", "isnan", "trunc")},
    **{name: getattr(np, other or name) for name, _, other in (word.partition("=") for word in SAME.split())},
    "log": logarithm,
    "remainder": counterpart(math.remainder),
}
"""What stands in the places of Python's functions of numbers, which take no traced values."""


def as_float(value: Any = 0.0) -> Any:
    """``float``; of a traced number the derivative stays."""
    return 1.0 * value if is_traced(value) else float(value)


def is_traced(value: Any) -> bool:
    """Whether the operations of a value are recorded."""
    return isinstance(value, Traced)


class Names:
    """A module in which some names stand for something else.

    Args:
        module: the module.
        own: these names.
        find: what gives others; where it raises AttributeError they are those of the module.
    """

    def __init__(self, module: Any, own: dict[str, Any], find: Callable[[str], Any]) -> None:
        self.__dict__.update(own)
        self.module, self.find = module, find

    def __getattr__(self, name: str) -> Any:
        try:
            return self.find(name)
        except AttributeError:
            return getattr(self.module, name)


def makers(like: Traced) -> dict[str, Callable[..., Any]]:
    """NumPy's functions that make arrays, so that traced values can be assigned into what they make.

    Args:
        like: a traced value: who records it records them, too.
    """

    def zeros(shape: Any, dtype: Any = np.float64) -> Any:
        return np.zeros_like(like, dtype=dtype, shape=shape)

    def ones(shape: Any, dtype: Any = np.float64) -> Any:
        return np.ones_like(like, dtype=dtype, shape=shape)

    def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
        kind = dtype or (fill_value if isinstance(fill_value, Traced) else np.asarray(fill_value)).dtype
        return np.full_like(like, fill_value, dtype=kind, shape=shape)

    return {"zeros": zeros, "empty": zeros, "ones": ones, "full": full}


def run_python(function: Any, args: tuple[Any, ...], traced: Traced) -> Any:
    """What a function of Numba's gives for arguments of which one is traced."""
    original = getattr(function, "autodiff_original", None)
    if original is not None:
        return original(*args)
    python = function.py_func
    if python.__code__.co_flags & inspect.CO_VARARGS:
        args = (*args[:-1], *args[-1])
    return for_traced(python, traced)(*args)


def for_traced(function: FunctionType, traced: Traced) -> FunctionType:
    """The same code, for which NumPy, ``math`` and ``float`` take traced values, and arrays are made for them."""
    made = makers(traced)
    places = {
        id(np): Names(np, made, lookup),
        id(math): Names(math, MATHEMATICS, partial(getattr, math)),
        id(float): as_float,
    }
    places |= {id(getattr(np, name)): value for name, value in made.items()}
    places |= {id(getattr(math, name)): value for name, value in MATHEMATICS.items()}
    names = {name: places.get(id(value), value) for name, value in function.__globals__.items()}
    names.setdefault("float", as_float)
    cells = [CellType(places.get(id(c.cell_contents), c.cell_contents)) for c in function.__closure__ or ()]
    again = FunctionType(function.__code__, names, function.__name__, function.__defaults__, tuple(cells) or None)
    again.__kwdefaults__ = function.__kwdefaults__
    return again
