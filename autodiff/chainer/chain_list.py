"""The ChainList: links with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any, Self

from autodiff.chainer.chain import named_below, tree_text
from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.link_base import Link
from autodiff.chainer.registering import SetByConstructor
from autodiff.facade.variables.parameter import Parameter
from autodiff.trace.source import at_user_line


class ChainList(Link, MutableSequence[Any]):
    """A link made of a list of links.

    It is itself a list; its links are called ``"0"``, ``"1"``, ...

    Args:
        links: the links.

    >>> links = ChainList(Link(W=(2, 3)), Link(b=3))
    >>> links.append(Link(c=1))
    >>> [name for name, _ in links.namedparams()]
    ['/0/W', '/1/b', '/2/c']
    """

    _children: list[Link] = SetByConstructor()  # type: ignore[assignment]

    def __init__(self, *links: Link) -> None:
        super().__init__()
        self._children = []
        for link in links:
            self.add_link(link)

    def _register(self, name: str, value: Any) -> None:
        super()._register(name, value)
        if isinstance(value, Link):
            raise TypeError(
                f"a ChainList registers no link by name{at_user_line()}, got {name!r} within init_scope(); append it, "
                "or use a Chain"
            )

    def __getitem__(self, index: Any) -> Any:
        return self._children[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            value = [checked(link) for link in value]
        else:
            checked(value)
        self._children[index] = value
        self._rename()

    def __delitem__(self, index: Any) -> None:
        del self._children[index]
        self._rename()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._children)

    def __len__(self) -> int:
        return len(self._children)

    def insert(self, index: int, link: Link) -> None:
        """Insert a link before the one that has the index.

        Args:
            index: where.
            link: what.
        """
        self._children.insert(index, checked(link))
        self._rename()

    def append(self, link: Any) -> None:
        """Append a link.

        Args:
            link: what is appended.
        """
        self.insert(len(self), link)

    def add_link(self, link: Link) -> None:
        """Append a link.

        Args:
            link: what is appended.
        """
        self.append(link)

    def _rename(self) -> None:
        for index, link in enumerate(self._children):
            link.name = str(index)

    def children(self) -> Iterator[Link]:
        yield from self._children

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        yield from super().params(include_uninit)
        for child in self._children:
            yield from child.params(include_uninit)

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        yield from super().namedparams(include_uninit)
        for index, child in enumerate(self._children):
            for path, param in child.namedparams(include_uninit):
                yield f"/{index}{path}", param

    def links(self, skipself: bool = False) -> Iterator[Link]:
        yield from super().links(skipself)
        for child in self._children:
            yield from child.links()

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        yield from super().namedlinks(skipself)
        for index, child in enumerate(self._children):
            yield from named_below(f"/{index}", child)

    def _shared(self) -> Self:
        copied = super()._shared()
        copies = {id(child): child.copy("share") for child in self._children}
        copied._children = [copies[id(child)] for child in self._children]
        copied._rename()
        return copied

    def _draw(self) -> None:
        for param in Link.params(self, include_uninit=False):
            param._first_grad = "nan"
            param.initialize(param.shape)
        for child in self._children:
            child._draw()

    def addgrads(self, link: Link) -> None:
        super().addgrads(link)
        for child, other in zip(self._children, link.children()):
            child.addgrads(other)

    def copyparams(self, link: Link, copy_persistent: bool = True) -> None:
        super().copyparams(link, copy_persistent)
        for child, other in zip(self._children, link.children()):
            child.copyparams(other, copy_persistent)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for child in self._children:
            child.device_resident_accept(visitor)

    def serialize(self, serializer: Any) -> None:
        super().serialize(serializer)
        for index, child in enumerate(self._children):
            child.serialize(serializer[str(index)])

    def extend(self, values: Iterable[Any]) -> None:
        """Append all links of a list.

        Args:
            values: the links.
        """
        for value in list(values):
            self.append(value)

    def __str__(self) -> str:
        return tree_text(self, enumerate(self))


def checked(link: Any) -> Link:
    """What is a link, as it is."""
    if not isinstance(link, Link):
        raise TypeError(f"a ChainList holds links, got {type(link).__name__}{at_user_line()}")
    return link
