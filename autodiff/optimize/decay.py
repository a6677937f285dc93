"""Weight decay, and transformations of some of the parameters only."""

from __future__ import annotations

from typing import Any, NamedTuple

from autodiff.optimize.numbers import beside, matched
from autodiff.optimize.transformation import GradientTransformation, require_params, stateless, with_extra
from autodiff.trace.trees.tree import map_tree
from autodiff.tree import combine, partition

Mask = Any
"""A tree of booleans, in which one may stand for a whole part, or a function that makes one of the parameters."""


class MaskedState(NamedTuple):
    """The state for the parameters that are not masked out."""

    inner_state: Any


def add_decayed_weights(weight_decay: float = 0.0, mask: Mask = None) -> GradientTransformation:
    """``u + weight_decay * p``.

    Args:
        weight_decay: the factor.
        mask: which parameters decay: a tree of booleans, or a function that makes one of the parameters; all if None.

    Raises:
        ValueError: when it updates, if there are no parameters.

    >>> decay = add_decayed_weights(0.1, mask={"w": True, "b": False})
    >>> decay.update({"w": 0.0, "b": 0.0}, decay.init({"w": 2.0, "b": 2.0}), {"w": 2.0, "b": 2.0})[0]
    {'b': 0.0, 'w': 0.2}
    """

    def decayed(updates: Any, params: Any) -> Any:
        require_params("add_decayed_weights", params)
        return map_tree(lambda u, p: u + beside(weight_decay, p) * p, matched(updates, params, "the parameter"), params)

    return stateless(decayed) if mask is None else masked(stateless(decayed), mask)


def masked(inner: Any, mask: Mask) -> GradientTransformation:
    """A transformation of some of the updates; the others pass, as in optax.

    Around a whole optimizer the others are gradients, and their parameters climb. To keep these parameters as they are,
    use ``multi_transform`` with ``set_to_zero``.

    Args:
        inner: the transformation.
        mask: a tree of booleans, in which one may stand for a whole part, or a function that makes one of the updates.

    >>> from autodiff import optimize
    >>> only_w = masked(optimize.scale(10.0), {"w": True, "b": False})
    >>> only_w.update({"w": 1.0, "b": 1.0}, only_w.init({"w": 0.0, "b": 0.0}))[0]
    {'b': 1.0, 'w': 10.0}
    """
    inner_update = with_extra(inner.update)

    def chosen(whole: Any) -> tuple[Any, Any]:
        made = mask(whole) if callable(mask) else mask
        chosen_ones, others = partition(whole, made)
        return chosen_ones, others

    def init(params: Any) -> MaskedState:
        return MaskedState(inner.init(chosen(params)[0]))

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, MaskedState]:
        own, others = chosen(updates)
        own_params = None if params is None else chosen(params)[0]
        own, inner_state = inner_update(own, state.inner_state, own_params, **extra)
        return combine(own, others), MaskedState(inner_state)

    return GradientTransformation(init, update)
