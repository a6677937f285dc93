"""``cond`` and ``switch``: branches on traced values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.ops.elementwise import cast, clip, logical_not
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.tracer import concrete
from autodiff.transforms.control.branch_call import branch
from autodiff.transforms.control.carry import ControlError, is_number
from autodiff.transforms.control.choose import choose_with
from autodiff.transforms.control.staging import known


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """``true_fun(*operands)`` if ``pred`` is true, otherwise ``false_fun(*operands)``.

    If the value of the predicate is known, also under ``grad``, ``vjp`` and ``jvp``, only the selected branch runs. If
    it is not known (``jit``, ``make_tape``), both branches are recorded, and the program runs one. If it differs
    between the examples of a batch (``vmap``), both run for all examples and the results are selected; the branch that
    is not taken has no influence on derivatives, though NumPy may warn about it inside a loop. Python numbers among
    the results become NumPy's.

    Args:
        pred: a number, usually a boolean; true if it is not zero.
        true_fun: a function of the operands; it may close over other values.
        false_fun: likewise. Both return trees of the same structure, shapes and dtypes.
        operands: trees of numbers and arrays.

    Returns:
        the tree that the selected function returns.

    Raises:
        ControlError: if the predicate is not one number, or the branches return different things.

    >>> import numpy as np
    >>> from autodiff import vmap
    >>> vmap(lambda x: cond(x > 0, np.sqrt, lambda x: 0.0 * x, x))(np.array([4.0, -1.0]))
    array([ 2., -0.])
    """
    require_functions("cond", [true_fun, false_fun])
    require_number(
        "cond",
        "predicate",
        pred,
        "biufc",
        "one number",
        "np.where selects element by element, np.any makes one of many",
    )
    index = int(not concrete(pred)) if known(pred) else falsity(pred)
    return choose_with(branch, "cond", index, [true_fun, false_fun], operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """``branches[index](*operands)``, with the index brought into range: too small is the first, too large the last.

    It is recorded and batched like :func:`cond`.

    Args:
        index: an integer.
        branches: functions of the operands that return trees of the same structure, shapes and dtypes.
        operands: trees of numbers and arrays.

    Returns:
        the tree that the function returned.

    Raises:
        ControlError: if the index is not one integer, or the branches return different things.

    >>> import numpy as np
    >>> [float(switch(k, [np.sin, np.cos, np.exp], 0.0)) for k in (-1, 1, 7)]
    [0.0, 1.0, 1.0]
    """
    branches = list(branches)
    if not branches:
        raise ValueError(f"switch needs at least one branch{at_user_line()}")
    require_functions("switch", branches)
    require_number("switch", "index", index, "iu", "one integer", "convert it with int or astype")
    last = len(branches) - 1
    index = min(max(int(concrete(index)), 0), last) if known(index) else clip(index, 0, last)
    return choose_with(branch, "switch", index, branches, operands)


def falsity(pred: Any) -> Any:
    """The number of the branch to take, of two: 0 where the predicate holds, 1 where it does not."""
    return cast(logical_not(pred), dtype=np.dtype(np.int64))


def require_functions(name: str, functions: Sequence[Any]) -> None:
    """Refuse branches that were called already."""
    for function in functions:
        if not callable(function):
            raise TypeError(
                f"{name} needs functions as branches, got {described(function)}{at_user_line()}; pass f, not f(x)"
            )


def require_number(name: str, what: str, value: Any, kinds: str, wanted: str, remedy: str) -> None:
    """Refuse what is not one number of the right kind."""
    if not is_number(value) or spec_of(value).shape or spec_of(value).dtype.kind not in kinds:
        raise ControlError(f"{name}: the {what} must be {wanted}, got {described(value)}{at_user_line()}; {remedy}")
