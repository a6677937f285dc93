"""Values through which no derivative flows."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.trace.facts import FIRST, numeric
from autodiff.trace.primitive import Primitive
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import map_tree
from autodiff.trace.values.layout import writable


def _evaluate(x: Any) -> Any:
    """A copy: what the traced value stands for must not change when the result is written to."""
    return writable(x) if isinstance(x, np.ndarray) else x


stopped = Primitive(
    "stop_gradient", "elementwise", ("x",), _evaluate, lambda x: x, {"x": None}, facts=numeric("x", copies=FIRST)
)


def stop_gradient(x: Any) -> Any:
    """The same values, constant for every derivative.

    Args:
        x: a number, an array, or a tree of them.

    Returns:
        a tree like ``x``. Inside ``grad``, ``jvp``, ... its leaves are plain values; ``vmap``, ``make_tape`` and
        ``jit`` go on tracing them.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    if isinstance(x, Traced):
        return stopped(x)
    return map_tree(lambda leaf: stopped(leaf) if isinstance(leaf, Traced) else leaf, x)
