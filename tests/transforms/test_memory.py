"""What is kept alive, counted in arrays. Collection of cycles is off: reference counts alone must free everything."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import checkpoint, grad, hessian, jit, jvp, linearize, vjp, vmap

from .live_arrays import counted

LARGE = np.linspace(-1, 1, 1_000_000, dtype=np.float32)


def test_one_array_a_step() -> None:
    def chain(x: Any) -> Any:
        for _ in range(100):
            x = np.tanh(x)
        return x

    with counted(LARGE) as memory:
        value, pullback = vjp(chain, LARGE)
        assert memory.peak < 102
        del value  # an array of the caller's own: writing to it does not change the tape
        assert memory.held == pytest.approx(100, abs=0.1)  # each result is its own residual
        del pullback
        assert memory.held < 0.1


def test_sums_keep_nothing() -> None:
    def chain(x: Any, y: Any) -> Any:
        for _ in range(100):
            x = x + y
        return x

    with counted(LARGE) as memory:
        value, pullback = vjp(chain, LARGE, LARGE)
        assert memory.held == pytest.approx(1, abs=0.1)
        assert memory.peak < 3.1
        del value, pullback
        assert memory.held < 0.1


def test_what_no_result_depends_on_is_freed_at_once() -> None:
    def wasteful(x: Any) -> Any:
        for _ in range(20):
            np.tanh(np.sin(x))
        return x

    with counted(LARGE) as memory:
        grad(lambda x: np.sum(wasteful(x)))(LARGE)
        assert memory.peak < 6


def test_forward_mode_is_flat() -> None:
    def chain(x: Any) -> Any:
        for _ in range(200):
            x = np.tanh(x)
        return x

    tangent = np.ones_like(LARGE)
    with counted(LARGE) as memory:
        jvp(chain, (LARGE,), (tangent,))
        assert memory.peak < 6.1


def test_the_reverse_pass_frees_nothing_it_needs_again_and_keeps_little() -> None:
    def chain(x: Any) -> Any:
        for _ in range(50):
            x = np.tanh(x)
        return np.sum(x)

    with counted(LARGE) as memory:
        grad(chain)(LARGE)
        assert memory.peak < 50 + 5
        assert memory.held < 0.1


def test_a_checkpoint_keeps_its_arguments_only() -> None:
    @checkpoint
    def ten_steps(x: Any) -> Any:
        for _ in range(10):
            x = np.tanh(x)
        return x

    def chain(x: Any) -> Any:
        for _ in range(10):
            x = ten_steps(x)
        return x

    with counted(LARGE) as memory:
        value, pullback = vjp(chain, LARGE)
        assert memory.held == pytest.approx(11, abs=0.2)  # one a part, a copy of the argument, and the value
        assert memory.peak < 14
        memory.reset_peak()
        pullback(value)
        assert memory.peak < 11 + 10 + 6
        del value, pullback
        assert memory.held < 0.1


def test_checkpoints_inside_a_second_derivative_keep_little_too() -> None:
    @checkpoint
    def ten_steps(x: Any) -> Any:
        for _ in range(10):
            x = np.sin(x)
        return x

    def gradient(x: Any) -> Any:
        return grad(lambda x: np.sum(ten_steps(x)))(x)

    with counted(LARGE) as memory:
        value, pullback = vjp(gradient, LARGE)
        assert memory.held < 5  # not the forty intermediate values of the gradient
        del value, pullback
        assert memory.held < 0.1


def test_checkpoints_inside_a_batch_keep_their_arguments_only() -> None:
    @checkpoint
    def ten_steps(x: Any) -> Any:
        for _ in range(10):
            x = np.sin(x)
        return x

    rows = LARGE.reshape(1000, 1000)
    with counted(LARGE) as memory:
        value, pullback = vjp(vmap(ten_steps), rows)
        assert memory.held < 2.2
        del value, pullback
        assert memory.held < 0.1


def test_a_tangent_map_keeps_what_is_linear() -> None:
    def chain(x: Any) -> Any:
        for _ in range(20):
            x = x * 0.5 + x
        return x

    with counted(LARGE) as memory:
        _, tangent_map = linearize(chain, LARGE)
        assert memory.held < 1.5
        del tangent_map, _
        assert memory.held < 0.1


@pytest.mark.parametrize(
    "transformed",
    [
        hessian(lambda x: np.sum(np.tanh(x))),
        vmap(grad(lambda x: np.sum(x**2) * 2.0)),
        jit(grad(lambda x: np.sum(np.exp(x)))),
        grad(checkpoint(lambda x: np.sum(np.sin(x)))),
    ],
)
def test_nothing_refers_back_to_itself(transformed: Callable[..., Any]) -> None:
    x = np.ones((3, 2))
    transformed(x)
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            transformed(x)
        assert gc.collect() == 0
    finally:
        gc.enable()
