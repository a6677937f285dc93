"""NumPy's names, for plain and traced values alike.

Code that says ``import numpy as np`` needs nothing of this: NumPy asks traced arguments what to do. A few functions
of NumPy's never ask some of their arguments (``np.array`` the elements of a list, ``np.take`` its indices); those
called from here do, and ``zeros`` makes arrays that traced values can be written to. Where nothing is traced each of
them is NumPy's own.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer, call_function, fresh, handed_out, settled
from autodiff.numpy.dispatch import CREATION, FUNCTIONS, UFUNCS, as_operand, contains_traced
from autodiff.numpy.records import Records
from autodiff.numpy.traced_arguments import newest_of
from autodiff.trace.recording import is_recording
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.values.foreign import holds_traced

FACADE = "autodiff.facade.variables.variable"
"""The module of Variables: where it is not loaded there are none."""

FILLED_LATER: frozenset[Any] = frozenset((
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like,
))  # fmt: skip
"""Functions whose results are written to, of whatever dtype."""

STRUCTURED = FILLED_LATER | {np.array}
"""Functions whose results may be structured arrays of their own."""

CONVERTING: frozenset[Any] = frozenset((
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite, np.require,
))  # fmt: skip
"""Functions whose result may be their argument."""

CALLING: frozenset[Any] = frozenset((np.apply_along_axis, np.piecewise))
"""Functions that call others, whose results may be traced though no argument is."""

PLAIN_ARGUMENTS = (np.ndarray, np.generic, np.dtype, int, float, complex, str, list, tuple, slice, type, type(None))

OWN: dict[str, Any] = {}
"""Names that are made here and stay."""

KNOWN: dict[int, tuple[Any, Any]] = {}
"""Objects of NumPy and Python, by their identity, and what stands for them; each is kept, so that it stays the same."""

ORIGINALS: dict[int, Any] = {}
"""The other way round: by the identity of what stands for an object, that object."""


def has_traced_values() -> bool:
    """Whether there may be traced values in this thread."""
    return is_recording() or FACADE in sys.modules


def lookup(name: str) -> Any:
    """What ``autodiff.numpy.<name>`` is.

    Raises:
        AttributeError: if NumPy has no such name.
    """
    found = OWN.get(name)
    if found is None:
        found = OWN[name] = counterpart(getattr(np, name))
    return found


def enter(original: Any, own: Any) -> Any:
    """Make an object what stands for another one."""
    KNOWN[id(original)] = original, own
    if own is not original:
        ORIGINALS[id(own)] = original
    return own


def counterpart(original: Any) -> Any:
    """What stands for an object of NumPy: a function that takes traced values anywhere, or the object itself.

    >>> import autodiff
    >>> autodiff.grad(lambda x: counterpart(np.array)([x, 2.0, x * x])[2])(3.0)
    6.0
    """
    found = KNOWN.get(id(original))
    if found is not None:
        return found[1]
    if isinstance(original, np.ufunc):
        return enter(original, Ufunc(original)) if original in UFUNCS else original
    is_function = callable(original) and not isinstance(original, type) and original.__hash__ is not None
    if is_function and (original in FUNCTIONS or original in CREATION):
        return enter(original, Function(original))
    return original


class Substitute:
    """What stands for a function of NumPy, which it equals.

    Attributes:
        original: the function.
    """

    original: Any

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.original

    def __hash__(self) -> int:
        return hash(self.original)

    def __repr__(self) -> str:
        return repr(self.original)

    def __reduce__(self) -> Any:
        return unchanged, (self.original,)


class Function(Substitute):
    """A function of NumPy that takes traced values, and what holds them, anywhere among its arguments."""

    def __init__(self, original: Callable[..., Any]) -> None:
        update_wrapper(self, original)
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["original"], name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not is_recording() and FACADE not in sys.modules:
            return self.original(*args, **kwargs)
        return called(self.original, args, kwargs)


def called(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy gives where values may be traced."""
    args = tuple(list(arg) if type(arg) is deque else arg for arg in args)
    if original in CREATION:
        return created(original, args, kwargs)
    if not contains_traced((*args, *kwargs.values())):
        if original in CALLING:
            found = FUNCTIONS[original](*settled(args), **settled(kwargs))
            if contains_traced((found,)):
                return found
        return writable(original, original(*args, **kwargs), args)
    if contains_buffer((*args, *kwargs.values())):
        return call_function(original, args, kwargs)
    return FUNCTIONS[original](*args, **kwargs)


def created(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives that makes arrays of sizes, or of what may hold traced values."""
    given: Any = args[0] if args else kwargs.get("object", kwargs.get("a"))
    if args and original in CONVERTING:
        given = array_of(given)
        args = (given, *args[1:])
    if (
        original in CONVERTING
        and original is not np.array
        and isinstance(given, Buffer)
        and len(args) + len(kwargs) < 2
    ):
        return given
    if "like" in kwargs:
        return original(*args, **kwargs)
    if original in CONVERTING and is_of_objects(args, kwargs) and contains_traced((given,)):
        args, kwargs = args[:1], {name: value for name, value in kwargs.items() if name != "dtype"}
    if original is np.fromiter:
        return created(np.array, (list(args[0]), *args[1:2]), {k: v for k, v in kwargs.items() if k == "dtype"})
    if original in CONVERTING and isinstance(given, Buffer):
        return converted_buffer(original, given, *settled((args, kwargs)))
    args, kwargs = settled((args, kwargs))
    if original in CONVERTING and holds_traced(given):
        args = (given.tolist(), *args[1:])
    if contains_traced((*args, *kwargs.values())):
        return CREATION[original](newest_of((args, kwargs)), *args, **kwargs)
    found = original(*args, **kwargs)
    copied = original is np.array and kwargs.get("copy", True) is True
    return (
        found if original in CONVERTING and not copied and type(given) is not list else writable(original, found, args)
    )


def is_of_objects(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an array of Python objects is asked for; of traced numbers it is an array of numbers."""
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    return dtype is object or dtype == "O" or dtype is np.object_


def array_of(given: Any) -> Any:
    """What the ``__array__`` of an object gives, if that is traced, which NumPy would refuse; others as they are."""
    if isinstance(given, Traced) or type(getattr(type(given), "__array__", None)) is not FunctionType:
        return given
    found = given.__array__()
    return found if isinstance(found, Traced) else given


def converted_buffer(original: Callable[..., Any], given: Buffer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A buffer as ``np.asarray`` and its kin give it: a view of it where the array shows its memory."""
    if contains_traced((*args, *kwargs.values())):
        return CREATION[original](newest_of((args, kwargs)), *args, **kwargs)
    found = original(*args, **kwargs)
    if type(found) is np.ndarray and np.may_share_memory(found, args[0] if args else given.now):
        return given if found is given.now else handed_out(found, given, lambda now: original(now, *args[1:], **kwargs))
    return writable(original, found, args)


def writable(original: Callable[..., Any], found: Any, args: tuple[Any, ...]) -> Any:
    """A new array as one that traced values can be written to, while something is traced; what is not new, as it is."""
    if not is_recording():
        return found
    if type(found) in (list, tuple):
        return type(found)(
            writable(original, p, args) if type(p) is np.ndarray and p.base is None else p for p in found
        )
    if type(found) is not np.ndarray:
        return found
    if found.dtype.names and found.base is None and original in STRUCTURED:
        return Records(found)
    if found.dtype.kind not in ("biufc" if original in FILLED_LATER else "fc"):
        return found
    for arg in args:
        if not isinstance(arg, PLAIN_ARGUMENTS) or (isinstance(arg, np.ndarray) and np.may_share_memory(arg, found)):
            return found
    return Buffer(found)


def contains_buffer(values: Any) -> bool:
    """Whether a buffer stands anywhere in nested lists."""
    return any(
        isinstance(value, Buffer) or (isinstance(value, (list, tuple)) and contains_buffer(value)) for value in values
    )


def with_lists(arg: Any) -> Any:
    """An argument; of a list that holds traced values, a traced array."""
    return as_operand(settled(arg)) if isinstance(arg, (list, tuple)) and contains_traced(arg) else arg


def unchanged(value: Any) -> Any:
    """The value itself: a ufunc is pickled as NumPy's."""
    return value


class Ufunc(Substitute):
    """A ufunc of NumPy that takes lists of traced values, too."""

    def __init__(self, original: np.ufunc) -> None:
        self.original = original
        self.__doc__ = original.__doc__
        self.__name__ = original.__name__

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.original, name)
        if name not in ("reduce", "accumulate", "outer"):
            return found
        return lambda *args, **kwargs: fresh(found(*map(with_lists, args), **kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not is_recording() and FACADE not in sys.modules:
            return self.original(*args, **kwargs)
        args = tuple(map(with_lists, args))
        found = self.original(*args, **kwargs)
        return found if kwargs else writable(self.original, found, args)

    @property  # type: ignore[misc] # what isinstance asks for
    def __class__(self) -> type:
        return np.ufunc


def array(object: Any, dtype: Any = None, **options: Any) -> Any:
    """An array of numbers, arrays, nested lists of them, or an array of dtype object; traced values stay traced.

    >>> from autodiff import grad
    >>> grad(lambda x: array([x, 2.0, x * x])[2])(3.0)
    6.0
    """
    if holds_traced(object):
        object = object.tolist()
    if not isinstance(object, Traced) and not contains_traced((object,)):
        return np.array(object, dtype, **options)
    return created(np.array, (object, dtype), options)


def isscalar(element: Any) -> bool:
    """Whether a value is a number of Python's or NumPy's, or stands for one.

    >>> from autodiff import grad
    >>> grad(lambda x: x * (2.0 if isscalar(x) else 1.0))(3.0)
    2.0
    """
    return spec_of(element).kind != "array" if isinstance(element, Traced) else np.isscalar(element)


enter(np.isscalar, isscalar)


class StandIn(ModuleType):
    """A module with the names of another one, each with what stands for it."""

    def __init__(self, original: ModuleType, stands_for: Callable[[Any], Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        path = getattr(original, "__path__", [])
        found_so_far(self).update(_original=original, _stands_for=stands_for, __path__=path)

    def __getattr__(self, name: str) -> Any:
        names = found_so_far(self)
        found = names[name] = names["_stands_for"](getattr(names["_original"], name))
        return found

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """What ``vars`` gives: all names of the module, each with what stands for it."""
        return {name: getattr(self, name) for name in vars(found_so_far(self)["_original"])}

    def __dir__(self) -> list[str]:
        return dir(found_so_far(self)["_original"])


def found_so_far(module: StandIn) -> dict[str, Any]:
    """The names of a stand-in that have been asked for, and its own."""
    names: dict[str, Any] = vars(ModuleType)["__dict__"].__get__(module)
    return names


for _module in (np, np.linalg, np.fft, np.emath):
    enter(_module, StandIn(_module, counterpart))
