"""Saving memory: a function whose intermediate values are computed again when its derivative is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.transforms.recompute import call_in_one
from autodiff.transforms.transformed import TransformedFunction


def checkpoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, for which reverse mode stores only the arguments and recomputes everything else.

    Values and derivatives are those of ``fun``. Split a computation of n steps into about sqrt(n) checkpointed parts,
    and it needs memory for 2 sqrt(n) steps instead of n.

    Args:
        fun: any function of trees. It may branch on values. Traced values from an enclosing scope are differentiated
            too.

    Returns:
        a function of the same arguments. ``remat`` is another name for ``checkpoint``.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> grad(checkpoint(lambda x: np.sin(np.sin(x))))(0.0)
    1.0
    """

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        return call_in_one(fun, args, kwargs)

    if not callable(fun):
        raise TypeError(f"checkpoint needs a function, got {type(fun).__name__}; write checkpoint(f)(x)")
    return TransformedFunction(fun, checkpointed, checkpoint, fun)


remat = checkpoint
