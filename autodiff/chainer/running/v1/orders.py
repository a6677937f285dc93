"""The orders of Chainer 1: parameters and links as they were registered, and examples shuffled in place.

Programs of that time fill all parameters with random numbers in one loop, so that the order decides the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff.chainer.chain import Chain
from autodiff.chainer.iterators.order_samplers import ShuffleOrderSampler
from autodiff.chainer.link_base import Link


def registered(link: Any, names: set[str]) -> list[str]:
    """The names in the order in which a link got its attributes."""
    return [name for name in link.__dict__ if name in names]


def params(self: Any, include_uninit: bool = True) -> Iterator[Any]:
    """All Parameters as they were registered, those of the links in it behind."""
    return (param for _, param in namedparams(self, include_uninit))


def namedparams(self: Any, include_uninit: bool = True) -> Iterator[tuple[str, Any]]:
    """All Parameters as they were registered, with their paths."""
    for name in registered(self, self._params):
        param = self.__dict__[name]
        if param is not None and (include_uninit or param.array is not None):
            yield "/" + name, param


def named_children(self: Any) -> Iterator[tuple[str, Link]]:
    """The links directly in it with their names, as they were registered."""
    for name in registered(self, self._children):
        yield name, self.__dict__[name]


def shuffled(self: Any, current_order: Any, current_position: int) -> Any:
    """The order of the epoch before, shuffled."""
    order = current_order.copy()
    self._random.shuffle(order)
    return order


def install() -> None:
    """Give the links and the iterators of this process the orders of Chainer 1."""
    Link.params, Link.namedparams = params, namedparams  # type: ignore[method-assign]
    Chain.named_children = named_children  # type: ignore[method-assign]
    ShuffleOrderSampler.__call__ = shuffled  # type: ignore[method-assign]
