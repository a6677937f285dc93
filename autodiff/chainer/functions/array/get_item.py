"""Elements by their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.function_class import closed_over, function_class, residual
from autodiff.facade.graph.applying import apply
from autodiff.facade.variables.variable import Variable, is_array
from autodiff.trace.source import at_user_line


def get_item(x: Any, slices: Any) -> Variable:
    """``x[slices]``: elements as NumPy picks them; where one is picked repeatedly its gradients are summed.

    Args:
        x: any array.
        slices: numbers, slices, ``...``, None, arrays of integers, or one of truth values; or a tuple of them.

    Raises:
        IndexError: if there is no such element, or a Variable is an index.
        ValueError: if there are several arrays of truth values.

    >>> import numpy as np
    >>> get_item(np.array([1.0, 2.0, 3.0]), [0, 0, 2])
    variable([1., 1., 3.])
    """
    parts = slices if isinstance(slices, tuple) else (slices,)
    if sum(is_array(part) and part.dtype == bool for part in parts) > 1:
        raise ValueError(f"only one boolean array is supported as an index{at_user_line()}; take np.ix_ of positions")
    if isinstance(x, Variable):
        return x[slices]
    if any(isinstance(part, Variable) for part in parts):
        raise IndexError(f"a Variable cannot be an index{at_user_line()}; index with its array: v[i.array]")
    return apply("GetItem", lambda x: x[slices], (x,))


def as_written(key: Any) -> tuple[Any, ...]:
    """The key of an operation as Python writes it."""
    parts = [slice(*part) if isinstance(part, tuple) else part for part in key]
    while len(parts) > 1 and (parts[-1] is ... or parts[-1] == slice(None)):
        parts.pop()
    return tuple(parts)


def key_of(self: Any) -> tuple[Any, ...]:
    """What was between the brackets, as far as it says something."""
    if self.kept is None:  # shown to a hook
        known = closed_over(self.fun)
        return as_written(known["key"]) if "key" in known else (known["values"][1].tolist(),)
    kept = residual(self)
    if isinstance(kept, tuple) and kept and isinstance(kept[0], np.ndarray):  # taken along the first axis
        return (kept[0].tolist(),)
    return as_written(residual(self, 1))


GetItem = function_class("GetItem", get_item, "slices", computed={"slices": key_of})
