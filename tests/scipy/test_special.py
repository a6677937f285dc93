"""The functions of scipy.special that are no ufuncs: laws, and the values of SciPy's own."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.special as sp

import autodiff
from autodiff.scipy import special
from autodiff.testing import Case, assert_close, check_case
from autodiff.testing.draws.domains import nonzero, positive, real
from autodiff.trace.errors import ConcretizationError, DifferentiationError
from tests.scipy.rows import arguments, between, check_row, row

lines = [(3,), (2, 3), (1, 4), (3, 2, 2)]

CASES = [
    Case("logsumexp", special.logsumexp, shapes=[*lines, ()]),
    Case("logsumexp of rows", lambda x: special.logsumexp(x, axis=-1, keepdims=True), shapes=[*lines, (0, 2)]),
    Case("logsumexp of axes", lambda x: special.logsumexp(x, axis=(0, -1)), shapes=lines[1:]),
    Case("logsumexp with factors", lambda x, b: special.logsumexp(x, 0, b), (real, positive), shapes=[((2, 3), (3,))]),
    Case(
        "logsumexp with signs",
        lambda x, b: special.logsumexp(x, axis=0, b=b, return_sign=True)[0],
        (real, nonzero),
        shapes=[((3,), (3,)), ((2, 3), (2, 3))],
    ),
    Case("softmax", special.softmax, shapes=lines),
    Case("softmax of rows", lambda x: special.softmax(x, axis=1), shapes=lines[1:]),
    Case("log_softmax", special.log_softmax, shapes=lines),
    Case("log_softmax of axes", lambda x: special.log_softmax(x, axis=(0, 1)), shapes=lines[1:]),
    Case("polygamma", lambda x: special.polygamma(1, x), positive, scalars=False),
]

far, unit = between(2.2, 4.0), between(0.2, 0.9)
# fmt: off
MADE_OF_UFUNCS = [
    row("multigammaln", lambda a: special.multigammaln(2 + a * a, 3), far), row("comb", special.comb, far, unit),
    row("comb repeated", lambda n, k: special.comb(n, k, repetition=True), far, unit), row("perm", special.perm, far, unit),
    row("factorial", special.factorial, far), row("diric", lambda x: special.diric(x, 4), between(5.0, 8.0)),
    row("softplus", special.softplus, between(-2.0, 2.0)), row("jvp", lambda v, z: special.jvp(v, z, 2), unit, far),
    row("yvp", special.yvp, unit, far), row("ivp", special.ivp, unit, far), row("kvp", special.kvp, unit, far),
    row("h1vp", lambda v, z: special.h1vp(v, z).real, unit, far), row("h2vp", lambda v, z: special.h2vp(v, z).imag, unit, far),
    row("spherical_jn", lambda z: special.spherical_jn(2, z), far), row("spherical_yn", lambda z: special.spherical_yn(2, z, True), far),
    row("spherical_in", lambda z: special.spherical_in(2, z, True), far), row("spherical_kn", lambda z: special.spherical_kn(2, z, True), far),
    row("assoc_laguerre", lambda x: special.assoc_laguerre(x, 3, 1.5), far), row("legendre_p", lambda z: special.legendre_p(3, z), unit),
    row("sph_legendre_p", lambda theta: special.sph_legendre_p(3, [[1], [-3], [4]], theta), unit),
    row("sph_harm_y", lambda theta, phi: special.sph_harm_y(3, 2, theta, phi).imag, unit, far),
    row("assoc_legendre_p", lambda z: special.assoc_legendre_p(3, [[1], [-3], [4]], z), unit),
    row("assoc_legendre_p, normalized", lambda z: special.assoc_legendre_p(3, [[0], [-1], [2]], z, norm=True), unit),
    row("legendre_p_all", lambda z: special.legendre_p_all(3, z), unit),
    row("assoc_legendre_p_all", lambda z: special.assoc_legendre_p_all(2, 1, z), unit),
    row("sph_legendre_p_all", lambda theta: special.sph_legendre_p_all(2, 3, theta), unit),
    row("sph_harm_y_all", lambda theta, phi: special.sph_harm_y_all(2, 1, theta, phi).imag, unit, far),
]
# fmt: on


@pytest.mark.parametrize("case", MADE_OF_UFUNCS, ids=str)
def test_functions_made_of_ufuncs(case):
    check_row(replace(case, skip=OTHER_ORDER))
    args = arguments(case)
    np.testing.assert_allclose(autodiff.vjp(case.fun, *args)[0], case.fun(*args), rtol=1e-11)


OTHER_ORDER = dict.fromkeys(("value", "replay", "compiled", "batch"), "SciPy computes plain values in another order")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_laws(case):
    check_case(case)


VALUES = [
    [1.0, 2.0, 3.0],
    [1000.0, 1000.0, 0.0],
    [-np.inf, -np.inf],
    [-np.inf, 0.0],
    [0.5, 0.5, 0.5],
    [1.0, np.nan],
    [1e-3, -40.0, -80.0],
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("values", VALUES, ids=str)
@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_values_are_those_of_scipy(name, values):
    x = np.array(values)
    found = getattr(special, name)(x)
    np.testing.assert_array_max_ulp(found, getattr(sp, name)(x), 4)


def test_values_at_infinity_are_those_of_scipy():
    for x in (np.array([np.inf, 0.0]), np.array([np.inf, np.inf])):
        assert special.logsumexp(x) == sp.logsumexp(x) == np.inf
    assert special.logsumexp(np.zeros((2, 0)), axis=1).tolist() == [-np.inf, -np.inf]


def test_signs():
    x, b = np.array([1.0, 2.0]), np.array([1.0, -3.0])
    assert_close(special.logsumexp(x, b=b, return_sign=True), sp.logsumexp(x, b=b, return_sign=True))
    with np.errstate(invalid="ignore"):
        assert np.isnan(special.logsumexp(x, b=b))


def test_infinite_elements_share():
    assert autodiff.grad(special.logsumexp)(np.array([np.inf, 0.0, np.inf])).tolist() == [0.5, 0.0, 0.5]


def test_lists_of_traced_numbers():
    assert_close(autodiff.grad(lambda x: special.logsumexp([x, 2 * x]))(0.0), 1.5)


def test_ufuncs_are_those_of_scipy():
    assert special.erf is sp.erf


def test_errors():
    with pytest.raises(
        TypeError, match=r"^logsumexp of complex numbers is not supported \(test_special.py:\d+\); compose"
    ):
        special.logsumexp(np.array([1j]))
    with pytest.raises(
        TypeError, match=r"^polygamma takes one whole number as its order, got 1.5 \(test_special.py:\d+\)$"
    ):
        special.polygamma(1.5, 2.0)
    text = (
        r"^(polygamma\(float64\[\]\) \(test_special.py:\d+\): )?polygamma of order 171 is made of a factorial beyond double "
        r"precision \(test_special.py:\d+\); orders up to 170 are computed, and a derivative asks for one more than its "
        r"function$"
    )
    assert np.isfinite(special.polygamma(170, 3.0))
    for wrong in (lambda: special.polygamma(171, 3.0), lambda: autodiff.grad(lambda x: special.polygamma(170, x))(3.0)):
        with pytest.raises(ValueError, match=text):
            wrong()
    slope = autodiff.grad(lambda x: special.loggamma(x + 1j * x).real)
    assert np.isfinite(slope(0.7))
    for wrong in (autodiff.grad(slope), autodiff.jit(autodiff.grad(slope))):
        with pytest.raises(
            TypeError, match=r"polygamma of order 1 is not computed of complex numbers \(test_special.py"
        ):
            wrong(0.7)
    with pytest.raises(ConcretizationError, match="would become a plain NumPy array"):
        autodiff.grad(sp.logsumexp)(np.ones(2))


EVERYWHERE = np.array([-np.inf, -2.0, -0.3, -0.004, 0.0, 1e-8, 0.004, 0.4, 3.0, np.inf, np.nan])


@pytest.mark.parametrize("order", [0, 1, 2, 5])
@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in"])
def test_spherical_bessel_functions_everywhere(name, order):
    ours, own = getattr(special, name), getattr(sp, name)
    np.testing.assert_allclose(autodiff.jit(lambda z: ours(order, z))(EVERYWHERE), own(order, EVERYWHERE), rtol=1e-12)
    at = EVERYWHERE[np.isfinite(EVERYWHERE) & ((EVERYWHERE != 0) | (name != "spherical_yn"))]
    slopes = own(order, at, derivative=True)
    close = {"rtol": 1e-11, "atol": 1e-14}
    np.testing.assert_allclose(autodiff.jit(lambda z: ours(order, z, derivative=True))(at), slopes, **close)
    np.testing.assert_allclose(autodiff.jvp(lambda z: ours(order, z), (at,), (np.ones(at.size),))[1], slopes, **close)


def test_spherical_bessel_functions_at_zero():
    assert autodiff.grad(lambda z: special.spherical_jn(1, z))(0.0) == pytest.approx(1 / 3)
    second = autodiff.grad(autodiff.grad(lambda z: special.spherical_jn(0, z)))
    np.testing.assert_allclose([second(0.0), second(1e-8), second(0.009)], -1 / 3, atol=1e-5)
    np.testing.assert_array_equal(autodiff.jit(lambda z: special.spherical_yn(-1, z))(2.0), sp.spherical_yn(-1, 2.0))


def test_spherical_harmonics_everywhere():
    n, m = np.arange(-1, 5)[:, None, None], np.arange(-5, 6)[:, None]
    theta, phi = np.array([0.0, 0.7, np.pi, -0.4, 3.6]), np.linspace(0.0, 5.0, 5)
    ones, zeros = np.ones(5), np.zeros(5)
    value, slopes, curvatures = sp.sph_harm_y(n, m, theta, phi, diff_n=2)
    harmonic = autodiff.jit(lambda theta, phi: special.sph_harm_y(n, m, theta, phi))

    def slope(a, b):
        return autodiff.jvp(harmonic, (a, b), (ones, zeros))[1]

    found = [
        harmonic(theta, phi), slope(theta, phi), autodiff.jvp(harmonic, (theta, phi), (zeros, ones))[1],
        autodiff.jvp(slope, (theta, phi), (ones, zeros))[1], autodiff.jvp(slope, (theta, phi), (zeros, ones))[1],
    ]  # fmt: skip
    wanted = [value, slopes[..., 0], slopes[..., 1], curvatures[..., 0, 0], curvatures[..., 0, 1]]
    for its, own in zip(found, wanted, strict=True):
        np.testing.assert_allclose(its, own, rtol=1e-12, atol=1e-13)
    with pytest.raises(ValueError, match=r"legendre_p got n=-1 \(test_special.py:\d+\); degrees are 0 or more"):
        autodiff.grad(lambda z: special.legendre_p(-1, z)[0])(0.5)
    with pytest.raises(DifferentiationError, match="its degree and order are whole numbers"):
        autodiff.grad(lambda m: special.sph_legendre_p(2, m, 0.5)[0])(1.0)
    with pytest.raises(DifferentiationError, match=r"has no diff_n=1 .*; leave it out"):
        autodiff.grad(lambda theta: special.sph_harm_y(2, 1, theta, 0.5, diff_n=1)[0].real)(1.0)


def test_a_factor_of_zero_leaves_an_element_out():
    factors = np.array([0.0, 1.0, 2.0])
    for left_out in (np.inf, np.nan, 0.5):
        a = np.array([left_out, 1.0, 2.0])
        np.testing.assert_allclose(
            autodiff.jit(lambda a: special.logsumexp(a, b=factors))(a), sp.logsumexp(a, b=factors)
        )
        shares = autodiff.grad(lambda a: special.logsumexp(a, b=factors))(a)
        np.testing.assert_allclose(shares, [0.0, *sp.softmax([1.0, 2.0 + np.log(2.0)])])
    a = np.array([0.5, 1.0, 2.0])
    by_factors = autodiff.grad(lambda b: special.logsumexp(a, b=b))(factors)
    np.testing.assert_allclose(by_factors, np.exp(a) / (factors @ np.exp(a)))


def test_repeated_choices_of_nothing():
    n, k = np.arange(4.0)[:, None], np.arange(3.0)
    found = autodiff.jit(lambda n: special.comb(n, k, repetition=True))(n)
    np.testing.assert_allclose(found, sp.comb(n, k, repetition=True))


def test_the_domain_of_multigammaln():
    with pytest.raises(
        ValueError, match=r"^multigammaln in 3 dimensions got 0.5 \(test_special.py:\d+\); it needs a > 1.0"
    ):
        autodiff.grad(lambda a: special.multigammaln(a, 3))(0.5)
    assert np.isnan(autodiff.jit(lambda a: special.multigammaln(a, 3))(0.5))


def test_softplus_takes_the_keywords_of_a_ufunc():
    x, chosen = np.array([-2.0, 0.0, 3.0]), np.array([False, True, True])
    program = lambda x: special.softplus(x, out=x * 1.0, where=chosen)  # noqa: E731
    for mode in (autodiff.jit(program), lambda x: autodiff.vjp(program, x)[0]):
        np.testing.assert_allclose(mode(x), program(x.copy()), rtol=1e-12)
    np.testing.assert_allclose(autodiff.grad(lambda x: np.sum(program(x)))(x), [1.0, *sp.expit(x[1:])], rtol=1e-12)
    assert autodiff.vjp(lambda x: special.softplus(x, dtype=np.float32), x)[0].dtype == np.float32


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_associated_legendre_functions_have_the_derivatives_that_scipy_returns(n, norm):
    """Also at -1 and 1, where those of order 1 are infinite and SciPy does not normalize."""
    m = np.arange(-n - 1, n + 2)[:, None]
    z = np.array([-1.0, -0.999, -0.3, 0.0, 0.6, 1.0])

    def function(z):
        return special.assoc_legendre_p(n, m, z, norm=norm)[0]

    def slope(z):
        return autodiff.jvp(function, (z,), (np.ones_like(z),))[1]

    value, first, second = sp.assoc_legendre_p(n, m, z, norm=norm, diff_n=2)
    np.testing.assert_array_equal(autodiff.vjp(function, z)[0], value)
    if norm:
        first[:, [0, -1]] = sp.assoc_legendre_p(n, m, z[[0, -1]], diff_n=1)[1]
        inside = abs(m) <= n
        factorials = sp.gamma(np.where(inside, n - m, 0) + 1) / sp.gamma(np.where(inside, n + m, 0) + 1)
        first[:, [0, -1]] *= np.sqrt((n + 0.5) * factorials)
    np.testing.assert_allclose(slope(z), first, rtol=1e-11, atol=1e-12)
    inner = z[1:-1]
    np.testing.assert_allclose(
        autodiff.jvp(slope, (inner,), (np.ones_like(inner),))[1], second[:, 1:-1], rtol=1e-9, atol=1e-11
    )
    np.testing.assert_allclose(
        autodiff.vjp(function, inner)[1](np.ones((len(m), 4)))[0], first[:, 1:-1].sum(0), 1e-9, 1e-12
    )


def test_associated_legendre_functions_are_refused_beyond_the_interval():
    for call in (
        lambda z: special.assoc_legendre_p(2, 1, z, branch_cut=3)[0],
        lambda z: special.assoc_legendre_p(2, 1, z + 0j)[0].real,
    ):
        with pytest.raises(DifferentiationError, match=r"takes real numbers and branch_cut=2, got .*custom_jvp"):
            autodiff.grad(call)(1.5)


@pytest.mark.parametrize(
    ("name", "args", "place", "first", "second"),
    [
        ("binom", (1.0, 2.0), 0, 0.5, 1.0),  # n (n - 1) / 2
        ("binom", (0.0, 2.0), 0, -0.5, 1.0),
        ("binom", (0.0, 1.0), 0, 1.0, 0.0),
        ("binom", (1.0, 2.0), 1, -0.5, None),
        ("binom", (3.0, -1.0), 1, 0.25, None),
        ("poch", (0.0, 2.0), 0, 1.0, 2.0),  # z (z + 1)
        ("poch", (-1.0, 3.0), 0, -1.0, 0.0),
        ("poch", (-3.0, 2.0), 0, -5.0, 2.0),
    ],
)
def test_products_that_vanish_have_derivatives(name, args, place, first, second):
    def of_one(x):
        return getattr(special, name)(*(x if k == place else arg for k, arg in enumerate(args)))

    np.testing.assert_allclose(autodiff.grad(of_one)(args[place]), first, rtol=1e-12)
    if second is not None:
        np.testing.assert_allclose(autodiff.grad(autodiff.grad(of_one))(args[place]), second, atol=1e-12)


@pytest.mark.parametrize(("name", "sign"), [("it2j0y0", -1), ("it2i0k0", 1)])
def test_integrals_of_bessel_functions_from_zero(name, sign):
    slope = autodiff.grad(lambda x: getattr(special, name)(x)[0])
    for x in (0.0, 1e-9, 0.05, 0.0999999, 0.1):
        np.testing.assert_allclose(slope(x), x / 4 + sign * x**3 / 64 + x**5 / 2304, rtol=1e-9, atol=1e-300)
    assert autodiff.grad(slope)(0.0) == 0.25
    third = autodiff.grad(autodiff.grad(autodiff.grad(slope)))
    np.testing.assert_allclose(third(0.0), sign * 6 / 64, rtol=1e-12)


def test_diric_of_what_is_no_positive_integer_is_nan_in_batches_too():
    x = np.linspace(0.1, 3.0, 4)
    found = autodiff.vmap(lambda n: special.diric(x, n))(np.array([3.0, 2.5, 2.0, -1.0]))
    np.testing.assert_allclose(found, sp.diric(x, np.array([[3.0], [2.5], [2.0], [-1.0]])), rtol=1e-12)
