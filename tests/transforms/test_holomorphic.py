"""``holomorphic=True``: complex derivatives, and functions that have none."""

import numpy as np
import pytest

from autodiff import grad, hessian, jacfwd, jacobian, jacrev, jit, value_and_grad, vmap
from autodiff.trace.errors import DifferentiationError
from tests.transforms.raised import raised

Z = np.array([0.7 + 0.4j, -0.3 + 1.1j])
# fmt: off
FUNCTIONS = {  # with their derivatives
    "cube":     (lambda z: z**3,                 lambda z: 3 * z**2),
    "exp":      (lambda z: np.exp(1j * z),       lambda z: 1j * np.exp(1j * z)),
    "tan":      (np.tan,                         lambda z: 1 / np.cos(z) ** 2),
    "log":      (np.log,                         lambda z: 1 / z),
    "sqrt":     (np.sqrt,                        lambda z: 0.5 / np.sqrt(z)),
    "moebius":  (lambda z: (z - 1j) / (z + 2.0), lambda z: (2.0 + 1j) / (z + 2.0) ** 2),
    "twice":    (lambda z: np.conj(np.sin(np.conj(z))), np.cos),
    "parts":    (lambda z: np.real(z) + 1j * np.imag(z), lambda z: z * 0 + 1),
}
NOT = {
    "conj": np.conj, "abs": lambda z: z * np.abs(z), "real": lambda z: np.real(z) + 0j, "square": lambda z: z * np.conj(z),
    "angle": lambda z: np.angle(z) + 0j, "imag": lambda z: 1j * np.imag(z),
}
# fmt: on


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    fun, derivative = FUNCTIONS[name]
    slope = grad(fun, holomorphic=True)
    for z in Z:
        value, found = value_and_grad(fun, holomorphic=True)(z)
        np.testing.assert_allclose((value, found), (fun(z), derivative(z)), rtol=1e-13)
        step = 1e-5
        for along in (1, 1j):
            h = along * step
            second = grad(slope, holomorphic=True)(z)
            np.testing.assert_allclose(second, (derivative(z + h) - derivative(z - h)) / (2 * h), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(vmap(slope)(Z), derivative(Z), rtol=1e-13)
    np.testing.assert_allclose(jit(slope)(Z[0]), derivative(Z[0]), rtol=1e-13)
    for jac in (jacfwd, jacrev, jacobian):
        np.testing.assert_allclose(jac(fun, holomorphic=True)(Z), np.diag(derivative(Z)), rtol=1e-13)


def test_of_vectors():
    def f(z):
        return np.sum(z**3) * z[0]

    x, y = Z
    np.testing.assert_allclose(grad(f, holomorphic=True)(Z), [4 * x**3 + y**3, 3 * x * y**2])
    np.testing.assert_allclose(hessian(f, holomorphic=True)(Z), [[12 * x**2, 3 * y**2], [3 * y**2, 6 * x * y]])
    assert grad(lambda z: z**2, holomorphic=True)(np.complex64(1 + 1j)).dtype == np.complex64


def test_of_several_arguments_and_aux():
    @grad(argnums=(0, 1), holomorphic=True, has_aux=True)
    def slopes(a, b):
        return a * b**2, "aux"

    (by_a, by_b), aux = slopes(*Z)
    np.testing.assert_allclose((by_a, by_b), (Z[1] ** 2, 2 * Z[0] * Z[1]))
    assert aux == "aux"


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, jacfwd, jacrev], ids=lambda t: t.__name__)
@pytest.mark.parametrize("name", NOT)
def test_what_is_not_holomorphic_is_refused(name, transform):
    fun = NOT[name]
    text, line = raised(DifferentiationError, lambda: transform(fun, holomorphic=True)(Z[0]))
    called = "conjugate" if name == "conj" else "<lambda>"
    assert text == (
        f"{transform.__name__} with holomorphic=True needs a complex-differentiable function, but {called} is none "
        f"(test_holomorphic.py:{line}): its derivative along 1j is not 1j times that along 1, as where conj, abs, real, "
        "imag or angle are taken. Differentiate by real and imaginary parts, or a real result without holomorphic=True"
    )


def test_what_is_not_complex_is_refused():
    text, line = raised(DifferentiationError, lambda: grad(np.abs, holomorphic=True)(Z[0]))
    assert text == (
        "grad with holomorphic=True needs a function that returns one complex number, but absolute returned float64[] "
        f"(test_holomorphic.py:{line}). Of a real result take the gradient without holomorphic=True; of several numbers "
        "jacobian"
    )
    text, line = raised(DifferentiationError, lambda: grad(lambda z: z, holomorphic=True)(1.0))
    assert text == (
        f"grad with holomorphic=True needs complex numbers, but an argument is float (test_holomorphic.py:{line})"
    )
    text, line = raised(DifferentiationError, lambda: grad(lambda z: (z, z), holomorphic=True)(Z[0]))
    assert "but <lambda> returned a tree (*, *)" in text


def test_what_is_not_finite_is_not_compared():
    assert np.isnan(grad(lambda z: z * np.nan, holomorphic=True)(Z[0]))
    with np.errstate(all="ignore"):
        assert not np.isfinite(grad(np.sqrt, holomorphic=True)(0j))
