"""Integrals of functions, differentiated with respect to limits and to what the function closes over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate
from scipy.special import roots_legendre

from autodiff.numpy.dispatch import FUNCTIONS, peeled
from autodiff.ops.elementwise import straight_where
from autodiff.scipy.called_back import ClosedFunction, call_back, known, known_later, refused_later
from autodiff.scipy.mirror import holds_traced
from autodiff.scipy.optimize.implicit import nesting, on_values
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.batch import vmap
from autodiff.transforms.custom.jvp import custom_jvp
from autodiff.transforms.jvp import jvp
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

    if known_later((a, b), lambda: integrand(between(peeled(a), peeled(b)))):
        for name in ("weight", "complex_func"):
            if options.get(name):
                raise refused_later("quad", name)
        if full_output:
            raise refused_later("quad", "full_output")
        return quad_later(integrand, a, b, options)
    low, high = float(peeled(a, "quad")), float(peeled(b, "quad"))
    out = scipy.integrate.quad(on_values(integrand, "quad"), low, high, full_output=1, **options)
    probe = integrand(between(low, high))
    if nesting(probe) or nesting(a) or nesting(b):
        if options.get("weight") is not None:
            raise DifferentiationError(
                f"quad with weight={options['weight']!r} has no derivative{at_user_line()}; write the weight into func"
            )
        if options.get("complex_func"):
            raise DifferentiationError(
                f"quad with complex_func=True has no derivative{at_user_line()}; integrate the real part of func and "
                "its imaginary part by themselves"
            )
        total = by_rule(integrand, out[2], low, high)
        moving = total - stop_gradient(total)
        out = (out[0] + moving + beyond(integrand, b) - beyond(integrand, a), *out[1:])
    return out if full_output else out[:2]


def between(low: float, high: float) -> float:
    """A number between limits, of which either may be the larger one."""
    low, high = min(low, high), max(low, high)
    if np.isfinite([low, high]).all():
        return 0.5 * (low + high)
    return 0.0 if np.isinf(low) and np.isinf(high) else low + 1.0 if np.isinf(high) else high - 1.0


def beyond(integrand: Function, limit: Any) -> Any:
    """The integral from where a limit lies to where it moves: zero, with all derivatives."""
    if not nesting(limit):
        return 0.0
    start = stop_gradient(limit)
    half = (limit - start) / 2
    total: Any = 0.0
    for node, weight in zip(*roots_legendre(5), strict=True):
        total = total + half * float(weight) * integrand(start + half * (1 + float(node)))
    return straight_where(False, total)  # zero where the integrand is infinite at the limit, too


def by_rule(integrand: Function, info: dict[str, Any], low: float, high: float) -> Any:
    """The integral by Gauss's rule on the intervals that SciPy has cut the range into."""
    total: Any = 0.0
    for x, weight in rule_of(info, low, high):
        total = total + weight * integrand(x)
    return total


def rule_of(info: dict[str, Any], low: float, high: float) -> list[tuple[float, float]]:
    """Nodes and weights on the intervals that SciPy has cut the range into."""
    if high < low:  # SciPy exchanges the limits and negates what it finds
        return [(x, -weight) for x, weight in rule_of(info, high, low)]
    count = info["last"]
    pairs = []
    for start, stop in zip(info["alist"][:count], info["blist"][:count], strict=True):
        half = (stop - start) / 2
        for node, weight in zip(start + half * (1 + NODES), half * WEIGHTS, strict=True):
            pairs += [(x, weight * stretch) for x, stretch in places(float(node), low, high)]
    return pairs


def quad_later(integrand: Function, a: Any, b: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The integral, and an estimate of its error, where they are computed when a program runs.

    Nodes and weights of the rule come back with them, as many as there may be at most.
    """
    func = ClosedFunction(integrand, 0.0)
    ends = (a, b)
    moving = [k for k in (0, 1) if holds_traced([ends[k]])]
    most = 2 * NODES.size * options.get("limit", 50)

    def find(traced: Any, func: Function) -> Any:
        low, high = (float(traced[moving.index(k)] if k in moving else ends[k]) for k in (0, 1))
        value, error, info = scipy.integrate.quad(func, low, high, full_output=1, **options)[:3]
        pairs = np.array(rule_of(info, low, high)).reshape(-1, 2)  # none between equal limits
        rule = np.zeros((most, 2))
        rule[:, 0] = pairs[0, 0] if pairs.size else between(low, high)  # what is left over has weights of zero
        rule[: len(pairs)] = pairs
        return np.float64(value), np.float64(error), rule

    @custom_jvp
    def integral(captures: Any, traced: Any) -> Any:
        return call_back(find, (0.0, 0.0, np.zeros((most, 2))), traced, {"func": func}, {"func": captures})

    @integral.defjvp
    def by_gauss(primals: Any, tangents: Any) -> Any:
        found = integral(*primals)
        own = [k for k, tangent in enumerate(tangents[0]) if tangent is not None]

        def total(some: Any, traced: Any) -> Any:
            captures = list(primals[0])
            for k, new in zip(own, some, strict=True):
                captures[k] = new
            nodes, weights = found[2][:, 0], found[2][:, 1]
            fixed = FUNCTIONS[np.sum](weights * vmap(lambda x: func((x,), captures))(nodes))
            for k, end in zip(moving, traced, strict=True):
                fixed = fixed + (1 if k else -1) * beyond(lambda x: func((x,), captures), end)
            return fixed

        at, along = (([tree[0][k] for k in own], tree[1]) for tree in (primals, tangents))
        return found, (jvp(total, at, along)[1], None, None)

    return integral(func.captures, [ends[k] for k in moving])[:2]  # type: ignore[no-any-return]


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
        if known(inaccuracy):  # otherwise nobody knows it outside of the integrand
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
