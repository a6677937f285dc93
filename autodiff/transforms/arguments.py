"""Which arguments of a function are differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from autodiff.trace.errors import DifferentiationError, LeafError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import TreeDef, flatten, paths
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import as_leaf

Positions = int | Sequence[int]
Names = str | Sequence[str] | None
Places = Sequence[int | str] | None
"""Where the user's function has the arguments that are differentiated: positions and names; None for 0, 1, 2, ..."""


FIRST = (0,)


class Selection:
    """The arguments that ``argnums`` and ``argnames`` select.

    Args:
        name: the transformation, for error texts.
        fun: the function.
        argnums: a position or several; negative ones count from the end.
        argnames: a name or several; in place of ``argnums``.
    """

    __slots__ = ("fun", "keys", "name", "single")

    def __init__(self, name: str, fun: Callable[..., Any], argnums: Positions, argnames: Names) -> None:
        if not callable(fun):
            raise TypeError(f"{name} needs a function, got {described(fun)}; write {name}(f)(x), not {name}(f(x))")
        chosen: Any = argnums if argnames is None else argnames
        kind: Any = int if argnames is None else str
        self.single = isinstance(chosen, kind)
        self.keys: tuple[Any, ...] = tuple(chosen) if not self.single and isinstance(chosen, Sequence) else (chosen,)
        self.name = name
        self.fun = fun
        option = "argnums" if argnames is None else "argnames"
        if not self.keys or any(not isinstance(key, kind) or isinstance(key, bool) for key in self.keys):
            wanted = "an int or a sequence of ints" if kind is int else "a str or a sequence of strs"
            raise TypeError(f"{name}: {option} must be {wanted}, got {chosen!r}")

    def pick(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], Callable[..., Any], Places]:
        """The selected arguments, a function of them alone that calls the user's with all the others, their places."""
        if self.keys == FIRST and args and not kwargs:  # as mostly
            fun, others = self.fun, args[1:]
            return args[:1], (lambda x: fun(x, *others)) if others else fun, FIRST
        places = [self._place(key, args, kwargs) for key in self.keys]
        if len(set(places)) != len(places):
            raise ValueError(f"{self.name}: the same argument is selected twice: {self.keys!r}")
        fun = self.fun

        def of_selected(*selected: Any) -> Any:
            full, named = list(args), dict(kwargs)
            for place, value in zip(places, selected, strict=True):
                if isinstance(place, int):
                    full[place] = value
                else:
                    named[place] = value
            return fun(*full, **named)

        return tuple(args[p] if isinstance(p, int) else kwargs[p] for p in places), of_selected, places

    def _place(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | str:
        if isinstance(key, str):
            return self._named_place(key, args, kwargs)
        if not -len(args) <= key < len(args):
            raise ValueError(
                f"{self.name}: argnums={key} but {function_name(self.fun)} was called with {len(args)} positional "
                f"arguments{at_user_line()}; select keyword arguments with argnames"
            )
        return int(key) % len(args)

    def _named_place(self, key: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | str:
        if key in kwargs:
            return key
        try:
            bound = inspect.signature(self.fun).bind(*args, **kwargs)
            position = list(bound.signature.parameters).index(key)
        except (TypeError, ValueError):
            position = len(args)
        if position >= len(args):
            raise ValueError(
                f"{self.name}: argnames={key!r} but {function_name(self.fun)} was called without an argument of that "
                f"name{at_user_line()}"
            )
        return position


def like(fun: Callable[..., Any], transformed: Callable[..., Any]) -> Callable[..., Any]:
    """Give a transformed function the name, documentation and signature of the original."""
    return wraps(fun)(transformed)


def function_name(fun: Any) -> str:
    """The name of a function as users know it."""
    return getattr(fun, "__name__", None) or type(fun).__name__


def differentiable_leaves(
    name: str, primals: tuple[Any, ...], real: bool = False, places: Places = None
) -> tuple[list[Any], TreeDef]:
    """The leaves of the arguments that are to be differentiated, all of them inexact numbers.

    Args:
        name: the transformation, for error texts.
        primals: the arguments.
        real: whether complex numbers are refused too.
        places: where the user's function has these arguments.

    Raises:
        DifferentiationError: if one is not, naming its place among the user's arguments.
    """
    leaves, structure = flatten(primals)
    for position, leaf in enumerate(leaves):
        try:
            leaves[position] = leaf = as_leaf(leaf)
            leaf_spec = spec_of(leaf)
        except LeafError:
            leaf_spec = None
        if leaf_spec is None or not leaf_spec.inexact or (real and leaf_spec.dtype.kind == "c"):
            raise DifferentiationError(_not_differentiable(name, paths(primals)[position], places, leaf, real))
    if not leaves and None in primals:
        raise DifferentiationError(_not_differentiable(name, f"[{primals.index(None)}]", places, None, real))
    return leaves, structure


def _not_differentiable(name: str, path: str, places: Places, leaf: Any, real: bool) -> str:
    place, _, within = path.removeprefix("[").partition("]")
    where = f"argument {place if places is None else repr(places[int(place)])}{within}"
    wanted = "real floating-point" if real else "real or complex floating-point"
    then = remedy(leaf) or "pass 3.0 in place of 3, x.astype(float) in place of integers"
    others = "other leaves out by autodiff.tree.partition" if within else "other arguments out by argnums"
    return (
        f"{name} differentiates with respect to {wanted} numbers and arrays, but {where} is {described(leaf)}"
        f"{at_user_line()}. {then[0].upper()}{then[1:]}; leave {others}."
    )
