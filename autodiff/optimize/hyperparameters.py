"""Learning rates and their like in a state, where they are seen, saved and changed while training runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.numbers import ZERO
from autodiff.optimize.schedules import Schedule
from autodiff.optimize.transformation import GradientTransformation, with_extra
from autodiff.trace.source import at_user_line


class InjectHyperparamsState(NamedTuple):
    """How many updates there were, the numbers by their names, and the state of the transformation."""

    count: Any
    hyperparams: dict[str, Any]
    inner_state: Any


def inject_hyperparams(
    inner_factory: Callable[..., Any], static_args: Iterable[str] = ()
) -> Callable[..., GradientTransformation]:
    """A maker of transformations whose numbers stand in the state, under their names, and may be changed there.

    All arguments that are floating-point numbers, those left at their defaults too, and all schedules stand there;
    whole numbers, booleans, texts and functions stay as they were given. A schedule's number is that of the last
    update.

    Args:
        inner_factory: what makes the transformation, such as :func:`adam`.
        static_args: names of arguments that stay as they were given.

    Raises:
        TypeError: if a transformation is given in place of what makes it.
        ValueError: if one of these names is no argument.

    >>> import numpy as np
    >>> from autodiff import optimize
    >>> optimizer = inject_hyperparams(optimize.sgd)(learning_rate=0.1)
    >>> state = optimizer.init(np.ones(2))
    >>> updates, state = optimizer.update(np.ones(2), state)
    >>> state.hyperparams["learning_rate"] /= 10  # nothing is recorded anew by jit
    >>> optimizer.update(np.ones(2), state)[0]
    array([-0.01, -0.01])
    """
    if not callable(inner_factory):
        raise TypeError(
            f"inject_hyperparams takes what makes a transformation, not one that is made{at_user_line()}; "
            "write inject_hyperparams(optimize.sgd)(learning_rate=0.1)"
        )
    signature, fixed_names = inspect.signature(inner_factory), frozenset(static_args)
    if unknown := sorted(fixed_names - set(signature.parameters)):
        raise ValueError(
            f"inject_hyperparams: {', '.join(unknown)} among static_args{at_user_line()}, which "
            f"{inner_factory.__name__} does not take; it takes {', '.join(signature.parameters)}"
        )

    def factory(*args: Any, **kwargs: Any) -> GradientTransformation:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        schedules = {
            name: value for name, value in given.items() if is_schedule(name, value) and name not in fixed_names
        }
        numbers = {
            name: value
            for name, value in given.items()
            if isinstance(value, (float, np.floating)) and name not in fixed_names
        }

        def made(hyperparams: dict[str, Any]) -> Any:
            own = inspect.BoundArguments(signature, type(given)({**given, **hyperparams}))
            return inner_factory(*own.args, **own.kwargs)

        def at(count: Any) -> dict[str, Any]:
            return {name: schedule(count) for name, schedule in schedules.items()}

        def init(params: Any) -> InjectHyperparamsState:
            hyperparams = {**numbers, **at(ZERO)}
            return InjectHyperparamsState(ZERO, hyperparams, made(hyperparams).init(params))

        def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, InjectHyperparamsState]:
            hyperparams = {**state.hyperparams, **at(state.count)}
            found, inner = with_extra(made(hyperparams).update)(updates, state.inner_state, params, **extra)
            return found, InjectHyperparamsState(state.count + 1, hyperparams, inner)

        return GradientTransformation(init, update)

    return factory


def is_schedule(name: str, value: Any) -> bool:
    """Whether an argument gives a number for each update: a schedule, or any function as a learning rate."""
    return isinstance(value, Schedule) or (name == "learning_rate" and callable(value))
