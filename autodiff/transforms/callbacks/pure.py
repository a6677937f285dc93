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
    """``function(*args)`` as one operation, called with plain arrays under every transformation.

    The function may use C, other libraries, or iterations. It must be pure: the same arguments give the same result,
    without side effects. Programs may call it several times, or never.

    Args:
        function: takes trees of NumPy arrays and numbers, which it must not write to; returns a tree like
            ``result_spec``.
        result_spec: a tree of arrays with the shapes and dtypes of the result, or a result of
            :func:`~autodiff.eval_shape`.
        *args: trees of arrays and numbers, traced or not.
        vjp: ``vjp(cotangent, result, *args)``, also with plain arrays, returns a tuple with a cotangent for each
            argument, with its structure and shapes; None, anywhere in it, stands for zero.
        jvp: ``jvp(tangents, result, *args)`` returns the tangent of the result; ``tangents`` is a tuple like ``args``.
        vectorized: whether the functions accept additional leading axes on all arguments and return results with these
            axes. Otherwise they are called once for each example of a batch.

    Returns:
        the result.

    Raises:
        TypeError: if ``function`` is not callable, or ``result_spec`` is not a tree of arrays.
        DifferentiationError: if it is differentiated in a mode without a rule. Rules themselves have no derivatives:
            for second derivatives, wrap the call in :func:`~autodiff.custom_vjp` with rules written in NumPy.
        RuleError: if the function or a rule returns structures, shapes or dtypes other than declared.

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
