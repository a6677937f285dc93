"""The attributes and methods that traced values share with arrays."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.arrays.memory_order import in_own_memory, laid_out, memory_order
from autodiff.numpy.dispatch import (
    FUNCTIONS,
    UFUNCS,
    again_with_numbers,
    array_function,
    array_ufunc,
    missing,
    peeled,
)
from autodiff.ops import elementwise as ew
from autodiff.ops.elementwise import python_number
from autodiff.trace.errors import ConcretizationError, LeafError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tracer import Tracer

SAME_AS_FUNCTION = (
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "choose", "cumprod",
    "cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "put", "ravel", "repeat", "round",
    "searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "var",
)  # fmt: skip


def as_method(name: str) -> Callable[..., Any]:
    """The method that does what NumPy's function of the same name does."""
    function = getattr(np, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = FUNCTIONS.get(function)
        if own is None:
            raise missing(f"the method {name}")
        try:
            return own(self, *args, **kwargs)
        except LeafError as error:
            return again_with_numbers(own, (self, *args), kwargs, error)

    method.__name__ = name
    method.__doc__ = f"What :func:`numpy.{name}` does."
    return method


def reshape(self: Any, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """The same elements in another shape, given as a tuple or as several arguments."""
    full = shape[0] if len(shape) == 1 else shape
    return (
        FUNCTIONS[np.reshape](self, full, order=order)
        if copy is None
        else FUNCTIONS[np.reshape](self, full, order=order, copy=copy)
    )


def transpose(self: Any, *axes: Any) -> Any:
    """The axes in another order, given as a tuple, as several arguments, or None for the reverse order."""
    full = axes[0] if len(axes) == 1 else axes or None
    return FUNCTIONS[np.transpose](self, full)


def clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """Values limited to [min, max], of which one may be left out."""
    return FUNCTIONS[np.clip](self, min, max, out, **kwargs)


def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Any:
    """The slices along an axis for which the condition holds; the condition must be known."""
    return FUNCTIONS[np.compress](condition, self, axis, out)


def copy(self: Any, order: str | None = "C") -> Any:
    """The same elements in memory of their own."""
    return FUNCTIONS[np.copy](self, order or "C")


def flatten(self: Any, order: str = "C") -> Any:
    """A copy with one axis."""
    return in_own_memory(FUNCTIONS[np.ravel](self, order=order), self)


def astype(
    self: Any, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """The values converted to another dtype; the derivative passes between floating-point dtypes."""
    dtype = np.dtype(dtype)
    if casting == "same_value":  # since NumPy 2.4
        peeled(self, "astype(casting='same_value')").astype(dtype, casting=casting)
    elif not np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"cannot cast {self.dtype.name} to {dtype.name} by the rule {casting!r}{at_user_line()}")
    if order in ("A", "a"):
        order = memory_order("astype", self, order)
    return laid_out(self if not copy and self.dtype == dtype else ew.cast(self, dtype=dtype), order)


def of_subclass(spec: Any, kind: Any) -> TypeError:
    """The error about a traced array that would become one of a class derived from NumPy's."""
    name = getattr(kind, "__name__", repr(kind))
    return TypeError(
        f"a traced {spec!r} cannot become an array of the class {name}{at_user_line()}: NumPy would keep its numbers "
        "alone. Let the class have the array as an attribute, self.array = x, in place of deriving from np.ndarray"
    )


def view(self: Any, dtype: Any = None, type: Any = None) -> Any:
    """Another name for the same elements.

    Raises:
        TypeError: for a subclass of NumPy's array, or another dtype.
    """
    if isinstance(dtype, builtins.type) and issubclass(dtype, np.ndarray):
        dtype, type = None, dtype
    if type not in (None, np.ndarray):
        raise of_subclass(spec_of(self), type)
    if dtype is not None and np.dtype(dtype) != self.dtype:
        raise TypeError(
            f"the bytes of a traced array cannot be seen as another dtype{at_user_line()}; use astype to convert values"
        )
    return self[...]


def number_of(x: Any) -> Any:
    """An element as a Python number; one of a long type, for which Python has none, as it is."""
    return x[()] if x.dtype.char in "gG" else python_number(x)


def item(self: Any, *index: Any) -> Any:
    """The one element as a Python number, still traced; use stop_gradient where a plain one is wanted."""
    if index:
        if len(index) > 1 or isinstance(index[0], tuple):
            return number_of(self[tuple(map(operator.index, index if len(index) > 1 else index[0]))])
        return number_of(self.reshape(-1)[operator.index(index[0])])
    if self.size != 1:
        raise ValueError(f"can only convert an array of size 1 to a scalar, got shape {self.shape}{at_user_line()}")
    return number_of(self[(0,) * self.ndim])


def fill(self: Any, value: Any) -> None:
    """Write one value everywhere."""
    self[...] = value


def sort(self: Any, axis: int = -1, **options: Any) -> None:
    """Sort in place."""
    self[...] = FUNCTIONS[np.sort](self, axis, **options)


def partition(self: Any, kth: Any, axis: int = -1, **options: Any) -> None:
    """Partition in place."""
    self[...] = FUNCTIONS[np.partition](self, kth, axis, **options)


def tolist(self: Any) -> Any:
    """Nested lists of the elements, still traced; as Python numbers they give way to other dtypes."""
    return [part.tolist() for part in self] if self.shape else number_of(self)


def divided(self: Any, other: Any) -> Any:
    """Python's divmod: the floor of the quotient, and the remainder."""
    return UFUNCS[np.divmod](self, other)


def divided_reflected(self: Any, other: Any) -> Any:
    """Python's divmod with the traced value as the divisor."""
    return UFUNCS[np.divmod](other, self)


def rounded(self: Any, digits: int | None = None) -> Any:
    """Python's round of a number; a plain int where no digits are given, whose derivative is zero."""
    if self.spec.kind == "array":
        raise TypeError(f"type numpy.ndarray doesn't define __round__ method{at_user_line()}; use np.round")
    result = FUNCTIONS[np.round](self, digits or 0)
    return int(peeled(result, "round")) if digits is None else result


def not_pickled(self: Any, protocol: Any = None) -> Any:
    """Refuses to save what belongs to a run of a transformation."""
    raise ConcretizationError(
        f"a traced {self.spec!r} would be pickled{at_user_line()}, and its derivative would be lost; save "
        "autodiff.stop_gradient(x), or the results of the transformation"
    )


PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "T": lambda self: FUNCTIONS[np.transpose](self) if self.ndim > 1 else self,
    "mT": lambda self: FUNCTIONS[np.swapaxes](self, -1, -2),
    "real": lambda self: FUNCTIONS[np.real](self),
    "imag": lambda self: FUNCTIONS[np.imag](self),
}


def conjugate(self: Any, out: Any = None) -> Any:
    """The complex conjugate; a real array as it is, which the method does not copy."""
    if out is not None:
        return np.conjugate(self, out=out)
    return ew.conjugate(self) if self.dtype.kind == "c" else self


METHODS: tuple[Callable[..., Any], ...] = (
    reshape, transpose, clip, compress, copy, flatten, astype, view, item, fill, sort, partition, tolist, conjugate,
)  # fmt: skip

SPECIAL: dict[str, Callable[..., Any]] = {
    "divmod": divided,
    "rdivmod": divided_reflected,
    "round": rounded,
    "copy": lambda self: FUNCTIONS[np.copy](self),
    "deepcopy": lambda self, memo: FUNCTIONS[np.copy](self),
    "reduce_ex": not_pickled,
}


def install() -> None:
    """Give traced values NumPy's protocols, methods and properties."""
    Tracer.__array_ufunc__ = array_ufunc  # type: ignore[attr-defined]
    Tracer.__array_function__ = array_function  # type: ignore[attr-defined]
    for name in SAME_AS_FUNCTION:
        setattr(Tracer, name, as_method(name))
    for function in METHODS:
        setattr(Tracer, function.__name__, function)
    for name, function in SPECIAL.items():
        setattr(Tracer, f"__{name}__", function)
    Tracer.conj = conjugate  # type: ignore[attr-defined]
    for name, getter in PROPERTIES.items():
        setattr(Tracer, name, property(getter))


install()
