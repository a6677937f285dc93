"""Programs whose tangents come later than their values: under linearize, and Jacobians by forward mode."""

import numpy as np
import pytest

import autodiff
from autodiff import jit

X = np.array([1.0, -2.0])


def product(x):
    return np.exp(x) * x[0]


def several(x):
    return np.sin(x), np.sum(x), np.floor(x), 3.0


def loop(x):
    return autodiff.fori_loop(0, 3, lambda k, c: np.sin(c) * x, x)


@pytest.mark.parametrize("function", [np.sin, product, several, loop, np.floor])
def test_values_and_tangents_are_plain(function):
    value, push = autodiff.linearize(jit(function), X)
    expected, its = autodiff.linearize(function, X)
    for ours, theirs in zip(parts(value), parts(expected), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-14)
    for direction in (np.ones(2), np.array([0.0, 2.0])):
        for ours, theirs in zip(parts(push(direction)), parts(its(direction)), strict=True):
            np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-14)


def parts(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("transformation", [autodiff.value_and_jacobian, autodiff.jacfwd, autodiff.jacobian])
@pytest.mark.parametrize("function", [np.sin, product, loop, np.floor])
def test_jacobians(transformation, function):
    ours, theirs = transformation(jit(function))(X), transformation(function)(X)
    for a, b in zip(parts(ours), parts(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_what_is_passed_on_is_plain():
    jacobian, aux = autodiff.jacfwd(jit(lambda x: (x**2, x + 1)), has_aux=True)(X)
    np.testing.assert_array_equal(jacobian, np.diag(2 * X))
    np.testing.assert_array_equal(aux + 1, X + 2)


@pytest.mark.parametrize(
    "function", [lambda x: np.sum(np.abs(x)), np.max, lambda x: np.sum(np.maximum(x, 0)), np.median]
)
def test_hessians_of_functions_whose_gradient_is_constant(function):
    np.testing.assert_array_equal(autodiff.hessian(jit(function))(X), np.zeros((2, 2)))


def test_blocks_that_do_not_depend_on_each_other():
    blocks = autodiff.hessian(jit(lambda x, y: np.sum(np.abs(x)) + y**2), argnums=(0, 1))(X, 2.0)
    np.testing.assert_array_equal(blocks[0][0], np.zeros((2, 2)))
    np.testing.assert_array_equal(blocks[0][1], np.zeros(2))
    assert blocks[1][1] == 2.0


def test_branches_on_values_of_programs():
    jacobian = autodiff.jacfwd(lambda x: np.sin(x) if jit(np.sum)(x) > 0 else np.cos(x))(X)
    np.testing.assert_allclose(jacobian, np.diag(-np.sin(X)))


def test_values_of_programs_do_not_depend_on_directions():
    value, tangents = autodiff.vmap(lambda v: autodiff.jvp(jit(np.sin), (X,), (v,)), out_axes=(None, 0))(np.eye(2))
    np.testing.assert_allclose(value, np.sin(X))
    np.testing.assert_allclose(tangents, np.diag(np.cos(X)))


def test_other_transformations_around():
    def norm(transformed):
        return lambda x: np.sum(autodiff.jacfwd(transformed)(x))

    expected = autodiff.grad(norm(product))(X)
    np.testing.assert_allclose(autodiff.grad(norm(jit(product)))(X), expected, rtol=1e-13)
    np.testing.assert_allclose(jit(autodiff.grad(norm(jit(product))))(X), expected, rtol=1e-13)
    batch = np.stack([X, X + 1])
    np.testing.assert_allclose(autodiff.vmap(autodiff.jacfwd(jit(product)))(batch)[0], autodiff.jacfwd(product)(X))


def test_what_is_done_in_its_turn_is_done_once():
    seen = []

    def noted(x):
        x = autodiff.debug.callback(lambda y: seen.append(np.asarray(y)), x)
        return x * x

    _, push = autodiff.linearize(jit(noted), X)
    assert len(seen) == 1
    push(np.ones(2))
    push(np.ones(2))
    assert len(seen) == 1


def test_gauss_newton_of_a_program():
    def residual(p):
        return np.stack([p["a"] - 1.0, 10 * (p["b"] - p["a"] ** 2)])

    method, start = autodiff.optimize.gauss_newton(jit(residual)), {"a": 0.0, "b": 1.0}
    steps, _ = method.update(None, method.init(start), start)
    assert steps["a"] == pytest.approx(1.0)


@pytest.mark.parametrize("function", [lambda x: x, lambda x: -x, np.sin, lambda x: np.where(x > 0, x, 0.0)])
def test_the_tangent_of_a_scalar_is_a_scalar_whatever_the_direction(function):
    x = np.float64(1.5)
    pushed = [
        lambda x, v: autodiff.linearize(function, x)[1](v),
        lambda x, v: autodiff.jvp(function, (x,), (v,))[1],
    ]
    for push in pushed:
        for v in (0.5, np.float64(0.5)):
            assert type(jit(push)(x, v)) is type(push(x, v))
