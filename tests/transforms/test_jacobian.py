"""Jacobians and Hessians: trees of trees, shapes ``out + in``, complex functions, sizes of zero."""

import inspect
from typing import Any, NamedTuple

import numpy as np
import pytest

from autodiff import checkpoint, grad, hessian, hvp, jacfwd, jacobian, jacrev, jit, vmap
from autodiff.trace.errors import DifferentiationError

from .raised import raised

X = np.array([0.3, -0.8, 1.1])
EVERY = pytest.mark.parametrize("jac", [jacfwd, jacrev, jacobian])


@EVERY
def test_matrix(jac: Any) -> None:
    found = jac(lambda x: np.sin(x) * np.sum(x))(X)
    np.testing.assert_allclose(found, np.diag(np.cos(X)) * np.sum(X) + np.sin(X)[:, None], rtol=1e-13)
    assert found.flags.writeable


@EVERY
def test_shape_is_that_of_the_result_and_then_that_of_the_argument(jac: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    found = jac(lambda x: np.stack([x.T, 2 * x.T]))(x)
    assert found.shape == (2, 3, 2, 2, 3)
    np.testing.assert_array_equal(found[1, 2, 0], [[0, 0, 2], [0, 0, 0]])


@EVERY
def test_numbers(jac: Any) -> None:
    assert jac(np.sin)(0.5) == np.cos(0.5)
    assert np.shape(jac(np.sin)(0.5)) == ()
    np.testing.assert_array_equal(jac(lambda x: x * np.arange(3.0))(2.0), [0, 1, 2])
    np.testing.assert_array_equal(jac(lambda x: np.sum(x * x))(X), 2 * X)


class Point(NamedTuple):
    x: Any
    y: Any


@EVERY
def test_tree_of_trees(jac: Any) -> None:
    def f(p: Any, z: Any) -> Any:
        return {"a": p["w"] * p["q"].x + z, "b": (np.sum(z * p["w"]), p["q"].y)}

    tree = {"w": X, "q": Point(np.float64(2.0), 3.0)}
    found = jac(f, argnums=(0, 1))(tree, 2 * X)
    by_tree, by_z = found["a"]
    np.testing.assert_allclose(by_tree["w"], 2 * np.eye(3))
    np.testing.assert_allclose(by_tree["q"].x, X)
    np.testing.assert_allclose(by_tree["q"].y, np.zeros(3))
    np.testing.assert_allclose(by_z, np.eye(3))
    (by_tree, by_z), (by_tree_2, _) = found["b"]
    np.testing.assert_allclose(by_tree["w"], 2 * X)
    np.testing.assert_allclose(by_z, X)
    assert by_tree_2["q"] == Point(0.0, 1.0)


@EVERY
def test_argnames_and_aux(jac: Any) -> None:
    found, aux = jac(lambda x, k: (k * x, {"k": k * 1}), argnames="k", has_aux=True)(X, k=2.0)
    np.testing.assert_array_equal(found, X)
    assert aux == {"k": 2.0}


@EVERY
def test_sizes_of_zero(jac: Any) -> None:
    empty = np.zeros((0, 2))
    assert jac(lambda x: x * 2)(empty).shape == (0, 2, 0, 2)
    assert jac(np.sum)(empty).shape == (0, 2)
    assert jac(lambda y: y * empty)(1.0).shape == (0, 2)
    assert jac(lambda x: np.concatenate([x, x]))(np.zeros(0, np.float32)).shape == (0, 0)
    assert jac(lambda t: t["a"] * 2)({"a": X, "b": empty})["b"].shape == (3, 0, 2)


@EVERY
def test_float32_stays(jac: Any) -> None:
    assert jac(np.tanh)(X.astype(np.float32)).dtype == np.float32


ONE_WAY = {
    "forward": jacfwd, "reverse": jacrev, "auto": jacobian, "jit": lambda fun: jit(jacfwd(fun), backend="numpy"),
    "sparse": lambda fun: jacobian(fun, sparse=True),
    "sparse forward": lambda fun: jacobian(fun, mode="forward", sparse=True),
    "sparse reverse": lambda fun: jacobian(fun, mode="reverse", sparse=True),
}  # fmt: skip


@pytest.mark.parametrize("way", ONE_WAY)
@pytest.mark.parametrize("argument", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("result", [np.float16, np.float32, np.float64])
def test_dtype_is_that_of_the_argument_in_each_mode(way: str, argument: Any, result: Any) -> None:
    found = ONE_WAY[way](lambda x: x.astype(result) ** 2)(X.astype(argument))
    assert found.dtype == argument
    dense = found if isinstance(found, np.ndarray) else found.astype(float).toarray()
    np.testing.assert_allclose(dense, np.diag(2 * X), rtol=2e-3)


def test_dtype_is_complex_where_only_the_result_is() -> None:
    assert jacfwd(lambda x: x * np.complex128(1j))(X.astype(np.float32)).dtype == np.complex64
    assert jacfwd(lambda x: x * np.complex64(1j))(X).dtype == np.complex128
    assert jacrev(lambda z: np.abs(z).astype(np.float64))((X + 1j).astype(np.complex64)).dtype == np.complex64


@EVERY
def test_result_that_does_not_depend_on_the_argument(jac: Any) -> None:
    np.testing.assert_array_equal(jac(lambda x: np.ones(2))(X), np.zeros((2, 3)))


@EVERY
def test_holomorphic(jac: Any) -> None:
    z = np.array([1 + 2j, 3.0])
    np.testing.assert_allclose(jac(lambda z: z * z, holomorphic=True)(z), np.diag(2 * z))


@EVERY
def test_infinite_derivatives_come_without_a_warning(jac: Any) -> None:
    x = np.array([1e-300, 2e-300])
    np.testing.assert_array_equal(jac(lambda x: np.sum(x / 1e-200 / 1e-200))(x), [np.inf, np.inf])
    assert jac(lambda x: x / 1e-200 / 1e-200)(1e-300) == np.inf


def test_complex_results_of_real_inputs_go_forward() -> None:
    for jac in (jacfwd, jacobian):
        np.testing.assert_allclose(jac(lambda x: x * (1 + 1j))(X), (1 + 1j) * np.eye(3))


def test_real_results_of_complex_inputs_go_backward() -> None:
    z = np.array([1 + 2j])
    for jac in (jacrev, jacobian):
        np.testing.assert_allclose(jac(lambda z: np.sum(np.abs(z) ** 2))(z), 2 * np.conj(z))


def test_a_jacobian_is_differentiable_and_batches() -> None:
    def f(x: Any) -> Any:
        return np.sin(x) * np.sum(x)

    for jac in (jacfwd, jacrev, jacobian):
        gradient = grad(lambda x, jac=jac: np.sum(jac(f)(x)))(X)
        np.testing.assert_allclose(gradient, -np.sin(X) * np.sum(X) + np.sum(np.cos(X)) + 3 * np.cos(X))
        many = vmap(jac(f))(np.stack([X, 2 * X]))
        np.testing.assert_allclose(many[1], jac(f)(2 * X))


@pytest.mark.parametrize("outer", [jacfwd, jacrev, jacobian])
@pytest.mark.parametrize("inner", [jacfwd, jacrev, jacobian])
def test_second_order(outer: Any, inner: Any) -> None:
    found = outer(inner(lambda x: np.sum(x**3) * x[0]))(X)
    wanted = np.diag(6 * X) * X[0]
    wanted[0] += 3 * X**2
    wanted[:, 0] += 3 * X**2
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_hessian() -> None:
    np.testing.assert_allclose(hessian(lambda x: np.sum(x**3))(X), np.diag(6 * X))
    np.testing.assert_allclose(
        hessian(checkpoint(lambda x: np.sum(np.sin(x)) ** 2))(X),
        np.diag(-2 * np.sum(np.sin(X)) * np.sin(X)) + 2 * np.outer(np.cos(X), np.cos(X)),
    )
    assert hessian(np.sin)(1.0) == -np.sin(1.0)
    found, aux = hessian(lambda x: (np.sum(x**2), "aux"), has_aux=True)(X)
    np.testing.assert_array_equal(found, 2 * np.eye(3))
    assert aux == "aux"


def test_hessian_of_trees() -> None:
    found = hessian(lambda p: p["a"] ** 2 * p["b"])({"a": 2.0, "b": 3.0})
    assert found == {"a": {"a": 6.0, "b": 4.0}, "b": {"a": 4.0, "b": 0.0}}


def test_hessian_vector_product() -> None:
    v = np.array([1.0, 0.0, -2.0])
    np.testing.assert_allclose(hvp(lambda x: np.sum(x**3), (X,), (v,)), 6 * X * v)
    x, y = hvp(lambda x, y: np.sum(x**2 * y), (X, 2 * X), (v, v))
    np.testing.assert_allclose(x, 2 * 2 * X * v + 2 * X * v)
    np.testing.assert_allclose(y, 2 * X * v)


def test_names_are_kept() -> None:
    def loss(x: Any) -> Any:
        """The loss."""
        return x

    for transform in (jacfwd, jacrev, jacobian, hessian, checkpoint):
        transformed = transform(loss)
        assert (transformed.__name__, transformed.__doc__) == ("loss", "The loss.")
        assert str(inspect.signature(transformed)) == "(x: Any) -> Any"


def test_complex_arguments_are_refused_forward() -> None:
    text, line = raised(DifferentiationError, lambda: jacfwd(lambda z: z)(np.ones(2, complex)))
    assert text == (
        "jacfwd differentiates with respect to real floating-point numbers and arrays, but argument 0 is complex128[2] "
        f"(test_jacobian.py:{line}). Pass 3.0 in place of 3, x.astype(float) in place of integers; leave other "
        "arguments out by argnums."
    )


def test_complex_results_are_refused_backward() -> None:
    text, line = raised(DifferentiationError, lambda: jacrev(lambda x: x * 1j)(X))
    assert text == (
        "jacrev without holomorphic=True needs real numbers here, but the result of <lambda> is complex128[3] "
        f"(test_jacobian.py:{line})"
    )


def test_real_arguments_are_refused_where_the_function_is_holomorphic() -> None:
    text, line = raised(DifferentiationError, lambda: jacobian(lambda z: z, holomorphic=True)(X))
    assert text == (
        f"jacobian with holomorphic=True needs complex numbers, but an argument is float64[3] (test_jacobian.py:{line})"
    )


@EVERY
def test_results_without_derivative_are_refused(jac: Any) -> None:
    text, line = raised(DifferentiationError, lambda: jac(lambda x: x > 0)(X))
    assert text == (
        f"{jac.__name__} needs a function that returns real or complex floating-point numbers, but <lambda> returned "
        f"bool[3] (test_jacobian.py:{line}); with has_aux=True a second result is passed on"
    )


def test_unknown_mode() -> None:
    text, _ = raised(ValueError, lambda: jacobian(np.sin, mode="sideways"))  # type: ignore[arg-type]
    assert text == "jacobian: mode must be 'auto', 'forward' or 'reverse', got 'sideways'"


@pytest.mark.parametrize("mode", ["auto", "forward", "reverse"])
def test_modes_agree(mode: Any) -> None:
    f = lambda x: np.stack([np.sum(x), np.prod(x)])  # noqa: E731
    np.testing.assert_allclose(jacobian(f, mode=mode)(X), [np.ones(3), np.prod(X) / X])


@EVERY
def test_programs_that_assign_into_zeros(jac: Any) -> None:
    def f(x: Any) -> Any:
        y = np.zeros_like(x, shape=(2, 2))
        y[0, 0] += np.sum(x)
        y[1] = x[:2] * x[1]
        return y

    wanted = [[[1, 1, 1], [0, 0, 0]], [[X[1], X[0], 0], [0, 2 * X[1], 0]]]
    np.testing.assert_allclose(jit(jac(f))(X), wanted)
    np.testing.assert_allclose(jac(f)(X), wanted)


@pytest.mark.parametrize("reduced", [np.mean, np.var, np.std, lambda x: np.sum(x) / 0, lambda x: np.mean(x, axis=0)[0]])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_has_no_elements_moves_nothing(reduced: Any) -> None:
    """The mean of nothing is NaN, and a constant: in both modes, eagerly and compiled."""
    nothing, x = np.zeros((0, 2)), np.array([0.5, -1.0])

    def f(x: Any) -> Any:
        return np.tanh(x) + reduced(x * nothing)

    expected = np.diag(1 - np.tanh(x) ** 2)
    for transform in (jacrev, jacfwd):
        np.testing.assert_allclose(transform(f)(x), expected)
        np.testing.assert_allclose(jit(transform(f))(x), expected)


def test_views_without_elements_are_written_through() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        y[1:] -= 0.75
        part = y[1:2]
        part[part > 0.5] = -0.75
        return y

    for jac in (jacfwd, jacrev):
        np.testing.assert_array_equal(jac(f)(np.array([2.0])), [[1.0]])
        np.testing.assert_array_equal(jit(jac(f))(np.array([2.0])), [[1.0]])


@pytest.mark.parametrize("make", [jacobian, jacfwd, jacrev, lambda f: hessian(lambda x: np.sum(f(x) ** 2))])
@pytest.mark.parametrize("function", [lambda x: 3.0 * x, jit(lambda x: 3.0 * x), lambda x: np.sum(x)[None]])
def test_traced_values_are_assigned_into_constant_derivatives(make: Any, function: Any) -> None:
    """What is constant belongs to a program all the same."""

    def fun(x: Any) -> Any:
        slope = make(function)(x)
        slope[0] = x
        slope *= x
        return slope

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(jit(fun)(x), fun(x))
    assert "full" not in str(jit(make(function)).schedule(x))
