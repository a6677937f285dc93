"""The Chain: links with names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from autodiff.chainer.device_resident import DeviceResidentsVisitor
from autodiff.chainer.link_base import Link, counterpart
from autodiff.chainer.registering import SetByConstructor
from autodiff.facade.variables.parameter import Parameter
from autodiff.trace.source import at_user_line


class Chain(Link):
    """A link made of links, each of which is an attribute.

    A subclass makes its links within ``init_scope`` in its constructor and defines ``forward``.

    Args:
        links: names and links.

    >>> class Pair(Chain):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.first = Link(W=(2, 3))
    ...             self.second = Link(b=3)
    >>> [name for name, _ in Pair().namedparams()]
    ['/first/W', '/second/b']
    >>> print(Pair())
    Pair(
      (first): Link(),
      (second): Link(),
    )
    """

    _children: set[str] = SetByConstructor()  # type: ignore[assignment]

    def __init__(self, **links: Link) -> None:
        super().__init__()
        self._children = set()
        for name, link in links.items():
            self.add_link(name, link)

    def __getitem__(self, name: str) -> Any:
        """The link of that name."""
        return getattr(self, name)

    def _register(self, name: str, value: Any) -> None:
        super()._register(name, value)
        if isinstance(value, Link):
            if hasattr(self, name):
                raise AttributeError(
                    f"cannot register a new link {name!r}{at_user_line()}: the attribute exists; choose another name, "
                    "or delete it first"
                )
            value.name = name
            self._children.add(name)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._children.discard(name)

    def add_link(self, name: str, link: Link) -> None:
        """Register a link.

        Args:
            name: the attribute that holds it.
            link: what is registered.
        """
        if not isinstance(link, Link):
            raise TypeError(f"cannot register a non-link object as a child, got {type(link).__name__}{at_user_line()}")
        with self.init_scope():
            setattr(self, name, link)

    def named_children(self) -> Iterator[tuple[str, Link]]:
        """The links directly in it with their names, sorted by name."""
        attributes = self.__dict__
        for name in sorted(self._children):
            yield name, attributes[name]

    def children(self) -> Iterator[Link]:
        for _, child in self.named_children():
            yield child

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        yield from super().params(include_uninit)
        for _, child in self.named_children():
            yield from child.params(include_uninit)

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        yield from super().namedparams(include_uninit)
        for name, child in self.named_children():
            for path, param in child.namedparams(include_uninit):
                yield f"/{name}{path}", param

    def links(self, skipself: bool = False) -> Iterator[Link]:
        yield from super().links(skipself)
        for _, child in self.named_children():
            yield from child.links()

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        yield from super().namedlinks(skipself)
        for name, child in self.named_children():
            yield from named_below(f"/{name}", child)

    def _shared(self) -> Self:
        copied = super()._shared()
        copied.__dict__["_children"] = set(self._children)
        for name, child in self.named_children():
            copied.__dict__[name] = own = child.copy("share")
            own.name = name
        return copied

    def _draw(self) -> None:
        super()._draw()
        for _, child in self.named_children():  # a second time, in Chainer too
            child._draw()

    def addgrads(self, link: Link) -> None:
        super().addgrads(link)
        for name, child in self.named_children():
            child.addgrads(counterpart(link, name))

    def copyparams(self, link: Link, copy_persistent: bool = True) -> None:
        super().copyparams(link, copy_persistent)
        for name, child in self.named_children():
            child.copyparams(counterpart(link, name), copy_persistent)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for _, child in self.named_children():
            child.device_resident_accept(visitor)

    def serialize(self, serializer: Any) -> None:
        super().serialize(serializer)
        for name, child in self.named_children():
            child.serialize(serializer[name])

    def __str__(self) -> str:
        return tree_text(self, self.named_children())


def named_below(path: str, link: Link) -> Iterator[tuple[str, Link]]:
    """A link at a path and all links in it with their paths."""
    yield path, link
    for below, found in link.namedlinks(skipself=True):
        yield path + below, found


def tree_text(link: Link, entries: Any) -> str:
    """A link with its entries, each in lines of its own."""
    lines = "".join(f"\n({name}): {entry}," for name, entry in entries).replace("\n", "\n  ")
    closing = "\n" if lines else ""
    return f"{type(link).__name__}({lines}{closing})"
