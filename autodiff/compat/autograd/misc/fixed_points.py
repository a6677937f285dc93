"""Fixed points, and their derivatives, which are fixed points as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff.compat.autograd.core import make_vjp
from autodiff.compat.autograd.rules import defvjp, primitive
from autodiff.compat.autograd.vspace import vspace

Function = Callable[..., Any]


@primitive
def fixed_point(f: Function, a: Any, x0: Any, distance: Function, tol: float) -> Any:
    """The x with x = f(a)(x), by iteration from ``x0`` until steps are no longer than ``tol``."""
    step = f(a)
    x, before = step(x0), x0
    while distance(x, before) > tol:
        x, before = step(x), x
    return x


def fixed_point_vjp(ans: Any, f: Function, a: Any, x0: Any, distance: Function, tol: float) -> Function:
    """The cotangent of ``a``: w = g + w df/dx, iterated, goes through df/da."""

    def backwards(given: Any) -> Function:
        a, x, g = given
        pull = make_vjp(f(a), x)[0]
        return lambda w: vspace(x).add(pull(w), g)

    pull_a = make_vjp(lambda both: f(both[0])(both[1]), (a, ans))[0]
    return lambda g: pull_a(fixed_point(backwards, (a, ans, g), vspace(x0).zeros(), distance, tol))[0]


defvjp(fixed_point, None, fixed_point_vjp, None)
