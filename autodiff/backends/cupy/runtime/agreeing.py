"""Results of CuPy's functions, which are looked at once: kernels after them read memory as the tape says it is.

CuPy's dtypes are not NumPy's everywhere (it has no loops of bfloat16 for some functions, and takes those of float32).
A kernel that took float32 numbers for bfloat16 ones would give garbage without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.cupy.runtime.errors import called
from autodiff.backends.gpu import is_gpu_array
from autodiff.trace.errors import AutodiffError
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation

Function = Callable[..., Any]


class ResultError(AutodiffError, RuntimeError):
    """A function of CuPy's gives a result of another shape than NumPy's: a bug of autodiff or CuPy."""


class FirstResults:
    """A function of CuPy's whose results are compared with their specs when it first runs.

    Where they agree the function itself is called from then on; otherwise its results are cast in each call.

    Args:
        function: the function.
        equation: the operation that it runs.
        settle: takes the function that is called from the second time on.
    """

    def __init__(self, function: Function, equation: Equation, settle: Callable[[Function], None]) -> None:
        self.function, self.equation, self.settle = function, equation, settle

    def __call__(self, *operands: Any, **params: Any) -> Any:
        outs = self.function(*operands, **params)
        found = outs if isinstance(outs, tuple) else (outs,)
        specs = self.equation.specs
        for one, own in zip(found, specs, strict=True):
            if is_gpu_array(one) and own.kind == "array" and one.shape != own.shape:
                raise ResultError(
                    f"{called(self.equation)}: CuPy gives an array of shape {one.shape}, where NumPy gives "
                    f"{own.shape}. Please report it; jit(f, backend='numpy') on the host runs meanwhile"
                )
        if all(agrees(one, own) for one, own in zip(found, specs, strict=True)):
            self.settle(self.function)
            return outs
        function = casting(self.function, specs)
        self.settle(function)
        cast = tuple(as_specified(one, own) for one, own in zip(found, specs, strict=True))
        return cast if isinstance(outs, tuple) else cast[0]


def agrees(value: Any, own: Spec) -> bool:
    """Whether a result has the dtype that the tape says."""
    return not (is_gpu_array(value) and own.kind == "array") or value.dtype == own.dtype


def as_specified(value: Any, own: Spec) -> Any:
    """A result in the dtype that the tape says."""
    return value if agrees(value, own) else value.astype(own.dtype)


def casting(function: Function, specs: Sequence[Spec]) -> Function:
    """A function with its results in the dtypes that the tape says."""

    def cast(*operands: Any, **params: Any) -> Any:
        outs = function(*operands, **params)
        if isinstance(outs, tuple):
            return tuple([as_specified(one, own) for one, own in zip(outs, specs, strict=True)])
        return as_specified(outs, specs[0])

    return cast
