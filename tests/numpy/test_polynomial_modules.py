"""``numpy.polynomial`` with traced coefficients, in programs that are switched: all families, function by function."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import differentiable, grad, jit, jvp, vmap
from autodiff.trace.errors import AutodiffError

FAMILIES = {
    "polynomial": ("poly", "Polynomial"),
    "chebyshev": ("cheb", "Chebyshev"),
    "legendre": ("leg", "Legendre"),
    "laguerre": ("lag", "Laguerre"),
    "hermite": ("herm", "Hermite"),
    "hermite_e": ("herme", "HermiteE"),
}
C = np.array([0.3, -0.5, 0.8])


@differentiable
def calls(family, prefix):
    """Each function of a family with traced coefficients, and points."""
    module = getattr(np.polynomial, family)
    names = {
        "val": lambda f, c: f(c[0], c) + f(np.array([0.2, 0.4]), c).sum(),
        "val of a list": lambda f, c: f(0.3, [1.0, c[0], c[1]]),
        "val2d": lambda f, c: f(c[0], 0.5, np.outer(c, c)),
        "val3d": lambda f, c: f(c[0], 0.5, 0.25, np.ones((2, 2, 3)) * c),
        "grid2d": lambda f, c: f(c, np.array([0.1, 0.2]), np.outer(c, c)),
        "grid3d": lambda f, c: f(c, [0.1], [0.3, 0.4], np.ones((2, 2, 3)) * c),
        "add": lambda f, c: f(c, [1.0, 2.0]),
        "sub": lambda f, c: f([1.0, 2.0, 0.5, 4.0], c),
        "mul": lambda f, c: f(c, c),
        "mulx": lambda f, c: f(c),
        "div": lambda f, c: np.concatenate(f(np.append(c, 2.0), c)),
        "pow": lambda f, c: f(c, 3),
        "der": lambda f, c: f(c, 1),
        "int": lambda f, c: f(c, 2, [c[0], 1.0]),
        "vander": lambda f, c: f(c, 3),
        "vander2d": lambda f, c: f(c, c, [1, 2]),
        "fit": lambda f, c: f(np.linspace(-1, 1, 6), np.sin(np.linspace(-1, 1, 6) * c[0]) + c[1], 2),
        "fromroots": lambda f, c: f(c),
        "line": lambda f, c: f(c[0], c[1]),
        "companion": lambda f, c: f(c),
        "trim": lambda f, c: f(np.append(c, 0.0)),
    }
    return {name: of_coefficients(module, prefix + name.partition(" ")[0], call) for name, call in names.items()}


def of_coefficients(module, name, call):
    return lambda c: call(getattr(module, name), c)


ROWS = [
    (family, name)
    for family, (prefix, _) in FAMILIES.items()
    for name, _ in calls(family, prefix).items()
    if hasattr(getattr(np.polynomial, family), prefix + name.partition(" ")[0])
]


@pytest.mark.parametrize(("family", "name"), ROWS)
def test_functions(family, name):
    function = calls(family, FAMILIES[family][0])[name]
    value, tangent = jvp(function, (C,), (np.cos(C),))
    step = 1e-6 * np.cos(C)
    np.testing.assert_allclose(value, function(C), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(tangent, (function(C + step) - function(C - step)) / 2e-6, rtol=1e-6, atol=1e-7)
    gradient = grad(lambda c: np.sum(function(c) ** 2))(C)
    np.testing.assert_allclose(gradient @ np.cos(C), 2 * np.sum(value * tangent), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("family", "name"), [row for row in ROWS if row[1] not in ("div", "line", "trim")])
def test_batches_and_compiled_programs(family, name):
    function = calls(family, FAMILIES[family][0])[name]
    expected = [function(C), function(2 * C)]
    np.testing.assert_allclose(vmap(function)(np.stack([C, 2 * C])), expected, rtol=1e-9, atol=1e-12)
    if family in ("polynomial", "hermite"):
        np.testing.assert_allclose(jit(function)(C), expected[0], rtol=1e-9, atol=1e-12)


def test_compiled_gradients_of_fits():
    x = np.linspace(-1, 1, 6)

    @differentiable
    def coefficients(y):
        return np.polynomial.Polynomial.fit(x, y, 2, w=1 + x**2).coef

    def loss(y):
        return np.sum(coefficients(y) ** 3)

    y = np.sin(x) + x**2
    np.testing.assert_allclose(jit(grad(loss))(y), grad(loss)(y), rtol=1e-9)
    np.testing.assert_allclose(vmap(grad(loss))(np.stack([y, 2 * y])), [grad(loss)(y), grad(loss)(2 * y)], rtol=1e-9)


def test_leading_zeros_stay_where_only_shapes_are_known():
    @differentiable
    def difference(c):
        return np.polynomial.polynomial.polysub(c, [1.0, 2.0, 0.8])

    assert difference(C).shape == (2,)
    np.testing.assert_allclose(jit(difference)(C), [*difference(C), 0.0])


@pytest.mark.parametrize("family", FAMILIES)
def test_classes(family):
    @differentiable
    def program(c):
        kind = getattr(np.polynomial, FAMILIES[family][1])
        assert isinstance(kind(c), kind)
        p, q = kind(c, domain=[-1, 2]), kind([1.0, 2.0])
        r = p * p - 2 * p.deriv() + p.integ(1, k=[c[0]])
        return r(0.4) + (p + 1)(c[2]) + r.coef.sum() + q(c[1]) + p.cutdeg(1)(0.3) + len(p)

    step = 1e-6 * np.cos(C)
    np.testing.assert_allclose(grad(program)(C) @ np.cos(C), (program(C + step) - program(C - step)) / 2e-6, rtol=1e-6)
    np.testing.assert_allclose(grad(program)(C), jvp(grad(program), (C,), (C,))[0])


def test_without_the_switch_they_refuse():
    with pytest.raises(AutodiffError, match=r"@autodiff\.differentiable"):
        grad(lambda c: np.polynomial.polynomial.polyval(0.3, [c[0], c[1]]))(C)


def test_numpys_own_classes_stay():
    @differentiable
    def program():
        return np.polynomial.Polynomial([1.0, 2.0])

    assert type(program()) is np.polynomial.Polynomial


def test_batches():
    @differentiable
    def program(c):
        return np.polynomial.chebyshev.chebval(0.3, c) * np.polynomial.legendre.legval(c[0], [1.0, 2.0, 3.0])

    np.testing.assert_allclose(vmap(program)(np.stack([C, 2 * C])), [program(C), program(2 * C)])
