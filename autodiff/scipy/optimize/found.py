"""SciPy's results whose solution is a function of traced values: what else they hold is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.optimize

from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line

WHOLE = (bool, int, str, np.bool_, np.integer, type(None))


class Found(scipy.optimize.OptimizeResult):  # type: ignore[misc]
    """A result, of which an attribute is the solution, is made of it, or counts something; or it is refused.

    What SciPy has made on the way, an approximation of the Hessian's inverse for example, is no function of the
    solution: ``found["hess_inv"]`` has it as a constant.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(name)
        value = self[name]
        if name in self["differentiated"] or not depends(value):
            return value
        raise DifferentiationError(
            f"the result's {name!r} is made on the way to the solution, and has no derivative{at_user_line()}: compute "
            f"it at the solution, as autodiff.hessian does, or take result[{name!r}], which is a constant"
        )

    def __repr__(self) -> str:
        return repr(scipy.optimize.OptimizeResult({k: v for k, v in self.items() if k != "differentiated"}))


def depends(value: Any) -> bool:
    """Whether a value could depend on what the solution depends on."""
    return not isinstance(value, WHOLE) and not (isinstance(value, np.ndarray) and value.dtype.kind in "biu")


def found_with(result: Any, names: Sequence[str]) -> Found:
    """A result of which the attributes of these names are differentiated."""
    return Found({**result, "differentiated": tuple(names)})
