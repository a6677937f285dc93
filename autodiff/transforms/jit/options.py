"""What ``jit`` is told beside the function, checked when it is told."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autodiff.backends.choice import Choice, checked_choice
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.transforms.custom.arguments import place_of

Selected = int | str | Sequence[int] | Sequence[str]


class Options(NamedTuple):
    """What ``jit`` was told.

    Attributes:
        given: the arguments of ``jit`` as they were given, to make another one like it.
        static: the positions of static arguments, none of them negative.
        static_names: the names of static arguments: of all that may be passed by keyword.
        donated: the positions of donated arguments, none of them negative.
        choice: who runs programs.
        fast_math: whether division, exp and tanh of float32 may be approximate on GPUs.
    """

    given: tuple[Any, ...]
    static: tuple[int, ...]
    static_names: tuple[str, ...]
    donated: tuple[int, ...]
    choice: Choice
    fast_math: bool = False


def checked_function(fun: Any) -> None:
    """Refuse what is no function, or one that does its work after it has returned.

    Raises:
        TypeError: saying what to write.
    """
    if isinstance(fun, classmethod):
        raise TypeError(f"jit needs a function, got classmethod{at_user_line()}; put @classmethod above @jit")
    if not callable(fun):
        raise TypeError(f"jit needs a function, got {described(fun)}{at_user_line()}; write jit(f)(x), not jit(f(x))")
    bodies = fun, fun.__call__
    if any(map(inspect.isgeneratorfunction, bodies)) or any(map(inspect.isasyncgenfunction, bodies)):
        raise TypeError(
            f"jit: {place_of(fun)} is a generator function{at_user_line()}: its body runs after the call, when nothing "
            "is recorded any more. Return a list or a tuple, or loop with autodiff.scan."
        )
    if any(map(inspect.iscoroutinefunction, bodies)):
        raise TypeError(
            f"jit: {place_of(fun)} is an async function{at_user_line()}: its body runs after the call, when nothing is "
            "recorded any more. Let an async function call a jitted one."
        )


def checked_options(
    fun: Callable[..., Any],
    static_argnums: Any,
    static_argnames: Any,
    donate_argnums: Any,
    backend: str,
    fast_math: Any = False,
) -> Options:
    """The options, normalised by the signature of the function where it has one.

    Raises:
        TypeError: if one of them is of the wrong type.
        ValueError: if a position or name does not exist, stands twice, or is both static and donated; or there is no
            such backend.
    """
    parameters = Parameters(fun)
    static = parameters.positions("static_argnums", static_argnums)
    names = parameters.checked_names(static_argnames)
    donated = parameters.positions("donate_argnums", donate_argnums)
    static += tuple(p for p in map(parameters.position_of, names) if p is not None and p not in static)
    names += tuple(name for name in map(parameters.name_of, static) if name is not None and name not in names)
    for position in donated:
        if position in static:
            raise ValueError(
                f"jit: argument {position} of {place_of(fun)} is both static and donated{at_user_line()}; only arrays "
                "can be donated, and static arguments are none: take it out of one of the two"
            )
    if not isinstance(fast_math, bool):
        raise TypeError(f"jit: fast_math must be True or False, got {fast_math!r}{at_user_line()}")
    given = (static_argnums, static_argnames, donate_argnums, backend, fast_math)
    return Options(given, static, names, donated, checked_choice(backend), fast_math)


class Parameters:
    """The parameters of a function, as far as they are known."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun
        try:
            parameters = list(inspect.signature(fun).parameters.values())
        except (TypeError, ValueError):  # functions written in C need not have one
            self.positional: list[inspect.Parameter] = []
            self.names: list[str] = []
            self.any_position = self.any_name = True
            return
        kinds = {parameter.kind for parameter in parameters}
        self.positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.names = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.any_position = inspect.Parameter.VAR_POSITIONAL in kinds
        self.any_name = inspect.Parameter.VAR_KEYWORD in kinds

    def positions(self, option: str, given: Any) -> tuple[int, ...]:
        """Positions as they count from the start."""
        chosen = tuple(given) if isinstance(given, (tuple, list, range, set, frozenset)) else (given,)
        if any(isinstance(n, bool) or not hasattr(n, "__index__") for n in chosen):
            raise TypeError(
                f"jit: {option} must be an int or a sequence of ints, got {given!r}{at_user_line()}"
                + ("; static_argnames selects by name" if option == "static_argnums" else "")
            )
        found = tuple(self.position(option, n.__index__()) for n in chosen)
        for n in found:
            if found.count(n) > 1:
                raise ValueError(f"jit: {option}={given!r} selects argument {n} twice{at_user_line()}")
        return found

    def position(self, option: str, n: int) -> int:
        count = len(self.positional)
        if n < 0 and self.any_position:
            raise ValueError(
                f"jit: {option} has {n}, but {place_of(self.fun)} takes any number of arguments{at_user_line()}, so "
                "that there is no last one; count from the start"
            )
        if not self.any_position and not -count <= n < count:
            allowed = f"choose from {-count} to {count - 1}" if count else "there is nothing to choose"
            raise ValueError(
                f"jit: {option} has {n}, but {place_of(self.fun)} takes {count} positional arguments"
                f"{at_user_line()}; {allowed}"
            )
        return n + count if n < 0 else n

    def checked_names(self, given: Any) -> tuple[str, ...]:
        chosen = (given,) if isinstance(given, str) else given
        if not isinstance(chosen, (tuple, list, set, frozenset)) or any(not isinstance(name, str) for name in chosen):
            raise TypeError(f"jit: static_argnames must be a str or a sequence of strs, got {given!r}{at_user_line()}")
        for name in chosen:
            if name not in self.names and not self.any_name:
                raise ValueError(
                    f"jit: static_argnames has {name!r}, but {place_of(self.fun)} has no such "
                    f"argument{at_user_line()}; its arguments are {', '.join(self.names) or 'none'}"
                )
            if list(chosen).count(name) > 1:
                raise ValueError(f"jit: static_argnames={given!r} selects {name!r} twice{at_user_line()}")
        return tuple(chosen)

    def position_of(self, name: str) -> int | None:
        """Where an argument of that name may stand by position."""
        names = [parameter.name for parameter in self.positional]
        return names.index(name) if name in names else None

    def name_of(self, position: int) -> str | None:
        """The name by which the argument at a position may be passed."""
        if position >= len(self.positional):
            return None
        parameter = self.positional[position]
        return None if parameter.kind is parameter.POSITIONAL_ONLY else parameter.name
