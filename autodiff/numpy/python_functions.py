"""One element after another: ``np.vectorize``, ``np.frompyfunc``, ``np.ndenumerate``, ``np.broadcast``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer, settled
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, contains_traced
from autodiff.numpy.namespace import OWN, enter, has_traced_values
from autodiff.ops.elementwise import cast
from autodiff.trace.spec import spec_of

Function = Callable[..., Any]


def core_axes(signature: str | None, count: int) -> list[int]:
    """How many axes of each argument a call sees, by a signature such as ``(n),(m,n)->()``."""
    if signature is None:
        return [0] * count
    arguments = signature.partition("->")[0].replace(" ", "").split("),(")
    return [len([name for name in argument.strip("()").split(",") if name]) for argument in arguments]


def mapped(function: Function, args: Sequence[Any], core: Sequence[int]) -> tuple[list[Any], bool]:
    """The results of one call for each element, or part, put together; and whether a call gave several."""
    operands = [as_operand(arg) for arg in args]
    shapes = [spec_of(x).shape for x in operands]
    whole = np.broadcast_shapes(*(shape[: len(shape) - k] for shape, k in zip(shapes, core, strict=True)))
    if 0 in whole:
        return [np.empty(whole)], False
    full = [
        FUNCTIONS[np.broadcast_to](x, whole + shape[len(shape) - k :])
        for x, shape, k in zip(operands, shapes, core, strict=True)
    ]
    found = [settled(function(*(x[place] if whole else x for x in full))) for place in np.ndindex(whole)]
    several = isinstance(found[0], tuple)
    columns = zip(*found, strict=True) if several else [found]
    return [gathered(list(column), whole) for column in columns], several


def gathered(parts: list[Any], shape: tuple[int, ...]) -> Any:
    """One array of the results of all calls."""
    parts = [as_operand(part) for part in parts]
    return FUNCTIONS[np.reshape](FUNCTIONS[np.stack](parts), (*shape, *spec_of(parts[0]).shape))


class vectorize(np.vectorize):
    """A function of numbers as one of arrays, which may be traced. See :class:`numpy.vectorize`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = settled((args, kwargs))
        undecorated = not hasattr(self, "pyfunc") or isinstance(self.pyfunc, type(np._NoValue))
        if undecorated or not has_traced_values():
            return super().__call__(*args, **kwargs)
        excluded = self.excluded or set()
        names = [name for name in kwargs if name not in excluded]
        places = [k for k in range(len(args)) if k not in excluded]
        taken = [args[k] for k in places] + [kwargs[name] for name in names]

        def call(*elements: Any) -> Any:
            own = dict(zip([*places, *names], elements, strict=True))
            positional = [own.get(k, arg) for k, arg in enumerate(args)]
            return self.pyfunc(*positional, **{name: own.get(name, value) for name, value in kwargs.items()})

        found, several = mapped(call, taken, core_axes(self.signature, len(taken)))
        if not contains_traced(found):  # the types of results are NumPy's affair
            return super().__call__(*args, **kwargs)
        if self.otypes is not None:
            found = [cast(x, dtype=np.dtype(kind)) for x, kind in zip(found, self.otypes, strict=True)]
        return tuple(found) if several else found[0]


def frompyfunc(func: Function, /, nin: int, nout: int, **options: Any) -> Function:
    """A function of numbers as a ufunc; of traced values the results are traced arrays, not arrays of objects."""
    original = np.frompyfunc(func, nin, nout, **options)

    def call(*args: Any, **kwargs: Any) -> Any:
        args = settled(args)
        if not has_traced_values():
            return original(*args, **kwargs)
        found, several = mapped(func, args, [0] * nin)
        if not contains_traced(found):
            return original(*args, **kwargs)
        return tuple(found) if several else found[0]

    return call


def ndenumerate(arr: Any) -> Any:
    """The indices and elements of an array, one after the other."""
    if isinstance(arr, Buffer):  # it may be filled meanwhile
        return _elements(arr)
    arr = settled(arr)
    return _elements(as_operand(arr)) if contains_traced((arr,)) else np.ndenumerate(arr)


def _elements(x: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    return ((place, x[place]) for place in np.ndindex(x.shape))


class broadcast:
    """Arrays beside each other in their common shape, element by element. See :class:`numpy.broadcast`.

    Attributes:
        arrays: in their common shape.
        plain: NumPy's own, which counts.
    """

    arrays: tuple[Any, ...]
    plain: np.broadcast

    def __new__(cls, *args: Any) -> Any:
        args = settled(args)
        if not contains_traced(args):
            return np.broadcast(*args)
        made = super().__new__(cls)
        made.arrays = FUNCTIONS[np.broadcast_arrays](*args)
        made.plain = np.broadcast(*(np.empty(spec_of(array).shape, bool) for array in made.arrays))
        return made

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)

    @property
    def iters(self) -> tuple[Any, ...]:
        return tuple(array.flat for array in self.arrays)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> tuple[Any, ...]:
        place = self.plain.index
        next(self.plain)
        return tuple(iterator[place] for iterator in self.iters)


for _own in (vectorize, frompyfunc, ndenumerate, broadcast):
    OWN[_own.__name__] = enter(getattr(np, _own.__name__), _own)
