"""Derivatives by parameters, which are differences, against the few closed forms that there are."""

import numpy as np
import pytest
import scipy.special as sp

import autodiff
from autodiff.ops.special.partial_derivatives import weights

x = np.array([0.3, 1.0, 2.5, 7.0])
EULER = np.euler_gamma


def by_first(fun, at):
    return autodiff.jvp(lambda v: fun(v, x), (np.full(4, at),), (np.ones(4),))[1]


# fmt: off
CLOSED = {
    "jv at 0":        (sp.jv, 0.0, np.pi / 2 * sp.y0(x)),
    "yv at 0":        (sp.yv, 0.0, -np.pi / 2 * sp.j0(x)),
    "iv at 0":        (sp.iv, 0.0, -sp.k0(x)),
    "kv at 0":        (sp.kv, 0.0, 0 * x),
    "kv at 1/2":      (sp.kv, 0.5, np.sqrt(np.pi / (2 * x)) * np.exp(x) * sp.exp1(2 * x)),
    "gammaincc at 1": (sp.gammaincc, 1.0, np.exp(-x) * (np.log(x) + EULER) + sp.exp1(x)),
    "gammainc at 1":  (sp.gammainc, 1.0, -np.exp(-x) * (np.log(x) + EULER) - sp.exp1(x)),
    "hyp1f1 at 0":    (lambda a, x: sp.hyp1f1(a, 1.0, x), 0.0, sp.expi(x) - np.log(x) - EULER),
}
# fmt: on


@pytest.mark.parametrize("name", CLOSED)
def test_first_derivatives_have_thirteen_digits(name):
    fun, at, expected = CLOSED[name]
    found = by_first(fun, at)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13 * np.abs(fun(np.full(4, at), x)).max())


def test_the_zeta_function():
    assert autodiff.grad(sp.zeta)(2.0) == pytest.approx(-0.9375482543158437, rel=1e-12)
    assert autodiff.grad(autodiff.grad(sp.zeta))(2.0) == pytest.approx(1.98928023429890, rel=1e-11)


def test_parameters_near_the_end_of_their_interval():
    small = 1e-3
    found = autodiff.grad(lambda a: sp.gammainc(a, 1.0))(small)
    exact = -sp.exp1(1.0) + small * 2 * (0.0)
    assert found == pytest.approx(exact, rel=1e-2)
    assert np.isnan(autodiff.grad(lambda a: sp.gammainc(a, 1.0))(0.0))


def test_large_parameters():
    a = 1e6
    by_a = autodiff.grad(lambda a: sp.gammainc(a, 1e6 + 10.0))(a)
    by_x = autodiff.grad(lambda x: sp.gammainc(a, x))(a + 10.0)
    assert by_a == pytest.approx(-by_x, rel=1e-5)  # a gamma variable is nearly normal: only x - a counts


def test_weights_are_exact_for_polynomials():
    for order in range(1, 5):
        for power in range(9):
            total = sum(weight * offset**power for offset, weight in weights(order, 6))
            expected = float(np.prod(range(1, order + 1))) if power == order else 0.0
            assert total == pytest.approx(expected, abs=1e-6 * 6**power)


def test_single_precision_stays():
    found = autodiff.grad(lambda a: sp.gammainc(a, np.float32(2.0)))(np.float32(1.5))
    assert found.dtype == np.float32
    assert found == pytest.approx(autodiff.grad(lambda a: sp.gammainc(a, 2.0))(1.5), rel=1e-6)
