"""What a function is: its code, and the values that it closes over.

Functions that are applied to Variables are made anew for each call, such as ``lambda x: x * mask``. Two of them do the
same if their code and what they close over are the same; arrays among that are taken for arguments, and need not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import _lru_cache_wrapper, partial
from types import BuiltinFunctionType, CellType, EllipsisType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autodiff.facade.compiled.purity import BUILTINS, OWN, UnknowableError, global_names
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import spec_of

BY_VALUE = frozenset({type(None), bool, int, str, bytes, EllipsisType})
MODULES = frozenset({"numpy", "math", "scipy", "autodiff"})
DEPTH = 8
"""How deep functions may stand in each other: one that refers to itself has no end."""

MISSING = object()


class Identity:
    """What a function is made of.

    Args:
        noted: a list that the function fills, which the caller looks at.

    Attributes:
        key: tells functions apart that do different things to arrays of the same shapes and dtypes.
        arrays: the arrays that it closes over, in the order in which :class:`Rebuilding` asks for them.
        held: everything of which the key has the id.
    """

    __slots__ = ("arrays", "held", "key", "noted")

    def __init__(self, noted: list[Any] | None) -> None:
        self.key: list[Any] = []
        self.arrays: list[Any] = []
        self.held: list[Any] = []
        self.noted = noted

    def add(self, value: Any, depth: int = 0) -> None:
        """Take note of a part.

        Raises:
            UnknowableError: if it may change what the function does without being another object.
        """
        kind = type(value)
        if kind in BY_VALUE:
            self.key += kind, value
        elif kind is float:
            self.key += kind, value if value and value == value else value.hex()
        elif kind is np.ndarray and not value.dtype.hasobject:
            self.arrays.append(value)
            self.hold(spec_of(value))
        elif kind is FunctionType:
            self.add_function(value, depth)
        elif kind is tuple or kind is list:
            self.key += kind, MISSING if value is self.noted else len(value)
            for part in () if value is self.noted else value:
                self.add(part, depth)
        else:
            self.add_other(value, depth)

    def hold(self, value: Any) -> None:
        self.key.append(id(value))
        self.held.append(value)

    def add_function(self, fun: FunctionType, depth: int) -> None:
        if depth > DEPTH:
            raise UnknowableError(f"{fun.__qualname__} stands in itself")
        names = global_names(fun)
        self.hold(fun.__code__)
        try:
            for cell in fun.__closure__ or ():
                self.add(cell.cell_contents, depth + 1)
        except ValueError:
            raise UnknowableError(f"{fun.__qualname__} closes over a name without a value") from None
        for default in fun.__defaults__ or ():
            self.add(default, depth + 1)
        if fun.__kwdefaults__:
            self.add(fun.__kwdefaults__, depth + 1)
        for name in names:
            value = fun.__globals__.get(name, MISSING)
            if value is not MISSING:
                self.add(value, depth + 1)
            elif name not in BUILTINS:
                raise UnknowableError(f"{fun.__qualname__} uses {name}")

    def add_other(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind is dict:
            self.key += kind, len(value)
            for name, part in value.items():
                self.add(name, depth)
                self.add(part, depth)
        elif kind is slice:
            self.key.append(kind)
            for part in (value.start, value.stop, value.step):
                self.add(part, depth)
        elif kind is complex or isinstance(value, np.generic):
            self.key += kind, np.asarray(value).tobytes()
        elif isinstance(value, np.dtype):
            self.key += np.dtype, value
        elif kind is partial:
            self.key.append(kind)
            for part in (value.func, value.args, value.keywords):
                self.add(part, depth + 1)
        elif fixed(value):
            self.hold(value)
        else:
            raise UnknowableError(f"it depends on an object of {kind.__module__}.{kind.__qualname__}")


def fixed(value: Any) -> bool:
    """Whether an object does the same for ever."""
    if isinstance(value, (np.ufunc, Primitive)) or type(value) is type(np.sum):
        return True
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in MODULES
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    if isinstance(value, type):
        return value.__module__ in ("numpy", "builtins")
    return isinstance(value, _lru_cache_wrapper) and str(value.__module__).startswith(OWN)


class Rebuilding:
    """Makes the same function with other values in the places of the arrays that it closes over.

    Args:
        arrays: those values.
        noted: the list that the function fills; the new function fills another one.

    Attributes:
        noted_now: that other one.
        lists: copies of the lists and dictionaries that the function closes over, each with what was in it.
    """

    def __init__(self, arrays: Iterator[Any], noted: list[Any] | None) -> None:
        self.arrays = arrays
        self.noted = noted
        self.noted_now: list[Any] = []
        self.lists: list[tuple[Any, Any]] = []

    def rebuilt(self, value: Any) -> Any:
        """A part as the new function has it. Parts are visited in the order of :class:`Identity`."""
        kind = type(value)
        if kind is np.ndarray:
            return next(self.arrays)
        if kind is FunctionType:
            return self.rebuilt_function(value)
        if value is self.noted and value is not None:
            return self.noted_now
        if kind is tuple:
            return tuple([self.rebuilt(part) for part in value])
        if kind is list:
            return self.noticed([self.rebuilt(part) for part in value])
        if kind is dict:
            return self.noticed({name: self.rebuilt(part) for name, part in value.items()})
        if kind is partial:
            return partial(self.rebuilt(value.func), *self.rebuilt(value.args), **self.rebuilt(value.keywords))
        return value

    def rebuilt_function(self, fun: FunctionType) -> FunctionType:
        cells = tuple([CellType(self.rebuilt(cell.cell_contents)) for cell in fun.__closure__ or ()])
        defaults = tuple([self.rebuilt(default) for default in fun.__defaults__ or ()])
        named = {name: self.rebuilt(default) for name, default in (fun.__kwdefaults__ or {}).items()}
        names = [name for name in global_names(fun) if name in fun.__globals__]
        known = {**fun.__globals__, **{name: self.rebuilt(fun.__globals__[name]) for name in names}}
        made = FunctionType(fun.__code__, known if names else fun.__globals__, fun.__name__, defaults, cells)
        made.__kwdefaults__ = named or None
        made.__qualname__, made.__module__ = fun.__qualname__, fun.__module__
        return made

    def noticed(self, value: Any) -> Any:
        self.lists.append((value, value.copy()))
        return value

    def changed(self) -> bool:
        """Whether the new function has changed a list or dictionary."""
        return any(not same(now, before) for now, before in self.lists)


def same(now: Any, before: Any) -> bool:
    """Whether two lists or dictionaries hold the same objects."""
    if type(now) is dict:
        return list(now) == list(before) and same(list(now.values()), list(before.values()))
    return len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))
