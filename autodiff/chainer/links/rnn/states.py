"""States that recurrent links keep from one call to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.facade import Variable, as_variable
from autodiff.trace.source import at_user_line


def zero_state(x: Any, units: int) -> Variable:
    """Zeros for each row of x, of its dtype."""
    return as_variable(get_array_module(x).zeros((x.shape[0], units), dtype=x.dtype))


def check_state(name: str, state: Any) -> None:
    """See that a state is a Variable.

    Raises:
        TypeError: if it is not.
    """
    if not isinstance(state, Variable):
        raise TypeError(f"the state {name} must be a Variable, got {type(state).__name__}{at_user_line()}")


def joined(parts: tuple[Any, ...], axis: int = 0) -> Variable:
    """Variables and arrays one behind the other along an axis."""
    whole: Variable = np.concatenate([as_variable(part) for part in parts], axis=axis)  # type: ignore[assignment]
    return whole
