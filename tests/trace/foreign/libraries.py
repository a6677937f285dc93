"""Stand-ins for the arrays of other libraries, which speak the same protocols."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow,
    "matmul": operator.matmul, "gt": operator.gt,
}  # fmt: skip


class Wrapping:
    """Holds an array, computes with it and wraps the result again, as most such libraries do."""

    def __init__(self, values: Any) -> None:
        self.held = taken(values)

    shape = property(lambda self: self.held.shape)
    dtype = property(lambda self: self.held.dtype)
    ndim = property(lambda self: len(self.shape))

    def operand(self, other: Any) -> Any:
        """The other operand, as it meets the array that is held."""
        return np.asarray(taken(other))

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, key: Any) -> Any:
        return type(self)(self.held[key])

    def __float__(self) -> float:
        return float(self.held)

    def sum(self, axis: Any = None, **_: Any) -> Any:
        return type(self)(np.sum(self.held, axis))


def taken(other: Any) -> Any:
    """What an object holds; anything else as it is."""
    return other.held if isinstance(other, Wrapping) else other


def forward(apply: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: type(self)(apply(self.held, self.operand(other)))


def reflected(apply: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: type(self)(apply(self.operand(other), self.held))


for _name, _apply in OPERATORS.items():
    setattr(Wrapping, f"__{_name}__", forward(_apply))
    setattr(Wrapping, f"__r{_name}__", reflected(_apply))


class Own(Wrapping):
    """A class of the user's: it wraps whatever it meets, traced values too."""

    def operand(self, other: Any) -> Any:
        return taken(other)


class Quantity(Own):
    """Like pint's: it wraps arrays of any library, answers NumPy's functions, and passes attributes on."""

    magnitude = property(lambda self: self.held)

    def __getattr__(self, name: str) -> Any:
        if name == "held":
            raise AttributeError(name)
        return getattr(self.held, name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.held, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return Quantity(getattr(ufunc, method)(*map(taken, inputs), **kwargs))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return Quantity(function(*map(taken, args), **kwargs))


class Converting(Wrapping):
    """Makes NumPy arrays of its operands."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.held, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return type(self)(getattr(ufunc, method)(*(np.asarray(taken(x)) for x in inputs), **kwargs))


class Series(Converting):
    """Like pandas'."""

    __array_priority__ = 1000

    def to_numpy(self) -> Any:
        return np.asarray(self.held)


class Frame(Series):
    """Like pandas' table, which has no dtype."""

    dtype = property()  # type: ignore[assignment]


class DataArray(Own):
    """Like xarray's: it wraps arrays of any library."""

    __array_priority__ = 50
    data = property(lambda self: self.held)

    def to_numpy(self) -> Any:
        return np.asarray(self.held)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.held, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return DataArray(getattr(ufunc, method)(*map(taken, inputs), **kwargs))


class Lazy(Wrapping):
    """Like dask's: shape and dtype are known, values when they are asked for; others' arrays are left to others."""

    __array_priority__ = 11

    def compute(self) -> Any:
        return np.asarray(self.held)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.held, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, (Lazy, np.ndarray, np.generic, float, int)) for x in inputs):
            return NotImplemented
        return Lazy(getattr(ufunc, method)(*map(taken, inputs), **kwargs))


class Mixed(np.lib.mixins.NDArrayOperatorsMixin, Wrapping):
    """Like sparse's: its operators call NumPy's ufuncs."""

    def todense(self) -> Any:
        return np.asarray(self.held)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, (Mixed, np.ndarray, np.generic, float, int)) for x in inputs):
            return NotImplemented
        return Mixed(getattr(ufunc, method)(*map(taken, inputs), **kwargs))


class Sparse(Wrapping):
    """Like SciPy's sparse matrices: nothing makes an array of it unasked."""

    def toarray(self) -> Any:
        return np.asarray(self.held)


class Tensor(Converting):
    """Like a tensor of another framework: its dtype is not NumPy's."""

    dtype = property(lambda self: "framework.float64")

    def numpy(self) -> Any:
        return np.asarray(self.held)
