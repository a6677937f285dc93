"""The gradients or parameters of a link as one array, as updaters that talk to NCCL themselves send them."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.source import at_user_line


def size_num_grads(link: Any) -> tuple[int, int]:
    """How many numbers the parameters of a link have together, and how many parameters have any."""
    sizes = [param.size for param in link.params() if param.size]
    return sum(sizes), len(sizes)


def gather_grads(link: Any) -> Any:
    """All gradients of a link, one after another, as an array of float32; zeros for those that are missing.

    >>> from autodiff.chainer.links import Linear
    >>> layer = Linear(2, 1, initialW=1.0)
    >>> layer.W.grad, layer.b.grad = np.array([[3, 4]], np.float32), None
    >>> gather_grads(layer)
    array([3., 4., 0.], dtype=float32)
    """
    return gathered(link, "grad")


def gather_params(link: Any) -> Any:
    """All parameters of a link, one after another, as an array of float32."""
    return gathered(link, "array")


def scatter_grads(link: Any, array: Any) -> None:
    """Put what :func:`gather_grads` gave back into the gradients."""
    scatter(link, array, "grad")


def scatter_params(link: Any, array: Any) -> None:
    """Put what :func:`gather_params` gave back into the parameters."""
    scatter(link, array, "array")


def filled_params(link: Any) -> list[Any]:
    """The parameters of a link that have elements, in the order of their names."""
    return [param for _, param in sorted(link.namedparams()) if param.size]


def gathered(link: Any, attribute: str) -> Any:
    """An attribute of all parameters as one array."""
    parts = []
    for param in filled_params(link):
        value = getattr(param, attribute)
        value = param.xp.zeros_like(param.array) if value is None else value
        parts.append(value.ravel().astype(np.float32))
    return link.xp.concatenate(parts) if parts else link.xp.zeros(0, np.float32)


def scatter(link: Any, array: Any, attribute: str) -> None:
    """Put one array back into an attribute of all parameters.

    Raises:
        ValueError: if it has another length than they have together.
    """
    size, _ = size_num_grads(link)
    if array.size != size:
        raise ValueError(f"the parameters have {size} elements, the array has {array.size}{at_user_line()}")
    start = 0
    for param in filled_params(link):
        part = array[start : start + param.size].reshape(param.shape).astype(param.dtype)
        value = getattr(param, attribute)
        if value is None:
            setattr(param, attribute, part)
        else:
            value[...] = part
        start += param.size
