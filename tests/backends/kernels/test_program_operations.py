"""Operations in kernels of whole programs, in variables and in memory, against NumPy: forwards and in derivatives."""

import numpy as np
import pytest

from autodiff import grad, jit, scan, vmap
from autodiff.ops.matrices.triangular import solve_triangular
from autodiff.scipy import special
from tests.backends.kernels.running import alike, by_one, needs_numba, reference

pytestmark = needs_numba
RNG = np.random.default_rng(0)


def normal(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


def regular(*lead, side, dtype=np.float64):
    a = RNG.normal(size=(*lead, side, side))
    return (a @ np.swapaxes(a, -1, -2) + np.eye(side)).astype(dtype)


# fmt: off
ALONG = {
    "cumsum":   lambda x, axis: np.cumsum(x, axis),
    "cumprod":  lambda x, axis: np.cumprod(x, axis),
    "cummax":   lambda x, axis: np.maximum.accumulate(x, axis),
    "cummin":   lambda x, axis: np.minimum.accumulate(x, axis),
    "sort":     lambda x, axis: np.sort(x, axis),
    "argsort":  lambda x, axis: np.argsort(x, axis, kind="stable"),
    "argmax":   lambda x, axis: np.argmax(x, axis),
    "argmin":   lambda x, axis: np.argmin(x, axis),
    "median":   lambda x, axis: np.median(x, axis),
    "quantile": lambda x, axis: np.quantile(x, 0.3, axis=axis),
    "roll":     lambda x, axis: np.roll(x, 2, axis),
    "diff":     lambda x, axis: np.diff(x, axis=axis, prepend=0.5),
    "lse":      lambda x, axis: np.logaddexp.reduce(x, axis),
    "prod":     lambda x, axis: np.prod(x, axis),
}
ELEMENTWISE = {
    "remainder":    lambda x, y: x % y,
    "fmod":         np.fmod,
    "floor_divide": lambda x, y: x // y,
    "divmod":       lambda x, y: np.divmod(x, y)[1],
    "round":        lambda x, y: np.round(x * y, 2),
    "round_tens":   lambda x, y: np.round(x * 100, -1) + y,
    "rint":         lambda x, y: np.round(x * y),
    "expit":        lambda x, y: special.expit(x) * y,
    "log_expit":    lambda x, y: special.log_expit(x) * y,
    "ndtr":         lambda x, y: special.ndtr(x) * y,
    "xlogy":        lambda x, y: special.xlogy(x, np.abs(y)),
    "xlog1py":      lambda x, y: special.xlog1py(x, np.abs(y)),
    "entr":         lambda x, y: special.entr(np.abs(x)) + y,
}
SQUARE = {
    "inv":      np.linalg.inv,
    "det":      np.linalg.det,
    "slogdet":  lambda a: np.linalg.slogdet(a)[1],
    "signs":    lambda a: np.linalg.slogdet(a)[0],
    "cholesky": np.linalg.cholesky,
    "upper":    lambda a: np.linalg.cholesky(a, upper=True),
    "solve":    lambda a: np.linalg.solve(a, a[..., :2] * 2),
    "lower triangle": lambda a: solve_triangular(a, a[..., :2] * 2, lower=True, transposed=False, unit=False),
    "lower triangle, transposed": lambda a: solve_triangular(a, a[..., :1] * 2, lower=True, transposed=True, unit=False),
    "upper triangle": lambda a: solve_triangular(a, a[..., :1] * 2, lower=False, transposed=False, unit=False),
    "upper triangle, transposed": lambda a: solve_triangular(a, a * 2, lower=False, transposed=True, unit=False),
    "unit triangle": lambda a: solve_triangular(a * 0.1, a * 2, lower=True, transposed=False, unit=True),
    "vector":   lambda a: np.linalg.solve(a, a[..., :1, 0]) if a.ndim == 2 and a.shape[0] == 1 else a @ a,
    "trace":    lambda a: np.trace(a, axis1=-2, axis2=-1),
    "tril":     np.tril,
    "triu":     lambda a: np.triu(a, 1),
}
# fmt: on


def smooth(name):
    return name not in ("argsort", "argmax", "argmin", "signs")


def check(fun, *args, derivative=True, ulps=64):
    """The value in one kernel, and the derivative of a sum of squares in whatever the schedule makes of it."""
    alike(by_one(fun, *args), reference(fun, *args), ulps)
    if derivative:

        def loss(*args):
            return np.sum(np.square(fun(*args)))

        places = tuple(range(len(args)))
        for one, other in zip(jit(grad(loss, places))(*args), grad(loss, places)(*args), strict=True):
            eps = np.finfo(other.dtype).eps * ulps * 4
            np.testing.assert_allclose(one, other, rtol=eps, atol=eps * np.max(np.abs(other), initial=1))


@pytest.mark.parametrize(("shape", "axis"), [((3,), 0), ((5, 4), 0), ((5, 4), 1), ((3, 90), -1), ((70, 2, 3), 0)])
@pytest.mark.parametrize("name", ALONG)
def test_operations_along_an_axis(name, shape, axis):
    x = normal(*shape)
    check(lambda x: ALONG[name](x, axis), x, derivative=smooth(name))


@pytest.mark.parametrize("name", ALONG)
def test_operations_along_an_axis_of_floats_with_ties_and_nan(name):
    x = np.round(normal(7, 3, dtype=np.float32) * 2) / 2
    check(lambda x: ALONG[name](x, 0), x, derivative=False)
    x[2, 1] = np.nan
    if name not in ("sort", "median", "quantile"):
        check(lambda x: ALONG[name](x, 0), x, derivative=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3,), (200,)])
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_operations(name, shape, dtype):
    x, y = normal(*shape, dtype=dtype) * 3, normal(*shape, dtype=dtype)
    x[1] = 0
    check(ELEMENTWISE[name], x, y, derivative=False, ulps=256)
    x[1] = 0.25
    check(lambda x: ELEMENTWISE[name](x, 0.75), x, ulps=256)


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide"])
def test_division_with_remainder_has_the_bits_of_numpy(name):
    values = [0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 5.5, 1e300, 1e-300, np.inf, -np.inf, np.nan, 2.0**60, 5e-324]
    x, y = map(np.ravel, np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        (found,), (expected,) = by_one(ELEMENTWISE[name], x, y), reference(ELEMENTWISE[name], x, y)
    np.testing.assert_array_equal(found, expected)
    real = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[real]), np.signbit(expected[real]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("lead", "side"), [((), 1), ((), 3), ((4,), 2), ((2, 3), 5), ((), 12)])
@pytest.mark.parametrize("name", SQUARE)
def test_matrices(name, lead, side, dtype):
    a = regular(*lead, side=side, dtype=dtype)
    derivative = smooth(name) and not (name == "det" and side > 6)
    check(SQUARE[name], a, derivative=derivative and dtype == np.float64, ulps=4000)


def test_cofactors_of_singular_matrices():
    a = np.array([[1.0, 1.0, 2.0], [2.0, 4.0, 6.0], [4.0, 2.0, 6.0]])
    np.testing.assert_allclose(jit(grad(np.linalg.det))(a), grad(np.linalg.det)(a), atol=1e-14)

    def infinite(a):
        return np.linalg.slogdet(a)[1]

    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.isinf(jit(grad(infinite))(a)), np.isinf(grad(infinite)(a)))


@pytest.mark.parametrize(
    ("fun", "a", "text"),
    [
        (np.linalg.inv, np.ones((3, 3)), "Singular matrix"),
        (lambda a: np.linalg.solve(a, a[:, 0]), np.zeros((2, 2)), "Singular matrix"),
        (
            lambda a: solve_triangular(a, a, lower=True, transposed=False, unit=False),
            np.tri(3) - np.eye(3),
            "Singular matrix",
        ),
        (np.linalg.cholesky, -np.eye(3), "Matrix is not positive definite"),
    ],
)
def test_what_numpy_refuses_is_refused(fun, a, text):
    compiled = jit(lambda a: np.sum(np.exp(fun(a * 1.0))))
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match=rf"^\w+ \(test_program_operations\.py:\d+\): {text}$"):
            compiled(a)
    assert np.isfinite(compiled(np.eye(len(a))))


@pytest.mark.parametrize("count", [1, 2, 5, 40])
@pytest.mark.parametrize("endpoint", [True, False])
def test_samples(count, endpoint):
    def f(a, b):
        return np.linspace(a, b, count, endpoint=endpoint)

    for stop in (2.25, 0.5):
        check(f, np.float64(0.5), np.float64(stop))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(3, 3), (9, 2), (100, 30), (1, 1)])
def test_convolutions(mode, n, m):
    check(lambda x, y: np.convolve(x, y, mode), normal(n), normal(m))
    check(lambda x, y: np.correlate(x, y, mode), normal(n), normal(m))


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_sorted_vectors(side):
    table = np.array([-1.0, 0.0, 0.0, 0.5, 2.0, np.nan])
    x = np.array([[-3.0, -1.0, 0.0], [0.25, 2.0, np.nan]])
    check(lambda t, x: np.searchsorted(t, x, side), table, x, derivative=False)
    check(lambda x: np.interp(x, [0.0, 0.5, 2.0], [1.0, -1.0, 0.5]), normal(4) * 1.5)


@pytest.mark.parametrize(
    "subscripts",
    [
        "i,j->ij",
        "ij,j->i",
        "ij,jk->ik",
        "ij,ij->",
        "i,i->i",
        "ijk,k->ji",
        "ij->ji",
        "ij->j",
        "bij,bjk->bik",
        "i,j,k->ikj",
    ],
)
def test_einstein_sums(subscripts):
    terms = subscripts.split("->")[0].split(",")
    sizes = {"i": 3, "j": 4, "k": 2, "b": 5}
    args = [normal(*(sizes[letter] for letter in term)) for term in terms]
    check(lambda *xs: np.einsum(subscripts, *xs), *args)


def test_a_filter_in_a_loop_is_one_kernel():
    def f(v, q):
        def step(p, k):
            p = np.diag(v) @ p @ np.diag(v) + np.linalg.inv(np.eye(2) + q * k) * np.round(k, 1)
            return p / np.trace(p), np.cross(np.append(p[0], k), np.array([1.0, 2.0, 3.0]))

        last, rows = scan(step, np.eye(2), np.linspace(0.1, 1, 20))
        return np.sum(last**2) + np.sum(rows)

    v, q = np.array([0.9, 1.1]), np.array([[1.0, 0.2], [0.1, 0.7]])
    compiled = jit(grad(f, (0, 1)))
    for one, other in zip(compiled(v, q), grad(f, (0, 1))(v, q), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)
    assert [e.primitive.name for e in compiled.schedule(v, q).equations] == ["kernel_of_all"]


def test_batches_of_operations():
    x = normal(6, 5)
    for fun in (np.cumsum, np.sort, np.argmax, lambda x: np.roll(x, 1), lambda x: np.outer(x, x)[1]):
        np.testing.assert_allclose(jit(vmap(fun))(x), np.stack([fun(row) for row in x]), rtol=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("exponent", [0.5, -0.5, 1.5, 2.0])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.array, lambda x: np.array([x])])
@pytest.mark.parametrize("x", [-np.inf, -0.0, 0.0, np.inf, np.nan, 4.0])
def test_powers_of_single_numbers_are_pythons_and_of_arrays_roots(x, kind, exponent):
    def power(x):
        return x**exponent

    try:
        wanted = power(kind(x))
    except ZeroDivisionError:  # which only Python's own numbers raise
        wanted = np.inf
    found = jit(power)(kind(x))
    np.testing.assert_array_equal(found, wanted)
    assert np.array_equal(np.signbit(found), np.signbit(wanted)) or np.isnan(x) or np.isnan(wanted).any()
