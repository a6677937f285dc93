"""What does not move brings nothing with it: zeros of directions and unit vectors never meet an infinite derivative."""

from functools import partial

import numpy as np
import pytest

import autodiff
from autodiff import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    linearize,
    make_tape,
    vjp,
    vmap,
)
from autodiff.testing import assert_close
from tests.transforms.singular import function_of, has_nan, singular_program

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
quick_jit = partial(jit, backend="numpy")
EYE = np.eye(3)


def power(v):
    return v[0] ** v[1]


def test_the_derivative_by_the_base_does_not_meet_that_by_the_exponent():
    x = np.array([-2.0, 3.0])
    for transform in (jacfwd, jacrev, jacobian, lambda f: quick_jit(jacfwd(f))):
        assert_close(transform(power)(x), np.array([12.0, np.nan]))
    assert_close(jvp(power, (x,), (np.array([1.0, 0.0]),))[1], 12.0)
    assert_close(jvp(lambda x, y: x**y, (-2.0, 3.0), (1.0, 0.0))[1], 12.0)


def of_a_batch(fun):
    return lambda x: vmap(jacfwd(fun))(x[None])[0]


@pytest.mark.parametrize("function", [np.sqrt, np.log, np.cbrt, lambda x: 1 / x, np.arcsin, lambda x: np.exp(x * 1e3)])
@pytest.mark.parametrize("transform", [jacfwd, jacrev, jacobian, lambda f: quick_jit(jacfwd(f)), of_a_batch])
def test_jacobians_of_single_elements_are_diagonal(function, transform):
    x = np.array([0.0, 0.5, 1.0])
    diagonal = vmap(grad(function))(x)
    np.testing.assert_array_equal(transform(function)(x), np.where(EYE, diagonal, 0.0))


def test_a_row_that_does_not_move_has_no_derivative_of_its_norm():
    def norms(x):
        return np.sqrt(np.sum(x, axis=1)) * np.ones(3)

    x = np.array([[0.0, 0.0], [1.0, 3.0], [0.0, 4.0]])
    expected = np.zeros((3, 3, 2))
    expected[0, 0], expected[1, 1], expected[2, 2] = np.inf, 0.25, 0.25
    for transform in (jacfwd, jacrev, lambda f: quick_jit(jacfwd(f))):
        np.testing.assert_array_equal(transform(norms)(x), expected)


SEEDS = [seed for seed in range(80) if not has_nan(*singular_program(seed))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_functions_have_one_jacobian(seed):
    """Where one way gives a number, all ways give that number."""
    values, x = singular_program(seed)
    fun = function_of(values[-1])
    expected = jacrev(fun)(x)
    push = linearize(fun, x)[1]
    for found in (
        jacfwd(fun)(x),
        jacobian(fun)(x),
        np.stack([jvp(fun, (x,), (e,))[1] for e in EYE], -1),
        np.stack([push(e) for e in EYE], -1),
        np.stack([vjp(fun, x)[1](e)[0] for e in EYE]),
        vmap(lambda e: jvp(fun, (x,), (e,))[1], out_axes=-1)(EYE),
        vmap(push, out_axes=-1)(EYE),
        quick_jit(jacfwd(fun))(x),
    ):
        known = np.isfinite(expected)
        np.testing.assert_array_equal(np.isfinite(found), known)
        np.testing.assert_allclose(found[known], expected[known], rtol=1e-12)


# The derivative by the direction is there where the direction is zero.


@pytest.mark.parametrize("around", [lambda f: f, quick_jit, checkpoint])
@pytest.mark.parametrize("v", [0.0, 2.0])
def test_a_derivative_along_a_direction_is_differentiated_by_the_direction(around, v):
    pushed = around(lambda v: jvp(np.sin, (0.5,), (v,))[1])
    assert_close(grad(pushed)(v), np.cos(0.5))
    assert_close(jvp(pushed, (v,), (1.0,))[1], np.cos(0.5))
    assert_close(vmap(grad(pushed))(np.array([v, 1.0])), np.full(2, np.cos(0.5)))


@pytest.mark.parametrize("around", [lambda f: f, quick_jit])
def test_the_transpose_of_a_derivative_keeps_infinities(around):
    x = np.array([0.0, 4.0])
    pullback = vjp(around(lambda v: jvp(np.sqrt, (x,), (v,))[1]), np.zeros(2))[1]
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [np.inf, 0.25])


def test_second_derivatives_along_zero_directions():
    x, v = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    total = lambda x: np.sum(x**1.5)  # noqa: E731 - the second derivative at 0 is infinite
    expected = np.array([0.0, 0.75])
    assert_close(hvp(total, (x,), (v,)), expected)
    assert_close(quick_jit(lambda x, v: hvp(total, (x,), (v,)))(x, v), expected)
    for transform in (
        hessian,
        lambda f: jacrev(jacfwd(f)),
        lambda f: jacfwd(jacfwd(f)),
        lambda f: quick_jit(hessian(f)),
    ):
        np.testing.assert_array_equal(transform(total)(x), [[np.inf, 0.0], [0.0, 0.75]])


# Calls.


@custom_jvp
def root_jvp(x):
    return np.sqrt(x)


@root_jvp.defjvp
def _(primals, tangents):
    out = np.sqrt(primals[0])
    return out, tangents[0] / (2 * out)


@custom_vjp
def root_vjp(x):
    return np.sqrt(x)


root_vjp.defvjp(lambda x: (np.sqrt(x), np.sqrt(x)), lambda out, g: (g / (2 * out),))


@pytest.mark.parametrize("called", [checkpoint, jit, quick_jit])
@pytest.mark.parametrize(
    "fun", [np.sqrt, lambda x: np.where(x > 1, np.sqrt(x), 0), lambda x: np.stack([x, np.log(x)])[1]]
)
def test_masks_pass_the_boundaries_of_calls(called, fun):
    x = np.array([0.0, 4.0])
    expected = jacfwd(fun)(x)
    assert np.isfinite(expected).sum() >= 3
    np.testing.assert_array_equal(jacfwd(called(fun))(x), expected)
    for e, column in zip(np.eye(2), expected.T, strict=True):
        np.testing.assert_array_equal(jvp(called(fun), (x,), (e,))[1], column)
    around = jvp(lambda x: np.sqrt(called(lambda x: np.where(x > 1, x, 0.0))(x)), (x,), (np.ones(2),))[1]
    np.testing.assert_array_equal(around, [0.0, 0.25])


@pytest.mark.parametrize("fun", [root_jvp, root_vjp])
def test_rules_of_users_get_arrays(fun):
    x = np.array([1.0, 4.0])
    expected = np.diag([0.5, 0.25])
    assert_close(jacfwd(fun)(x), expected)
    assert_close(np.stack([jvp(fun, (x,), (e,))[1] for e in np.eye(2)], -1), expected)


@pytest.mark.parametrize("around", [lambda f: f, quick_jit])
def test_loops_and_branches_take_masked_directions(around):
    def steps(v):
        c, ys = autodiff.scan(lambda c, x: (c * x, c + x), v[0], v)
        c = autodiff.cond(c > 0, lambda c: np.sqrt(c), lambda c: c * 2, c)
        return autodiff.while_loop(lambda c: c < 10, lambda c: c * 3 + v[1], c) + ys

    x = np.array([2.0, 1.0, 0.5])
    expected = jacrev(steps)(x)
    assert_close(jacfwd(around(steps))(x), expected)
    assert_close(np.stack([jvp(around(steps), (x,), (e,))[1] for e in EYE], -1), expected)


def test_what_does_not_move_in_a_loop_has_no_tangent():
    def steps(v):
        def step(carry, x):
            product, fixed = carry
            return (product * x, fixed), np.sqrt(fixed) * product

        (product, _), ys = autodiff.scan(step, (v, 0.0), np.array([2.0, 3.0]))
        last, _ = autodiff.while_loop(lambda c: c[0] < 50, lambda c: (c[0] * 2 + np.sqrt(c[1]), c[1]), (product, 0.0))
        return last + np.sum(ys)

    for transform in (jacfwd, jacrev, lambda f: quick_jit(jacfwd(f)), lambda f: jacfwd(quick_jit(f))):
        assert_close(transform(steps)(1.5), 48.0)


# What it costs.


def test_nothing_is_masked_where_nothing_is_zero():
    """The tape along a direction that is known has no operation more than the derivative takes."""
    x, v = np.ones(3), np.full(3, 2.0)
    tape = make_tape(lambda x: jvp(lambda x: np.sum(np.exp(x) * x / 2), (x,), (v,))[1])(x)
    names = {equation.primitive.name for equation in tape.equations}
    assert names == {"exp", "multiply", "add", "divide", "sum"}


def test_masks_that_nobody_asks_for_are_not_computed():
    """Products of matrices mix elements of the direction before an infinity could meet them."""
    w = np.ones((3, 3))
    tape = make_tape(lambda x, v: jvp(lambda x: np.tanh(w @ x), (x,), (v,))[1])(np.ones(3), np.ones(3))
    assert not {"not_equal", "where", "straight_where"} & {equation.primitive.name for equation in tape.equations}


def test_a_long_sum_of_masked_tangents_takes_no_memory_for_masks():
    def total(x):
        out = x[0]
        for k in range(3000):
            out = out + np.where(x[k % 3] > 0, x[k % 3] * 0.5, 0.0)
        return out

    assert_close(jvp(total, (np.ones(3),), (np.array([1.0, 0.0, 0.0]),))[1], 501.0)
