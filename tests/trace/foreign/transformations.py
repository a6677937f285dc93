"""Transformations, as functions of a function and its argument that give the value and the gradient; None for neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff import Variable
from tests.trace.foreign.libraries import Wrapping
from tests.trace.foreign.programs import X

Pair = tuple[Any, Any]
Function = Callable[..., Any]


class DetachedError(Exception):
    """An operation of a Variable gave something that is no Variable."""


def kernelless(f: Function) -> Function:
    """The function as a program that compiles in no time."""
    return autodiff.jit(f, backend="numpy")


def grad(f: Function, x: Any) -> Pair:
    return None, autodiff.grad(f)(x)


def value_and_grad(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(f)(x)  # type: ignore[no-any-return]


def vjp(f: Function, x: Any) -> Pair:
    value, pullback = autodiff.vjp(f, x)
    return value, pullback(np.ones(np.shape(value)))[0]


def jvp(f: Function, x: Any) -> Pair:
    found = [autodiff.jvp(f, (x,), (row,)) for row in np.eye(len(X))]
    return found[0][0], np.array([np.sum(tangent) for _, tangent in found])


def linearize(f: Function, x: Any) -> Pair:
    value, push = autodiff.linearize(f, x)
    return value, np.array([np.sum(push(row)) for row in np.eye(len(X))])


def jacrev(f: Function, x: Any) -> Pair:
    return None, autodiff.jacrev(f)(x)


def jacfwd(f: Function, x: Any) -> Pair:
    return None, autodiff.jacfwd(f)(x)


def jacobian(f: Function, x: Any) -> Pair:
    return None, autodiff.jacobian(f)(x)


def hessian(f: Function, x: Any) -> Pair:
    """Second derivatives along the argument: of f, and of f**2 by way of the first ones."""
    value, slope = autodiff.value_and_grad(lambda t: f(x * t))(1.0)
    curvature = autodiff.grad(autodiff.grad(lambda t: f(x * t)))(1.0)
    assert np.isclose(autodiff.hessian(lambda t: f(x * t) ** 2 / 2)(1.0), slope**2 + value * curvature, equal_nan=True)
    return value, None


def jit(f: Function, x: Any) -> Pair:
    return kernelless(f)(x), None


def grad_of_jit(f: Function, x: Any) -> Pair:
    return None, autodiff.grad(kernelless(f))(x)


def jit_of_grad(f: Function, x: Any) -> Pair:
    return kernelless(autodiff.value_and_grad(f))(x)  # type: ignore[no-any-return]


def vmap(f: Function, x: Any) -> Pair:
    both = type(x)(np.stack([x.held, x.held])) if isinstance(x, Wrapping) else np.stack([x, x])
    return autodiff.vmap(f)(both)[1], None


def make_tape(f: Function, x: Any) -> Pair:
    return autodiff.eval_tape(autodiff.make_tape(f)(x), x), None


def checkpoint(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(autodiff.checkpoint(f))(x)  # type: ignore[no-any-return]


def sum_of_checkpoint(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(lambda y: autodiff.checkpoint(f)(y) + 0.0)(x)  # type: ignore[no-any-return]


def scan(f: Function, x: Any) -> Pair:
    def step(carry: Any, _: None) -> Any:
        return carry, f(carry)

    return autodiff.value_and_grad(lambda y: autodiff.scan(step, y, None, length=1)[1][0])(x)  # type: ignore[no-any-return]


def carry_of_scan(f: Function, x: Any) -> Pair:
    def step(carry: Any, _: None) -> Any:
        return (carry[0], f(carry[0])), None

    return autodiff.value_and_grad(lambda y: autodiff.scan(step, (y, 0.0), None, length=1)[0][1])(x)  # type: ignore[no-any-return]


def jit_of_scan(f: Function, x: Any) -> Pair:
    def step(carry: Any, _: None) -> Any:
        return carry, f(carry)

    return autodiff.value_and_grad(kernelless(lambda y: autodiff.scan(step, y, None, length=2)[1][1]))(x)  # type: ignore[no-any-return]


def cond(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(lambda y: autodiff.cond(y[0] > 0, f, np.sum, y))(x)  # type: ignore[no-any-return]


def jit_of_cond(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(kernelless(lambda y: autodiff.cond(y[0] > 0, f, np.sum, y)))(x)  # type: ignore[no-any-return]


def fori_loop(f: Function, x: Any) -> Pair:
    return autodiff.value_and_grad(lambda y: autodiff.fori_loop(0, 1, lambda _, c: (c[0], f(c[0])), (y, 0.0))[1])(x)  # type: ignore[no-any-return]


def custom_vjp(f: Function, x: Any) -> Pair:
    own = autodiff.custom_vjp(f)
    own.defvjp(lambda y: autodiff.vjp(f, y), lambda pullback, g: pullback(g))
    return autodiff.value_and_grad(own)(x)  # type: ignore[no-any-return]


def custom_jvp(f: Function, x: Any) -> Pair:
    own = autodiff.custom_jvp(f)
    own.defjvp(lambda primals, tangents: autodiff.jvp(f, primals, tangents))
    return autodiff.jvp(own, (x,), (np.ones(3),))[0], None


def closure(f: Function, x: Any) -> Pair:
    """The traced value is closed over, by a function of something else that jit records."""
    return autodiff.value_and_grad(lambda y: kernelless(lambda one: one * f(y))(1.0))(x)  # type: ignore[no-any-return]


def variable(f: Function, x: Any) -> Pair:
    v = Variable(x)
    y = f(v)
    if isinstance(y, Wrapping) and isinstance(y.held, Variable):
        y = y.held  # whoever made it takes it apart
    if not isinstance(y, Variable):
        raise DetachedError(type(y).__name__)
    y.backward()  # type: ignore[no-untyped-call]
    return y.array, v.grad


TRANSFORMATIONS = (
    grad, value_and_grad, vjp, jvp, linearize, jacrev, jacfwd, jacobian, hessian, jit, grad_of_jit, jit_of_grad, vmap,
    make_tape, checkpoint, sum_of_checkpoint, scan, carry_of_scan, jit_of_scan, cond, jit_of_cond, fori_loop,
    custom_vjp, custom_jvp, closure, variable,
)  # fmt: skip
