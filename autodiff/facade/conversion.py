"""Between arrays and Variables."""

from __future__ import annotations

from typing import Any

from autodiff.facade.variable import Variable


def as_variable(obj: Any) -> Variable:
    """A Variable: the given one, or a new one for an array, which does not require a gradient.

    >>> import numpy as np
    >>> as_variable(np.ones(2)).requires_grad
    False
    """
    return obj if isinstance(obj, Variable) else Variable(obj, requires_grad=False)


def as_array(obj: Any) -> Any:
    """The array of a Variable; an array as it is."""
    return obj.array if isinstance(obj, Variable) else obj
