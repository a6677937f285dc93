"""Code that runs before and after every call of a link."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Self

from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    from autodiff.chainer.link_base import Link

active: set[int] = set()
"""The threads that have hooks now: while there are none, links do not look for hooks of their thread."""


class _Thread(threading.local):
    def __init__(self) -> None:
        self.hooks: OrderedDict[str, LinkHook] = OrderedDict()


thread = _Thread()


def get_link_hooks() -> OrderedDict[str, LinkHook]:
    """The hooks of this thread by their names."""
    return thread.hooks


class ForwardPreprocessCallbackArgs:
    """What a hook is told before a call.

    Args:
        link: the link that is called.
        forward_name: ``"forward"``.
        args: the arguments of the call.
        kwargs: its keyword arguments.
    """

    def __init__(self, link: Link, forward_name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.link, self.forward_name, self.args, self.kwargs = link, forward_name, args, kwargs

    def __repr__(self) -> str:
        kind = f"{type(self).__module__}.{type(self).__name__}"
        return f"<{kind} {' '.join(f'{name}={value}' for name, value in vars(self).items())}>"


class ForwardPostprocessCallbackArgs(ForwardPreprocessCallbackArgs):
    """What a hook is told after a call.

    Args:
        link: the link that was called.
        forward_name: ``"forward"``.
        args: the arguments of the call.
        kwargs: its keyword arguments.
        out: what it returned.
    """

    def __init__(self, link: Link, forward_name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        super().__init__(link, forward_name, args, kwargs)
        self.out = out


_ForwardPreprocessCallbackArgs = ForwardPreprocessCallbackArgs
_ForwardPostprocessCallbackArgs = ForwardPostprocessCallbackArgs


class LinkHook:
    """What is told of every call of a link: in this thread within ``with hook:``, or of one link by ``add_hook``.

    Subclasses override the methods they need.

    Attributes:
        name: what it is registered by; no two at one place may have the same.

    >>> import numpy as np
    >>> from autodiff.chainer import Link
    >>> class Doubled(Link):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> class Shown(LinkHook):
    ...     name = "Shown"
    ...
    ...     def forward_postprocess(self, cb_args):
    ...         print(cb_args.link, cb_args.args, cb_args.out)
    >>> with Shown():
    ...     y = Doubled()(3)
    Doubled() (3,) 6
    """

    name = "LinkHook"

    def __enter__(self) -> Self:
        if self.name in thread.hooks:
            raise KeyError(f"this thread has a link hook {self.name!r} already{at_user_line()}; give it another name")
        thread.hooks[self.name] = self
        active.add(threading.get_ident())
        self.added(None)
        return self

    def __exit__(self, *_: object) -> None:
        thread.hooks[self.name].deleted(None)
        del thread.hooks[self.name]
        if not thread.hooks:
            active.discard(threading.get_ident())

    def added(self, link: Link | None) -> None:
        """It was registered.

        Args:
            link: to what; None for the thread.
        """

    def deleted(self, link: Link | None) -> None:
        """It is no longer registered.

        Args:
            link: to what it was; None for the thread.
        """

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """A link is called."""

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """A link has returned."""


def call_with_hooks(link: Link, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``forward`` returns, with the hooks of the thread and of the link around it.

    Args:
        link: the link that is called.
        forward: what computes.
        args: the arguments of the call.
        kwargs: its keyword arguments.
    """
    hooks = {**thread.hooks, **link.local_link_hooks}.values()
    before = ForwardPreprocessCallbackArgs(link, "forward", args, kwargs)
    for hook in hooks:
        hook.forward_preprocess(before)
    out = forward(*args, **kwargs)
    after = ForwardPostprocessCallbackArgs(link, "forward", args, kwargs, out)
    for hook in hooks:
        hook.forward_postprocess(after)
    return out
