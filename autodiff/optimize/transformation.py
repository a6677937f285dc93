"""Gradient transformations: pure functions from gradients to updates, and how they are put together.

A transformation is a pair. ``init(params)`` gives a state, which is a tree; ``update(gradients, state, params)`` gives
updates, which are a tree like the parameters, and the next state. Neither changes what it is given, so that both run
under ``jit`` and in ``scan``, and so that states are saved, averaged and differentiated as any tree is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from autodiff.optimize.numbers import as_dtype
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import flatten, map_tree
from autodiff.tree import names


class GradientTransformation(NamedTuple):
    """A pair of functions that makes updates of gradients.

    Attributes:
        init: ``init(params)`` is the state before the first update.
        update: ``update(updates, state, params=None)`` is the pair of the new updates and the next state. Some take
            more, as keyword arguments, such as the value of the loss.
    """

    init: Callable[[Any], Any]
    update: Callable[..., tuple[Any, Any]]


class EmptyState(NamedTuple):
    """The state of what remembers nothing."""


def stateless(function: Callable[[Any, Any], Any]) -> GradientTransformation:
    """The transformation that remembers nothing: ``function(updates, params)``.

    >>> from autodiff import tree
    >>> halve = stateless(lambda updates, params: tree.map(lambda u: u / 2, updates))
    >>> halve.update({"w": 3.0}, halve.init({"w": 1.0}))
    ({'w': 1.5}, EmptyState())
    """

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        return function(updates, params), state

    return GradientTransformation(lambda params: EmptyState(), update)


def identity() -> GradientTransformation:
    """The transformation that changes nothing."""
    return stateless(lambda updates, params: updates)


def chain(*transformations: Any) -> GradientTransformation:
    """One transformation after the other.

    Args:
        *transformations: pairs of ``init`` and ``update``. Keyword arguments of ``update`` reach those that take them.

    Returns:
        a transformation whose state is the tuple of theirs.

    Raises:
        TypeError: if something is no transformation: a list of them, or a function that makes one and was not called.
        ValueError: when it updates, if the state is not one of its own.

    >>> import numpy as np
    >>> from autodiff import optimize
    >>> optimizer = optimize.chain(optimize.clip(1.0), optimize.scale(-0.1))
    >>> params = np.array([1.0, 2.0])
    >>> updates, state = optimizer.update(np.array([0.5, -30.0]), optimizer.init(params))
    >>> optimize.apply_updates(params, updates)
    array([0.95, 2.1 ])
    """
    for number, one in enumerate(transformations):
        require_transformation(number, one)
    parts = [(one.init, with_extra(one.update)) for one in transformations]

    def init(params: Any) -> tuple[Any, ...]:
        return tuple([own_init(params) for own_init, _ in parts])

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, tuple[Any, ...]]:
        if not isinstance(state, (tuple, list)) or len(state) != len(parts):
            raise ValueError(
                f"the state does not belong to this chain of {len(parts)} transformations{at_user_line()}; make it "
                "with init(params)"
            )
        following = []
        for (_, own_update), own in zip(parts, state, strict=True):
            updates, own = own_update(updates, own, params, **extra)
            following.append(own)
        return updates, tuple(following)

    return GradientTransformation(init, update)


def require_transformation(number: int, one: Any) -> None:
    """See that an argument of ``chain`` is a pair of ``init`` and ``update``.

    Raises:
        TypeError: if it is not.
    """
    if hasattr(one, "init") and hasattr(one, "update"):
        return
    if isinstance(one, (list, tuple)):
        cure = "give them one by one: chain(*transformations)"
    elif callable(one):
        cure = f"call it: {getattr(one, '__name__', 'it')}(...)"
    else:
        cure = "it needs init and update"
    raise TypeError(f"chain: argument {number} is no transformation, but {described(one)}{at_user_line()}; {cure}")


def with_extra(update: Callable[..., Any]) -> Callable[..., Any]:
    """An update function that takes any keyword arguments, and leaves out those that it has no use for."""
    parameters = inspect.signature(update).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return update
    known = frozenset(parameters)

    def selective(updates: Any, state: Any, params: Any = None, **extra: Any) -> Any:
        return update(updates, state, params, **{name: value for name, value in extra.items() if name in known})

    return selective


def apply_updates(params: Any, updates: Any) -> Any:
    """Parameters plus updates, in the dtypes of the parameters.

    Raises:
        ValueError: if the trees have different structures, or a sum has another shape than its parameter.
        TypeError: if a parameter holds integers, which an update by parts of one would not move.

    >>> apply_updates({"w": 1.0}, {"w": -0.25})
    {'w': 0.75}
    """
    return map_tree(lambda p, u: moved(p, u, params), params, updates)


def moved(parameter: Any, update: Any, params: Any) -> Any:
    """A parameter plus its update.

    Raises:
        ValueError: if the sum has another shape.
        TypeError: if fractions would be added to integers.
    """
    own, by = spec_of(parameter), spec_of(update)
    if by.shape not in (own.shape, ()):
        raise ValueError(
            f"apply_updates: {name_of(parameter, params)} has shape {own.shape}, its update {by.shape}"
            f"{at_user_line()}; give the updates that were made for these parameters"
        )
    if by.inexact and not own.inexact:
        raise TypeError(
            f"apply_updates: {name_of(parameter, params)} holds {own.dtype}, its update {by.dtype}"
            f"{at_user_line()}; make it floating-point numbers, or leave it out by tree.partition"
        )
    return as_dtype(parameter + update, own.dtype)


def name_of(parameter: Any, params: Any) -> str:
    """What a leaf is called in an error."""
    leaves, found = flatten(params)[0], names(params)
    return next((name for leaf, name in zip(leaves, found, strict=True) if leaf is parameter), "") or "the parameter"


def require_params(name: str, params: Any) -> None:
    """Refuse to update without parameters.

    Raises:
        ValueError: if they are None.
    """
    if params is None:
        raise ValueError(f"{name} needs the parameters{at_user_line()}; call update(gradients, state, params)")
