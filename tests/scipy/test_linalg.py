"""scipy.linalg: all laws, the values of SciPy's own, and what is refused."""

import inspect

import numpy as np
import pytest
import scipy.linalg as sl

import autodiff
import autodiff.numpy
from autodiff.ops.matrices.triangular import solve_triangular as solve_triangle
from autodiff.scipy import linalg
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError, OperandError

rng = np.random.default_rng(0)
a = rng.normal(size=(3, 3)) + 3 * np.eye(3)
b = rng.normal(size=(3, 3)) + 2 * np.eye(3)
m = rng.normal(size=(3, 2))
v = rng.normal(size=3)
small = rng.normal(size=(3, 3)) / 4
bands = np.array([[0.4, -0.7, 0.6], [5.0, 6.0, 7.0], [0.3, 0.8, -0.5]])


def positive(x):
    return x @ x.T + np.eye(3)


# fmt: off
PROGRAMS = {
    "solve_triangular":   (lambda a, b: linalg.solve_triangular(a, b), (a, m)),
    "solve_triangular T": (lambda a, b: linalg.solve_triangular(a, b, trans=1, lower=True), (a, v)),
    "solve_triangular 1": (lambda a, b: linalg.solve_triangular(a, b, unit_diagonal=True), (a, v)),
    "cholesky":           (lambda a: linalg.cholesky(positive(a)), (a,)),
    "cholesky lower":     (lambda a: linalg.cholesky(positive(a), lower=True), (a,)),
    "cho_solve":          (lambda a, b: linalg.cho_solve(linalg.cho_factor(positive(a)), b), (a, v)),
    "cho_solve lower":    (lambda a, b: linalg.cho_solve(linalg.cho_factor(positive(a), lower=True), b), (a, m)),
    "lu":                 (lambda a: linalg.lu(a)[1:], (a,)),
    "lu permuted":        (lambda a: linalg.lu(a[::-1], permute_l=True), (a,)),
    "lu_solve":           (lambda a, b: linalg.lu_solve(linalg.lu_factor(a[::-1]), b), (a, v)),
    "lu_solve T":         (lambda a, b: linalg.lu_solve(linalg.lu_factor(a[::-1]), b, trans=1), (a, m)),
    "lu_factor":          (lambda a: linalg.lu_factor(a)[0], (a,)),
    "solve":              (lambda a, b: linalg.solve(a, b), (a, v)),
    "solve pos":          (lambda a, b: linalg.solve(positive(a), b, assume_a="pos"), (a, m)),
    "inv":                (linalg.inv, (a,)),
    "det":                (linalg.det, (a,)),
    "norm":               (linalg.norm, (a,)),
    "pinv":               (linalg.pinv, (m,)),
    "lstsq":              (lambda a, b: linalg.lstsq(a, b)[0], (m, v)),
    "expm":               (linalg.expm, (small,)),
    "logm":               (lambda a: linalg.logm(positive(a)), (a,)),
    "sqrtm":              (lambda a: linalg.sqrtm(positive(a)), (a,)),
    "sinm":               (linalg.sinm, (small,)),
    "cosm":               (linalg.cosm, (small,)),
    "tanm":               (lambda a: linalg.tanm(np.tanh(a) / 2), (small,)),
    "sinhm":              (linalg.sinhm, (small,)),
    "coshm":              (linalg.coshm, (small,)),
    "tanhm":              (lambda a: linalg.tanhm(np.tanh(a) / 2), (small,)),
    "signm":              (lambda x: linalg.signm(np.diag([3.0, -3.0, 3.0]) + np.tanh(x) / 4), (small,)),
    "expm_frechet":       (linalg.expm_frechet, (small, b)),
    "solve_sylvester":    (linalg.solve_sylvester, (a, np.eye(2) + 0.1, m)),
    "lyapunov":           (linalg.solve_continuous_lyapunov, (a, b)),
    "discrete lyapunov":  (linalg.solve_discrete_lyapunov, (small, b)),
    "bilinear lyapunov":  (lambda a, q: linalg.solve_discrete_lyapunov(a, q, "bilinear"), (small, b)),
    "toeplitz":           (linalg.toeplitz, (v, v[::-1].copy())),
    "toeplitz symmetric": (linalg.toeplitz, (v,)),
    "hankel":             (linalg.hankel, (v, v)),
    "circulant":          (linalg.circulant, (v,)),
    "companion":          (linalg.companion, (v,)),
    "block_diag":         (linalg.block_diag, (a, m, v)),
    "solve_toeplitz":     (lambda c, b: linalg.solve_toeplitz(c + np.array([5.0, 0, 0]), b), (v, v)),
    "matmul_toeplitz":    (lambda c, x: linalg.matmul_toeplitz(c, x), (v, m)),
    "convolution_matrix": (lambda v: linalg.convolution_matrix(v, 4, "valid"), (v,)),
    "eig_banded":         (lambda u: linalg.eig_banded(u, lower=True)[1] ** 2, (bands[1:],)),
    "eigh_tridiagonal":   (lambda d, e: linalg.eigh_tridiagonal(d, e)[0], (v, v[:2])),
    "fractional power":   (lambda a, t: linalg.fractional_matrix_power(positive(a), t), (a, 0.4)),
    "khatri_rao":         (linalg.khatri_rao, (a, b)),
    "orthogonal_procrustes": (linalg.orthogonal_procrustes, (a, b)),
    "pinvh":              (lambda a: linalg.pinvh(positive(a)), (a,)),
    "solve_banded":       (lambda u, b: linalg.solve_banded((1, 1), u, b), (bands, v)),
    "solve_banded one side": (lambda u, b: linalg.solve_banded((1, 0), u, b), (bands[1:], m)),
    "solve_circulant":    (lambda c, b: linalg.solve_circulant(c + np.array([5.0, 0, 0]), b), (v, m)),
    "solveh_banded":      (lambda u, b: linalg.solveh_banded(u, b), (bands[:2], m)),
    "solveh_banded lower": (lambda u, b: linalg.solveh_banded(u, b, lower=True), (bands[1:], v)),
    "solve_continuous_are": (lambda a, b, q: linalg.solve_continuous_are(a, b, positive(q), np.eye(2)), (a, m, b)),
    "solve_discrete_are": (lambda a, q: linalg.solve_discrete_are(a, m, positive(q), np.eye(2)), (small, b)),
    "svdvals":            (linalg.svdvals, (a,)),
    "svd":                (lambda a: linalg.svd(a)[1], (a,)),
    "qr":                 (lambda a: linalg.qr(a, mode="economic"), (m,)),
    "qr of a tall matrix": (lambda a: (linalg.qr(a)[0][:, 2:] @ linalg.qr(a)[0][:, 2:].T, linalg.qr(a)[1]), (m,)),
    "eigh":               (lambda a: linalg.eigh(positive(a), eigvals_only=True), (a,)),
    "eigh generalised":   (lambda a, b: linalg.eigh(positive(a), positive(b), eigvals_only=True), (a, b)),
    "eigvals":            (lambda a: np.sort(linalg.eigvals(positive(a)).real), (a,)),
    "polar":              (linalg.polar, (a,)),
    "polar left":         (lambda a: linalg.polar(a, side="left"), (a,)),
}
UNLIKE = {"solve_toeplitz", "matmul_toeplitz", "solve pos", "lu_solve", "lu_solve T", "cho_solve", "cho_solve lower", "discrete lyapunov",
          "bilinear lyapunov", "tanm", "tanhm", "eigh generalised", "norm", "fractional power", "solve_continuous_are", "solve_discrete_are", "det", "lstsq", "pinv", "solve", "inv", "eigh", "eigvals", "expm_frechet"}
# fmt: on
OTHER_ROUTINE = "SciPy's routine for plain values is another one: values differ by rounding"


@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")  # far away, where hyperbolic functions are large
@pytest.mark.parametrize("name", PROGRAMS)
def test_laws(name):
    fun, args = PROGRAMS[name]
    check_laws(fun, args, skip=("value", "replay", "compiled", "batch") if name in UNLIKE else (), name=name)
    own = autodiff.vjp(fun, *args)[0]
    for ours, scipys in zip(
        own if isinstance(own, tuple) else (own,),
        fun(*args) if isinstance(own, tuple) else (fun(*args),),
        strict=True,
    ):
        np.testing.assert_allclose(ours, scipys, rtol=1e-11, atol=1e-12)
    if name in UNLIKE:
        np.testing.assert_allclose(
            np.ravel(autodiff.vmap(lambda *x: first(fun(*x)))(*(np.stack([x, x]) for x in args))[0]),
            np.ravel(first(fun(*args))),
            rtol=1e-11,
            atol=1e-12,
        )


def first(out):
    return out[0] if isinstance(out, tuple) else out


def test_only_the_triangle_that_is_read_has_a_gradient():
    gradient = autodiff.grad(lambda a: np.sum(linalg.solve_triangular(a, v)))(a)
    assert np.tril(gradient, -1).tolist() == np.zeros((3, 3)).tolist()
    assert np.diagonal(gradient).all()


def test_complex_matrices():
    z = small + 1j * b / 4

    def f(x):
        return np.sum(linalg.expm(x * z)).real

    assert autodiff.grad(f)(1.0) == pytest.approx((f(1 + 1e-6) - f(1 - 1e-6)) / 2e-6, rel=1e-8)


def test_a_real_matrix_without_a_real_logarithm():
    with pytest.raises(
        OperandError,
        match=r"^matrix_function\(float64\[2,2\]\) \(test_linalg.py:\d+\): logm of this real matrix is complex; pass",
    ):
        autodiff.grad(lambda x: np.sum(linalg.logm(x * np.diag([1.0, -1.0]))))(1.0)


def test_what_has_no_rule_says_so():
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.linalg.ldl cannot be called with a traced value \(test_linalg.py:\d+\): it has no",
    ):
        autodiff.grad(lambda x: np.sum(linalg.ldl(x)[0]))(a)
    with pytest.raises(
        DifferentiationError,
        match=r"^scipy.linalg.qr of traced values has no pivoting=True \(test_linalg.py:\d+\); leave it out$",
    ):
        autodiff.grad(lambda x: np.sum(linalg.qr(x, pivoting=True)[0]))(a)
    assert linalg.schur(a)[0].tolist() == sl.schur(a)[0].tolist()


def test_a_gaussian_process():
    x, y = np.linspace(0, 1, 20), np.sin(np.linspace(0, 6, 20))

    def likelihood(log_length, lin):
        k = np.exp(-0.5 * (x[:, None] - x) ** 2 / np.exp(2 * log_length)) + 0.1 * np.eye(20)
        factor = lin.cho_factor(k, lower=True)
        return -0.5 * y @ lin.cho_solve(factor, y) - np.sum(np.log(np.diagonal(factor[0])))

    found = autodiff.grad(lambda length: likelihood(length, linalg))(-1.0)
    assert found == pytest.approx((likelihood(-1 + 1e-5, sl) - likelihood(-1 - 1e-5, sl)) / 2e-5, rel=1e-7)


def test_a_long_band_takes_memory_for_its_diagonals_alone():
    n = 50_000
    ab = np.stack([np.full(n, -1.0), np.full(n, 2.5), np.full(n, -1.0)])
    gradient = autodiff.grad(lambda ab, b: np.sum(linalg.solve_banded((1, 1), ab, b)), argnums=(0, 1))(ab, np.ones(n))
    x = sl.solve_banded((1, 1), ab, np.ones(n))
    np.testing.assert_allclose(gradient[1], x, rtol=1e-9)
    np.testing.assert_allclose(gradient[0][1], -x * x, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("schur", "its vectors may be turned"),
        ("null_space", "any other basis of the space is as good"),
        ("orth", "any other basis of the space is as good"),
    ],
)
def test_bases_that_are_not_determined_are_refused_with_the_reason(name, words):
    with pytest.raises(
        DifferentiationError,
        match=rf"^scipy.linalg.{name} cannot be called with a traced value \(test_linalg.py:\d+\): {words}",
    ):
        autodiff.vjp(getattr(linalg, name), a)


def test_equations_that_do_not_fit_say_so():
    with pytest.raises(
        OperandError,
        match=r"^solve_banded got float64\[3,3\] and float64\[3\] \(test_linalg.py:\d+\); it needs 4 diagonals in rows",
    ):
        autodiff.vjp(lambda u: linalg.solve_banded((2, 1), u, v), bands)
    with pytest.raises(
        DifferentiationError, match=r"^solve_continuous_are of traced values has no e= \(test_linalg.py:\d+\)"
    ):
        autodiff.vjp(lambda a: linalg.solve_continuous_are(a, m, b, np.eye(2), e=a), a)
    with pytest.raises(np.linalg.LinAlgError, match=r"singular"):
        autodiff.vjp(lambda u: linalg.solve_banded((1, 1), u, v), 0 * bands)


# fmt: off
stack = rng.normal(size=(2, 3, 3)) + 3 * np.eye(3)
wide = rng.normal(size=(5, 3))
LIKE_SCIPYS = {  # functions of one array, with linalg or scipy.linalg
    "solve by position": (lambda m, a: m.solve(a, np.ones((3, 2)), True, False, False, True, None, True), a),
    "solve pos by position": (lambda m, a: m.solve(a @ a.T, np.ones(3), False, False, False, True, "pos"), a),
    "qr of a tall matrix": (lambda m, a: abs(m.qr(a, mode="r")[0]), wide),
    "lstsq of a vector":   (lambda m, a: m.lstsq(a, np.arange(5.0))[1], wide),
    "lstsq of a square":   (lambda m, a: m.lstsq(a, np.arange(3.0))[1], a),
    "solve_circulant":     (lambda m, c: m.solve_circulant(c, np.arange(12.0).reshape(3, 2, 2)), v),
    "lu of a stack":       (lambda m, a: m.lu(a[:, ::-1])[0] @ m.lu(a[:, ::-1])[1], stack),
    "lu permutation":      (lambda m, a: m.lu(a[:, ::-1])[0] + 0 * a, stack),
    "block_diag":          (lambda m, a: m.block_diag(a, np.ones((2, 1, 2))), stack),
    "block_diag broadcast": (lambda m, a: m.block_diag(a, np.ones(2)), stack),
    "companion":           (lambda m, a: m.companion(a), rng.normal(size=(2, 4))),
    "polar":               (lambda m, a: m.polar(a)[1], rng.normal(size=(2, 4, 3))),
    "polar left":          (lambda m, a: m.polar(a, "left")[1], stack),
    "lyapunov":            (lambda m, a: m.solve_discrete_lyapunov(a, stack), stack / 9),
    "lyapunov bilinear":   (lambda m, a: m.solve_discrete_lyapunov(a, stack, "bilinear"), stack / 9),
}
# fmt: on


@pytest.mark.parametrize("name", LIKE_SCIPYS)
def test_shapes_and_positions_of_scipys(name):
    fun, x = LIKE_SCIPYS[name]
    own = fun(sl, x)
    found = autodiff.jit(lambda x: fun(linalg, x))(x)
    assert np.shape(found) == np.shape(own)
    np.testing.assert_allclose(found, own, rtol=1e-9, atol=1e-12)
    along, weights = rng.normal(size=x.shape), rng.normal(size=np.shape(own))
    step = 1e-6 * along
    slope = np.sum(weights * (fun(sl, x + step) - fun(sl, x - step))) / 2e-6
    gradient = autodiff.grad(lambda x: np.sum(weights * fun(linalg, x)))(x)
    np.testing.assert_allclose(np.sum(gradient * along), slope, rtol=1e-5, atol=1e-7)


HAS_DISP = "disp" in inspect.signature(sl.logm).parameters  # before SciPy 1.18


def test_options_without_a_derivative_are_refused():
    for refused in (
        lambda a: linalg.eigvals(a, homogeneous_eigvals=True),
        lambda a: linalg.eig(a, homogeneous_eigvals=True)[0],
        lambda a: linalg.eigvals(a, None, False, homogeneous_eigvals=True),
        *(lambda a: linalg.sqrtm(a, disp=False)[0], lambda a: linalg.logm(a, False)[0])[: 2 * HAS_DISP],
    ):
        with pytest.raises(
            DifferentiationError, match=r"^scipy.linalg.\w+ of traced values (has no|takes the matrix alone)"
        ):
            autodiff.jit(refused)(positive(a))


POSITIVE = positive(a)
ONE_DTYPE = {
    **{
        name: (getattr(linalg, name), (POSITIVE,))
        for name in [
            "inv",
            "det",
            "norm",
            "pinv",
            "pinvh",
            "expm",
            "logm",
            "sqrtm",
            "sinm",
            "cosm",
            "tanm",
            "sinhm",
            "coshm",
            "tanhm",
            "cholesky",
            "lu",
            "svd",
            "svdvals",
            "qr",
            "eigvals",
            "eigvalsh",
            "polar",
        ]
    },
    **{name: (getattr(linalg, name), (v,)) for name in ["toeplitz", "hankel", "circulant", "companion", "fiedler"]},
    **{name: (getattr(linalg, name), (POSITIVE, v)) for name in ["solve", "solve_triangular", "lstsq"]},
    **{name: (getattr(linalg, name), (v, v)) for name in ["solve_circulant", "matmul_toeplitz"]},
    "eigenvalues": (lambda a: linalg.eig(a)[0], (POSITIVE,)),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], (m, v)),
    "inv pos": (lambda a: linalg.inv(a, assume_a="pos", lower=True), (POSITIVE,)),
    "solve her": (lambda a, b: linalg.solve(a, b, assume_a="her"), (POSITIVE, v)),
    "power": (lambda a: linalg.fractional_matrix_power(a, 0.5), (POSITIVE,)),
    "solve_toeplitz": (linalg.solve_toeplitz, (np.array([5.0, 1.0, 0.5]), v)),
    "tridiagonal": (lambda d, e: linalg.eigh_tridiagonal(d, e, eigvals_only=True), (v, v[:2])),
    "banded": (lambda ab, b: linalg.solve_banded((1, 1), ab, b), (bands, v)),
    "half of a band": (lambda ab, b: linalg.solveh_banded(ab, b), (bands[:2], v)),
    "eigenvalues of a band": (linalg.eigvals_banded, (bands[:2],)),
    "factors": (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), (POSITIVE, v)),
    "blocks": (linalg.block_diag, (a, m)),
    "khatri_rao": (linalg.khatri_rao, (a, b)),
}


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate:RuntimeWarning")  # SciPy says so of float32
@pytest.mark.filterwarnings("ignore:Calling .* with arguments of dtype=float16:DeprecationWarning")  # SciPy 1.18
@pytest.mark.parametrize("dtype", "efdFD")
@pytest.mark.parametrize("name", ONE_DTYPE)
def test_results_have_the_dtype_of_scipy(name, dtype):
    program, operands = ONE_DTYPE[name]
    operands = [x.astype(dtype) for x in operands]
    try:
        theirs = autodiff.tree.leaves(program(*operands))
    except TypeError:
        pytest.skip("SciPy takes no such dtype")
    close = {"e": 2e-2, "f": 1e-3, "F": 1e-3}.get(dtype, 1e-9)
    ours = autodiff.tree.leaves(autodiff.vjp(program, *operands)[0])
    for found, expected in zip(ours, theirs, strict=True):
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=close, atol=close)


HERMITIAN = {
    "solve her": lambda z: linalg.solve(z, v, assume_a="her"),
    "solve pos": lambda z: linalg.solve(z, v, assume_a="pos"),
    "inv her": lambda z: linalg.inv(z, assume_a="her"),
    "solveh_banded": lambda z: linalg.solveh_banded(z[:2], v),
    "eigvals_banded": lambda z: linalg.eigvals_banded(z[:2]),
    "eigvalsh": linalg.eigvalsh,
    "generalised eigvalsh": lambda z: linalg.eigvalsh(z, 2 * z + np.eye(3)),
    "pinvh": linalg.pinvh,
    "cholesky": linalg.cholesky,
}


@pytest.mark.parametrize("name", HERMITIAN)
def test_the_imaginary_part_of_a_real_diagonal_is_not_read(name):
    z = POSITIVE + 1j * np.array([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.1], [0.2, -0.1, 0.0]])
    if "band" in name:
        z = np.array([[0.0, 0.4j, 0.3], [5.0, 6.0, 7.0], [0.0, 0.0, 0.0]])
    places = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]]) if "band" in name else np.eye(3)
    moved = autodiff.jvp(HERMITIAN[name], (z,), (1j * places,))
    np.testing.assert_allclose(moved[0], HERMITIAN[name](z + 1j * places), rtol=1e-12)
    np.testing.assert_array_equal(moved[1], np.zeros_like(moved[1]))


@pytest.mark.parametrize("n", [6, 70])
def test_triangles_with_a_zero_on_the_diagonal_are_refused(n):
    a = np.tril(np.random.default_rng(1).uniform(0.1, 1, (n, n)))
    a[2, 2] = 0
    for matrix, lower in ((a, True), (a.T, False)):
        for transposed in (False, True):
            with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
                solve_triangle(matrix, np.ones((n, 1)), lower=lower, transposed=transposed, unit=False)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.5, 0.5, -1.5, -2.0])
@pytest.mark.parametrize("axis", [None, 0])
def test_norms_by_their_order(order, axis):
    """NumPy chooses another formula for some orders, in which the order does not occur."""
    x = np.array([1.0, -2.0, 0.3, 3.0]) if axis is None else m

    def norm(p):
        return autodiff.numpy.linalg.norm(x, p, axis)

    np.testing.assert_allclose(autodiff.vjp(norm, order)[0], np.linalg.norm(x, order, axis), rtol=1e-14)
    check_laws(norm, (order,))
    check_laws(lambda x, p: autodiff.numpy.linalg.norm(x, p, axis), (x, order))


@pytest.mark.parametrize("order", [0.0, np.inf, -np.inf, 1.0, 2.0, 0.5, -1.0])
def test_norms_of_traced_order_at_the_limits(order):
    norm = autodiff.numpy.linalg.norm
    for x in (np.array([1.0, -2.0, 0.0, 3.0]), np.zeros(3), np.array([1.0, np.inf])):
        with np.errstate(all="ignore"):
            expected, slope = np.linalg.norm(x, order), autodiff.grad(lambda x: norm(x, order))(x)
            found, (by_x, by_order) = autodiff.value_and_grad(norm, argnums=(0, 1))(x, order)
            assert autodiff.jit(lambda p, x=x: norm(x, p))(order) == pytest.approx(expected, nan_ok=True)
        np.testing.assert_allclose(found, expected)
        if np.all(np.isfinite(x)):
            np.testing.assert_allclose(by_x, slope)
            assert np.isfinite(by_order)


def test_norms_of_matrices_take_a_constant_order():
    for norm in (autodiff.numpy.linalg.norm, autodiff.numpy.linalg.cond):
        with pytest.raises(
            DifferentiationError,
            match=r"^a norm of matrices takes a constant ord \(test_linalg.py:\d+\), by which NumPy",
        ):
            autodiff.grad(lambda p, norm=norm: norm(np.eye(3), p))(1.0)


def test_products_with_toeplitz_matrices_make_no_matrix():
    c, r, columns = (np.random.default_rng(k).normal(size=size) for k, size in enumerate([5, 3, (3, 2)]))
    for own in ((c, r), (c + 1j * c[::-1], r), (c[:3], None)):
        pair = own[0] if own[1] is None else own
        for each in (columns, columns[:, 0], columns * 1j):
            found = autodiff.vjp(lambda x, pair=pair: linalg.matmul_toeplitz(pair, x), each)[0]
            np.testing.assert_allclose(found, sl.matmul_toeplitz(pair, each), rtol=1e-12, atol=1e-12)
            check_laws(lambda x, pair=pair: linalg.matmul_toeplitz(pair, x), (each,))
    check_laws(lambda c, r: linalg.matmul_toeplitz((c, r), columns), (c, r))
    many = np.ones(200_000)  # of which a matrix would take 320 GB
    assert autodiff.grad(lambda x: linalg.matmul_toeplitz(many, x)[-1])(many)[0] == pytest.approx(1.0)


def test_diagonal_matrices_with_zeros_below():
    """SciPy puts them together by ``np.r_``, which is no function."""
    found = autodiff.vjp(lambda s: linalg.diagsvd(s, 4, 3), np.arange(1.0, 4.0))[0]
    np.testing.assert_array_equal(found, sl.diagsvd(np.arange(1.0, 4.0), 4, 3))
