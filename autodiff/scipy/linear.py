"""SciPy's functions that are linear in one array, for traced values of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.ops.along_axis import LinearRule, linear_along_axis
from autodiff.scipy.mirror import counterpart, holds_traced
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of


def along(
    function: Callable[[Any], Any], x: Any, axis: int = -1, transposed: Callable[[Any, int], Any] | None = None
) -> Any:
    """A linear function of the last axis, applied along any axis.

    It may add a constant, as edges of another number than zero do: what it makes of zeros. ``transposed`` is that of
    :class:`~autodiff.ops.along_axis.LinearRule`.
    """
    x = as_operand(x)
    last = axis in (-1, spec_of(x).ndim - 1)
    x = x if last else FUNCTIONS[np.moveaxis](x, axis, -1)
    added = function(np.zeros(spec_of(x).shape[-1]))
    if isinstance(added, tuple):
        raise DifferentiationError(
            f"a filter of traced values has one result{at_user_line()}, and this call has {len(added)}; leave out the "
            "option that asks for more"
        )
    if np.any(added):
        found = linear_along_axis(x, rule=LinearRule(lambda own: function(own) - added, transposed)) + added
    else:
        found = linear_along_axis(x, rule=LinearRule(function, transposed))
    return found if last else FUNCTIONS[np.moveaxis](found, -1, axis)


def linear_counterpart(
    original: Callable[..., Any], name: str, place: int = 0, transposed: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """What stands for a function that is linear in the argument at a place, along ``axis``, if it has one.

    Other arguments are constants; where one of them is traced, it is refused. ``transposed(g, length, options)`` is the
    transposed function.
    """
    signature = inspect.signature(original)
    array = list(signature.parameters)[place]

    def call(*args: Any, **kwargs: Any) -> Any:
        options = signature.bind(*args, **kwargs).arguments
        x = options.pop(array)
        if holds_traced(options):
            raise DifferentiationError(
                f"{name} has a derivative by its array alone{at_user_line()}; keep its other arguments constant"
            )
        for overwriting in ("overwrite_x", "overwrite_data"):  # SciPy may do that, and need not
            options.pop(overwriting, None)
        if "axis" not in signature.parameters:
            return along(lambda own: original(**{array: own}, **options), x)
        axis = options.pop("axis", signature.parameters["axis"].default)
        back = None if transposed is None else lambda g, length: transposed(g, length, options)
        return along(lambda own: original(**{array: own}, **options, axis=-1), x, axis, back)

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = (original.__doc__ or "").strip().partition("\n\n")[0]
    return counterpart(original)(call)
