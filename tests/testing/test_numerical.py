"""Numerical derivatives against closed forms, with honest error estimates."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autodiff.testing import assert_close, directional_derivative, numerical_jacobian, numerical_pullback
from autodiff.testing.differences.extrapolation import extrapolate

X = np.linspace(-2.0, 2.0, 9) + 0.013
P = abs(X) + 0.1
Z = X + 1j * X[::-1] / 3
A = np.array([[2.0, 0.5, -0.3], [0.1, 1.5, 0.7], [-0.4, 0.2, 3.0]])
V = np.array([[0.3, -0.5, 0.25], [1.0, 0.75, -0.6], [0.4, 0.9, -1.0]])

CLOSED_FORMS: list[tuple[Callable[[Any], Any], Callable[[Any], Any], Any]] = [
    (np.sin, np.cos, X),
    (np.exp, np.exp, X),
    (np.tanh, lambda x: 1 - np.tanh(x) ** 2, X),
    (np.log, lambda x: 1 / x, P),
    (np.sqrt, lambda x: 0.5 / np.sqrt(x), P),
    (lambda x: x**7, lambda x: 7 * x**6, X),
    (np.abs, np.sign, X),
    (np.floor, np.zeros_like, X),
    (lambda x: np.full_like(x, 3.0), np.zeros_like, X),
    (np.exp, np.exp, Z),
    (np.sin, np.cos, Z),
    (lambda z: z * z * z, lambda z: 3 * z * z, Z),
]


@pytest.mark.parametrize(("fun", "derivative", "x"), CLOSED_FORMS)
def test_elementwise_closed_forms(fun: Any, derivative: Any, x: Any) -> None:
    slope, error = directional_derivative(fun, (x,), (np.ones_like(x),))
    exact = derivative(x)
    assert_close(slope, exact, rtol=1e-10, atol=1e-11)
    assert (abs(slope - exact) <= error + 1e-13).all()
    assert (error < 1e-8).all()


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 100.0, 1e4])
def test_the_step_fits_the_magnitude_of_the_argument(scale: float) -> None:
    x = scale * np.array([1.0, 2.5])
    slope, _ = directional_derivative(np.log, (x,), (np.ones(2),))
    assert_close(slope, 1 / x, rtol=1e-9)


def test_a_pole_has_no_derivative_and_says_so() -> None:
    _, error = directional_derivative(lambda x: 1 / x, (np.array([0.0]),), (np.array([1.0]),))
    assert not np.isfinite(error).any()


def test_nan_is_no_derivative() -> None:
    slope, error = directional_derivative(np.log, (np.array([-1.0, 2.0]),), (np.ones(2),))
    assert np.isinf(error[0])
    assert np.isnan(slope[0])
    assert_close(slope[1], 0.5, rtol=1e-10)


def test_noise_shows_in_the_error_estimate() -> None:
    def rounded(x: Any) -> Any:
        return np.sin(x).astype(np.float32)

    slope, error = directional_derivative(rounded, (X,), (np.ones_like(X),))
    assert (abs(slope - np.cos(X)) <= error + 1e-3).all()
    assert error.max() > 1e-7


def test_matrix_inverse() -> None:
    slope, _ = directional_derivative(np.linalg.inv, (A,), (V,))
    assert_close(slope, -np.linalg.inv(A) @ V @ np.linalg.inv(A), rtol=1e-10, atol=1e-11)


def test_determinant() -> None:
    slope, _ = directional_derivative(np.linalg.det, (A,), (V,))
    assert_close(slope, np.linalg.det(A) * np.trace(np.linalg.inv(A) @ V), rtol=1e-10)


def test_trees_in_and_out_and_whole_numbers_stay() -> None:
    def fun(params: dict[str, Any], power: Any) -> dict[str, Any]:
        return {"cube": params["x"] ** power, "count": params["x"].shape[0]}

    slope, error = directional_derivative(fun, ({"x": X}, 3), ({"x": np.ones_like(X)}, 0))
    assert_close(slope, {"cube": 3 * X**2, "count": np.array(0.0)}, rtol=1e-10, atol=1e-11)
    assert set(error) == {"cube", "count"}


@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.float64(0.5), 0.5, np.array(0.5)])
def test_empty_arrays_and_scalars(x: Any) -> None:
    slope, _ = directional_derivative(np.sin, (x,), (np.ones_like(x),))
    assert_close(slope, np.cos(x), rtol=1e-10)


def test_real_functions_of_complex_arguments() -> None:
    v = np.conj(Z) + 0.5
    slope, _ = directional_derivative(np.abs, (Z,), (v,))
    assert_close(slope, (np.conj(Z) * v).real / abs(Z), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(("fun", "derivative"), [(np.sin, np.cos), (np.exp, np.exp)])
def test_the_complex_step_is_exact(fun: Any, derivative: Any) -> None:
    slope, _ = directional_derivative(fun, (X,), (np.ones_like(X),), method="complex-step")
    assert_close(slope, derivative(X), rtol=4e-16, atol=0.0)


def test_the_complex_step_refuses_complex_arguments() -> None:
    with pytest.raises(TypeError) as error:
        directional_derivative(np.sin, (Z,), (Z,), method="complex-step")
    assert str(error.value) == (
        "the complex step needs real arguments, and a complex one arrived; use method='central' "
        "for functions of complex arguments"
    )


def test_the_complex_step_refuses_functions_that_drop_the_imaginary_part() -> None:
    with pytest.raises(TypeError) as error:
        directional_derivative(np.abs, (X,), (X,), method="complex-step")
    assert str(error.value) == (
        "the complex step needs a function that carries complex numbers through, and dtype float64 came out; "
        "use method='central' for it"
    )


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="methods") as error:
        directional_derivative(np.sin, (X,), (X,), method="forward")  # type: ignore[arg-type]
    assert str(error.value) == "the methods are 'central' and 'complex-step', and 'forward' arrived"


def test_a_missing_tangent_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        directional_derivative(np.add, (X, X), (X,))
    assert str(error.value) == (
        "the arguments have 2 leaves, the tangents 1; give one tangent of equal structure for each argument"
    )


def test_jacobian_of_a_linear_map_is_its_matrix() -> None:
    assert_close(numerical_jacobian(lambda x: A @ x, X[:3]), A, rtol=1e-10, atol=1e-11)


def test_jacobian_by_the_second_argument_and_of_higher_rank() -> None:
    jacobian = numerical_jacobian(np.matmul, A, V, argnum=1)
    assert jacobian.shape == (3, 3, 3, 3)
    assert_close(jacobian, np.einsum("ik,jl->ijkl", A, np.eye(3)), rtol=1e-10, atol=1e-11)


def test_jacobian_of_a_holomorphic_function() -> None:
    assert_close(numerical_jacobian(np.exp, Z), np.diag(np.exp(Z)), rtol=1e-10, atol=1e-11)


def test_jacobian_by_complex_steps() -> None:
    assert_close(numerical_jacobian(np.sin, X, method="complex-step"), np.diag(np.cos(X)), rtol=4e-16, atol=0.0)


@pytest.mark.parametrize("x", [np.zeros(0), np.zeros((2, 0))])
def test_jacobian_of_empty_arguments(x: Any) -> None:
    assert numerical_jacobian(np.sum, x).shape == x.shape


def test_no_jacobian_where_a_function_is_not_holomorphic() -> None:
    with pytest.raises(ValueError, match="holomorphic") as error:
        numerical_jacobian(np.conj, np.array([1 + 1j]))
    assert str(error.value) == (
        "the function is not holomorphic here: its slopes along 1 and along i differ by 2, so it has no "
        "complex Jacobian; use numerical_pullback, or differentiate by real and imaginary part"
    )


def test_pullback_of_real_functions_is_the_transposed_jacobian() -> None:
    (x, w) = numerical_pullback(lambda x, w: np.tanh(w @ x), (X[:3], A), np.array([1.0, -2.0, 0.5]))
    u = np.array([1.0, -2.0, 0.5]) * (1 - np.tanh(A @ X[:3]) ** 2)
    assert_close((x, w), (A.T @ u, np.outer(u, X[:3])), rtol=1e-9, atol=1e-10)


def test_pullback_by_complex_arguments_follows_the_convention() -> None:
    (z,) = numerical_pullback(lambda z: np.sum(abs(z) ** 2), (Z,), 1.0)
    assert_close(z, 2 * np.conj(Z), rtol=1e-9, atol=1e-10)


def test_extrapolation_removes_even_powers_of_the_step() -> None:
    steps = 2.0 ** -np.arange(4)
    limit, error = extrapolate([np.array([3.0 + h**2 - 2 * h**4 + h**6]) for h in steps])
    assert abs(limit - 3.0) < 1e-12
    assert np.isfinite(error).all()
