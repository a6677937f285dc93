"""Between arrays and Variables."""

from __future__ import annotations

from typing import Any

from autodiff.facade.variable import Variable


def as_variable(value: Any) -> Variable:
    """A Variable: the given one, or a new one for an array, which does not require a gradient.

    >>> import numpy as np
    >>> as_variable(np.ones(2)).requires_grad
    False
    """
    return value if isinstance(value, Variable) else Variable(value, requires_grad=False)


def as_array(value: Any) -> Any:
    """The array of a Variable; an array as it is."""
    return value.array if isinstance(value, Variable) else value
