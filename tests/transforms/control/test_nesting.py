"""Loops and branches among all the other transformations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    eval_tape,
    grad,
    hessian,
    jacfwd,
    jit,
    jvp,
    linearize,
    make_tape,
    vmap,
)
from autodiff.transforms.control.cond import cond, switch
from autodiff.transforms.control.scan import scan
from autodiff.transforms.control.while_loop import fori_loop, while_loop

from .loops import check_against, staged

X = np.array([0.3, 0.8, -0.4])


def power(x: Any, n: int = 4) -> Any:
    return fori_loop(0, n, lambda i, c: c * x, 1.0)


def test_gradients_inside_of_a_body() -> None:
    def fun(x: Any) -> Any:
        return scan(lambda c, k: (c - 0.1 * grad(lambda c: np.sin(c * x) * k)(c), None), x, np.arange(1.0, 4.0))[0]

    def loop(x: Any) -> Any:
        c = x
        for k in np.arange(1.0, 4.0):
            c = c - 0.1 * np.cos(c * x) * x * k
        return c

    check_against(fun, loop, [(0.3,), (0.9,)])


def test_batches_inside_of_a_body() -> None:
    def fun(x: Any) -> Any:
        inner = lambda c: scan(lambda d, k: (d * k * x, None), c, np.arange(1.0, 3.0))[0]  # noqa: E731
        return np.sum(scan(lambda c, _: (vmap(inner)(c), None), X * x, length=2)[0])

    check_against(fun, lambda x: np.sum(X) * x * (2 * x * x) ** 2, [(0.3,), (0.9,)])


def test_closures_over_several_levels() -> None:
    def outer(v: Any) -> Any:
        inner = lambda w: np.sum(vmap(lambda y: scan(lambda c, k: (c + v**2 * w**2 * y * k, None), 0.0, X)[0])(X))  # noqa: E731
        return grad(inner)(v)

    wanted = 6 * np.sum(X) ** 2
    assert grad(outer)(1.5) == pytest.approx(wanted * 1.5**2)
    assert staged(grad(outer))(1.5) == pytest.approx(wanted * 1.5**2)
    np.testing.assert_allclose(vmap(grad(outer))(X), wanted * X**2)


def test_batches_of_batches() -> None:
    fun = lambda x, y: while_loop(lambda c: c < y, lambda c: c * 2 + x, x)  # noqa: E731
    grid = vmap(vmap(fun, (None, 0)), (0, None))(np.array([0.5, 1.0]), np.array([1.0, 5.0, 20.0]))
    assert grid.tolist() == [[1.5, 7.5, 31.5], [1.0, 7.0, 31.0]]
    slopes = vmap(vmap(grad(fun), (None, 0)), (0, None))(np.array([0.5, 1.0]), np.array([1.0, 5.0, 20.0]))
    assert slopes.tolist() == [[3.0, 15.0, 63.0], [1.0, 7.0, 31.0]]


def test_rules_of_the_users_own() -> None:
    cubed = custom_jvp(lambda x: power(x, 3))
    cubed.defjvp(lambda primals, tangents: (power(primals[0], 3), power(primals[0], 2) * 3 * tangents[0]))
    root = custom_vjp(lambda x: while_loop(lambda r: abs(r * r - x) > 1e-10, lambda r: (r + x / r) / 2, x))
    root.defvjp(lambda x: (r := root(x), r), lambda r, g: (scan(lambda c, _: (c / 2, None), g, length=1)[0] / r,))
    assert grad(cubed)(2.0) == 12.0
    assert vmap(grad(cubed))(np.array([2.0])).tolist() == [12.0]
    assert grad(root)(4.0) == pytest.approx(0.25)
    np.testing.assert_allclose(vmap(grad(root))(np.array([4.0, 9.0])), [1 / 4, 1 / 6])
    assert jvp(root, (4.0,), (1.0,))[1] == pytest.approx(0.25)
    assert staged(lambda x: jvp(root, (x,), (1.0,))[1])(4.0) == pytest.approx(0.25)
    body = lambda c, _: (cubed(c) * 0.1, None)  # noqa: E731
    assert staged(grad(lambda x: scan(body, x, length=2)[0]))(2.0) == pytest.approx(
        grad(lambda x: scan(body, x, length=2)[0])(2.0)
    )


def test_checkpoints_around_loops_and_inside_them() -> None:
    around = checkpoint(power)
    inside = lambda x: scan(lambda c, _: (checkpoint(np.sin)(c * x), None), x, length=3)[0]  # noqa: E731
    plain = lambda x: np.sin(np.sin(np.sin(x * x) * x) * x)  # noqa: E731
    for fun, loop in ((around, lambda x: x * x * x * x), (inside, plain)):
        check_against(fun, loop, [(0.3,), (0.8,)])


def test_linearize_inside_a_batch_and_of_a_batch() -> None:
    np.testing.assert_allclose(vmap(lambda x: linearize(power, x)[1](1.0))(X), 4 * X**3)
    np.testing.assert_allclose(linearize(vmap(power), X)[1](np.ones(3)), 4 * X**3)


def test_replayed_inside_of_other_tapes() -> None:
    inner = make_tape(power)(1.0)
    outer = make_tape(lambda x: scan(lambda c, y: (c + eval_tape(inner, y * x), None), 0.0, X)[0])(1.0)
    loss = lambda x: eval_tape(outer, x)  # noqa: E731
    assert hessian(loss)(2.0) == pytest.approx(12 * 4 * np.sum(X**4))
    assert jacfwd(grad(loss))(2.0) == pytest.approx(12 * 4 * np.sum(X**4))


STEPS = [
    lambda x, c: np.sin(c) + x,
    lambda x, c: cond(c > 0.2, lambda c: c * x, lambda c: c + 1.0, c),
    lambda x, c: cond(x > c, lambda: c * 0.5, lambda: x),
    lambda x, c: scan(lambda d, k: (d * 0.5 + k * x, None), c, np.array([0.1, -0.2]))[0],
    lambda x, c: while_loop(lambda d: d < 1.0, lambda d: d + 0.4 + np.abs(x), c),
    lambda x, c: fori_loop(0, 2, lambda i, d: d * x + i, c),
    lambda x, c: switch(np.int64(1), [np.cos, np.tanh], c),
]
PLAIN = [
    STEPS[0],
    lambda x, c: c * x if c > 0.2 else c + 1.0,
    lambda x, c: c * 0.5 if x > c else x,
    lambda x, c: (c * 0.5 + np.float64(0.1) * x) * 0.5 + np.float64(-0.2) * x,
    lambda x, c: c if not c < 1.0 else PLAIN[4](x, c + 0.4 + np.abs(x)),
    lambda x, c: (c * x + 0) * x + 1,
    lambda x, c: np.tanh(c),
]


@given(st.lists(st.integers(0, len(STEPS) - 1), min_size=1, max_size=3), st.integers(1, 3), st.floats(-1.5, 1.5))
def test_programs_drawn_at_random(ops: list[int], repeats: int, start: float) -> None:
    def body(steps: Any, x: Any, c: Any) -> Any:
        for k in ops:
            c = steps[k](x, c)
        return c

    def fun(x: Any) -> Any:
        return scan(lambda c, _: (body(STEPS, x, c), None), np.cos(x), length=repeats)[0]

    def loop(x: Any) -> Any:
        c = np.cos(x)
        for _ in range(repeats):
            c = body(PLAIN, x, c)
        return c

    check_against(fun, loop, [(start,), (0.4 - start,)], ["value", "grad", "jvp"])


def by_loop(f: Any) -> Any:
    return lambda x: fori_loop(0, 1, lambda _, c: f(c), x)


def by_branch(f: Any) -> Any:
    return lambda x: cond(np.sum(x) > -100, f, lambda z: z, x)


@pytest.mark.parametrize("wrap", [by_loop, by_branch, checkpoint, jit])
def test_views_of_what_was_written_to_are_read_inside_of_a_body(wrap: Any) -> None:
    def fun(x: Any, y: Any) -> Any:
        whole = x * 1.0
        view = whole[::-1]
        whole += y
        whole[0] = y[1]
        return wrap(lambda z: z * np.sin(whole) * np.cos(view))(x)

    x, y = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    plain = np.array([-1.0, 1.0])
    np.testing.assert_allclose(fun(x, y), x * np.sin(plain) * np.cos(plain[::-1]), rtol=1e-15)
    both = grad(lambda x, y: np.sum(fun(x, y)), argnums=(0, 1))
    for one, other in zip(both(x, y), jit(both, backend="numpy")(x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    np.testing.assert_allclose(eval_tape(make_tape(fun)(x, y), x, y), fun(x, y), rtol=1e-15)
