"""The small programs: every kind of kernel, and what runs as functions of CuPy, at shapes that fit no tile."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff
import autodiff.chainer.functions as functions
from autodiff.scipy import special
from benchmarks.gpu_programs.check import Check, between, check, integers, normal, positive_definite

LONG, MANY = 70_001, 5_003  # elements of one row, and rows of few


def spread(x: Any) -> Any:
    """The number of a row less the mean of the row, in proportion to its spread."""
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5)


def cross_entropy(logits: Any, labels: Any) -> Any:
    """Of each row."""
    return -np.take_along_axis(special.log_softmax(logits, axis=1), labels[:, None], axis=1)


def assigned(x: Any, y: Any) -> Any:
    """Parts of a copy are replaced and added to."""
    z = x.copy()
    z[1:3] = y[1:3] * 2
    z[:, 0] += y[:, 1]
    return z


def added(x: Any, values: Any, places: Any) -> Any:
    """Values are added at places, some of which come again."""
    z = x * 1
    np.add.at(z, places, values)
    return z


def noisy(x: Any, state: Any) -> Any:
    """Some elements are dropped, and noise is added to the others."""
    kept, state = autodiff.random.dropout(state, x, 0.3)
    noise, state = autodiff.random.normal(state, x.shape, np.float32)
    return kept * kept + noise + autodiff.random.uniform(state, x.shape, np.float32)[0]


# fmt: off
ELEMENTWISE = {
    "arithmetic":            check(lambda x, y: (x * y - x / (2 + y * y), -x + 3), normal(7, 33), normal(7, 33)),
    "powers":                check(lambda x: (x**2, x**3, x**0.5, x**-1.5, np.cbrt(x)), between(0.3, 2, 101)),
    "exponentials":          check(lambda x: (np.exp(x), np.exp2(x), np.expm1(x), np.log1p(np.exp(-x))), normal(777)),
    "logarithms":            check(lambda x: (np.log(x), np.log2(x), np.log10(x), np.log1p(x)), between(0.2, 4, 777)),
    "trigonometry":          check(lambda x: (np.sin(x), np.cos(x), np.tan(x / 2), np.arctan(x)), normal(513)),
    "inverse trigonometry":  check(lambda x: (np.arcsin(x), np.arccos(x), np.arctan2(x, 1 - x)), between(-0.9, 0.9, 9)),
    "hyperbolic":            check(lambda x: (np.tanh(x), np.sinh(x), np.cosh(x), np.arcsinh(x)), normal(1025)),
    "inverse hyperbolic":    check(lambda x: (np.arctanh(x), np.arccosh(2 + x)), between(-0.8, 0.8, 65)),
    "sigmoids":              check(lambda x: (1 / (1 + np.exp(-x)), special.expit(x), np.logaddexp(x, 0)), normal(999)),
    "extremes":              check(lambda x, y: (np.maximum(x, y), np.minimum(x, 0), np.clip(x, -1, 1), abs(x)),
                                   normal(11, 13), normal(11, 13)),
    "conditions":            check(lambda x, y: np.where((x > y) & (x > 0), np.sin(x), y * y), normal(257), normal(1)),
    "masked logarithm":      check(lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1)), 0), normal(300)),
    "rounding":              check(lambda x: x - np.floor(x) + np.sign(x) * np.mod(x, 0.7), normal(100)),
    "error functions":       check(lambda x: (special.erf(x), special.erfc(x), x * special.ndtr(x)), normal(333)),
    "gamma functions":       check(lambda x: (special.gammaln(x), special.digamma(x)), between(0.7, 5, 333), slack=5),
    "whole numbers":         check(lambda x, n: x * (n % 3) + n // 2, normal(100), integers(50, 100), dtype="float64"),
    "a long chain":          check(lambda x: np.tanh(np.sin(np.exp(-x * x)) * np.cos(x) + np.sqrt(1 + x)),
                                   between(0, 3, LONG)),
    "numbers alone":         check(lambda x, y: np.exp(x) * np.sin(y), normal(), normal()),
}
BROADCASTING = {
    "row and column":        check(lambda x, y: np.tanh(x + y), normal(37, 1), normal(1, 53)),
    "missing axes":          check(lambda x, y, z: x * y + z, normal(3, 5, 7), normal(7), normal(5, 1)),
    "a middle axis":         check(lambda x, y: x / (1 + y * y), normal(4, 9, 6), normal(4, 1, 6)),
    "transposed":            check(lambda x, y: np.exp(x.T * 0.1) * y, normal(31, 17), normal(17, 31)),
    "permuted axes":         check(lambda x: np.sin(np.transpose(x, (2, 0, 1))) + 1, normal(5, 6, 7)),
    "every second":          check(lambda x: x[::2] * x[1::2] + x[::-2], normal(100)),
    "slices":                check(lambda x: np.tanh(x[1:-1, 2:]) * x[:-2, :-2], normal(33, 29)),
    "reshaped":              check(lambda x: np.reshape(np.reshape(x * x, (6, -1)).T, (-1, 3)), normal(12, 9)),
}
REDUCTIONS = {
    **{f"sum over {axes}":   check(lambda x, axes=axes: np.sum(np.exp(x), axis=axes), normal(9, 20, 35))
       for axes in (0, 1, 2, (0, 1), (0, 2), (1, 2), None)},
    "means, kept axes":      check(lambda x: x - np.mean(x, axis=(0, 2), keepdims=True), normal(6, 7, 65)),
    "maxima":                check(lambda x: (np.max(x, axis=0), np.min(x, axis=1), np.max(x)), normal(63, 65)),
    "tied maxima":           check(lambda x: np.max(np.round(x), axis=1), normal(40, 30)),
    "products":              check(lambda x: np.prod(x, axis=1), between(0.7, 1.3, 15, 12)),
    "variances":             check(lambda x: (np.var(x, axis=0), np.std(x, axis=1)), normal(40, 50)),
    "norms":                 check(lambda x: np.sqrt(np.sum(x * x, axis=1)), normal(40, 257)),
    "logsumexp":             check(lambda x: special.logsumexp(x, axis=1), normal(33, 130)),
    "a long row":            check(lambda x: np.sum(np.tanh(x), axis=1) / 100, normal(1, LONG)),
    "many short rows":       check(lambda x: np.sum(x * x, axis=1) - np.max(x, axis=1), normal(MANY, 3)),
    "sums of many rows":     check(lambda x: np.sum(np.tanh(x), axis=0) / 10, normal(MANY, 33)),
    "one number of many":    check(lambda x: np.mean(np.exp(-x * x)), normal(1_000_003)),
    "no elements":           check(lambda x: np.sum(x * 2, axis=0), normal(0, 5)),
}
ROWS = {
    "softmax":               check(lambda x: special.softmax(x, axis=1) * 3, normal(65, 77)),
    "softmax over columns":  check(lambda x: special.softmax(x, axis=0) * 3, normal(65, 77)),
    "log softmax, long":     check(lambda x: special.log_softmax(x, axis=1), normal(5, 10_007)),
    "layer normalisation":   check(lambda x, g, b: spread(x) * g + b, normal(63, 99), normal(99), normal(99), slack=3),
    "batch normalisation":   check(lambda x: spread(x.T).T * np.tanh(x), normal(129, 31), slack=3),
    "cross-entropy":         check(cross_entropy, normal(130, 101), integers(101, 130)),
    "cross-entropy, wide":   check(cross_entropy, normal(7, 20_011), integers(20_011, 7)),
    "attention":             check(lambda q, k, v: special.softmax(q @ np.swapaxes(k, -1, -2) / 3, axis=-1) @ v,
                                   normal(3, 17, 9), normal(3, 19, 9), normal(3, 19, 5)),
}
INDICES = {
    "gathered rows":         check(lambda x, i: np.tanh(x[i]), normal(50, 21), integers(50, 130)),
    "gathered along axis 1": check(lambda x, i: np.take(x, i, axis=1) * 2, normal(13, 40), integers(40, 70)),
    "pairs of indices":      check(lambda x, i, j: x[i, j] ** 2, normal(30, 20), integers(30, 99), integers(20, 99)),
    "taken along an axis":   check(lambda x, i: np.take_along_axis(x, i, axis=1), normal(30, 20), integers(20, 30, 4)),
    "added at places":       check(added, normal(20, 5), normal(300, 5), integers(20, 300), slack=3),
    "assigned":              check(assigned, normal(6, 9), normal(6, 9)),
    "cumulative sums":       check(lambda x: (np.cumsum(x, axis=1) / 9, np.cumsum(x, axis=0) / 3), normal(9, 1_031)),
    "cumulative products":   check(lambda x: np.cumprod(x, axis=1), between(0.9, 1.1, 5, 60), slack=3),
    "sorted":                check(lambda x: np.sort(x, axis=1) * 2, normal(9, 45)),
    "largest places":        check(lambda x: np.take_along_axis(x, np.argmax(x, axis=1)[:, None], 1), normal(9, 30)),
    "joined and cut":        check(lambda x, y: np.split(np.concatenate([x, y * 2], axis=1), 3, axis=1),
                                   normal(5, 9), normal(5, 6)),
    "stacked":               check(lambda x, y: np.stack([x, y, x * y], axis=1), normal(5, 9), normal(5, 9)),
    "rolled and turned":     check(lambda x: np.roll(x, 3, axis=1) + np.flip(x, axis=0), normal(12, 10)),
    "padded and tiled":      check(lambda x: np.tile(np.pad(x, ((1, 2), (0, 3))), (2, 1)), normal(6, 7)),
    "repeated":              check(lambda x: np.repeat(x, 3, axis=1), normal(6, 7)),
    "triangles":             check(lambda x: np.tril(x) - np.triu(x, 1) + np.trace(x), normal(15, 15)),
}
PRODUCTS = {
    "a product":             check(lambda x, y: x @ y / 8, normal(65, 70), normal(70, 33)),
    "transposed factors":    check(lambda x, y: (x.T @ y.T) / 8, normal(70, 65), normal(33, 70)),
    "stacks of products":    check(lambda x, y: x @ y / 4, normal(5, 1, 20, 15), normal(3, 15, 7)),
    "vectors":               check(lambda x, y, a: (x @ y, a @ x), normal(99), normal(99), normal(20, 99), slack=3),
    "sums of products":      check(lambda x, y: np.einsum("bij,bkj->bik", x, y) / 4, normal(4, 9, 7), normal(4, 8, 7)),
    "a dense layer":         check(lambda x, w, b: np.maximum(x @ w + b, 0), normal(64, 50), normal(50, 9), normal(9)),
    "inverses":              check(lambda a: np.linalg.inv(a), positive_definite(5, 6, 6), slack=20),
    "equations":             check(lambda a, b: np.linalg.solve(a, b), positive_definite(7, 7), normal(7, 3), slack=20),
    "determinants":          check(lambda a: np.linalg.slogdet(a)[1], positive_definite(4, 5, 5), slack=20),
    "Cholesky":              check(lambda a: np.linalg.cholesky(a), positive_definite(4, 6, 6), slack=50),
    "eigenvalues":           check(lambda a: np.linalg.eigvalsh(a), positive_definite(6, 6), slack=50),
    "singular values":       check(lambda a: np.linalg.svd(a, compute_uv=False), normal(8, 5), slack=50),
}
IMAGES = {
    "convolution":           check(lambda x, w, b: functions.convolution_2d(x, w, b, pad=1),
                                   normal(3, 4, 11, 9), normal(5, 4, 3, 3), normal(5)),
    "convolution, stride":   check(lambda x, w: functions.convolution_2d(x, w, stride=2),
                                   normal(2, 3, 12, 13), normal(4, 3, 3, 2)),
    "deconvolution":         check(lambda x, w: functions.deconvolution_2d(x, w, stride=2),
                                   normal(2, 3, 5, 6), normal(3, 4, 3, 3)),
    "largest of windows":    check(lambda x: functions.max_pooling_2d(x, 2), normal(3, 2, 10, 12)),
    "overlapping windows":   check(lambda x: functions.max_pooling_2d(x, 3, stride=2, pad=1), normal(2, 3, 11, 11)),
    "means of windows":      check(lambda x: functions.average_pooling_2d(x, 3, stride=1, pad=1), normal(2, 3, 8, 9)),
}
TRANSFORMATIONS = {
    "loops":                 check(lambda x: autodiff.fori_loop(0, 6, lambda _, y: np.tanh(y) + x / 9, x), normal(70)),
    "scans":                 check(lambda x, h: autodiff.scan(lambda c, y: (np.tanh(c + y), c * y), h, x)[1],
                                   normal(5, 40), normal(40)),
    "branches":              check(lambda x: autodiff.cond(np.sum(x) > 1e9, np.sin, lambda y: y * y, x), normal(41)),
    "second derivatives":    check(autodiff.grad(lambda x: np.sum(np.sin(x) * np.exp(-x * x))), normal(300)),
    "batches":               check(autodiff.vmap(lambda x: x * np.sum(np.tanh(x))), normal(20, 33)),
    "checkpoints":           check(autodiff.checkpoint(lambda x: np.tanh(np.tanh(x * x))), normal(200)),
    "random numbers":        check(noisy, normal(33, 71), lambda _: autodiff.random.state(7)),
}
DTYPES = {
    "double precision":      check(lambda x: np.exp(-x) * special.softmax(x, axis=1), normal(33, 65), dtype="float64"),
    "sums in double":        check(lambda x: np.sum(np.tanh(x), axis=0) / 10, normal(MANY, 33), dtype="float64"),
    "products in double":    check(lambda x, y: x @ y / 8, normal(65, 70), normal(70, 33), dtype="float64"),
    "half precision":        check(lambda x, y: x * y + np.maximum(x, 0), normal(100), normal(100), dtype="float16"),
    "sums in half":          check(lambda x: np.mean(x * x, axis=1), normal(30, 600), dtype="float16"),
    "products in half":      check(lambda x, y: x @ y / 64, normal(20, 64), normal(64, 10), dtype="float16", slack=2),
}
# fmt: on

CHECKS: dict[str, Check] = {
    **ELEMENTWISE,
    **BROADCASTING,
    **REDUCTIONS,
    **ROWS,
    **INDICES,
    **PRODUCTS,
    **IMAGES,
    **TRANSFORMATIONS,
    **DTYPES,
}
