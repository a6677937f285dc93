"""What rewritten code calls: each looks at what arrived, and leaves everything plain as it is."""

from __future__ import annotations

import builtins
import datetime
import operator
import sys
from abc import ABCMeta
from collections.abc import Callable, Iterator
from functools import partial
from importlib.machinery import ExtensionFileLoader
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer, fresh, settled
from autodiff.numpy.dispatch import as_operand, contains_traced, peeled
from autodiff.numpy.items.indexing import index
from autodiff.numpy.mathematics import number
from autodiff.numpy.methods import of_subclass
from autodiff.numpy.namespace import KNOWN, ORIGINALS, StandIn, enter, has_traced_values
from autodiff.numpy.records import Records
from autodiff.numpy.traced_arguments import is_variable
from autodiff.ops.elementwise import cast, from_parts, imag, real, where
from autodiff.programs import counterparts
from autodiff.programs.drawing import draw
from autodiff.programs.matching import ANY, INSTANCE
from autodiff.programs.rewriting import CALLEE, DRAW, FRESH, ITEM, KIND, NAME, ORIGINAL, OWN, RESULT, SHOWN
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.recording import is_recording
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.text import NumberText
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer
from autodiff.trace.values.sparse_operands import PRODUCTS, is_sparse
from autodiff.transforms.gradient import is_unknown

CAPSULE: Any = type(datetime.datetime_CAPI)  # what pybind11 binds its functions to
EXTENSIONS = frozenset(("cython_function_or_method", "fortran"))
"""The types of functions that Cython and f2py compile."""

CALLEES: dict[int, tuple[Any, Callable[..., Any]]] = {}
"""Types and functions, by their identity, and what is called in their places."""


def name(value: Any) -> Any:
    """What stands for something that was imported."""
    found = KNOWN.get(id(value))
    if found is not None:
        return found[1]
    if type(value) is ModuleType and isinstance(value.__loader__, ExtensionFileLoader) and is_foreign(value.__name__):
        return enter(value, StandIn(value, callee))
    return counterparts.counterpart(value)


def callee(function: Any) -> Any:
    """What is called in place of a function or type."""
    if type(function) is MethodType:
        return method_in_place(function)
    found = CALLEES.get(id(function))
    if found is not None:
        return found[1]
    drawing = draw(function)
    if drawing is not function:
        return drawing
    if not is_of_module(function):
        return function
    return extension_call(function) if is_extension(function) else name(function)


def method_in_place(method: MethodType) -> Any:
    """What is called in place of a bound method."""
    if method.__name__ == "__array__" and isinstance(method.__self__, Traced):
        return partial(name(np.asarray), method.__self__)
    if method.__name__ == "multiply" and is_sparse(method.__self__):
        return partial(entries_multiplied, method)
    return method


def entries_multiplied(method: MethodType, *args: Any, **kwargs: Any) -> Any:
    """``A.multiply(x)`` of one of SciPy's sparse matrices."""
    args, kwargs = settled((args, kwargs))
    if len(args) == 1 and isinstance(args[0], Traced):
        return PRODUCTS["scipy.sparse"]("A.multiply", (method.__self__, args[0]))
    return method(*args, **kwargs)


def is_of_module(function: Any) -> bool:
    """Whether a function or type lasts as long as its module; others are made in passing, and nobody keeps them."""
    if isinstance(function, BuiltinFunctionType):
        return isinstance(function.__self__, (type(None), ModuleType, CAPSULE))
    if isinstance(function, (FunctionType, type)):
        return "<locals>" not in function.__qualname__
    return not isinstance(function, MethodType)


def is_extension(function: Any) -> bool:
    """Whether a function is compiled code of a package that knows nothing of traced values."""
    compiled = isinstance(function, BuiltinFunctionType) or type(function).__name__ in EXTENSIONS
    return compiled and is_foreign(function.__module__)


def is_foreign(module: str) -> bool:
    """Whether a module's package is neither Python's nor one whose functions have counterparts."""
    root = str(module).partition(".")[0]
    return root not in ("numpy", "scipy", "builtins") and root not in sys.stdlib_module_names


def extension_call(function: Any) -> Any:
    """What is called in place of compiled code: it gets plain arrays as arrays, and refuses traced ones by name."""

    @stands_for(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not has_traced_values():
            return function(*args, **kwargs)
        args, kwargs = settled((args, kwargs))
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            traced = next((arg for arg in (*args, *kwargs.values()) if isinstance(arg, Traced)), None)
            if traced is None:
                raise
            raise DifferentiationError(
                f"{function.__module__}.{function.__name__} is compiled code, and does not take a traced "
                f"{spec_of(traced)!r}{at_user_line()}; give it a rule with custom_vjp or custom_jvp, or pass "
                "autodiff.stop_gradient(x) where no derivative is wanted"
            ) from error

    return call


def item(x: Any, key: Any) -> Any:
    """``x[key]``, of a plain array by a traced index, too."""
    if type(x) is np.ndarray and has_traced_values():
        key = settled(key)
        if contains_traced(key if isinstance(key, tuple) else (key,)):
            return index(x, key)
    return x[key]


def own(value: Any) -> Any:
    """A new array as one that traced values can be written to, while something may be traced."""
    if type(value) is np.ndarray:
        is_array = value.base is None and has_traced_values() and value.dtype.kind in "biufc"
        return Buffer(value) if is_array else value
    return Buffer(value) if is_variable(value) and type(value) is not Buffer and value.shape else value


def result(value: Any) -> Any:
    """What a function returns: outside of transformations what its arrays hold by then, as callers may have it."""
    return value.now if type(value) in (Buffer, Records) and not is_recording() else value


def shown(text: str, values: Any) -> str:
    """A text with values put in by ``%``, as plain numbers; with traced ones it does not become a number again."""
    values = settled(values) if has_traced_values() else values
    parts = list(values.values()) if type(values) is dict else [values]
    if contains_traced(parts):
        plain = peeled(parts, "the % of a text")
        return NumberText(text % (dict(zip(values, plain, strict=True)) if type(values) is dict else plain[0]))
    found: str = text % values
    return found


def stands_for(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function what is called in place of another one."""

    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        CALLEES[id(function)] = function, own
        return own

    return register


def kind_of(value: Any) -> type:
    """The type that the program would have seen, had nothing been traced."""
    if type(value) in (Buffer, Records) or (isinstance(value, Traced) and spec_of(value).kind == "array"):
        return np.ndarray
    if not isinstance(value, Traced):
        kind: type = builtins.type(value)
        return getattr(kind, "stands_for", kind)
    its = spec_of(value)
    return its.dtype.type if its.kind == "scalar" else builtins.type(its.dtype.type(0).item())


def original_of(value: Any) -> Any:
    """What something stands for, which a program knows by its identity."""
    return ORIGINALS.get(id(value), value)


@stands_for(isinstance)
def is_instance(value: Any, classes: Any) -> bool:
    """Whether a value, traced or not, is an instance of a class: an array where it stands for one."""
    found, theirs = isinstance(value, classes), originals_of(classes)
    if isinstance(value, Traced):  # which has methods that a number lacks: to be iterable is to have one of a name
        parts = classes if type(classes) is tuple else getattr(classes, "__args__", (classes,))
        abstract = any(isinstance(part, ABCMeta) for part in parts)
        return (found and not abstract) or issubclass(kind_of(value), theirs)
    if not found and (type(value) is Records or hasattr(builtins.type(value), "stands_for")):
        return issubclass(kind_of(value), theirs)
    return found or (theirs != classes and isinstance(value, theirs))


def originals_of(classes: Any) -> Any:
    """A class, or classes, as libraries have them: ours derive from them, and other code makes objects of theirs."""
    return tuple(map(originals_of, classes)) if type(classes) is tuple else original_of(classes)


@stands_for(type)
def type_of(*args: Any, **kwargs: Any) -> Any:
    """The type of a value, traced or not; a new class."""
    return kind_of(args[0]) if len(args) == 1 and not kwargs else builtins.type(*args, **kwargs)


def class_of(value: Any) -> Any:
    """``value.__class__``, of a value that may be traced."""
    return kind_of(value) if isinstance(value, Traced) else value.__class__


@stands_for(hasattr)
def has_attribute(value: Any, attribute: str, /) -> bool:
    """Whether a value, traced or not, has an attribute: the one that it stands for.

    The classes are searched one by one, because ``hasattr`` of a class finds attributes of ``type`` too, ``__call__``.
    """
    if not isinstance(value, Traced):
        return hasattr(value, attribute)
    return any(attribute in vars(kind) for kind in kind_of(value).__mro__)


@stands_for(getattr)
def attribute_of(value: Any, attribute: str, /, *default: Any) -> Any:
    """An attribute of a value, traced or not; the default where what it stands for has none of that name."""
    if default and not has_attribute(value, attribute):
        return default[0]
    return getattr(value, attribute, *default)


@stands_for(map)
def map_of(function: Any, *iterables: Any, **options: Any) -> Iterator[Any]:
    """The results of a function, of which one is called that takes traced values."""
    return map(callee(function), *iterables, **options)


@stands_for(max)
def largest(*args: Any, **options: Any) -> Any:
    """The largest of some values, the first one of equals; of traced ones whose values are not known, too."""
    return chosen(max, operator.gt, np.argmax, args, options)


@stands_for(min)
def smallest(*args: Any, **options: Any) -> Any:
    """The smallest of some values, the first one of equals; of traced ones whose values are not known, too."""
    return chosen(min, operator.lt, np.argmin, args, options)


def chosen(function: Any, better: Any, position: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a function chooses that compares values one after the other, and prefers the better one."""
    if not args or options or not has_traced_values():
        return function(*args, **options)
    (first, *_), whole = args, len(args) == 1
    if whole and isinstance(first, Traced):
        return index(first, position(first)) if is_unknown(first) and spec_of(first).ndim == 1 else function(first)
    values = list(first) if whole else args
    if not any(map(is_unknown, values)) or any(isinstance(v, Traced) and spec_of(v).shape for v in values):
        return function(values)
    found, *others = values
    for other in others:
        found = where(better(other, found), other, found)
    return found


@stands_for(float)
def floating(*args: Any) -> Any:
    """A Python number, still traced."""
    x = settled(args[0]) if args else 0.0
    if not isinstance(x, Traced):
        return float(*([x] if args else ()))
    if spec_of(x).dtype.kind == "c":
        raise TypeError(f"a complex number cannot become float{at_user_line()}; take its real part, x.real")
    return number(x)


@stands_for(complex)
def complex_number(*args: Any, **kwargs: Any) -> Any:
    """A complex Python number, still traced; infinities and the signs of zeros stay in their part."""
    args, kwargs = settled((args, kwargs))
    if not contains_traced((*args, *kwargs.values())):
        return complex(*args, **kwargs)
    given = {**dict(zip(("real", "imag"), args, strict=False)), **kwargs}
    first, second = number(given.get("real", 0.0)), number(given.get("imag", 0.0))
    along, across = real(first), imag(first)
    if is_complex(second):
        along, second = along - imag(second), real(second)
    return number(from_parts(along, across + second if is_complex(first) else second))


def is_complex(value: Any) -> bool:
    """Whether a number has an imaginary part."""
    return isinstance(value, complex) or (isinstance(value, Traced) and spec_of(value).dtype.kind == "c")


def scalar_type(kind: Any) -> None:
    """Enter a type of NumPy's numbers: called, it converts."""

    @stands_for(kind)
    def convert(*args: Any, **kwargs: Any) -> Any:
        args = settled(args)
        if not has_traced_values() or not contains_traced(args):
            return fresh(kind(*args, **kwargs))
        x = as_operand(args[0])
        found = cast(x, dtype=np.dtype(kind))
        return found if isinstance(x, Tracer) or not isinstance(found, Traced) else x


for _kind in (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble):
    scalar_type(_kind)


def array_type(make: Any) -> None:
    """Enter NumPy's array as a type that is called, or the function of classes derived from it that makes objects."""

    @stands_for(make)
    def new(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = settled((args, kwargs))
        traced = next((arg for arg in (*args, *kwargs.values()) if isinstance(arg, Traced)), None)
        if traced is None or not has_traced_values():
            return own(make(*args, **kwargs))
        raise of_subclass(spec_of(traced), np.ndarray if make is np.ndarray else args[0])


array_type(np.ndarray)
array_type(np.ndarray.__new__)

NAMES: dict[str, Any] = {
    NAME: name,
    CALLEE: callee,
    ITEM: item,
    SHOWN: shown,
    OWN: own,
    FRESH: fresh,
    RESULT: result,
    DRAW: draw,
    KIND: class_of,
    ORIGINAL: original_of,
    INSTANCE: is_instance,
    ANY: object,
}
"""What rewritten code finds among its module's names."""
