"""Hooks that compute with another weight than the one that is trained."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from autodiff.chainer.link_base import Link
from autodiff.chainer.link_hook import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, LinkHook
from autodiff.trace.source import at_user_line


class ReplacedWeight(LinkHook):
    """While the link computes, its weight is what :meth:`replacement` makes of it.

    Args:
        weight_name: the attribute of the link that holds the weight.
        name: what the hook is registered by; the name of its class if None.
    """

    original_weight: Any = None

    def __init__(self, weight_name: str = "W", name: str | None = None) -> None:
        self.weight_name = weight_name
        self.replaced: tuple[Link, Any] | None = None
        if name is not None:
            self.name = name

    def replacement(self, link: Link) -> Any:
        """The weight to compute with, as a Variable that depends on the Parameter."""
        raise NotImplementedError(f"{type(self).__name__} does not say which weight it computes with")

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} belongs to one link{at_user_line()}; register it by link.add_hook(hook)"
        )

    def __exit__(self, *_: object) -> None:
        """Never reached."""

    def added(self, link: Link | None) -> None:
        if not hasattr(link, self.weight_name):
            raise ValueError(
                f"the link {type(link).__name__} has no weight {self.weight_name!r}{at_user_line()}; give the hook the "
                "right weight_name="
            )
        weight = getattr(link, self.weight_name)
        if weight.array is not None and weight.size == 0:
            raise ValueError(
                f"the weight {self.weight_name!r} of {type(link).__name__} has no elements, shape {weight.shape}"
                f"{at_user_line()}; give each axis a length of at least 1"
            )

    def forward_preprocess(self, cb_args: ForwardPreprocessCallbackArgs) -> None:
        link = cb_args.link
        self.restore()  # after a call that raised
        if getattr(link, self.weight_name).array is None:
            initialise(link, cb_args.args)
        self.original_weight = getattr(link, self.weight_name)
        self.replaced = link, self.original_weight
        link.__dict__[self.weight_name] = self.replacement(link)

    def forward_postprocess(self, cb_args: ForwardPostprocessCallbackArgs) -> None:
        self.restore()

    def restore(self) -> None:
        """Give the link its weight back."""
        if self.replaced is not None:
            link, weight = self.replaced
            link.__dict__[self.weight_name] = weight
            self.replaced = None


def initialise(link: Any, inputs: tuple[Any, ...]) -> None:
    """Let a link whose weight waits for the size of the input make it."""
    if not hasattr(link, "_initialize_params"):
        raise RuntimeError(
            f"the weight of {type(link).__name__} has no array when the link is called{at_user_line()}; initialise it "
            "before, or define _initialize_params(in_size)"
        )
    shape = inputs[0].shape
    link._initialize_params(math.prod(shape[1:]) if is_a(link, "Linear") else shape[1])


def is_a(link: Link, *names: str) -> bool:
    """Whether the class of a link, or one that it derives from, has one of the names."""
    return any(kind.__name__ in names for kind in type(link).__mro__)
