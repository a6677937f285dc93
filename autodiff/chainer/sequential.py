"""Sequential: layers one behind the other."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from autodiff.chainer.chain import tree_text
from autodiff.chainer.chain_list import ChainList
from autodiff.chainer.link_base import Link
from autodiff.chainer.registering import SetByConstructor
from autodiff.trace.source import at_user_line

Layer = Callable[..., Any]


class Sequential(ChainList):
    """A link that calls layers one behind the other; layers are links and functions.

    It is a list of its layers. A tuple that a layer returns becomes several arguments of the next one.

    The numbers of the links in paths of parameters, and so in files, are not in the order of the layers but in
    Chainer's: a layer that is appended goes right behind the first link, so that three links are numbered 0, 2, 1.
    Files of Chainer depend on it.

    Args:
        layers: links and functions.

    >>> import numpy as np
    >>> model = Sequential(lambda x: 2 * x, np.sin)
    >>> model(0.0)
    np.float64(0.0)
    >>> len(model)
    2
    """

    _layers: list[Layer] = SetByConstructor()  # type: ignore[assignment]

    def __init__(self, *layers: Layer) -> None:
        super().__init__()
        self._layers = []
        for layer in layers:
            self.append(layer)

    def forward(self, *x: Any) -> Any:
        """What the last layer returns.

        Args:
            x: the arguments of the first layer.

        Raises:
            RuntimeError: if there is no layer.
        """
        if not self._layers:
            raise RuntimeError(f"a Sequential without layers was called{at_user_line()}; append one first")
        for layer in self._layers:
            x = layer(*x) if isinstance(x, tuple) else layer(x)
        return x

    # The list.

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, i: Any) -> Any:
        return self._layers[i]

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._layers)

    def __setitem__(self, i: Any, layer: Any) -> None:
        if isinstance(i, slice):
            raise TypeError(f"layers are replaced one by one{at_user_line()}, got the slice {i}")
        check_callable(layer)
        if not -len(self) <= i < len(self):
            raise ValueError(f"there is no layer {i}{at_user_line()}; there are {len(self)}")
        i = i + len(self) if i < 0 else i
        del self[i]
        self.insert(i, layer)

    def __delitem__(self, i: Any) -> None:
        gone = self._layers[i] if isinstance(i, slice) else [self._layers[i]]
        del self._layers[i]
        for layer in gone:
            if isinstance(layer, Link):
                self._children.remove(layer)
        self._rename()

    def append(self, layer: Layer) -> None:
        """Append a layer.

        Args:
            layer: a link or a function.
        """
        self.insert(len(self), layer)

    def insert(self, i: int, layer: Layer) -> None:
        """Insert a layer before the one that has the index.

        Args:
            i: where.
            layer: a link or a function.
        """
        if not -len(self) <= i <= len(self):
            raise IndexError(f"there is no place {i} for a layer{at_user_line()}; there are {len(self)} layers")
        check_callable(layer)
        i = i + len(self) if i < 0 else i
        if isinstance(layer, Link):
            self._children.insert(self._place_of_link(i), layer)
            self._rename()
        self._layers.insert(i, layer)

    def _place_of_link(self, i: int) -> int:
        """Where Chainer puts a link among the links when it becomes layer ``i``."""
        if i == 0:
            return 0
        before = (index for index, layer in enumerate(self._layers[:i]) if isinstance(layer, Link))
        return next(before, 0) + 1

    def pop(self, i: int = -1) -> Any:
        """Take a layer out.

        Args:
            i: which.
        """
        layer = self[i]
        del self[i]
        return layer

    def remove(self, layer: Layer) -> None:
        """Take out the first layer that is this very object.

        Args:
            layer: which.
        """
        for i, own in enumerate(self._layers):
            if own is layer:
                del self[i]
                return
        raise ValueError(f"{layer} is no layer of this Sequential{at_user_line()}")

    def clear(self) -> None:
        """Take all layers out."""
        del self[:]

    def extend(self, sequential: Iterable[Layer]) -> None:
        """Append all layers of another Sequential or of a list.

        Args:
            sequential: the layers.
        """
        super().extend(sequential)

    def index(self, layer: Layer, start: int | None = None, end: int | None = None) -> int:
        """The index of a layer.

        Args:
            layer: which.
            start: the first index that counts.
            end: the index behind the last that counts.
        """
        return self._layers.index(layer, start or 0, len(self) if end is None else end)

    def count(self, layer: Layer) -> int:
        """How many times it is a layer.

        Args:
            layer: which.
        """
        return self._layers.count(layer)

    def __add__(self, other: Any) -> Sequential:
        check_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        check_sequential(other)
        self.extend(other)
        return self

    # More than a list.

    def count_by_layer_type(self, type_name: str) -> int:
        """How many layers are links of a class, or functions, of that name.

        Args:
            type_name: such as ``"Linear"`` or ``"relu"``.
        """
        return sum(name_of(layer) == type_name for layer in self._layers)

    def remove_by_layer_type(self, type_name: str) -> None:
        """Take out all layers that are links of a class, or functions, of that name.

        Args:
            type_name: such as ``"Linear"`` or ``"relu"``.
        """
        for i in reversed(range(len(self))):
            if name_of(self._layers[i]) == type_name:
                del self[i]

    def flatten(self) -> Sequential:
        """The same layers without Sequentials in between."""
        return Sequential(*flat(self))

    def _shared(self) -> Self:
        copied = super()._shared()
        copies = {id(old): new for old, new in zip(self._children, copied._children)}
        copied._layers = [copies.get(id(layer), layer) for layer in self._layers]
        return copied

    def __getstate__(self) -> Any:
        if any(is_lambda(layer) for layer in self._layers):
            raise ValueError(
                f"a Sequential with a lambda among its layers cannot be pickled{at_user_line()}; use a function with a "
                "name, or functools.partial"
            )
        return self.__dict__

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = copied = object.__new__(type(self))
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return copied

    def __str__(self) -> str:
        return tree_text(self, enumerate(map(text_of, self)))


def flat(layers: Iterable[Layer]) -> Iterator[Layer]:
    """The layers, those of Sequentials in their place."""
    for layer in layers:
        if isinstance(layer, Sequential):
            yield from flat(layer)
        else:
            yield layer


def check_callable(layer: Any) -> None:
    """See that it can be a layer."""
    if not callable(layer):
        raise ValueError(f"a layer must be callable, got {layer!r}{at_user_line()}; it is a link or a function")


def check_sequential(other: Any) -> None:
    """See that it is a Sequential."""
    if not isinstance(other, Sequential):
        raise ValueError(
            f"only a Sequential can be added to a Sequential, got {type(other).__name__}{at_user_line()}; extend() "
            "takes lists"
        )


def name_of(layer: Layer) -> str:
    """The name of a function, or of the class of a link."""
    return getattr(layer, "__name__", None) or type(layer).__name__


def is_lambda(layer: Layer) -> bool:
    """Whether it is a function without a name."""
    return isinstance(layer, types.FunctionType) and layer.__name__ == "<lambda>"


def text_of(layer: Any) -> str:
    """A layer as text; a lambda by where it is written."""
    if is_lambda(layer):
        return f"<lambda at {layer.__code__.co_filename}:{layer.__code__.co_firstlineno}>"
    return str(layer)


def repeat(self: Link, n_repeat: int, mode: str = "init") -> Sequential:
    """Copies of a link, one behind the other.

    Args:
        self: the link.
        n_repeat: how many.
        mode: as for :meth:`Link.copy`.
    """
    return Sequential(*(self.copy(mode) for _ in range(n_repeat)))


Link.repeat = repeat
