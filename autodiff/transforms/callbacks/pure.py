"""``pure_callback``: any function of Python on plain arrays as one operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.trace.trees.tree import flatten
from autodiff.trace.values.leaves import as_leaf
from autodiff.transforms.callbacks.operation import Callback, declared
from autodiff.transforms.callbacks.rule import called
from autodiff.transforms.custom.arguments import place_of


def pure_callback(
    function: Callable[..., Any],
    result_spec: Any,
    *args: Any,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
    vectorized: bool = False,
) -> Any:
    """``function(*args)`` as one operation: with plain arrays, whatever records, compiles or batches the call.

    The function may do what it likes inside, in C, in another library, by root finding. It must be pure: the same
    arguments give the same result, and nothing else counts, since programs call it as often as they need the result,
    which may be never.

    Args:
        function: takes trees of NumPy arrays and numbers, which it must not write to, and returns what is declared.
        result_spec: what it returns: a tree of arrays, of which shapes and dtypes count, or of what
            :func:`~autodiff.eval_shape` returns.
        *args: trees of arrays and numbers, traced or not.
        vjp: ``vjp(cotangent, result, *args)``, again on plain arrays, returns a tuple with a cotangent for each
            argument, of its structure and shapes; None, anywhere in it, for zero.
        jvp: ``jvp(tangents, result, *args)`` returns the tangent of the result; ``tangents`` is a tuple like ``args``.
        vectorized: whether the functions take arguments, all of them, with further axes in front, and return results
            with these axes. Otherwise they are called for each example of a batch.

    Returns:
        the result.

    Raises:
        TypeError: if ``function`` is none, or ``result_spec`` is no tree of arrays.
        DifferentiationError: if it is differentiated in a mode for which there is no rule. Rules have no derivatives:
            for second ones put :func:`~autodiff.custom_vjp` around it, with rules in NumPy's functions.
        RuleError: if the function, or a rule, returns other structures, shapes or dtypes than were declared.

    >>> import math
    >>> import numpy as np
    >>> from autodiff import grad, jit, vmap
    >>> def error_function(x):
    ...     return pure_callback(math.erf, 0.0, x, vjp=lambda g, y, x: (g * 2 / math.sqrt(math.pi) * math.exp(-x * x),))
    >>> jit(error_function)(1.0), grad(error_function)(0.0)
    (np.float64(0.8427007929497149), 1.1283791670955126)
    >>> vmap(error_function)(np.array([0.0, 1.0]))
    array([0.        , 0.84270079])
    """
    for option, given in (("function", function), ("vjp", vjp), ("jvp", jvp)):
        if not callable(given) and (given is not None or option == "function"):
            raise TypeError(
                f"pure_callback needs a function as its {option}, got {described(given)}{at_user_line()}; write "
                "pure_callback(f, result_spec, x)"
            )
    name = place_of(function)
    specs, results = declared(f"pure_callback of {name}", result_spec)
    leaves, arguments = flatten(args)
    callback = Callback(f"pure_callback of {name}", function, arguments, results, specs, vectorized)
    return results.unflatten(called(callback, [as_leaf(leaf) for leaf in leaves], vjp, jvp))
