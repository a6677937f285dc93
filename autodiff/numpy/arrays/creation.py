"""NumPy's functions that make arrays, on the tape of a traced one.

``np.zeros_like(x)`` and ``np.zeros(n, like=x)`` of a traced ``x`` are traced, so that traced values can be assigned
into them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import axes_in_memory, copied, in_own_memory, laid_out_like
from autodiff.numpy.arrays.outline import known, permuted
from autodiff.numpy.dispatch import CREATION, as_operand, implements
from autodiff.ops.creation import copy as copy_of
from autodiff.ops.creation import full as full_of
from autodiff.ops.elementwise import cast
from autodiff.ops.shape import broadcast_to, reshape
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.values.arrays import placed
from autodiff.trace.values.weak_numbers import held
from autodiff.trace.view import UNKNOWN, View, in_order


def filled(prototype: Any, value: Any, dtype: Any, shape: Any, order: str = "C") -> Any:
    """An array of a shape and dtype, by default those of the prototype, filled with a value.

    With order ``"K"`` it is laid out as the prototype is, as far as that is known.
    """
    prototype, value = as_operand(prototype), as_operand(value)
    its = spec_of(prototype)
    shape = its.shape if shape is None else np.ndarray(shape, bool, b"\0", strides=(0,) * np.size(shape)).shape
    dtype = its.dtype if dtype is None else np.dtype(dtype)
    made = filled_with(prototype, value, shape, dtype, axes_of_new(prototype, shape, order))
    return in_order(made) if order in ("C", "c") else made


def filled_with(prototype: Any, value: Any, shape: tuple[int, ...], dtype: Any, axes: list[int]) -> Any:
    """An array filled with a value, whose axes lie in memory in an order."""
    value = held(value, dtype)
    if axes == sorted(axes):
        return full_of(prototype, value, shape=shape, dtype=dtype)
    if spec_of(value).shape:
        value = permuted(broadcast_to(value, shape=shape), np.transpose, axes)
    made = full_of(prototype, value, shape=tuple(shape[k] for k in axes), dtype=dtype)
    return permuted(made, np.transpose, np.argsort(axes).tolist())


def axes_of_new(prototype: Any, shape: tuple[int, ...], order: str) -> list[int]:
    """The axes of a new array as they lie in memory, the one with the longest stride first."""
    plain = known(prototype)
    if order in ("F", "f"):
        return list(range(len(shape)))[::-1]
    if order in ("C", "c") or not isinstance(plain, np.ndarray) or plain.flags.c_contiguous:
        return list(range(len(shape)))
    return axes_in_memory(np.empty_like(plain, bool, order, shape=shape))  # type: ignore[call-overload]


@implements(np.zeros_like, np.empty_like)
def zeros_like(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Any:
    """Zeros in the shape of another array."""
    return filled(a, 0, dtype, shape, order)


@implements(np.ones_like)
def ones_like(
    a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
) -> Any:
    """Ones in the shape of another array."""
    return filled(a, 1, dtype, shape, order)


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """A value, repeated in the shape of another array."""
    return filled(a, fill_value, dtype, shape, order)


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """The same elements in memory of their own."""
    made = copied(as_operand(a), order)
    return in_order(made) if order in ("C", "c") else made


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The values converted to another dtype; the derivative passes between floating-point dtypes."""
    return x if not copy and spec_of(x).dtype == dtype else cast(x, dtype=np.dtype(dtype))


if hasattr(np, "astype"):  # since NumPy 2.1
    implements(np.astype)(astype)


# What is called with ``like=``: NumPy does not pass the prototype on, the protocol does.


def creates(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function of the prototype and NumPy's arguments the answer for calls with ``like=``."""

    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            CREATION[function] = own
        return own

    return register


@creates(np.zeros, np.empty)
def zeros(prototype: Any, shape: Any, dtype: Any = float, order: str = "C", *, device: Any = None) -> Any:
    """Zeros."""
    return filled(prototype, 0, float if dtype is None else dtype, shape, order)


@creates(np.ones)
def ones(prototype: Any, shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None) -> Any:
    """Ones."""
    return filled(prototype, 1, float if dtype is None else dtype, shape, order)


@creates(np.full)
def full(
    prototype: Any, shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", *, device: Any = None
) -> Any:
    """A value, repeated."""
    value = as_operand(fill_value)
    value = placed(value, prototype) if isinstance(value, np.ndarray) else value
    return filled(prototype, value, spec_of(value).dtype if dtype is None else dtype, shape, order)


@creates(np.array)
def array(prototype: Any, object: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
    """An array of traced and plain values, from nested lists of them."""
    if options.get("copy", True) is not True and not options.get("ndmin"):
        return converted(np.asarray, prototype, object, dtype, *args, **options)
    value = as_operand(object)
    its = spec_of(value)
    dtype = its.dtype if dtype is None else np.dtype(dtype)
    value = placed(value, prototype) if isinstance(value, np.ndarray) else value
    order = options.get("order") or "K"
    if order in ("A", "K") and value is not object:  # of several arrays
        order = "C"
    made = filled_with(prototype, value, its.shape, dtype, axes_of_new(value, its.shape, order))
    if order in ("C", "c") or (isinstance(value, np.ndarray) and value.flags.c_contiguous):
        made = in_order(made)
    lead = (1,) * (options.get("ndmin", 0) - its.ndim)
    return reshape(made, shape=(*lead, *its.shape)) if lead else made


def converted(
    function: Callable[..., Any], prototype: Any, object: Any, dtype: Any = None, *args: Any, **options: Any
) -> Any:
    """What is an array of the dtype already, as it is; anything else as a new array."""
    if not (isinstance(object, Tracer) and object.spec.kind == "array" and dtype in (None, object.dtype)):
        made = array(prototype, object, dtype)
        plain = known(made)
        return laid_out_like(made, function(plain, None, *args, **options)) if isinstance(plain, np.ndarray) else made
    if options.get("copy") is True:
        return array(prototype, object, dtype, *args, **options)
    if function in (np.asarray, np.asanyarray, np.require) and not args and not options.keys() - {"copy", "device"}:
        return object
    plain = concrete(object)
    if not isinstance(plain, np.ndarray):
        return View(copy_of(object), object, copy_of, (), UNKNOWN)
    wanted = function(plain, None, *args, **options)
    return object if wanted is plain else in_own_memory(laid_out_like(object, wanted), object)


_converting: tuple[Callable[..., Any], ...] = (
    np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.require,
)  # fmt: skip
CREATION.update({function: partial(converted, function) for function in _converting})


@creates(np.asarray_chkfinite)
def finite_array(prototype: Any, a: Any, dtype: Any = None, order: Any = None) -> Any:
    """The array, in which no number is infinite or NaN; values that are not known, as under ``jit``, may be.

    Raises:
        ValueError: if a number is infinite or NaN.
    """
    made = converted(np.asarray, prototype, a, dtype, **({} if order is None else {"order": order}))
    plain = concrete(made)
    if isinstance(plain, np.ndarray) and plain.dtype.kind in "fc" and not np.isfinite(plain).all():
        raise ValueError(f"an array of np.asarray_chkfinite has infinite numbers or NaN{at_user_line()}")
    return made


def _computed(function: Callable[..., Any]) -> None:
    """Enter a function whose arguments are plain: its result is put on the prototype's tape."""

    def create(prototype: Any, *args: Any, **options: Any) -> Any:
        for value in (*args, *options.values()):
            if isinstance(value, Traced) and spec_of(value).inexact:
                raise DifferentiationError(
                    f"np.{function.__name__} cannot be called with a traced {spec_of(value)!r}{at_user_line()}: how "
                    "many elements there are would depend on it. Use np.linspace, or start + step * np.arange(n)"
                )
        value = function(*args, **options)
        return full_of(prototype, placed(value, prototype), shape=np.shape(value), dtype=np.asarray(value).dtype)

    CREATION[function] = create


@creates(np.arange)
def arange(prototype: Any, *args: Any, **options: Any) -> Any:
    """Numbers from start to stop in equal steps: ``start + i * step``, of which derivatives are taken.

    How many there are follows from the values, as the way that an ``if`` takes: that has no derivative.

    Raises:
        DifferentiationError: if a value is not known, as in compiled programs.
    """
    names = ("start", "stop", "step", "dtype") if len(args) > 1 else ("stop",)
    given = {**dict(zip(names, args)), **options}
    if not any(isinstance(value, Traced) and spec_of(value).inexact for value in given.values()):
        value = np.arange(*args, **options)
        return full_of(prototype, placed(value, prototype), shape=value.shape, dtype=value.dtype)
    plain: dict[str, Any] = {name: concrete(value) for name, value in given.items()}
    if any(type(value) is Spec for value in plain.values()):
        raise DifferentiationError(
            f"np.arange cannot be called with numbers of which only the dtype is known{at_user_line()}: how many "
            "elements there are depends on them. Use np.linspace, or start + step * np.arange(n)"
        )
    count: Callable[..., Any] = np.arange
    wanted = count(**plain)
    start, step = given.get("start", 0), given.get("step", 1)
    found = start + np.arange(len(wanted)) * ((start + step) - start)  # as NumPy rounds steps
    return cast(found, dtype=wanted.dtype)


for _function in (
    np.eye, np.identity, np.tri, np.fromfunction, np.fromiter, np.frombuffer, np.fromstring, np.fromfile,
    np.loadtxt, np.genfromtxt,
):  # fmt: skip
    _computed(_function)
