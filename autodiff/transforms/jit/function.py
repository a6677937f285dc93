"""``jit``: a function that is recorded once for arguments of one kind, and runs as a program from then on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import update_wrapper
from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.staging import Staged, stage
from autodiff.trace.surroundings import surrounding_state
from autodiff.trace.tape import Tape
from autodiff.trace.tree import LEAF, flatten
from autodiff.transforms.arguments import function_name
from autodiff.transforms.custom.arguments import place_of
from autodiff.transforms.jit.program import Program

NUMBERS = frozenset((bool, int, float, complex, np.float64, np.float32))


class jit:
    """The same function, recorded once and run as a program.

    The first call with arguments of one structure, shapes and dtypes runs ``fun`` with shapes and dtypes alone and
    records its operations; further calls run the program, without ``fun``. Derivatives and batches of the program are
    programs too, and so it nests with all transformations in any order. Variables may be arguments: the call is one
    node of their graph.

    Args:
        fun: a function of trees of arrays and numbers. It must not branch on their values. What it does besides, such
            as printing, happens when it is recorded. Arrays that it closes over are taken as they are then; traced
            values that it closes over make it be recorded anew in every call. Programs give infinities and NaN
            without NumPy's warnings.
        static_argnums: positions of arguments that are no arrays, such as flags and shapes: they are handed to ``fun``
            as they are, and it is recorded for each of their values.
        static_argnames: names of such keyword arguments.

    Raises:
        TypeError: if ``fun`` is no function, or, when it is called, a static argument cannot be hashed.
        ConcretizationError: when it is called, if ``fun`` branches on a traced value.

    >>> import numpy as np
    >>> @jit
    ... def energy(x):
    ...     return np.sum(x**2) / 2
    >>> energy(np.array([1.0, 2.0]))
    np.float64(2.5)
    >>> from autodiff import grad
    >>> grad(energy)(np.array([1.0, 2.0]))
    array([1., 2.])
    >>> print(energy.source(np.array([1.0, 2.0])))
    def run(a):
        b = power_1(a, 2)
        del a
        c = sum_1(b, axes=(-1,))
        del b
        d = divide_1(c, 2)
        del c
        return (d, )
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        static_argnums: int | Sequence[int] = (),
        static_argnames: str | Sequence[str] = (),
    ) -> None:
        if not callable(fun):
            raise TypeError(f"jit needs a function, got {described(fun)}; write jit(f)(x), not jit(f(x))")
        update_wrapper(self, fun)
        self.fun = fun
        self.static_argnums = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)
        self.static_argnames = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
        self.programs: dict[Any, Recorded] = {}
        self.plain: dict[Any, Recorded] = {}  # the same by :func:`plain_key`

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        key = None if kwargs or self.static_argnums else plain_key(args)
        if key is None:
            recorded, leaves = self.recorded(args, kwargs)
            return recorded.call(leaves)
        found = self.plain.get(key)
        if found is None:
            found, _ = self.recorded(args, kwargs)
            if not found.captures:
                self.plain[key] = found
        return found.call(args)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {place_of(self.fun)}>"

    def tape(self, *args: Any, **kwargs: Any) -> Tape:
        """The tape of the program for arguments like these."""
        return self.recorded(args, kwargs)[0].program.tape

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The program for arguments like these, as the text of a Python function."""
        return self.recorded(args, kwargs)[0].program.straight.source

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Recorded, list[Any]]:
        """The program for these arguments, and their leaves."""
        static = self.static(args, kwargs) if self.static_argnums or self.static_argnames else ()
        dynamic, named = (args, kwargs) if static == () else self.without_static(args, kwargs)
        leaves, structure = flatten((dynamic, named))
        key = (structure, static, tuple([spec_of_leaf(self.fun, leaf) for leaf in leaves]), surrounding_state())
        found = self.programs.get(key)
        if found is None:
            found = record(self.full(args, kwargs), key[2], structure, place_of(self.fun))
            if not found.captures:
                self.programs[key] = found
        return found, leaves

    def static(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The static arguments with their places and types, which tell 1 and True apart."""
        places: list[tuple[Any, Any]] = [(n, args[n]) for n in self.static_argnums if -len(args) <= n < len(args)]
        places += [(name, kwargs[name]) for name in self.static_argnames if name in kwargs]
        for place, value in places:
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"jit: the static argument {place!r} of {function_name(self.fun)} is {described(value)}, which "
                    f"cannot be hashed{at_user_line()}; pass a tuple in place of a list, or let it be traced"
                ) from None
        return tuple((place, type(value), value) for place, value in places)

    def without_static(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The other arguments."""
        positions = {n % len(args) for n in self.static_argnums if args and -len(args) <= n < len(args)}
        return (
            tuple(arg for n, arg in enumerate(args) if n not in positions),
            {name: value for name, value in kwargs.items() if name not in self.static_argnames},
        )

    def full(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        """The function of the other arguments."""
        positions = {n % len(args) for n in self.static_argnums if args and -len(args) <= n < len(args)}
        fixed = {name: value for name, value in kwargs.items() if name in self.static_argnames}

        def run(dynamic: tuple[Any, ...], named: dict[str, Any]) -> Any:
            remaining = iter(dynamic)
            given = [arg if n in positions else next(remaining) for n, arg in enumerate(args)]
            return self.fun(*given, **named, **fixed)

        return run


class Recorded(NamedTuple):
    """A function that was recorded.

    Attributes:
        program: its program; the inputs are the leaves of the arguments, the captures and the constants.
        captures: traced values that it closed over.
        constants: arrays that it closed over.
        results: the structure of its result.
        kept: which outputs are constants, of which callers get copies.
    """

    program: Program
    captures: list[Any]
    constants: tuple[Any, ...]
    results: Any
    kept: tuple[int, ...]

    def call(self, leaves: Sequence[Any]) -> Any:
        """The result for the leaves of the arguments."""
        outs = self.program(*leaves, *self.captures, *self.constants)
        if self.kept:
            outs = tuple(out.copy() if k in self.kept else out for k, out in enumerate(outs))
        return outs[0] if self.results is LEAF else self.results.unflatten(outs)


def plain_key(args: tuple[Any, ...]) -> Any:
    """What programs are looked up by where all arguments are plain arrays and numbers; None where they are not."""
    key: list[Any] = [surrounding_state()]
    for arg in args:
        kind = type(arg)
        if kind is np.ndarray:
            key += arg.shape, arg.dtype
        elif kind in NUMBERS:
            key.append(kind)
        else:
            return None
    return tuple(key)


def record(fun: Callable[..., Any], specs: Sequence[Any], structure: Any, name: str) -> Recorded:
    """Record a function of trees on specs."""
    staged: Staged = stage(fun, specs, structure)
    tape = staged.tape
    given = len(tape.inputs) - len(tape.constants)
    kept = tuple(k for k, out in enumerate(tape.outputs) if isinstance(out, int) and given <= out < len(tape.inputs))
    program = Program(replace(tape, constants=(), arguments=None, results=None), name)
    return Recorded(program, staged.captures, tape.constants, tape.results, kept)


def spec_of_leaf(fun: Callable[..., Any], leaf: Any) -> Any:
    """The spec of an argument's leaf.

    Raises:
        TypeError: if it is no array or number.
    """
    try:
        return spec_of(leaf)
    except AttributeError:
        raise TypeError(
            f"jit: {function_name(fun)} was called with {described(leaf)}{at_user_line()}, which is no array or "
            "number; make it a static argument"
        ) from None
