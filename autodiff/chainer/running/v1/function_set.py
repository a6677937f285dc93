"""The FunctionSet, from before there were Chains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from autodiff.chainer.chain import Chain
from autodiff.chainer.link import Link


class FunctionSet(Chain):
    """A Chain whose parameters and gradients are read and written as tuples of arrays, in the order of ``params()``.

    Links that are assigned to attributes belong to it.

    Args:
        links: links by name.
    """

    def __init__(self, **links: Any) -> None:
        super().__init__()
        for name, link in links.items():
            setattr(self, name, link)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Link) and name not in self.__dict__:
            with self.init_scope():
                super().__setattr__(name, value)
        else:
            super().__setattr__(name, value)

    def collect_parameters(self) -> Self:
        """Itself: what ``optimizer.setup`` takes."""
        return self

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The arrays of the parameters; arrays, or Variables, may be assigned."""
        return tuple(param.array for param in self.params())

    @parameters.setter
    def parameters(self, arrays: Iterable[Any]) -> None:
        for param, array in zip(self.params(), arrays, strict=True):
            param.array = array

    @property
    def gradients(self) -> tuple[Any, ...]:
        """The arrays of the gradients; arrays may be assigned."""
        return tuple(param.grad for param in self.params())

    @gradients.setter
    def gradients(self, arrays: Iterable[Any]) -> None:
        for param, array in zip(self.params(), arrays, strict=True):
            param.grad = array

    def copy_parameters_from(self, arrays: Iterable[Any]) -> None:
        """Take over the values of arrays, in the order of :attr:`parameters`."""
        for param, array in zip(self.params(), arrays, strict=True):
            param.xp.copyto(param.array, param.xp.asarray(array))
