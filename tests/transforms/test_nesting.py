"""Transformations inside transformations: each derivative is taken with respect to its own variable, and no other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff import checkpoint, grad, jacfwd, jacrev, jvp, linearize, make_tape, vjp, vmap

X = 0.7
BATCH = np.array([0.3, -0.8, 1.1])


def f(x: Any) -> Any:
    return np.sin(x) * np.exp(x)


def first(x: Any) -> Any:
    return np.exp(x) * (np.sin(x) + np.cos(x))


def second(x: Any) -> Any:
    return 2 * np.exp(x) * np.cos(x)


def third(x: Any) -> Any:
    return 2 * np.exp(x) * (np.cos(x) - np.sin(x))


def push(fun: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: jvp(fun, (x,), (x * 0 + 1.0,))[1]


def pull(fun: Callable[..., Any]) -> Callable[..., Any]:
    def derivative(x: Any) -> Any:
        value, pullback = vjp(fun, x)
        return pullback(value * 0 + 1.0)[0]

    return derivative


def linear(fun: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: linearize(fun, x)[1](x * 0 + 1.0)


FIRST: dict[str, Callable[..., Any]] = {
    "grad": grad, "jvp": push, "vjp": pull, "linearize": linear, "jacfwd": jacfwd, "jacrev": jacrev,
    "checkpoint": lambda fun: grad(checkpoint(fun)), "checkpointed": lambda fun: checkpoint(grad(fun)),
}  # fmt: skip


@pytest.mark.parametrize("a", FIRST)
@pytest.mark.parametrize("b", FIRST)
def test_two_derivatives_of_any_kind(a: str, b: str) -> None:
    assert FIRST[a](FIRST[b](f))(X) == pytest.approx(second(X), rel=1e-12)


@pytest.mark.parametrize("a", FIRST)
@pytest.mark.parametrize("b", FIRST)
@pytest.mark.parametrize("c", ["grad", "jvp", "linearize", "checkpoint"])
def test_three_derivatives_of_any_kind(a: str, b: str, c: str) -> None:
    assert FIRST[a](FIRST[b](FIRST[c](f)))(X) == pytest.approx(third(X), rel=1e-12)


@pytest.mark.parametrize("kind", FIRST)
def test_batch_of_derivatives(kind: str) -> None:
    np.testing.assert_allclose(vmap(FIRST[kind](f))(BATCH), first(BATCH), rtol=1e-12)


@pytest.mark.parametrize("a", FIRST)
@pytest.mark.parametrize("b", FIRST)
def test_derivative_of_a_batch_of_derivatives(a: str, b: str) -> None:
    def total(x: Any) -> Any:
        return np.sum(vmap(FIRST[b](f))(BATCH * x))

    assert FIRST[a](total)(1.0) == pytest.approx(np.sum(second(BATCH) * BATCH), rel=1e-12)


@pytest.mark.parametrize("kind", FIRST)
def test_tape_of_a_derivative_runs(kind: str) -> None:
    tape = make_tape(FIRST[kind](f))(X)
    from autodiff import check_tape, eval_tape

    check_tape(tape)
    assert eval_tape(tape, 0.2) == pytest.approx(first(0.2), rel=1e-12)


@pytest.mark.parametrize("a", ["grad", "jvp", "vjp", "linearize", "checkpoint"])
@pytest.mark.parametrize("b", ["grad", "jvp", "vjp", "linearize", "checkpoint"])
def test_perturbations_are_not_confused(a: str, b: str) -> None:
    """d/dx [x * d/dy (x + y)] = 1: an inner derivative that mistook x for its variable would give 2."""
    assert FIRST[a](lambda x: x * FIRST[b](lambda y: x + y)(1.0))(2.0) == 1.0


@pytest.mark.parametrize("a", ["grad", "jvp", "vjp", "linearize"])
@pytest.mark.parametrize("b", ["grad", "jvp", "vjp", "linearize"])
@pytest.mark.parametrize("c", ["grad", "jvp", "vjp", "linearize"])
def test_closures_over_every_outer_level(a: str, b: str, c: str) -> None:
    """d/dx d/dy d/dz of x^3 y^2 z^2 + x y z, each inside the last, closing over the others."""

    def of_x(x: Any) -> Any:
        def of_y(y: Any) -> Any:
            return FIRST[c](lambda z: x**3 * y**2 * z**2 + x * y * z)(x * y)

        return FIRST[b](of_y)(x + 1.0)

    # d/dz at z = xy: 2 x^4 y^3 + x y; d/dy: 6 x^4 y^2 + x at y = x + 1; then d/dx
    x = 0.5
    wanted = 24 * x**3 * (x + 1) ** 2 + 12 * x**4 * (x + 1) + 1
    assert FIRST[a](of_x)(x) == pytest.approx(wanted, rel=1e-12)


def test_closure_over_an_outer_tracer_inside_a_batch() -> None:
    gradient = grad(lambda w: np.sum(vmap(lambda x: w * x**2)(BATCH)))(2.0)
    assert gradient == pytest.approx(np.sum(BATCH**2))


def test_gradient_inside_a_batch_inside_a_gradient() -> None:
    def loss(w: Any) -> Any:
        return np.sum(vmap(lambda x: grad(lambda y: w * y**3)(x) * w)(BATCH))

    assert grad(loss)(2.0) == pytest.approx(np.sum(2 * 2.0 * 3 * BATCH**2))


def test_batch_inside_a_batch_inside_a_gradient() -> None:
    def loss(w: Any) -> Any:
        return np.sum(vmap(lambda a: vmap(lambda b: np.sin(w * a * b))(BATCH))(BATCH))

    product = np.outer(BATCH, BATCH)
    assert grad(loss)(0.4) == pytest.approx(np.sum(product * np.cos(0.4 * product)))


def test_values_that_share_a_tangent_are_different_captures() -> None:
    """x and x + 1 have one tangent; a body that closes over both must not take one for the other."""
    value, tangent = jvp(lambda x: checkpoint(lambda: x * (x + 1))(), (2.0,), (1.0,))
    assert (value, tangent) == (6.0, 5.0)
    np.testing.assert_array_equal(
        vmap(lambda x: vmap(lambda y: x * (x + 1) + y)(BATCH))(BATCH)[:, 0], BATCH * (BATCH + 1) + BATCH[0]
    )


def test_values_of_two_outer_bodies_with_one_number_are_different_captures() -> None:
    found = vmap(lambda x: vmap(lambda y: vmap(lambda z: 100 * x + 10 * y + z)(np.arange(2.0)))(np.arange(2.0)))(
        np.arange(2.0)
    )
    np.testing.assert_array_equal(found.ravel(), [0, 1, 10, 11, 100, 101, 110, 111])


def test_pullback_called_later_inside_newer_traces() -> None:
    _, pullback = vjp(lambda x: x**3, 2.0)
    assert grad(lambda g: pullback(g)[0] ** 2)(1.0) == pytest.approx(2 * 12.0**2)
    np.testing.assert_allclose(vmap(lambda g: pullback(g)[0])(BATCH), 12 * BATCH)
    assert jvp(lambda g: pullback(g)[0], (1.0,), (1.0,))[1] == 12.0
    assert checkpoint(lambda g: pullback(g)[0])(2.0) == 24.0


def test_tangent_map_called_later_inside_newer_traces() -> None:
    _, tangent_map = linearize(lambda x: x**3, 2.0)
    assert grad(lambda v: tangent_map(v) ** 2)(1.0) == pytest.approx(2 * 12.0**2)
    np.testing.assert_allclose(vmap(tangent_map)(BATCH), 12 * BATCH)


def test_pullback_of_an_outer_trace_inside_an_inner_one() -> None:
    def outer(x: Any) -> Any:
        _, pullback = vjp(lambda y: y**3 * x, x)
        return grad(lambda g: pullback(g)[0] * g)(x)

    # pullback(g) = 3 x^3 g, so the inner gradient at g = x is 6 x^4
    assert grad(outer)(2.0) == pytest.approx(24 * 8.0)


@pytest.mark.parametrize(
    "apply",
    [
        lambda branch: checkpoint(branch)(0.0),
        lambda branch: checkpoint(branch)(np.float32(0.0)),
        lambda branch: vmap(branch)(np.zeros(3))[1],
        lambda branch: jvp(branch, (0.0,), (1.0,))[0],
        lambda branch: vjp(branch, 0.0)[0],
        lambda branch: linearize(branch, 0.0)[0],
    ],
)
def test_a_branch_that_touches_only_closed_over_values(apply: Any) -> None:
    def through_a_body(w: Any) -> Any:
        return apply(lambda _: np.sin(w) * w)

    plain = grad(lambda w: np.sin(w) * w)
    assert grad(through_a_body)(2.0) == pytest.approx(plain(2.0), rel=1e-15)
    assert grad(grad(through_a_body))(2.0) == pytest.approx(grad(plain)(2.0), rel=1e-14)
    assert jvp(through_a_body, (2.0,), (1.0,))[1] == pytest.approx(plain(2.0), rel=1e-15)
    np.testing.assert_allclose(vmap(grad(through_a_body))(np.arange(3.0)), [plain(float(w)) for w in range(3)])
