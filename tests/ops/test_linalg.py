"""Solving, decomposing and measuring matrices: all laws at well-conditioned ones, conventions at the others."""

import warnings

import numpy as np
import pytest

import autodiff
from autodiff import grad, jvp, make_tape, vmap
from autodiff.ops.matrices.gauge import GaugeWarning
from autodiff.testing import check_laws
from autodiff.trace.errors import DifferentiationError
from tests.ops.matrices import ALL, between, dominant, draw, hermitian, positive

la = np.linalg


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def of_eigh(a):
    w, v = la.eigh(hermitian(a))
    return between(v, np.exp(0.2 * w), adjoint(v)), abs(v)


def of_eig(a):
    w, v = la.eig(a)
    return w, between(v, np.exp(0.2 * w), la.inv(v)), abs(v)


def of_svd(a):
    u, s, vh = la.svd(a, full_matrices=False)
    return between(u, np.exp(0.2 * s), vh), abs(u), abs(vh)


def of_full_svd(a):
    u, s, vh = la.svd(a)
    rest, other = u[..., s.shape[-1] :], vh[..., s.shape[-1] :, :]
    return rest @ adjoint(rest), adjoint(other) @ other, s


def of_complete_qr(a):
    q, r = la.qr(a, "complete")
    rest = q[..., a.shape[-1] :]
    return q[..., : a.shape[-1]], rest @ adjoint(rest), r


def of_hermitian_svd(a):
    u, s, vh = la.svd(hermitian(a), hermitian=True)
    return between(u, s * s, vh), s


# fmt: off
SQUARE = {
    "inv":             la.inv,
    "det":             la.det,
    "slogdet":         la.slogdet,
    "cholesky":        lambda a: la.cholesky(positive(a)),
    "cholesky upper":  lambda a: la.cholesky(positive(a), upper=True),
    "qr":              la.qr,
    "qr complete":     lambda a: la.qr(a, "complete"),
    "eigh":            of_eigh,
    "eigvalsh":        lambda a: la.eigvalsh(hermitian(a)),
    "svd":             of_svd,
    "hermitian svd":   of_hermitian_svd,
    "hermitian values": lambda a: la.svd(hermitian(a), compute_uv=False, hermitian=True),
    "pinv":            la.pinv,
    "hermitian pinv":  lambda a: la.pinv(hermitian(a), hermitian=True),
    "power 3":         lambda a: la.matrix_power(a, 3),
    "power 6":         lambda a: la.matrix_power(a, 6),
    "power -2":        lambda a: la.matrix_power(a, -2),
    "cond":            la.cond,
    "cond -2":         lambda a: la.cond(a, -2),
    "cond 1":          lambda a: la.cond(a, 1),
    "cond fro":        lambda a: la.cond(a, "fro"),
    "trace":           lambda a: la.trace(a, offset=1),
    "diagonal":        la.diagonal,
    "transpose":       la.matrix_transpose,
}
ANY = {
    "svdvals":         la.svdvals,
    "svd":             of_svd,
    "full svd":        of_full_svd,
    "pinv":            la.pinv,
    "pinv rtol":       lambda a: la.pinv(a, rtol=None),
    "qr r":            lambda a: la.qr(a, "r"),
    "qr":              la.qr,
    "complete qr":     of_complete_qr,
    "norm":            la.norm,
    "norm keepdims":   lambda a: la.norm(a, keepdims=True),
    "matrix norm":     la.matrix_norm,
    "norm 1":          lambda a: la.norm(a, 1, (-2, -1)),
    "norm -1":         lambda a: la.norm(a, -1, (-1, -2)),
    "norm inf":        lambda a: la.norm(a, np.inf, (-2, -1), keepdims=True),
    "norm -inf":       lambda a: la.norm(a, -np.inf, (-2, -1)),
    "norm 2":          lambda a: la.norm(a, 2, (-2, -1)),
    "norm -2":         lambda a: la.norm(a, -2, (-2, -1)),
    "norm nuc":        lambda a: la.norm(a, "nuc", (-2, -1)),
    "vectors":         lambda a: la.norm(a, axis=-1),
    "vectors 0":       lambda a: la.norm(a, 0, axis=-1),
    "vectors 1":       lambda a: la.norm(a, 1, axis=-1),
    "vectors 3":       lambda a: la.norm(a, 3, axis=-2, keepdims=True),
    "vectors 2.5":     lambda a: la.norm(a, 2.5, axis=-1),
    "vectors -1":      lambda a: la.norm(a, -1, axis=-1),
    "vectors inf":     lambda a: la.norm(a, np.inf, axis=-1),
    "vectors -inf":    lambda a: la.norm(a, -np.inf, axis=-1),
    "vector norm":     la.vector_norm,
    "vector norm axes": lambda a: la.vector_norm(a, axis=(-1, -2), keepdims=True, ord=3),
}
TWO = {
    "solve":           (la.solve, (3, 3), (3, 2)),
    "solve vector":    (la.solve, (2, 3, 3), (3,)),
    "solve stacks":    (la.solve, (2, 1, 3, 3), (2, 3, 1)),
    "solve one":       (la.solve, (3, 3), (2, 3, 1)),
    "lstsq tall":      (la.lstsq, (4, 2), (4, 2)),
    "lstsq wide":      (la.lstsq, (2, 4), (2,)),
    "tensorsolve":     (lambda a, b: la.tensorsolve(a, b, axes=(0,)), (2, 3, 2, 3), (3, 2)),
}
# fmt: on


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", SQUARE)
def test_square_matrices_keep_all_laws(name, dtype):
    check_laws(SQUARE[name], (dominant(name, (2, 3, 3), dtype),), name=name)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("shape", [(2, 4, 2), (2, 3)])
@pytest.mark.parametrize("name", ANY)
def test_any_matrices_keep_all_laws(name, shape, dtype):
    check_laws(ANY[name], (draw(name + str(shape), shape, dtype),), name=name)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("name", TWO)
def test_equations_keep_all_laws(name, dtype):
    fun, first, second = TWO[name]
    a = draw(name, first, dtype) if len(first) == 4 and first[-1] != first[-2] else dominant(name, first, dtype)
    check_laws(fun, (a, draw(name + "b", second, dtype)), name=name)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_tensorinv_keeps_all_laws(dtype):
    check_laws(lambda a: la.tensorinv(a, ind=1), (draw("tensorinv", (4, 2, 2), dtype),))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("shapes", [((2, 3), (3, 4), (4,)), ((3,), (3, 4), (4, 2), (2,)), ((2, 3), (3, 2))])
def test_multi_dot_keeps_all_laws(shapes, dtype):
    check_laws(lambda *xs: la.multi_dot(xs), tuple(draw(str(shape), shape, dtype) for shape in shapes))


@pytest.mark.parametrize("triangle", ["L", "U"])
@pytest.mark.parametrize("function", [la.eigh, la.eigvalsh])
def test_only_the_triangle_that_is_read_gets_a_derivative(function, triangle):
    a = hermitian(draw("triangle", (3, 3), "float64"))
    check_laws(lambda x: function(x, UPLO=triangle), (a,))
    g = grad(lambda x: np.sum(la.eigvalsh(x, UPLO=triangle) ** 2))(a)
    unread = np.triu(g, 1) if triangle == "L" else np.tril(g, -1)
    assert not unread.any()


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(upper):
    check_laws(lambda x: la.cholesky(x, upper=upper), (positive(draw("c", (3, 3), "float64")),))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_eigenvalues_of_any_matrix(dtype):
    a = draw("eig", (3, 3), dtype)
    skip = () if dtype == "complex128" else ("spec", "replay", "batch", "batch of gradient")
    check_laws(la.eigvals, (a,), skip=skip)
    check_laws(of_eig, (a,), skip=(*skip, "value", "replay"))


def test_real_eigenvalues_stay_real_where_they_are_known():
    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert jvp(la.eigvals, (a,), (a,))[0].dtype == float
    assert str(make_tape(la.eigvals)(a).output_specs) == "(complex128[2],)"
    w = vmap(la.eigvals)(np.stack([a, a]))
    assert w.dtype == complex


def test_results_are_the_named_tuples_of_numpy():
    for function in (la.svd, la.eigh, la.eig, la.qr, la.slogdet):
        value, _ = autodiff.vjp(function, np.diag([1.0, 2.0]))
        assert type(value) is type(function(np.eye(2)))


# Conventions.


def forwards(fun, x):
    """The gradient of the sum, one direction at a time."""
    units = np.eye(x.size).reshape(-1, *x.shape)
    return np.reshape([np.sum(jvp(fun, (x,), (unit,))[1]) for unit in units], x.shape)


def backwards(fun, x):
    return grad(lambda a: np.sum(fun(a)))(x)


LINE = f"test_linalg.py:{backwards.__code__.co_firstlineno + 1}"
"""Where the functions that :func:`backwards` differentiates are called."""


def hessian(fun, x):
    along = grad(lambda a, u: np.sum(backwards(fun, a) * u))
    return np.array([along(x, u) for u in np.eye(x.size).reshape(-1, *x.shape)])


ZERO, ONE, ONES = np.zeros((2, 2)), np.eye(2), np.ones((2, 2))
INF = np.inf
# fmt: off
POINTS = {
    "det singular diag(0,0)":      (la.det, ZERO, ZERO),
    "det rank1 [[1,1],[1,1]]":     (la.det, ONES, [[1, -1], [-1, 1]]),
    "slogdet rank1":               (lambda a: la.slogdet(a)[1], ONES, [[INF, -INF], [-INF, INF]]),
    "eigvalsh(I)":                 (la.eigvalsh, ONE, ONE),
    "svdvals(I)":                  (la.svdvals, ONE, ONE),
    "svdvals(0)":                  (la.svdvals, ZERO, ONE),
    "pinv(0)":                     (la.pinv, ZERO, ZERO),
    "norm([0,0])":                 (la.norm, np.zeros(2), [0, 0]),
    "norm([0,0])**2":              (lambda x: la.norm(x) ** 2, np.zeros(2), [0, 0]),
    "norm ord=1 [0,1]":            (lambda x: la.norm(x, 1), np.array([0.0, 1.0]), [0, 1]),
    "norm ord=inf tie [1,1]":      (lambda x: la.norm(x, np.inf), np.ones(2), [0.5, 0.5]),
    "norm ord=3 [0,0]":            (lambda x: la.norm(x, 3), np.zeros(2), [0, 0]),
    "norm fro 0 2x2":              (la.norm, ZERO, ZERO),
    "norm of a row of zeros":      (lambda x: la.norm(x, axis=1), np.diag([0.0, 3.0]), [[0, 0], [0, 1]]),
    "norm ord=2 of I":             (lambda x: la.norm(x, 2), ONE, ONE / 2),
}
# fmt: on


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_conventions_hold_at_the_point_in_both_modes(name):
    fun, x, expected = POINTS[name]
    np.testing.assert_allclose(backwards(fun, x), expected, atol=1e-15)
    np.testing.assert_allclose(forwards(fun, x), expected, atol=1e-15)


@pytest.mark.parametrize("fun", [lambda a: la.eigh(a)[0], lambda a: la.svd(a)[1]])
def test_values_alone_of_a_decomposition_need_no_choice_backwards(fun):
    np.testing.assert_allclose(backwards(fun, ONE), ONE)


def test_singular_values_of_zero():
    np.testing.assert_allclose(abs(backwards(lambda a: la.svd(a)[1], ZERO)), ONE)


@pytest.mark.parametrize("fun", [la.norm, lambda x: la.norm(x, 3)])
def test_second_derivative_of_norms_is_zero_at_zero(fun):
    np.testing.assert_array_equal(hessian(fun, np.zeros(2)), np.zeros((2, 2)))


@pytest.mark.parametrize("x", [ZERO, ONES, np.diag([2.0, 3.0])])
def test_second_derivative_of_the_determinant(x):
    expected = [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_allclose(hessian(la.det, x).reshape(4, 4), expected, atol=1e-15)


def test_third_derivative_of_the_determinant():
    x = draw("det", (3, 3), "float64")
    rule = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]

    def by_hand(a):
        return sum(a[0, i] * (a[1, j] * a[2, k] - a[1, k] * a[2, j]) for i, j, k in rule)

    def third(fun):
        return hessian(lambda a: grad(fun)(a), x)

    np.testing.assert_allclose(third(la.det), third(by_hand), atol=1e-12)


def test_determinant_is_nan_where_its_matrix_is():
    with np.errstate(invalid="ignore"):
        assert np.isnan(grad(la.det)(np.full((2, 2), np.nan))).all()


MEETS = (
    "a derivative of {name} ({line}) meets equal or zero values: the part that divides by their difference is taken as "
    "zero. That is right where vectors of equal values count only as the space that they span, but not for a function "
    "of the values put between the vectors. Where only the values are wanted, call eigvalsh, eigvals or svdvals."
)


def warning_of(run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = run()
    assert {warning.category for warning in caught} <= {GaugeWarning}
    return result, {str(warning.message).split(" (")[0] for warning in caught}


@pytest.mark.parametrize(("name", "fun"), [("eigh", lambda a: la.eigh(a)[1]), ("svd", lambda a: la.svd(a)[0])])
def test_vectors_of_equal_values_have_derivative_zero_and_a_warning(name, fun):
    found, messages = warning_of(lambda: backwards(fun, ONE))
    np.testing.assert_array_equal(found, ZERO)
    assert messages == {f"a derivative of {name}"}
    found, messages = warning_of(lambda: forwards(fun, ONE))
    np.testing.assert_array_equal(found, ZERO)
    assert messages == {f"a derivative of {name}"}


def test_functions_of_equal_values_put_between_vectors_warn():
    def squared(a):
        w, v = la.eigh(a)
        return (v * w**2) @ v.T

    with pytest.warns(GaugeWarning) as caught:
        backwards(squared, ONE)
    assert str(caught[0].message) == MEETS.format(name="eigh", line=LINE)


@pytest.mark.parametrize("name", ["eigh", "eig"])
def test_phases_of_vectors_warn(name):
    a = hermitian(draw("phase", (2, 2), "complex128"))
    with pytest.warns(GaugeWarning) as caught:
        backwards(lambda a: np.real(1j * getattr(la, name)(a)[1][0, 0]), a)
    assert str(caught[0].message) == (
        f"a derivative of {name} ({LINE}) depends on the phases of the vectors, which are arbitrary: their part is taken "
        "as zero."
    )


# Errors.


def error_of(kind, run):
    with pytest.raises(kind) as caught:
        run()
    assert type(caught.value) is kind
    return str(caught.value)


def test_errors_of_lapack_name_the_operation_and_the_line():
    singular = error_of(la.LinAlgError, lambda: backwards(la.inv, ONES))
    assert singular == f"inv(float64[2,2]) ({LINE}): Singular matrix"
    indefinite = error_of(la.LinAlgError, lambda: backwards(la.cholesky, ZERO))
    assert indefinite == f"cholesky(float64[2,2]) ({LINE}): Matrix is not positive definite"


def test_operands_that_are_no_square_matrices():
    for name in ("inv", "det", "slogdet", "cholesky", "eigh", "eigvalsh", "eig", "eigvals"):
        text = error_of(la.LinAlgError, lambda name=name: backwards(getattr(la, name), np.ones((2, 3))))
        assert text == f"{name} got float64[2,3] ({LINE}); it needs square matrices in the last two axes"


def test_least_squares_need_full_rank():
    text = error_of(la.LinAlgError, lambda: backwards(lambda a: la.lstsq(a, np.ones(2))[0], ONES))
    assert text == (
        f"lstsq has no derivative at a matrix of rank 1 ({LINE}): it needs rank 2. Drop dependent columns, add a small "
        "multiple of the identity, or use np.linalg.pinv(a) @ b, whose derivative keeps the rank fixed"
    )


def test_qr_without_a_derivative():
    def raw(a):
        return la.qr(a, "raw")[0]

    line = f"test_linalg.py:{raw.__code__.co_firstlineno + 1}"
    assert error_of(DifferentiationError, lambda: backwards(raw, np.ones((3, 2)))) == (
        f"np.linalg.qr(mode='raw') of a traced float64[3,2] has no derivative ({line}): use 'reduced', 'complete' or 'r'"
    )


def test_a_basis_of_what_is_orthogonal_to_a_matrix_has_no_derivative_by_itself():
    weights, a = np.cos(np.arange(16.0).reshape(4, 4)), np.sin(np.arange(8.0).reshape(4, 2))
    with pytest.warns(GaugeWarning, match="a derivative of qr"):
        grad(lambda a: np.sum(weights * la.qr(a, "complete")[0]))(a)


def test_rank_is_a_constant():
    np.testing.assert_array_equal(grad(lambda a: np.sum(a) * la.matrix_rank(a))(ONES), ONES)


EMPTY = [
    (la.det, (0, 0)),
    (la.inv, (0, 0)),
    (la.inv, (0, 2, 2)),
    (la.svdvals, (0, 3)),
    (lambda a: la.svd(a)[0], (0, 2, 2)),
    (lambda a: la.eigh(a)[1], (0, 2, 2)),
    (lambda a: la.qr(a)[1], (3, 0)),
    (la.pinv, (0, 3)),
    (la.norm, (0,)),
    (lambda a: la.norm(a, np.inf), (0,)),
]


@pytest.mark.parametrize(("fun", "shape"), EMPTY)
def test_empty_matrices(fun, shape):
    assert backwards(fun, np.zeros(shape)).shape == shape
