"""Transformations to which an object is an argument that is not differentiated: functions of a program, x and it."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff
from autodiff import Variable
from tests.trace.foreign.programs import VALUES
from tests.trace.foreign.transformations import Function, Pair, kernelless


def plain(k: Any) -> Any:
    """The numbers of an object."""
    return np.asarray(getattr(k, "held", k), float)


def grad(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(f)(x, k)  # type: ignore[no-any-return]


def keyword(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(lambda x, other: f(x, other))(x, other=k)  # type: ignore[no-any-return]


def jacobian(f: Function, x: Any, k: Any) -> Pair:
    return None, autodiff.jacobian(f)(x, k)


def jit(f: Function, x: Any, k: Any) -> Pair:
    return kernelless(f)(x, k), None


def jit_again(f: Function, x: Any, k: Any) -> Pair:
    """The program is there already, and the quick way of calls."""
    function = kernelless(f)
    function(x, plain(VALUES))
    function(x, plain(VALUES))
    return function(x, k), None


def grad_of_jit(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(kernelless(f))(x, k)  # type: ignore[no-any-return]


def vmap(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.vmap(f, in_axes=(0, None))(np.stack([x, x]), k)[0], None


def batch(f: Function, x: Any, k: Any) -> Pair:
    """The object is the batch."""
    return np.sum(autodiff.vmap(lambda row, one: np.sum(row) * one, in_axes=(None, 0))(x, k)) * 0 + f(x, VALUES), None


def checkpoint(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(lambda x: autodiff.checkpoint(f)(x, k))(x)  # type: ignore[no-any-return]


def eval_tape(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.eval_tape(autodiff.make_tape(f)(x, VALUES), x, k), None


def eval_shape(f: Function, x: Any, k: Any) -> Pair:
    assert autodiff.eval_shape(f, x, k).shape == ()
    return None, None


def rows_of_scan(f: Function, x: Any, k: Any) -> Pair:
    def step(carry: Any, row: Any) -> Any:
        return carry, np.sum(carry * row) / np.sum(carry)

    return np.sum(autodiff.scan(step, x, k)[1]) / np.sum(VALUES) * f(x, VALUES), None


def rows_of_map(f: Function, x: Any, k: Any) -> Pair:
    return np.sum(autodiff.map(lambda row: row * 1.0, k)) / np.sum(VALUES) * f(x, VALUES), None


def carry(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(lambda x: autodiff.fori_loop(0, 1, lambda _, c: (f(x, c[1]), c[1]), (0.0, k))[0])(x)  # type: ignore[no-any-return]


def operand_of_cond(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(lambda x: autodiff.cond(x[0] > 0, f, f, x, k))(x)  # type: ignore[no-any-return]


def operand_of_recorded_cond(f: Function, x: Any, k: Any) -> Pair:
    return autodiff.value_and_grad(kernelless(lambda x: autodiff.cond(x[0] > 0, f, f, x, k)))(x)  # type: ignore[no-any-return]


def custom_vjp(f: Function, x: Any, k: Any) -> Pair:
    own = autodiff.custom_vjp(f)
    own.defvjp(lambda x, k: autodiff.vjp(lambda y: f(y, k), x), lambda pullback, g: (*pullback(g), None))
    return autodiff.value_and_grad(own)(x, k)  # type: ignore[no-any-return]


def custom_jvp(f: Function, x: Any, k: Any) -> Pair:
    own = autodiff.custom_jvp(f)
    own.defjvp(lambda p, t: autodiff.jvp(lambda y: f(y, p[1]), p[:1], t[:1]))
    return autodiff.value_and_grad(own)(x, k)  # type: ignore[no-any-return]


def cotangent(f: Function, x: Any, k: Any) -> Pair:
    pulled = autodiff.vjp(lambda y: y * 1.0, x)[1](k)[0]
    return None, pulled


def tangent(f: Function, x: Any, k: Any) -> Pair:
    return None, autodiff.jvp(lambda y: y * 1.0, (x,), (k,))[1]


def direction(f: Function, x: Any, k: Any) -> Pair:
    return None, autodiff.linearize(lambda y: y * 1.0, x)[1](k)


def cotangent_of_a_rule(f: Function, x: Any, k: Any) -> Pair:
    own = autodiff.custom_vjp(np.sum)
    own.defvjp(lambda y: (np.sum(y), None), lambda _, g: (k,))
    return None, autodiff.grad(own)(x)


def tangent_of_a_rule(f: Function, x: Any, k: Any) -> Pair:
    own = autodiff.custom_jvp(lambda y: y * 1.0)
    own.defjvp(lambda p, t: (p[0] * 1.0, k))
    return None, autodiff.jvp(own, (x,), (x,))[1]


def gradient_of_a_variable(f: Function, x: Any, k: Any) -> Pair:
    v = Variable(x)
    y = v * 1.0
    y.grad = k
    y.backward()  # type: ignore[no-untyped-call]
    return None, v.grad


def array_of_a_variable(f: Function, x: Any, k: Any) -> Pair:
    v = Variable(x)
    v.array = k
    return None, v.array


def a_variable(f: Function, x: Any, k: Any) -> Pair:
    v = Variable(x)
    y = f(v, Variable(k))
    y.backward()
    return y.array, v.grad


ARGUMENTS = (
    grad, keyword, jacobian, jit, jit_again, grad_of_jit, vmap, batch, checkpoint, eval_tape, eval_shape, rows_of_scan,
    rows_of_map, carry, operand_of_cond, operand_of_recorded_cond, custom_vjp, custom_jvp, cotangent, tangent,
    direction, cotangent_of_a_rule, tangent_of_a_rule, gradient_of_a_variable, array_of_a_variable, a_variable,
)  # fmt: skip
