"""Arithmetic, elementary and special functions, reductions, products and matrices."""

import numpy as np

from tests.chainer.recorded.arrays import definite, distinct, fixed, integers, literal, normal, positive, uniform
from tests.chainer.recorded.case import ScriptCase
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F, chainer

ANY = (
    F.exp,
    F.expm1,
    F.sin,
    F.cos,
    F.tan,
    F.sinh,
    F.cosh,
    F.arctan,
    F.square,
    F.absolute,
    F.sign,
    F.floor,
    F.ceil,
    F.fix,
)
POSITIVE = (F.log, F.log10, F.log2, F.log1p, F.sqrt, F.rsqrt)
INSIDE = (F.arcsin, F.arccos, F.arctanh)
SPECIAL = (F.erf, F.erfc, F.erfcx, F.ndtr, F.log_ndtr)
UNIT = (F.ndtri,)


def sparse(name, dense, other, left=True, **keywords):
    """A product with a sparse matrix whose first and last entries are absent, and its gradients."""

    def script(a, b):
        dense, other = (a, b) if left else (b, a)
        rows, columns = (indices.astype("i") for indices in np.nonzero(np.arange(dense.size).reshape(dense.shape) % 5))
        matrix = chainer.utils.CooMatrix(dense.array[rows, columns], rows, columns, dense.shape, requires_grad=True)
        y = F.sparse_matmul(*((matrix, other) if left else (other, matrix)), **keywords)
        inputs = [matrix.data, other]
        first = chainer.grad([y], inputs, enable_double_backprop=True)
        second = chainer.grad(first, inputs)
        facts = {"y": y, "label": y.creator_node.label}
        facts.update({f"gradient {i}": grad for i, grad in enumerate(first)})
        facts.update({f"double gradient {i}": grad for i, grad in enumerate(second)})
        return facts

    return ScriptCase(f"sparse_matmul {name}", script, (dense, other))


CASES = [
    *(row(function, normal(3, 4), dtypes="fde") for function in ANY),
    *(row(function, positive(3, 4), dtypes="fde") for function in POSITIVE),
    *(row(function, uniform(-0.9, 0.9, 3, 4), dtypes="fde") for function in INSIDE),
    *(row(function, normal(3, 4)) for function in SPECIAL),
    *(row(function, uniform(0.1, 0.9, 3, 4)) for function in UNIT),
    row(F.erfinv, uniform(-0.9, 0.9, 3, 4)),
    row(F.erfcinv, uniform(0.2, 1.8, 3, 4)),
    row(F.lgamma, positive(3, 4)),
    row(F.digamma, positive(3, 4)),
    row(F.polygamma, integers(4, 3, 4), positive(3, 4)),
    case("zeta", lambda q: F.zeta(np.array([2.0, 3.0, 4.5], q.dtype), q), positive(3)),
    row(F.arctan2, normal(3, 4), normal(3, 4), dtypes="fde"),
    row(F.fmod, normal(3, 4, scale=3.0), positive(3, 4)),
    row(F.maximum, normal(3, 4), normal(3, 4), dtypes="fde"),
    row(F.maximum, normal(3, 4), normal(4), note="broadcast"),
    row(F.minimum, normal(3, 4), normal(3, 4), dtypes="fde"),
    row(F.minimum, normal(3, 1), normal(4), note="broadcast"),
    row(F.add, normal(3), normal(3), normal(3), dtypes="fde"),
    row(F.add, normal(2, 3), normal(3), note="broadcast"),
    row(F.add, normal(3), note="one"),
    row(F.squared_difference, normal(3, 4), normal(3, 4), dtypes="fde"),
    row(F.bias, normal(2, 3, 4), normal(3)),
    row(F.bias, normal(2, 3, 4), normal(2, 3), axis=0),
    row(F.scale, normal(2, 3, 4), normal(3)),
    row(F.scale, normal(2, 3, 4), normal(3, 4), axis=1, note="2d"),
    row(F.scale, normal(2, 3, 4), normal(2, 3), axis=0),
    row(F.clip, normal(3, 4), x_min=-0.5, x_max=0.75, dtypes="fde"),
    row(F.clip, normal(3, 4), x_min=None, x_max=0.5),
    row(F.clip, normal(3, 4), x_min=-0.25, x_max=None),
    row(F.linear_interpolate, uniform(0, 1, 3, 4), normal(3, 4), normal(3, 4), dtypes="fde"),
    row(F.identity, normal(3, 4)),
    row(F.identity, normal(3), normal(2), note="two"),
    # Reductions
    *(
        row(F.sum, normal(2, 3, 4), axis=axis, keepdims=keep)
        for axis in (None, 0, -1, (0, 2))
        for keep in (False, True)
    ),
    row(F.sum, normal(3, 4), dtypes="fde"),
    row(F.average, normal(2, 3, 4)),
    row(F.average, normal(2, 3, 4), axis=1, keepdims=True),
    row(F.average, normal(2, 3, 4), axis=(0, -1)),
    case("average weights", lambda x, w: F.average(x, axis=1, weights=w), normal(2, 3), positive(3)),
    case("average weights shape", lambda x, w: F.average(x, weights=w), normal(2, 3), positive(2, 3)),
    case("average weights keepdims", lambda x, w: F.average(x, 0, w, True), normal(2, 3), positive(2)),
    row(F.mean, normal(2, 3, 4)),
    row(F.mean, normal(2, 3, 4), axis=0, dtypes="fde"),
    row(F.mean, normal(2, 3), axis=-1, keepdims=True),
    *(row(F.max, distinct(2, 3, 4), axis=axis) for axis in (None, 0, -1, (0, 2))),
    row(F.max, distinct(2, 3), axis=1, keepdims=True, dtypes="fde"),
    *(row(F.min, distinct(2, 3, 4), axis=axis) for axis in (None, 0, -1, (0, 2))),
    row(F.min, distinct(2, 3), axis=1, keepdims=True),
    row(F.argmax, distinct(2, 3)),
    row(F.argmax, distinct(2, 3), axis=1),
    row(F.argmin, distinct(2, 3)),
    row(F.argmin, distinct(2, 3), axis=0),
    row(F.prod, positive(2, 3, 4), axis=1),
    row(F.prod, positive(2, 3)),
    row(F.prod, normal(2, 3), axis=(0, 1), keepdims=True),
    row(F.cumsum, normal(2, 3)),
    row(F.cumsum, normal(2, 3), axis=1),
    row(F.cumsum, normal(2, 3), axis=-2),
    row(F.cumprod, positive(2, 3)),
    row(F.cumprod, positive(2, 3), axis=1),
    row(F.logsumexp, normal(2, 3, 4)),
    row(F.logsumexp, normal(2, 3, 4), axis=1, dtypes="fde"),
    row(F.logsumexp, normal(2, 3, 4), axis=(0, 2)),
    row(F.logsumexp, literal([[1000.0, 999.0], [-1000.0, 0.0]]), axis=1, note="wide", tolerance=10),
    row(F.batch_l2_norm_squared, normal(2, 3, 2)),
    # Products
    row(F.matmul, normal(2, 3), normal(3, 4), dtypes="fde"),
    row(F.matmul, normal(3, 2), normal(3, 4), transa=True),
    row(F.matmul, normal(2, 3), normal(4, 3), transb=True),
    row(F.matmul, normal(3, 2), normal(4, 3), transa=True, transb=True),
    row(F.matmul, normal(3), normal(3), note="vectors"),
    row(F.matmul, normal(2, 3), normal(3), note="matrix vector"),
    row(F.matmul, normal(3), normal(3, 2), note="vector matrix"),
    row(F.matmul, normal(2, 2, 3), normal(2, 3, 2), note="batch"),
    row(F.matmul, normal(2, 3, 2), normal(3, 2), transa=True, note="broadcast"),
    row(F.batch_matmul, normal(2, 2, 3), normal(2, 3, 4)),
    row(F.batch_matmul, normal(2, 3, 2), normal(2, 4, 3), transa=True, transb=True),
    row(F.batch_matmul, normal(2, 3), normal(2, 3), transa=True, note="vectors"),
    row(F.tensordot, normal(2, 3, 4), normal(3, 4, 2)),
    row(F.tensordot, normal(2, 3, 4), normal(4, 2), axes=1),
    row(F.tensordot, normal(2, 3, 4), normal(4, 2), axes=((2, 0), (0, 1))),
    row(F.tensordot, normal(2), normal(3), axes=0),
    case("einsum matrix", lambda a, b: F.einsum("ij,jk->ik", a, b), normal(2, 3), normal(3, 4)),
    case("einsum implicit", lambda a, b: F.einsum("ij,jk", a, b), normal(2, 3), normal(3, 4)),
    case("einsum trace", lambda a: F.einsum("ii", a), normal(3, 3)),
    case("einsum diagonal", lambda a: F.einsum("ii->i", a), normal(3, 3)),
    case("einsum ellipsis", lambda a, b: F.einsum("...ij,...jk->...ik", a, b), normal(2, 2, 3), normal(2, 3, 2)),
    case("einsum sum", lambda a: F.einsum("ijk->j", a), normal(2, 3, 2)),
    case("einsum three", lambda a, b, c: F.einsum("i,j,k->ijk", a, b, c), normal(2), normal(3), normal(2)),
    sparse("left", normal(3, 2), normal(2, 4)),
    sparse("right", normal(3, 2), normal(2, 4), left=False),
    sparse("transa", normal(2, 3), normal(2, 4), transa=True),
    sparse("transb", normal(3, 2), normal(4, 2), transb=True),
    # Matrices
    row(F.inv, definite(3), tolerance=4),
    row(F.batch_inv, definite(2, 2), tolerance=4),
    row(F.det, definite(3), tolerance=4),
    row(F.batch_det, definite(2, 3), tolerance=4),
    row(F.cholesky, definite(3), tolerance=4),
    case("fft", lambda re, im: F.fft((re, im)), normal(2, 4), normal(2, 4)),
    case("ifft", lambda re, im: F.ifft((re, im)), normal(2, 4), normal(2, 4)),
    # Operators
    case("operator add", lambda x, y: x + y, normal(2, 3), normal(2, 3)),
    case("operator add constant", lambda x: x + 2, normal(2, 3)),
    case("operator radd array", lambda x: np.ones((2, 3), "d") + x, normal(2, 3)),
    case("operator sub", lambda x, y: x - y, normal(2, 3), normal(3)),
    case("operator rsub", lambda x: 2 - x, normal(2, 3)),
    case("operator mul", lambda x, y: x * y, normal(2, 3), normal(2, 1)),
    case("operator mul constant", lambda x: x * 2.5, normal(2, 3)),
    case("operator div", lambda x, y: x / y, normal(2, 3), positive(2, 3)),
    case("operator div constant", lambda x: x / 3, normal(2, 3)),
    case("operator rdiv", lambda x: 3 / x, positive(2, 3)),
    case("operator pow", lambda x, y: x**y, positive(2, 3), normal(2, 3)),
    case("operator pow constant", lambda x: x**3, normal(2, 3)),
    case("operator pow fraction", lambda x: x**0.5, positive(2, 3)),
    case("operator pow negative", lambda x: x**-1, positive(2, 3)),
    case("operator rpow", lambda x: 2**x, normal(2, 3)),
    case("operator neg", lambda x: -x, normal(2, 3)),
    case("operator abs", lambda x: abs(x), normal(2, 3)),
    case("operator matmul", lambda x, y: x @ y, normal(2, 3), normal(3, 2)),
    case("operator floordiv", lambda x, y: x // y, normal(2, 3), positive(2, 3)),
    case("where of argmax", lambda x, t: F.select_item(x, t), normal(3, 4), fixed([1, 0, 3])),
]
