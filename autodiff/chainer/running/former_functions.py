"""Functions of NumPy and Python that have kept their names and changed what they do, as old programs mean them.

Libraries rely on today's functions, autodiff too, so these are replaced nowhere: the program, and libraries that were
written for Chainer, are compiled with calls of :func:`former`, which chooses for each call.
"""

from __future__ import annotations

import functools
import json
import random as drawing
from collections.abc import Callable, Iterator, Set
from typing import Any

import numpy as np

NAME = "__autodiff_former__"

FORMER: dict[int, tuple[Any, Callable[..., Any]]] = {}
"""Functions of today by their identity, each with what stands for it in old programs."""


def former(function: Any) -> Any:
    """What an old program means by a function.

    >>> former(np.array)([[1, 2, 3], [4, 5]]).dtype, former(len) is len
    (dtype('O'), True)
    """
    found = FORMER.get(id(function))
    return function if found is None else found[1]


def stands_for(today: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function what old programs mean by one of today."""

    def register(own: Callable[..., Any]) -> Callable[..., Any]:
        FORMER[id(today)] = today, functools.wraps(today)(own)
        return own

    return register


def converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array: of nested lists of unequal lengths one of objects, and copies where it must."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            ragged = "inhomogeneous" in str(error)
            if function is np.array and kwargs.get("copy") == 0 and (ragged or "avoid copy" in str(error)):
                return run(*args, **{**kwargs, "copy": None})
            given = args[1] if len(args) > 1 else kwargs.get("dtype")
            if given is not None or not ragged:
                raise
            if len(args) > 1:
                args = (args[0], object, *args[2:])
            else:
                kwargs["dtype"] = object
            try:
                return function(*args, **kwargs)
            except ValueError:
                raise error from None

    return run


def of_lists(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays of lists itself."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return function(*map(with_objects, args), **{name: with_objects(value) for name, value in kwargs.items()})

    return run


def with_objects(value: Any) -> Any:
    """An array of objects of a list of lists of unequal lengths; other values as they are."""
    found = former(np.asarray)(value) if isinstance(value, (list, tuple)) else value
    return found if isinstance(found, np.ndarray) and found.dtype.kind == "O" else value


def of_iterators(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a sequence of arrays that takes what can only be iterated over, too."""

    def run(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        return function(list(arrays) if isinstance(arrays, Iterator) else arrays, *args, **kwargs)

    return run


_converting: tuple[Callable[..., Any], ...] = (np.array, np.asarray, np.asanyarray)
for _function in _converting:
    stands_for(_function)(converting(_function))
_of_lists: tuple[Callable[..., Any], ...] = (
    np.save, np.savez, np.savez_compressed, np.random.choice, np.random.permutation,
)  # fmt: skip
for _function in _of_lists:
    stands_for(_function)(of_lists(_function))
_stacking: tuple[Callable[..., Any], ...] = (np.column_stack, np.dstack, np.hstack, np.stack, np.vstack)
for _function in _stacking:
    stands_for(_function)(of_iterators(_function))
stands_for(vars(np).get("row_stack", np.vstack))(of_iterators(np.vstack))  # the same, by a name that goes


@stands_for(np.fromstring)
def fromstring(string: Any, dtype: Any = float, count: int = -1, *, sep: str = "", **like: Any) -> Any:
    """The numbers in a text, or, without a separator, in bytes."""
    if sep:
        return np.fromstring(string, dtype, count, sep=sep, **like)
    data = string.encode() if isinstance(string, str) else string
    return np.frombuffer(data, dtype, count, **like).copy()


@stands_for(np.unique)
def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, *args: Any, **kwargs: Any) -> Any:
    """The unique elements; the inverse has one axis."""
    today: Callable[..., Any] = np.unique
    found = today(ar, return_index, return_inverse, *args, **kwargs)
    if not return_inverse:
        return found
    k = 2 if return_index else 1
    return (*found[:k], found[k].reshape(-1), *found[k + 1 :])


@stands_for(np.linalg.solve)
def solve(a: Any, b: Any) -> Any:
    """Solutions of linear equations; b with one axis fewer than a is a stack of vectors."""
    its, sizes = np.shape(a), np.shape(b)
    if len(sizes) > 1 and len(sizes) == len(its) - 1 and sizes[-1] == its[-1]:
        return np.linalg.solve(a, np.expand_dims(b, -1))[..., 0]
    return np.linalg.solve(a, b)


def without_encoding(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that reads JSON and ignores an encoding."""

    def run(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("encoding", None)
        return function(*args, **kwargs)

    return run


_reading: tuple[Callable[..., Any], ...] = (json.load, json.loads)
for _function in _reading:
    stands_for(_function)(without_encoding(_function))


@stands_for(drawing.sample)
def sample(population: Any, *args: Any, **kwargs: Any) -> Any:
    """Elements drawn without replacement, also from a set."""
    return drawing.sample(tuple(population) if isinstance(population, Set) else population, *args, **kwargs)


@stands_for(drawing.shuffle)
def shuffle(x: Any, random: Callable[[], float] | None = None) -> None:
    """Shuffle a list in place, with numbers from a function if there is one."""
    if random is None:
        return drawing.shuffle(x)
    for i in reversed(range(1, len(x))):
        j = int(random() * (i + 1))
        x[i], x[j] = x[j], x[i]
    return None


@stands_for(open)
def opened(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """An open file; ``"U"`` in its mode has no effect."""
    if isinstance(mode, str) and "U" in mode:
        mode = mode.replace("U", "")
        mode = mode if "r" in mode else "r" + mode
    return open(file, mode, *args, **kwargs)


NAMES = frozenset(("row_stack", *(today.__name__ for today, _ in FORMER.values())))
"""What calls are looked at."""
