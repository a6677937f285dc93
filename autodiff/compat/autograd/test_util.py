"""Derivatives against differences, along random directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from autodiff.compat.autograd.core import make_jvp, make_vjp
from autodiff.compat.autograd.vspace import vspace
from autodiff.compat.autograd.wrap_util import get_name, unary_to_nary, wraps

TOL = RTOL = EPS = 1e-6
Function = Callable[..., Any]


def scalar_close(a: Any, b: Any) -> bool:
    """Whether two numbers are equal within 1e-6, absolutely or relatively."""
    return bool(abs(a - b) < TOL or abs(a - b) / abs(a + b) < RTOL)


def make_numerical_jvp(f: Function, x: Any) -> Function:
    """The function from tangents of ``x`` to central differences of ``f``."""
    inside, outside = vspace(x), vspace(f(x))

    def jvp(v: Any) -> Any:
        after = f(inside.add(x, inside.scalar_mul(v, EPS / 2)))
        before = f(inside.add(x, inside.scalar_mul(v, -EPS / 2)))
        return outside.scalar_mul(outside.add(after, outside.scalar_mul(before, -1.0)), 1.0 / EPS)

    return jvp


def check_vjp(f: Function, x: Any) -> None:
    """Check the pullback along random directions.

    Raises:
        AssertionError: if it differs from differences.
    """
    vjp, y = make_vjp(f, x)
    inside, outside = vspace(x), vspace(y)
    v, u = inside.randn(), outside.randn()
    pulled = inside.covector(vjp(outside.covector(u)))
    assert vspace(pulled) == inside, f"the VJP of {get_name(f)} is {vspace(pulled)}, the argument {inside}"
    exact, numeric = inside.inner_prod(v, pulled), outside.inner_prod(u, make_numerical_jvp(f, x)(v))
    assert scalar_close(numeric, exact), (
        f"(VJP) check of {get_name(f)} failed at {x}: the rule gives {exact}, differences {numeric}"
    )


def check_jvp(f: Function, x: Any) -> None:
    """Check the tangent along a random direction.

    Raises:
        AssertionError: if it differs from differences.
    """
    v = vspace(x).randn()
    check_equivalent(make_jvp(f, x)(v)[1], make_numerical_jvp(f, x)(v))


def check_equivalent(x: Any, y: Any) -> None:
    """Check that two values are of one space, and equal along a random direction.

    Raises:
        AssertionError: if they are not.
    """
    space = vspace(x)
    assert space == vspace(y), f"one value is {space}, the other {vspace(y)}"
    v = space.randn()
    assert scalar_close(space.inner_prod(x, v), space.inner_prod(y, v)), f"the values differ: {x} and {y}"


@unary_to_nary
def check_grads(f: Function, x: Any, modes: Sequence[str] = ("fwd", "rev"), order: int = 2) -> None:
    """Check derivatives in both modes, and those of derivatives up to an order.

    Raises:
        AssertionError: if one differs from differences.
    """
    unknown = set(modes) - {"fwd", "rev"}
    assert not unknown, f"modes are 'fwd' and 'rev', not {sorted(unknown)}"
    if "fwd" in modes:
        check_jvp(f, x)
    if "rev" in modes:
        check_vjp(f, x)
    if order > 1 and "fwd" in modes:
        pushed = wraps(f, "jvp_{fun}")(lambda x, v: make_jvp(f, x)(v)[1])
        check_grads(pushed, (0, 1), modes, order=order - 1)(x, vspace(x).randn())
    if order > 1 and "rev" in modes:
        pulled = wraps(f, "vjp_{fun}")(lambda x, v: make_vjp(f, x)[0](v))
        check_grads(pulled, (0, 1), modes, order=order - 1)(x, vspace(f(x)).randn())


def combo_check(fun: Function, *args: Any, **kwargs: Any) -> Function:
    """The function that checks all combinations of the arguments that it is given lists of."""
    check = check_grads(fun, *args, **kwargs)

    def check_all(*choices: Any, **named: Any) -> None:
        pairs = [[(name, value) for value in values] for name, values in named.items()]
        for chosen in product(*choices):
            for options in product(*pairs):
                check(*chosen, **dict(options))

    return check_all
