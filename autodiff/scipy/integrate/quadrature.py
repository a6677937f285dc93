"""Integrals of functions, differentiated with respect to limits and to what the function closes over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate
from scipy.special import roots_legendre

from autodiff.numpy.dispatch import peeled
from autodiff.scipy.optimize.implicit import nesting, on_values
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.stop_gradient import stop_gradient

Function = Callable[..., Any]

NODES, WEIGHTS = roots_legendre(21)
"""Gauss's rule for the intervals into which SciPy cuts: exact for polynomials of degree 41."""


def quad(func: Function, a: Any, b: Any, args: Any = (), full_output: int = 0, **options: Any) -> Any:
    """The integral of a function of one number between limits, and an estimate of its error.

    The value is SciPy's. Its derivatives are those of Gauss's rule on the intervals that SciPy has cut the range into
    for the integrand, which has to be as smooth in what is differentiated as in its argument; those by limits are
    values of the integrand.

    Args:
        func: the integrand, written in NumPy. It may close over traced values.
        a: lower limit, which may be traced, or infinite.
        b: upper limit.
        args: further arguments of ``func``, which may be traced.
        full_output: SciPy's.
        options: SciPy's; weights are refused where there is something to differentiate.

    >>> import numpy as np, autodiff
    >>> round(autodiff.grad(lambda w: quad(lambda x: np.sin(w * x), 0.0, np.pi)[0])(1.0), 9)
    -2.0
    """
    extra = args if isinstance(args, tuple) else (args,)

    def integrand(x: Any) -> Any:
        return func(x, *extra)

    low, high = float(peeled(a, "quad")), float(peeled(b, "quad"))
    out = scipy.integrate.quad(on_values(integrand, "quad"), low, high, full_output=1, **options)
    middle = 0.0 if np.isinf(low) and np.isinf(high) else low + 1.0 if np.isinf(high) else high - 1.0
    probe = integrand(0.5 * (low + high) if np.isfinite([low, high]).all() else middle)
    if nesting(probe) or nesting(a) or nesting(b):
        if options.get("weight") is not None:
            raise DifferentiationError(
                f"quad with weight={options['weight']!r} has no derivative{at_user_line()}; write the weight into func"
            )
        total = by_rule(integrand, out[2], low, high)
        moving = total - stop_gradient(total)
        out = (out[0] + moving + beyond(integrand, b) - beyond(integrand, a), *out[1:])
    return out if full_output else out[:2]


def beyond(integrand: Function, limit: Any) -> Any:
    """The integral from where a limit lies to where it moves: zero, with all derivatives."""
    if not nesting(limit):
        return 0.0
    start = stop_gradient(limit)
    half = (limit - start) / 2
    total: Any = 0.0
    for node, weight in zip(*roots_legendre(5), strict=True):
        total = total + half * float(weight) * integrand(start + half * (1 + float(node)))
    return total


def by_rule(integrand: Function, info: dict[str, Any], low: float, high: float) -> Any:
    """The integral by Gauss's rule on the intervals that SciPy has cut the range into."""
    count = info["last"]
    total: Any = 0.0
    for start, stop in zip(info["alist"][:count], info["blist"][:count], strict=True):
        half = (stop - start) / 2
        for node, weight in zip(start + half * (1 + NODES), half * WEIGHTS, strict=True):
            for x, stretch in places(float(node), low, high):
                total = total + weight * stretch * integrand(x)
    return total


def places(node: float, low: float, high: float) -> list[tuple[float, float]]:
    """Where a node lies in the range, and how much that is stretched: infinite ranges are mapped to (0, 1)."""
    if np.isfinite(low) and np.isfinite(high):
        return [(node, 1.0)]
    away, stretch = (1 - node) / node, 1 / node**2
    if np.isfinite(low):
        return [(low + away, stretch)]
    if np.isfinite(high):
        return [(high - away, stretch)]
    return [(away, stretch), (-away, stretch)]


def dblquad(func: Function, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), **options: Any) -> Any:
    """The integral of ``func(y, x)`` for x between numbers and y between numbers or functions of x."""
    low, high = (limit if callable(limit) else lambda x, own=limit: own for limit in (gfun, hfun))
    error = 0.0

    def inner(x: Any) -> Any:
        nonlocal error
        value, inaccuracy = quad(func, low(x), high(x), (x, *args), **options)
        error = max(error, inaccuracy)
        return value

    value, inaccuracy = quad(inner, a, b, **options)
    return value, inaccuracy + error


def tplquad(
    func: Function, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (), **options: Any
) -> Any:
    """The integral of ``func(z, y, x)`` over three variables, of which limits may be functions of later ones."""
    low, high = (limit if callable(limit) else lambda x, y, own=limit: own for limit in (qfun, rfun))

    def inner(y: Any, x: Any) -> Any:
        return quad(func, low(x, y), high(x, y), (y, x, *args), **options)[0]

    return dblquad(inner, a, b, gfun, hfun, **options)


def fixed_quad(func: Function, a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    """The integral of a function of arrays by Gauss's rule of order ``n``."""
    nodes, weights = roots_legendre(n)
    half = (b - a) / 2
    values = func(half * (nodes + 1) + a, *args)
    return half * (values * weights).sum(-1), None
