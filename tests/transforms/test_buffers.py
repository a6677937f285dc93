"""A plain array that is written to between its uses: every derivative sees what it held at the time."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import checkpoint, eval_tape, grad, jacrev, jit, jvp, linearize, make_tape, vjp, vmap

SIZES = pytest.mark.parametrize("size", [3, 3000], ids=["small", "large"])
WANTED = 0.0 + 1.0 + 2.0


def loop(x: Any) -> Any:
    buffer = np.empty(x.shape)
    y = x * 0.0
    for k in range(3):
        buffer[:] = k
        y = y + x * buffer
    return y


WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda x: grad(lambda x: np.sum(loop(x)))(x),
    "vjp": lambda x: vjp(loop, x)[1](np.ones_like(x))[0],
    "jvp": lambda x: jvp(loop, (x,), (np.ones_like(x),))[1],
    "linearize": lambda x: linearize(loop, x)[1](np.ones_like(x)),
    "make_tape": lambda x: eval_tape(make_tape(loop)(x), np.ones_like(x)),
    "vmap": lambda x: vmap(loop)(np.ones((2, *x.shape)))[1],
    "checkpoint": lambda x: grad(lambda x: np.sum(checkpoint(loop)(x)))(x),
    "grad grad": lambda x: grad(lambda x: np.sum(grad(lambda x: np.sum(loop(x) * x))(x)))(x) / 2,
    "jvp of grad": lambda x: jvp(grad(lambda x: np.sum(loop(x) * x)), (x,), (np.ones_like(x),))[1] / 2,
}  # fmt: skip


@SIZES
@pytest.mark.parametrize("way", WAYS)
def test_buffer_that_is_used_again_in_a_loop(way: str, size: int) -> None:
    np.testing.assert_array_equal(WAYS[way](np.linspace(1, 2, size)), np.full(size, WANTED))


@SIZES
def test_argument_that_is_written_to_after_the_trace(size: int) -> None:
    x = np.full(size, 2.0)
    _, pullback = vjp(lambda x: x * x, x)
    _, tangent_map = linearize(lambda x: x * x, x)
    tape = make_tape(lambda y: y * x)(np.ones(size))
    x[:] = 100.0
    np.testing.assert_array_equal(pullback(np.ones(size))[0], np.full(size, 4.0))
    np.testing.assert_array_equal(tangent_map(np.ones(size)), np.full(size, 4.0))
    np.testing.assert_array_equal(eval_tape(tape, np.ones(size)), np.full(size, 2.0))


@SIZES
def test_view_of_a_buffer(size: int) -> None:
    def f(x: Any) -> Any:
        buffer = np.zeros((2, size))
        y = x * 0.0
        for k in range(3):
            buffer[1] = k
            y = y + x * buffer[1]
        return y

    np.testing.assert_array_equal(grad(lambda x: np.sum(f(x)))(np.ones(size)), np.full(size, WANTED))
    np.testing.assert_array_equal(eval_tape(make_tape(f)(np.ones(size)), np.ones(size)), np.full(size, WANTED))


def test_results_of_a_tape_do_not_change_it() -> None:
    table = np.arange(3.0)
    tape = make_tape(lambda x: (x + table, table))(np.ones(3))
    _, found = eval_tape(tape, np.ones(3))
    found[:] = 100.0
    np.testing.assert_array_equal(eval_tape(tape, np.ones(3))[1], table)


def test_a_jacobian_sees_the_buffer_as_it_was() -> None:
    np.testing.assert_array_equal(jacrev(loop)(np.ones(3)), WANTED * np.eye(3))


@pytest.mark.parametrize("fun", [np.sum, lambda x: np.sum(x * 0.0 + 2.0) * x[0], lambda x: 3.0], ids=["1", "x", "0"])
def test_gradients_are_arrays_to_write_into_where_they_are_constants_too(fun: Callable[..., Any]) -> None:
    def written(x: Any, y: Any) -> Any:
        slope = grad(fun)(x)
        slope[:2] = y
        return slope

    x, y = np.ones(4), np.array([5.0, 6.0])
    np.testing.assert_array_equal(jit(written)(x, y), written(x, y))
    np.testing.assert_array_equal(grad(lambda y: np.sum(jit(written)(x, y) * x))(y), [1.0, 1.0])
