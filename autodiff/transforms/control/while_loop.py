"""``while_loop`` and ``fori_loop``: loops that carry something along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import concrete
from autodiff.transforms.arguments import like
from autodiff.transforms.control.carry import Carry
from autodiff.transforms.control.cond import require_number
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.repeat import repeat_with, without_a_step
from autodiff.transforms.control.rows import own_row
from autodiff.transforms.control.scan_call import scanned
from autodiff.transforms.control.staging import known, leaves_structure, must_stage
from autodiff.transforms.control.while_call import looped


def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init: Any, max_steps: int | None = None
) -> Any:
    """``carry = body_fun(carry)`` while ``cond_fun(carry)`` is true.

    Where values are known, this is a Python loop. Where only shapes are known (``jit``, ``vmap``, ``make_tape``), both
    functions are recorded once and the loop is one operation. A batch runs until all examples have stopped; an example
    that has stopped keeps its carry. In reverse mode this operation runs the loop again and stores the carry of every
    step; with ``max_steps`` it is a ``scan`` of ``max_steps`` steps, at the cost of as many. Without ``max_steps``,
    derivatives of higher order cost the square of the number of steps.

    Args:
        cond_fun: takes the carry, returns one boolean.
        body_fun: takes the carry, returns the next one, of the same structure, shapes and dtypes.
        init: the first carry, a tree. A Python number in it takes the dtype that ``body_fun`` gives it.
        max_steps: the largest number of steps; None for no bound.

    Returns:
        the first carry for which ``cond_fun`` is false.

    Raises:
        ControlError: if the carry changes its form, or ``cond_fun`` does not return one boolean.
        StepsError: if ``cond_fun`` is still true after ``max_steps`` steps.

    >>> import numpy as np
    >>> from autodiff import grad
    >>> newton = lambda a: while_loop(lambda x: abs(x * x - a) > 1e-9, lambda x: (x + a / x) / 2, a)
    >>> round(grad(newton)(4.0), 6)
    0.25
    """
    for function in (cond_fun, body_fun):
        if not callable(function):
            raise TypeError(
                f"while_loop needs two functions and a carry, got {type(function).__name__}{at_user_line()}; write "
                "while_loop(cond_fun, body_fun, init)"
            )
    if max_steps is not None and (not isinstance(max_steps, int) or isinstance(max_steps, bool) or max_steps < 0):
        raise ValueError(
            f"while_loop: max_steps must be None or an int that is not negative, got {max_steps!r}{at_user_line()}"
        )
    return repeat_with(looped, "while_loop", cond_fun, body_fun, init, max_steps)


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """carry = body(i, carry) for i from ``lower`` to ``upper - 1``.

    Where the bounds are known it is a :func:`~autodiff.scan`, otherwise a :func:`~autodiff.while_loop`.

    Args:
        lower: the first i, an integer.
        upper: one more than the last.
        body: takes i and the carry, returns the next carry, of the same structure, shapes and dtypes.
        init: the first carry, a tree.

    Returns:
        the last carry; ``init`` where ``upper`` is not larger than ``lower``, with the dtypes that a step would give.

    Raises:
        ControlError: if a bound is not one integer, or the carry changes its form.

    >>> fori_loop(1, 5, lambda i, product: product * i, 1.0)
    24.0
    """
    if not callable(body):
        raise TypeError(
            f"fori_loop needs a function, got {type(body).__name__}{at_user_line()}; write fori_loop(0, n, body, init)"
        )
    for what, bound in (("lower bound", lower), ("upper bound", upper)):
        require_number("fori_loop", what, bound, "iu", "one integer", "convert it with int or astype")

    def counted(state: Any) -> Any:
        return state[0] + 1, body(*state)

    if not (known(lower) and known(upper)):
        return repeat_with(looped, "fori_loop", lambda state: state[0] < upper, like(body, counted), (lower, init))[1]
    first, last = int(concrete(lower)), int(concrete(upper))
    carry = Carry("fori_loop", body, init)
    if must_stage(carry.leaves):
        step = like(body, lambda state, _: (counted(state), None))
        nothing = leaves_structure(0).children[0]
        return scan_with(scanned, "fori_loop", step, (first, init), ([], nothing), max(last - first, 0))[0][1]
    leaves = [own_row(leaf) for leaf in carry.leaves]
    for i in range(first, last):
        leaves = carry.take(body(i, carry.tree(leaves)))
    if first >= last:
        leaves = without_a_step(carry, lambda now: carry.take(body(first, carry.structure.unflatten(now))), leaves)
    return carry.result(leaves)
