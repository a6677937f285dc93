"""Nothing is left behind: not by errors, not by leaks, not by other threads."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from autodiff import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    eval_shape,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_tape,
    vjp,
    vmap,
)
from autodiff.trace.errors import LeakedTracerError
from autodiff.trace.recording import _thread, bodies

from .raised import raised

X = np.array([0.3, -0.8, 1.1])


class Broken(Exception):
    pass


def break_down(x: Any) -> Any:
    np.sin(x * 2)
    raise Broken("inside")


def by_rule(kind: Any, **rules: Any) -> Any:
    f = kind(lambda x: break_down(x))
    getattr(f, "defvjp" if kind is custom_vjp else "defjvp")(*rules.values())
    return f


USES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(1.0),
    "grad grad": lambda f: grad(grad(f))(1.0),
    "vjp": lambda f: vjp(f, X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "linearize": lambda f: linearize(f, X),
    "jacfwd": lambda f: jacfwd(f)(X),
    "jacrev": lambda f: jacrev(f)(X),
    "hessian": lambda f: hessian(f)(X),
    "vmap": lambda f: vmap(f)(X),
    "make_tape": lambda f: make_tape(f)(X),
    "eval_shape": lambda f: eval_shape(f, X),
    "checkpoint": lambda f: grad(checkpoint(f))(1.0),
    "checkpoint in vmap in grad": lambda f: grad(lambda x: np.sum(vmap(checkpoint(f))(X * x)))(1.0),
    "fwd": lambda f: grad(by_rule(custom_vjp, fwd=f, bwd=f))(1.0),
    "bwd": lambda f: grad(by_rule(custom_vjp, fwd=lambda x: (x, x), bwd=lambda kept, g: f(g)))(1.0),
    "rule": lambda f: grad(by_rule(custom_jvp, rule=lambda p, t: f(t[0])))(1.0),
    "vmap of a function with a rule": lambda f: vmap(by_rule(custom_jvp, rule=f))(X),
}


@pytest.mark.parametrize("use", USES)
def test_after_an_error_everything_works(use: str) -> None:
    with pytest.raises(Broken, match="inside"):
        USES[use](break_down)
    assert (bodies, _thread.bodies) == ([], [])
    assert grad(np.sin)(0.0) == 1.0
    assert vmap(grad(checkpoint(np.sin)))(np.zeros(2)).tolist() == [1.0, 1.0]


def test_an_error_in_a_body_that_is_caught_inside_a_trace() -> None:
    def f(x: Any) -> Any:
        with pytest.raises(Broken):
            checkpoint(break_down)(x)
        with pytest.raises(Broken):
            vmap(break_down)(X * x)
        return x * x

    assert grad(f)(3.0) == 6.0
    assert jvp(f, (3.0,), (1.0,)) == (9.0, 6.0)
    assert (bodies, _thread.bodies) == ([], [])


LEAKS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "grad": (lambda f: grad(f)(1.0), "the derivative (grad, vjp, ...)"),
    "jvp": (lambda f: jvp(f, (1.0,), (1.0,)), "the derivative (jvp, jacfwd, ...)"),
    "make_tape": (lambda f: make_tape(f)(1.0), "the recording of a tape (make_tape, vmap, checkpoint, ...)"),
    "vmap": (lambda f: vmap(f)(X), "the recording of a tape (make_tape, vmap, checkpoint, ...)"),
    "checkpoint": (lambda f: grad(checkpoint(f))(1.0), "the recording of a tape (make_tape, vmap, checkpoint, ...)"),
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_leaked_value_is_an_error_that_names_the_line(kind: str) -> None:
    kept = []

    def leaky(x: Any) -> Any:
        kept.append(x * 2)
        return x * 3

    use, purpose = LEAKS[kind]
    use(leaky)
    text, line = raised(LeakedTracerError, lambda: kept[0] + 1)
    assert text == (
        f"add: a traced value was used after {purpose} that made it had ended (test_state.py:{line}). Return it from "
        "the function that is transformed; do not keep it in a global, an attribute or a closure."
    )
    with pytest.raises(LeakedTracerError, match=r"^sin: a traced value was used after"):
        np.sin(kept[0])
    with pytest.raises(LeakedTracerError, match=r"^multiply: a traced value was used after"):
        grad(lambda x: x * kept[0])(1.0)


def test_threads_do_not_hear_each_other() -> None:
    barrier = threading.Barrier(6)

    def slow(x: Any, k: int) -> Any:
        for _ in range(20):
            x = np.sin(x) * k
        return x

    def work(k: int) -> list[Any]:
        barrier.wait()
        return [
            value
            for _ in range(5)
            for value in (
                grad(lambda x: slow(x, k))(0.5),
                vmap(lambda x: slow(x, k))(X)[1],
                grad(checkpoint(lambda x: slow(x, k)))(0.5),
                jvp(lambda x: slow(x, k), (0.5,), (1.0,))[1],
                grad(lambda w: np.sum(vmap(checkpoint(lambda x: slow(w * x, k)))(X)))(0.5),
            )
        ]

    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(work, range(1, 7)))
    barrier = threading.Barrier(1)
    assert together == [work(k) for k in range(1, 7)]
    assert bodies == []


def test_a_pullback_made_in_one_thread_runs_in_others() -> None:
    _, pullback = vjp(lambda x: np.tanh(x) * x, X)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda g: pullback(g * np.ones(3))[0], range(20)))
    for k, cotangent in enumerate(found):
        np.testing.assert_allclose(cotangent, k * found[1])


def test_a_pullback_may_be_called_again_and_gives_arrays_of_its_own() -> None:
    _, pullback = vjp(lambda x, y: x + y, X, X)
    g = np.ones(3)
    a, b = pullback(g)
    a += 1
    np.testing.assert_array_equal(b, g)
    np.testing.assert_array_equal(g, np.ones(3))
    np.testing.assert_array_equal(pullback(g)[0], np.ones(3))


def test_arguments_are_left_untouched() -> None:
    x = X.copy()

    def f(x: Any) -> Any:
        x[0] = 5.0
        x *= 2
        return np.sum(x)

    for use in (grad(f), checkpoint(grad(f)), lambda x: jvp(f, (x,), (x,)), lambda x: linearize(f, x)):
        use(x)
        np.testing.assert_array_equal(x, X)
    vmap(f)(x[None])
    np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("size", [5, 5000])
def test_the_returned_value_may_be_written_to(size: int) -> None:
    x = np.linspace(0.1, 1.0, size)
    value, pullback, aux = vjp(lambda x: (np.tanh(x), np.exp(x)), x, has_aux=True)
    before = pullback(np.ones(size))[0]
    value *= 0.0
    aux *= 0.0
    np.testing.assert_array_equal(pullback(np.ones(size))[0], before)


@pytest.mark.parametrize("size", [5, 5000])
@pytest.mark.parametrize(
    "f", [np.tanh, np.square, lambda x: np.real(x) * np.exp(x), lambda x: x.reshape(-1) * x, lambda x: x[:] ** 3]
)
def test_the_argument_may_be_written_to_before_the_pullback_runs(f: Any, size: int) -> None:
    x = np.linspace(0.1, 1.0, size)
    expected = vjp(f, x.copy())[1](np.ones(size))[0]
    _, pullback = vjp(f, x)
    x *= 0.0
    np.testing.assert_array_equal(pullback(np.ones(size))[0], expected)
