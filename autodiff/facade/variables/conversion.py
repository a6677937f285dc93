"""Between arrays and Variables."""

from __future__ import annotations

from typing import Any

from autodiff.facade.variables.variable import Variable


def as_variable(obj: Any) -> Variable:
    """A Variable: the given one, or a new one for an array, which does not require a gradient.

    >>> import numpy as np
    >>> as_variable(np.ones(2)).requires_grad
    False
    """
    return obj if isinstance(obj, Variable) else Variable(obj, requires_grad=False)


def as_array(obj: Any) -> Any:
    """The array of a Variable; an array as it is.

    >>> import numpy as np
    >>> from autodiff import Variable
    >>> as_array(Variable(np.ones(2))), as_array(3.0)
    (array([1., 1.]), 3.0)
    """
    return obj.array if isinstance(obj, Variable) else obj
