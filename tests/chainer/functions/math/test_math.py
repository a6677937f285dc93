"""Functions that compute: derivatives, labels, values, kinks, and what they refuse."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.functions as F
from autodiff import InvalidType, Variable
from autodiff.chainer.functions.math import basic_math
from autodiff.chainer.utils.sparse import CooMatrix, to_coo
from tests.chainer.functions.function_laws import Row, check_row, draw, gradient

X = draw(2, 3)
X[np.abs(X) < 0.05] = 0.3
Y = draw(2, 3, seed=1)
P = draw(2, 3, low=0.2, high=0.8)
Q = draw(2, 3, low=1.1, high=3.0)
CUBE = draw(2, 3, 4)
SQUARE = draw(3, 3) + 2 * np.eye(3)
BATCH = draw(2, 3, 3, seed=3) + 2 * np.eye(3)
SPARSE = np.array([[1.0, 0, 2], [0, 3, 0]])
ORDERS = np.array([0, 1, 3])


def positive_definite(x: Any) -> Any:
    """A matrix that stays symmetric when it is varied."""
    return F.cholesky(F.matmul(x, x, transb=True))


def product_with_sparse(data: Any, dense: Any) -> Any:
    matrix = to_coo(SPARSE.astype(data.dtype))
    matrix.data = data
    return F.sparse_matmul(matrix, dense)


UNARY = {
    "exp": (F.exp, X), "log": (F.log, P), "log2": (F.log2, P), "log10": (F.log10, P), "log1p": (F.log1p, P),
    "expm1": (F.expm1, X), "sin": (F.sin, X), "cos": (F.cos, X), "tan": (F.tan, X), "arcsin": (F.arcsin, X * 0.9),
    "arccos": (F.arccos, X * 0.9), "arctan": (F.arctan, X), "sinh": (F.sinh, X), "cosh": (F.cosh, X),
    "Arctanh": (F.arctanh, X * 0.9), "sqrt": (F.sqrt, P), "1.0 / _": (F.rsqrt, P), "square": (F.square, X),
    "|_|": (F.absolute, X), "erf": (F.erf, X), "erfc": (F.erfc, X), "erfcx": (F.erfcx, X),
    "erfinv": (F.erfinv, X * 0.9), "erfcinv": (F.erfcinv, P), "ndtr": (F.ndtr, X), "ndtri": (F.ndtri, P),
    "log_ndtr": (F.log_ndtr, X), "lgamma": (F.lgamma, Q), "digamma": (F.digamma, Q),
}  # fmt: skip

ROWS = [
    *(Row(label, function, (x,), label) for label, (function, x) in UNARY.items()),
    Row("add", F.add, (X, Y), "_ + _"),
    Row("add3", F.add, (X, Y, draw(3)), "MultiAdd"),
    Row("arctan2", F.arctan2, (X, P), "arctan2"),
    Row("average", F.average, (X,), "Mean"),
    Row("average_axes", lambda x: F.average(x, (0, -1), keepdims=True), (CUBE,), "Mean"),
    Row("average_weighted", lambda x, w: F.average(x, 1, w), (X, draw(3, low=1, high=2)), "_ / _"),
    Row("batch_l2_norm_squared", F.batch_l2_norm_squared, (CUBE,), "BatchL2NormSquared"),
    Row("bias", lambda x, y: F.bias(x, y, 1), (CUBE, draw(3)), "_ + _"),
    Row("scale", lambda x, y: F.scale(x, y, 0), (CUBE, X), "_ * _"),
    Row("cholesky", positive_definite, (SQUARE,), "cholesky", half=False),
    Row("clip", lambda x: F.clip(x, -0.5, 0.5), (X,), "Clip"),
    Row("cumsum", lambda x: F.cumsum(x, -1), (X,), "Cumsum"),
    Row("cumsum_all", F.cumsum, (X,), "Cumsum"),
    Row("cumprod", lambda x: F.cumprod(x, 1), (X,), "Cumprod"),
    Row("det", F.det, (SQUARE,), "Reshape"),
    Row("batch_det", F.batch_det, (BATCH,), "det"),
    Row("inv", F.inv, (SQUARE,), "Inv"),
    Row("batch_inv", F.batch_inv, (BATCH,), "BatchInv"),
    Row("einsum", lambda *xs: F.einsum("ij,kj->ik", *xs), (X, Y), "EinSum"),
    Row("einsum_dots", lambda *xs: F.einsum("...ij, jk", *xs), (CUBE, draw(4, 2)), "EinSum"),
    Row("einsum_lists", lambda x, y: F.einsum(x, [0, 1], y, [1, 2], [2, 0]), (X, draw(3, 2)), "EinSum"),
    Row("fft", lambda *xs: F.fft(xs), (X, Y), "FFT"),
    Row("ifft", lambda *xs: F.ifft(xs), (X, Y), "FFT"),
    Row("fmod", F.fmod, (X * 3, P), "fmod"),
    Row("identity", F.identity, (X,), "Identity"),
    Row("identities", F.identity, (X, Y), "Identity"),
    Row("linear_interpolate", F.linear_interpolate, (P, X, Y), "LinearInterpolate"),
    Row("logsumexp", F.logsumexp, (X,), "LogSumExp"),
    Row("logsumexp_axes", lambda x: F.logsumexp(x, (0, -1)), (CUBE,), "LogSumExp"),
    Row("matmul", F.matmul, (X, draw(3, 2)), "MatMul"),
    Row("matmul_transposed", lambda a, b: F.matmul(a, b, True, True), (draw(3, 2), draw(2, 3)), "MatMul"),
    Row("matmul_batch", lambda a, b: F.matmul(a, b, transb=True), (CUBE, draw(1, 5, 4)), "MatMul"),
    Row("matmul_vector", F.matmul, (CUBE, draw(4)), "MatMul"),
    Row("matmul_vectors", F.matmul, (draw(4), draw(4, seed=1)), "MatMul"),
    Row("batch_matmul", lambda a, b: F.batch_matmul(a, b, transa=True), (CUBE, draw(2, 3)), "BatchMatMul"),
    Row("maximum", F.maximum, (X, Y), "Maximum"),
    Row("minimum", F.minimum, (X, draw(3, seed=5)), "Minimum"),
    Row("max", lambda x: F.max(x, (0, 2)), (CUBE,), "Max"),
    Row("min", lambda x: F.min(x, 1, keepdims=True), (CUBE,), "Min"),
    Row("polygamma", lambda x: F.polygamma(ORDERS, x), (Q,), "polygamma"),
    Row("zeta", lambda q: F.zeta(2.5, q), (Q,), "zeta"),
    Row("prod", lambda x: F.prod(x, (0, 2)), (CUBE,), "Prod"),
    Row("sum", F.sum, (X,), "Sum"),
    Row("sum_axes", lambda x: F.sum(x, (0, -1), keepdims=True), (CUBE,), "Sum"),
    Row("sum_to", lambda x: F.sum_to(x, (3, 1)), (CUBE,), "SumTo"),
    Row("sparse_matmul", product_with_sparse, (np.array([1.0, 2, 3]), draw(3, 2)), "CooMatMul"),
    Row("tensordot", lambda a, b: F.tensordot(a, b, ((1, 2), (0, 1))), (CUBE, draw(3, 4, 2)), "TensorDot"),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


KINKS = {  # function, points, gradients of the sum
    "maximum": (F.maximum, ([0.0, 2], [0, 1]), [[1, 1], [0, 0]]),
    "minimum": (F.minimum, ([0.0, 2], [0, 1]), [[1, 0], [0, 1]]),
    "maximum, stretched": (F.maximum, ([[0.0, 1], [3, 1]], [0, 1]), [[[1, 1], [1, 1]], [0, 0]]),
    "max": (F.max, ([1.0, 1, 0],), [[1, 1, 0]]),
    "min": (F.min, ([1.0, 1, 2],), [[1, 1, 0]]),
    "clip": (lambda x: F.clip(x, -1, 1), ([-1.0, 1, -2, 2, nan],), [[1, 1, 0, 0, 0]]),
    "clip below": (lambda x: F.clip(x, None, 1), ([-9.0, 1, 2],), [[1, 1, 0]]),
    "absolute": (F.absolute, ([-1.0, 0, 1],), [[-1, 0, 1]]),
    "fmod": (F.fmod, ([5.0, -5, 4], [3, 3, 2]), [[1, 1, 1], [-1, 1, -2]]),
    "sqrt": (F.sqrt, ([0.0, 4],), [[inf, 0.25]]),
    "log": (F.log, ([0.0, 2],), [[inf, 0.5]]),
    "arcsin": (F.arcsin, ([-1.0, 0, 1],), [[inf, 1, inf]]),
    "arccos": (F.arccos, ([-1.0, 0, 1],), [[-inf, -1, -inf]]),
    "arctan2": (F.arctan2, ([0.0, 1], [0, 1]), [[0, 0.5], [0, -0.5]]),
    "prod": (F.prod, ([0.0, 2, 3],), [[6, 0, 0]]),
    "prod of zeros": (F.prod, ([0.0, 0, 3],), [[0, 0, 0]]),
    "cumprod": (F.cumprod, ([0.0, 2, 3],), [[9, 0, 0]]),
    "logsumexp": (F.logsumexp, ([-inf, 0.0],), [[0, 1]]),
    "logsumexp of nothing": (F.logsumexp, ([-inf, -inf],), [[0, 0]]),
    "singular det": (F.det, ([[1.0, 1], [1, 1]],), [[[1, -1], [-1, 1]]]),
}


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", KINKS)
def test_gradients_at_kinks_and_ends(name: str) -> None:
    function, args, gradients = KINKS[name]
    for found, wanted in zip(gradient(function, *args), gradients, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-15)


def test_the_larger_number_is_nan_where_one_is() -> None:
    for function in (F.maximum, F.minimum):
        assert np.isnan(function(np.array([nan, 1.0]), np.array([1.0, nan])).array).all()


VALUES = {
    "max": (lambda: F.max(np.array([[1.0, nan], [2, -inf]]), axis=0), [2, nan]),
    "max of infinities": (lambda: F.max(np.array([-inf, -inf])), -inf),
    "argmax": (lambda: F.argmax(np.array([[1, 1, 0.0], [0, 1, 2]]), axis=1), [0, 2]),
    "argmin": (lambda: F.argmin(np.array([[1, 1, 0.0], [0, 1, 2]])), 2),
    "average": (lambda: F.average(np.array([[1, 2, 0.0], [1, 0, 0]]), weights=np.array([[1, 2, 0.0], [1, 0, 0]])), 1.5),
    "average, axis": (lambda: F.mean(np.array([[1, 2, 0.0], [1, 0, 0]]), 1, np.array([1.0, 2, 1])), [1.25, 0.25]),
    "average, kept": (lambda: F.average(np.array([[1, 2, 0.0]]), 1, np.array([1.0, 2, 1]), keepdims=True), [[1.25]]),
    "logsumexp far out": (lambda: F.logsumexp(np.array([1000.0, 1000])), 1000 + np.log(2)),
    "polygamma": (lambda: F.polygamma(np.array(1), np.array([0.5])), [pi**2 / 2]),
    "zeta": (lambda: F.zeta(2, np.array([0.5])), [pi**2 / 2]),
    "matmul of vectors": (lambda: F.matmul(np.arange(3.0), np.arange(3.0)), 5),
    "matmul, vector first": (lambda: F.matmul(np.arange(3.0), np.arange(6.0).reshape(3, 2), transa=True), [10, 13]),
    "batch_matmul": (lambda: F.batch_matmul(*[np.arange(6.0).reshape(2, 3)] * 2, transa=True), [[[5]], [[50]]]),
    "floor": (lambda: F.floor(np.array([0.5, -0.5])), [0, -1]),
    "ceil": (lambda: F.ceil(np.array([0.5, -0.5])), [1, 0]),
    "fix": (lambda: F.fix(np.array([1.5, -1.5])), [1, -1]),
    "sign": (lambda: F.sign(np.array([-2.0, 0, nan])), [-1, 0, nan]),
    "fft": (lambda: F.fft((np.arange(3.0), np.arange(3.0)))[0], [3, -2.3660254, -0.6339746]),
    "ifft": (lambda: F.ifft((np.arange(3.0), np.arange(3.0)))[1], [1, -0.78867513, -0.21132487]),
    "log_ndtr": (lambda: F.log_ndtr(np.array([-40.0])), [-804.6084420137538]),
    "erfcinv at the ends": (lambda: F.erfcinv(np.array([0.0, 2])), [inf, -inf]),
    "sum over no axis": (lambda: F.sum(np.array([[1.0, 2]]), axis=()), [[1, 2]]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    call, values = VALUES[name]
    np.testing.assert_allclose(call().array, values, rtol=1e-7)


def test_positions_are_int32_and_steps_are_roots() -> None:
    x = Variable(X)
    assert (F.argmax(x).dtype, F.argmax(x).creator.label) == (np.int32, "ArgMax")
    for function in (F.floor, F.ceil, F.fix, F.sign):
        y = function(x)
        assert (y.creator, y.requires_grad, y.dtype) == (None, False, np.float64)
        assert function(np.array([1, 2], np.int32)).array.tolist() in ([1, 2], [1, 1])


def test_identity_keeps_the_array() -> None:
    assert F.identity(Variable(X)).array is X
    assert F.identity() == ()
    assert [y.array is X for y in F.identity(X, X)] == [True, True]


def test_sum_to_the_same_shape_is_the_same_variable() -> None:
    x = Variable(X)
    assert F.sum_to(x, (2, 3)) is x
    with pytest.raises(ValueError, match=r"^an array of shape \(2, 3\) cannot be summed to \(2, 2\); the new shape"):
        F.sum_to(x, (2, 2))


def test_a_symmetric_derivative_of_cholesky() -> None:
    g = np.array([[0.2985727, 0.21992277], [0.21992277, 0.53452248]])
    np.testing.assert_allclose(gradient(F.cholesky, [[2.0, 0.5], [0.5, 1.0]])[0], g, atol=1e-8)


def test_sparse_products() -> None:
    matrix = to_coo(SPARSE, requires_grad=True)
    dense = Variable(np.arange(6.0).reshape(3, 2))
    y = F.sparse_matmul(matrix, dense)
    assert y.array.tolist() == [[8, 11], [6, 9]]
    F.sum(y * y).backward()
    assert matrix.data.grad.tolist() == [22, 174, 78]
    assert dense.grad.tolist() == [[16, 22], [36, 54], [32, 44]]
    for function, wanted in (
        (lambda: F.sparse_matmul(np.ones((4, 2)), matrix), np.ones((4, 2)) @ SPARSE),
        (lambda: F.sparse_matmul(matrix, np.ones((2, 4)), transa=True), SPARSE.T @ np.ones((2, 4))),
        (lambda: F.sparse_matmul(matrix, np.ones((4, 3)), transb=True), SPARSE @ np.ones((3, 4))),
        (lambda: F.sparse_matmul(np.arange(8.0).reshape(2, 4), matrix, True), np.arange(8.0).reshape(2, 4).T @ SPARSE),
        (lambda: F.sparse_matmul(np.ones((4, 3)), matrix, transb=True), np.ones((4, 3)) @ SPARSE.T),
    ):
        np.testing.assert_allclose(function().array, wanted)


def test_sparse_products_of_batches() -> None:
    batch = np.stack((SPARSE, SPARSE * [[0], [1]]))
    dense = draw(2, 3, 4)
    np.testing.assert_allclose(F.sparse_matmul(to_coo(batch), dense).array, batch @ dense)
    np.testing.assert_allclose(to_coo(batch, ldnz=5).to_dense(), batch)
    with pytest.raises(InvalidType, match=r"sp.shape\[:-1\] == dn.shape\[:-2\]\nActual: \(2,\) != \(1,\)"):
        F.sparse_matmul(to_coo(batch), dense[:1])


def test_exactly_one_factor_is_sparse() -> None:
    matrix = CooMatrix(np.ones(1), np.array([0]), np.array([0]), (2, 2))
    with pytest.raises(
        ValueError, match=r"^sparse_matmul takes one CooMatrix and one dense matrix, got CooMatrix and "
    ):
        F.sparse_matmul(matrix, matrix)


REFUSED = [
    (lambda: F.exp(np.array([1])), "exp", "in_types[0].dtype.kind == f", "i != f"),
    (lambda: F.sin(Variable(np.array([1]))), "sin", "x.dtype.kind == f", "i != f"),
    (lambda: F.erf(np.array([1])), "erf", "x.dtype.kind == f", "i != f"),
    (lambda: F.sum(np.array([1])), "Sum", "x.dtype.kind == f", "i != f"),
    (lambda: F.sum(Variable(X), axis=2), "Sum", "x.ndim > 2", "2 <= 2"),
    (lambda: F.sum(Variable(X), axis=-3), "Sum", "x.ndim > 2", "2 <= 2"),
    (lambda: F.mean(X, axis=2), "Mean", "x.ndim > 2", "2 <= 2"),
    (lambda: F.max(X, axis=2), "Max", "x.ndim > 2", "2 <= 2"),
    (lambda: F.argmax(X, axis=2), "ArgMax", "in_types[0].ndim > 2", "2 <= 2"),
    (lambda: F.cumsum(X, axis=-3), "Cumsum", "x.ndim > 2", "2 <= 2"),
    (lambda: F.logsumexp(Variable(X), axis=2), "LogSumExp", "x.ndim > 2", "2 <= 2"),
    (lambda: F.prod(X, axis=2), "Prod", "x.ndim > 2", "2 <= 2"),
    (lambda: F.maximum(X, Y.astype("f")), "Maximum", "x1.dtype == x2.dtype", "float64 != float32"),
    (lambda: F.fmod(X, Y.astype("f")), "fmod", "x.dtype == divisor.dtype", "float64 != float32"),
    (lambda: F.add(X, Y, Y.astype("f")), "MultiAdd", "x0.dtype == x2.dtype", "float64 != float32"),
    (lambda: F.linear_interpolate(X, Y, np.zeros(3)), "LinearInterpolate", "p.shape == y.shape", "(2, 3) != (3,)"),
    (lambda: F.matmul(X, Y), "MatMul", "a.shape[-1] == b.shape[-2]", "3 != 2"),
    (lambda: F.matmul(X, np.zeros((3, 4)), transb=True), "MatMul", "a.shape[-1] == b.shape[-1]", "3 != 4"),
    (lambda: F.matmul(np.zeros(2), np.zeros(3)), "MatMul", "a.shape[-1] == b.shape[0]", "2 != 3"),
    (lambda: F.matmul(np.zeros(()), X), "MatMul", "a.ndim >= 1", "0 < 1"),
    (lambda: F.batch_matmul(CUBE, CUBE), "BatchMatMul", "a.shape[2] == b.shape[1]", "4 != 3"),
    (lambda: F.batch_matmul(np.zeros(3), CUBE), "BatchMatMul", "a.ndim >= 2", "1 < 2"),
    (lambda: F.einsum("ij,jk", X, Y), "EinSum", "x0.shape[1] == x1.shape[0]", "3 != 2"),
    (lambda: F.einsum("...i,j...", X, Y), "EinSum", "x0.shape[-2] == x1.shape[-1]", "2 != 3"),
    (lambda: F.inv(X), "Inv", "a.shape[0] == a.shape[1]", "2 != 3"),
    (lambda: F.batch_inv(CUBE), "BatchInv", "a.shape[-1] == a.shape[-2]", "4 != 3"),
    (lambda: F.det(X), "det", "x.shape[-1] == x.shape[-2]", "3 != 2"),
    (lambda: F.cholesky(CUBE), "cholesky", "a.ndim == 2", "3 != 2"),
    (lambda: F.fft((X, np.zeros(3))), "FFT", "real.shape == imag.shape", "(2, 3) != (3,)"),
    (lambda: F.polygamma(np.array(1.0), X), "polygamma", "n.dtype.kind == i", "f != i"),
    (lambda: F.zeta(2.0, np.array([1])), "zeta", "q.dtype.kind == f", "i != f"),
    (lambda: F.batch_l2_norm_squared(np.zeros(3)), "BatchL2NormSquared", "x.ndim >= 2", "1 < 2"),
    (lambda: F.bias(X, np.zeros(2)), "BroadcastTo", "in_type[0].shape[-1] == 3 or in_type[0].shape[-1] == 1",
     "in_type[0].shape: (1, 2)"),
    (lambda: F.sparse_matmul(to_coo(SPARSE), np.ones((2, 2))), "CooMatMul", "dn.shape[-2] == 3", "2 != 3"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "label", "expect", "actual"), REFUSED)
def test_operands_that_do_not_fit(call: Any, label: str, expect: str, actual: str) -> None:
    with pytest.raises(InvalidType) as raised:
        call()
    assert str(raised.value).startswith(f"\nInvalid operation is performed in: {label} (Forward)")
    assert str(raised.value).endswith(f"\n\nExpect: {expect}\nActual: {actual}")


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(InvalidType, match=r"x1\.shape = \(2, 3\)\nx2\.shape = \(4, 3\)"):
        F.maximum(X, np.zeros((4, 3)))
    with pytest.raises(InvalidType, match=r"a\.shape\[:-2\] = \(2,\)\nb\.shape\[:-2\] = \(3,\)"):
        F.matmul(CUBE, np.zeros((3, 4, 4)))


WRONG = [
    (lambda: F.sum(X, axis="a"), TypeError, "None, int or tuple of int are required, got 'a' as an axis"),
    (lambda: F.max(X, axis=(0, "a")), TypeError, "None, int or tuple of int are required, got (0, 'a') as an axis"),
    (lambda: F.sum(X, axis=(0, 0)), ValueError, "duplicate value in axis: (0, 0)"),
    (lambda: F.argmax(X, axis=(0, 1)), TypeError, "axis must be None or int, got (0, 1)"),
    (lambda: F.cumsum(X, axis="a"), TypeError, "axis must be int or None, got 'a'"),
    (lambda: F.average(X, (0, 1), X), ValueError, "tuple axis is not supported when weights is given"),
    (lambda: F.clip(X, 2, 1), ValueError, "x_min must be less than x_max, got 2 and 1"),
    (lambda: F.clip(X, None, None), ValueError, "clip() needs x_min or x_max"),
    (lambda: F.inv(np.zeros((2, 2))), ValueError, "Input has singular matrices"),
    (lambda: F.batch_inv(np.zeros((2, 2, 2))), ValueError, "Input has singular matrices"),
    (lambda: F.cholesky(-np.eye(2)), np.linalg.LinAlgError, "Matrix is not positive definite"),
    (lambda: F.einsum("ij,jk", X), ValueError,
     "Number of einsum subscripts must be equal to the number of operands: 2 and 1"),
    (lambda: F.tensordot(X, Y, 1.0), TypeError, "axes must be a pair of sequence of integers or an integer, got 1.0"),
    (lambda: F.maximum(X, 0.0), TypeError, "incompatible array types are mixed in the forward input (Maximum).\nActual: "
     "<class 'numpy.ndarray'>, <class 'float'>"),
    (lambda: F.add(), TypeError, "add() needs at least one array"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), WRONG)
def test_arguments_that_are_wrong(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("neg", -2.0), ("sub", 2 - 3.0), ("rsub", 3 - 2.0), ("mul", 6.0), ("div", 2 / 3.0), ("rdiv", 3 / 2.0),
        ("floordiv", 0.0), ("rfloordiv", 1.0), ("pow", 8.0), ("rpow", 9.0), ("matmul", 6.0), ("rmatmul", 6.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [Variable, np.asarray])
def test_operators_as_functions(name: str, expected: float, kind: Any) -> None:
    operands = [kind(np.array([2.0])), np.array([3.0])][: 1 if name == "neg" else 2]
    np.testing.assert_allclose(getattr(basic_math, name)(*operands).array, expected)


@pytest.mark.parametrize(
    "quotient",
    [
        lambda x: x // x, lambda x: x // 2, lambda x: 2 // x, lambda x: x // np.full(2, 2.0), lambda x: np.full(2, 2.0) // x,
        lambda x: np.floor_divide(x, 2), lambda x: basic_math.floordiv(x, x), lambda x: basic_math.rfloordiv(x, 2),
    ],
)  # fmt: skip
def test_floor_division_leaves_the_graph(quotient: Any) -> None:
    x = Variable(np.array([3.0, 5.0]))
    y = quotient(x)
    assert (y.requires_grad, y.creator, y.rank) == (False, None, 0)
    F.sum(y * x).backward()
    np.testing.assert_array_equal(x.grad, y.array)


def test_floor_division_of_integers() -> None:
    assert (Variable(np.arange(3)) // 2).array.tolist() == [0, 0, 1]  # [0, 0, 0] in Chainer


def test_determinant_of_the_kernel_of_a_convolution() -> None:
    kernel = draw(3, 3)
    x = Variable(kernel.reshape(3, 3, 1, 1))
    y = F.det(x)
    np.testing.assert_allclose(y.array, np.linalg.det(kernel))
    y.backward()
    np.testing.assert_allclose(x.grad[:, :, 0, 0], np.linalg.det(kernel) * np.linalg.inv(kernel).T)
