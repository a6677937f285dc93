"""Operations that NumPy's functions can write to memory that is given, besides its functions of single elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation


def always(equation: Equation, operands: Sequence[Spec]) -> bool:
    """For any operands."""
    return True


@dataclass(frozen=True)
class Into:
    """An operation that takes ``out=``.

    Attributes:
        run: the function, which takes the operation's operands and parameters, and ``out``, which it returns.
        fits: whether it does for an equation and the specs of its operands.
    """

    run: Callable[..., Any]
    fits: Callable[[Equation, Sequence[Spec]], bool] = always


# Sums and extremes.


def sum_into(x: Any, *, axes: Any, out: Any) -> Any:
    """The sum along axes."""
    return np.add.reduce(x, axis=axes, out=out)


def sum_as_into(x: Any, *, axes: Any, dtype: Any, out: Any) -> Any:
    """The sum along axes, in another dtype."""
    return np.add.reduce(x, axis=axes, dtype=dtype, out=out)


def sum_where_into(x: Any, mask: Any, *, axes: Any, dtype: Any, out: Any) -> Any:
    """The sum along axes of what a mask selects."""
    return np.add.reduce(x, axis=axes, dtype=dtype, where=mask, initial=0, out=out)


def max_into(x: Any, *, axes: Any, out: Any) -> Any:
    """The largest elements along axes."""
    return np.max(x, axis=axes, out=out)


def min_into(x: Any, *, axes: Any, out: Any) -> Any:
    """The smallest elements along axes."""
    return np.min(x, axis=axes, out=out)


def prod_into(x: Any, *, axes: Any, out: Any) -> Any:
    """The product along axes."""
    return np.multiply.reduce(x, axis=axes, out=out)


def any_into(x: Any, *, axes: Any, out: Any) -> Any:
    """Whether there is a true element along axes."""
    return np.any(x, axis=axes, out=out)


def all_into(x: Any, *, axes: Any, out: Any) -> Any:
    """Whether all elements along axes are true."""
    return np.all(x, axis=axes, out=out)


# Products.


def linear_map_into(x: Any, w: Any, *, out: Any) -> Any:
    """The rows of a matrix multiplied by another one."""
    return np.matmul(x, w.T, out=out)


def matvec_into(x: Any, v: Any, *, out: Any) -> Any:
    """Matrix times vector."""
    if v.ndim == 1:
        return np.matmul(x, v, out=out)
    np.matmul(x, v[..., None], out=out[..., None])
    return out


def is_product_of_arrays(equation: Equation, operands: Sequence[Spec]) -> bool:
    """What np.dot wants of the memory it writes to: the result's own dtype; numbers it multiplies as they are."""
    first, second = operands
    return first.ndim > 0 and second.ndim > 0 and first.dtype == second.dtype == equation.specs[0].dtype


# Moving elements.


def cast_into(x: Any, *, dtype: Any, out: Any) -> Any:
    """The elements in another dtype."""
    np.copyto(out, x, casting="unsafe")
    return out


def stays_as_real(equation: Equation, operands: Sequence[Spec]) -> bool:
    """NumPy warns where imaginary parts are dropped, in words of its own for each function."""
    return operands[0].kind == "array" and (operands[0].dtype.kind == "c") <= (equation.specs[0].dtype.kind == "c")


def concatenate_into(*xs: Any, axis: int, ends: Any, out: Any) -> Any:
    """Arrays one behind the other."""
    return np.concatenate(xs, axis=axis, out=out)


def stack_into(*xs: Any, axis: int, out: Any) -> Any:
    """Arrays side by side."""
    return np.stack(xs, axis=axis, out=out)


# fmt: off
INTO: dict[str, Into] = {
    "sum": Into(sum_into), "sum_as": Into(sum_as_into), "sum_where": Into(sum_where_into),
    "max": Into(max_into), "min": Into(min_into), "prod": Into(prod_into),
    "any": Into(any_into), "all": Into(all_into),
    "linear_map": Into(linear_map_into), "matvec": Into(matvec_into), "dot": Into(np.dot, is_product_of_arrays),
    "cast": Into(cast_into, stays_as_real), "concatenate": Into(concatenate_into), "stack": Into(stack_into),
}
# fmt: on
"""By the names of the primitives."""
