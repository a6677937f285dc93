"""One row for each ufunc of scipy.special buys all laws, and what is refused says so."""

import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.special as sp

import autodiff
from autodiff.ops.special import bessel
from autodiff.ops.special import gamma as special
from autodiff.testing import Case, Domain, check_case
from autodiff.testing.draws.domains import kinked_at_zero, moderate, positive, probability, real
from autodiff.trace.errors import DifferentiationError

REAL = ("float64", "float32")
ALL = ("float64", "float32", "complex128", "complex64")
off_poles = Domain(-2.8, 3.0, avoid=(-2.0, -1.0, 0.0), hit=(1.0, 2.0))
open_interval = Domain(-1.0, 1.0, hit=(0.0,))
near = Domain(0.1, 3.0, hit=(1.0,))
shape = Domain(0.5, 3.0, hit=(1.0,))
right = Domain(-1.0, 3.0, hit=(0.0,))


def row(name, fun, domain=real, dtypes=REAL, **options):
    return Case(name, fun, domain, dtypes=dtypes, **options)


# fmt: off
CASES = [
    # The error function and the normal distribution.
    row("erf",       sp.erf,       dtypes=ALL),
    row("erfc",      sp.erfc,      dtypes=ALL),
    row("erfi",      sp.erfi,      dtypes=ALL),
    row("erfcx",     sp.erfcx,     Domain(-1.5, 3.0, hit=(0.0,)), dtypes=ALL),
    row("dawsn",     sp.dawsn,     moderate, dtypes=ALL),
    row("erfinv",    sp.erfinv,    open_interval),
    row("erfcinv",   sp.erfcinv,   Domain(0.0, 2.0, hit=(1.0,))),
    row("ndtr",      sp.ndtr),
    row("ndtri",     sp.ndtri,     probability),
    row("log_ndtr",  sp.log_ndtr,  moderate),
    # The gamma function.
    row("polygamma", lambda x: special.polygamma(x, order=2), positive),
    row("digamma",   sp.digamma,   off_poles),
    row("gammaln",   sp.gammaln,   off_poles),
    row("loggamma",  sp.loggamma,  positive),
    row("gamma",     sp.gamma,     off_poles),
    row("beta",      sp.beta,      (positive, positive)),
    row("betaln",    sp.betaln,    (positive, positive)),
    row("gammainc",  lambda x: sp.gammainc(1.5, x),     positive),
    row("gammaincc", lambda x: sp.gammaincc(0.5, x),    positive),
    row("betainc",   lambda x: sp.betainc(1.5, 2.5, x), probability),
    row("zeta",      lambda q: sp.zeta(2.5, q),         positive),
    # Logarithms, entropies, probabilities.
    row("expit",     sp.expit),
    row("log_expit", sp.log_expit),
    row("logit",     sp.logit,     probability),
    row("entr",      sp.entr,      positive),
    row("xlogy",     sp.xlogy,     (real, positive)),
    row("xlog1py",   sp.xlog1py,   (real, right)),
    row("rel_entr",  sp.rel_entr,  (positive, positive)),
    row("kl_div",    sp.kl_div,    (positive, positive)),
    # What NumPy has too.
    row("special_exp2",  sp.exp2),
    row("exp10",         sp.exp10),
    row("special_cbrt",  sp.cbrt,  kinked_at_zero),
    row("special_log1p", sp.log1p, right),
    row("special_expm1", sp.expm1, dtypes=ALL),
    row("cosm1",         sp.cosm1),
    row("exprel",        sp.exprel),
    # Bessel functions.
    row("jv",  lambda x: sp.jv(2, x),    dtypes=ALL),
    row("yv",  lambda x: sp.yv(1.5, x),  positive),
    row("iv",  lambda x: sp.iv(2, x)),
    row("kv",  lambda x: sp.kv(1.5, x),  positive),
    row("ive", lambda x: sp.ive(2, x),   kinked_at_zero),
    row("kve", lambda x: sp.kve(1.5, x), positive),
    row("j0",  sp.j0),
    row("j1",  sp.j1),
    row("y0",  sp.y0,  positive),
    row("y1",  sp.y1,  positive),
    row("i0",  sp.i0),
    row("i1",  sp.i1),
    row("k0",  sp.k0,  positive),
    row("k1",  sp.k1,  positive),
    row("i0e", sp.i0e, kinked_at_zero),
    row("i1e", sp.i1e, kinked_at_zero),
    row("k0e", sp.k0e, positive),
    row("k1e", sp.k1e, positive),
    row("numpy_i0", np.i0),
]
# fmt: on


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


def test_a_scaled_function_of_complex_numbers_is_refused_in_both_modes():
    for derive in (
        lambda: autodiff.grad(lambda z: sp.jve(1.5, z).real)(1 + 1j),
        lambda: autodiff.jvp(lambda z: sp.jve(1.5, z), (1 + 1j,), (1 + 0j,)),
    ):
        with pytest.raises(DifferentiationError) as raised:
            derive()
        text = re.sub(r" \(\w+.py:\d+\)", "", str(raised.value))
        assert text == (
            "scipy.special.jve of complex numbers has no derivative: it is scaled by the absolute value of a part of its "
            "argument. Scale the function that is not scaled yourself."
        )


def test_an_operand_that_has_no_meaning_of_its_own_is_refused():
    with pytest.raises(DifferentiationError) as raised:
        autodiff.grad(lambda c: sp.pro_ang1_cv(1, 2, c, 3.0, 0.5)[0])(1.5)
    text = re.sub(r" \(\w+.py:\d+\)", "", str(raised.value))
    assert text == (
        "scipy.special.pro_ang1_cv has no derivative by c: its values mean something for the characteristic value that "
        "belongs to m, n and c alone. Call pro_ang1, which finds it."
    )


def test_an_unknown_ufunc_is_refused():
    with pytest.raises(DifferentiationError, match=r"^_factorial cannot be called with a traced value"):
        autodiff.grad(sp._ufuncs._factorial)(0.5)


def test_scipy_is_not_imported_before_it_is_needed():
    program = "import sys, autodiff; print('scipy.special' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


ORDERS = [0, 1, 2, 2.5, -1, 7]


@pytest.mark.parametrize("order", ORDERS)
def test_derivatives_of_scaled_bessel_functions_keep_their_digits_far_out(order):
    derivative = lambda x: sp.ive(order, x)  # noqa: E731
    scale, step = 1.0, -0.5
    for _ in range(3):
        derivative = autodiff.grad(derivative)
        scale, step = scale * step, step - 1  # those of x ** -0.5
        for x in (1e8, 1e12, 1e20):
            first = scale * x**step / np.sqrt(2 * np.pi)
            second = (4 * order**2 - 1) / 8 * (step / -0.5) / x  # of the series, relative to its first term
            np.testing.assert_allclose(derivative(x), first, rtol=2 * abs(second) + 1e-14)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("derivative", [1, 2, 3])
def test_derivatives_of_scaled_bessel_functions_have_no_seam(order, derivative):
    seam = max(30.0, 2.0 * order**2)
    near, far = (bessel.ive_slope(order, x, order=derivative) for x in (np.nextafter(seam, 0), seam))
    terms = 2**derivative * sp.ive(order, seam)  # what cancels in the difference of orders
    np.testing.assert_allclose(near, far, rtol=1e-13, atol=1e-15 * terms)


@pytest.mark.parametrize("fun", [sp.i0e, sp.i1e, lambda x: sp.ive(2, x), lambda x: sp.ive(3, x)])
def test_scaled_bessel_functions_are_even_or_odd_in_their_derivatives(fun):
    parity = np.sign(fun(-1.0) / fun(1.0))
    for _ in range(3):
        fun, parity = autodiff.grad(fun), -parity
        for x in (0.3, 5.0, 50.0):
            np.testing.assert_allclose(fun(-x), parity * fun(x), rtol=1e-15)


def test_scaled_bessel_functions_at_their_kink():
    assert [autodiff.grad(fun)(0.0) for fun in (sp.i0e, sp.i1e, lambda x: sp.ive(2, x))] == [0.0, 0.5, 0.0]
    assert autodiff.grad(autodiff.grad(sp.i0e))(0.0) == 1.5


def test_scaled_bessel_functions_of_complex_numbers_are_refused():
    with pytest.raises(DifferentiationError) as error:
        autodiff.vjp(lambda z: sp.ive(1, z), 1 + 2j)[1](1.0 + 0j)
    assert re.sub(r" \(.*?:\d+\)", "", str(error.value)) == (
        "scipy.special.ive has no derivative at complex arguments: exp(-abs(real(z))) is not holomorphic. Write "
        "iv(v, z) * np.exp(-np.abs(np.real(z))), which has one by the real and imaginary part."
    )


@pytest.mark.parametrize("x", [0.0, 5e-324, 1e-310, 2e-308, -2e-308, 1e-300])
def test_the_derivative_of_i1_at_numbers_at_which_that_of_scipy_is_nan(x):
    assert autodiff.grad(sp.i1)(x) == 0.5
    assert abs(autodiff.grad(autodiff.grad(sp.i1))(x)) <= abs(x)


@pytest.mark.parametrize("derivative", [1, 2, 3])
def test_derivatives_of_erfcx_keep_their_digits(derivative):
    seam = 8.0
    near, far = (special.erfcx_slope(x, order=derivative) for x in (np.nextafter(seam, 0), seam))
    np.testing.assert_allclose(near, far, rtol=1e-15 * (2 * seam * seam) ** derivative)
    slope = sp.erfcx
    for _ in range(derivative):
        slope = autodiff.grad(slope)
    signed_factorial = [1.0, -1.0, 2.0, -6.0][derivative]
    np.testing.assert_allclose(slope(1e9), signed_factorial / np.sqrt(np.pi) / 1e9 ** (derivative + 1), rtol=1e-14)


@pytest.mark.parametrize("x", [-1e3, -1e5, -3e7, -1e9])
def test_second_derivatives_of_log_ndtr_far_out(x):
    np.testing.assert_allclose(
        autodiff.grad(autodiff.grad(sp.log_ndtr))(x), -1 + 1 / x**2, rtol=8 / abs(x) ** 4 + 1e-12
    )


@pytest.mark.parametrize("function", [special.xlogy, special.xlog1py, lambda x, y: np.power(y, x)])
def test_derivatives_have_the_precision_of_results(function):
    x, y = np.array([1.3, 0.4]), np.array([0.7, 1.9], np.float32)
    found = autodiff.grad(lambda x: np.sum(function(x, y)))(x)
    expected = autodiff.grad(lambda x: np.sum(function(x, y.astype(float))))(x)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
