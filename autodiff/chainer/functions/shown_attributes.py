"""What creators show that their functions do not close over under that name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.chainer.functions.function_class import element, shape_of_result

Attributes = dict[str, Callable[[Any], Any]]


def always(value: Any) -> Callable[[Any], Any]:
    """What computes an attribute that is the same for all: of what the function here has no second way of doing."""
    return lambda self: value


def pairs(**names: str) -> Attributes:
    """Attributes for the two spatial axes, from pairs.

    Args:
        names: the letter of each attribute and the name of the pair.

    >>> sorted(pairs(k="shape", s="stride"))
    ['kh', 'kw', 'sx', 'sy']
    """
    axes = {"k": "hw", "s": "yx", "p": "hw", "d": "yx"}
    return {letter + axes[letter][place]: element(pair, place) for letter, pair in names.items() for place in (0, 1)}


def length_of_result(axis: int) -> Callable[[Any], Any]:
    """What computes the length of the result along an axis."""
    return lambda self: shape_of_result(self)[axis]


WINDOWS: Attributes = {
    **pairs(k="shape", s="steps", p="pads"),
    "outh": length_of_result(2),
    "outw": length_of_result(3),
    "return_indices": always(False),
}
"""Of functions that lay windows side by side."""

REGION: Attributes = {
    "outh": element("cells", 0),
    "outw": element("cells", 1),
    "spatial_scale": lambda self: self.scale,
}
"""Of functions of regions."""
