"""What exported functions compute: the bits of ``jit`` on this processor, and the same to rounding on any."""

import numpy as np
import pytest

from autodiff import checkpoint, cond, fori_loop, grad, hessian, jit, jvp, scan, value_and_grad, vmap, while_loop
from autodiff.chainer import functions as F
from autodiff.trace.trees.tree import flatten
from tests.transforms.export.calling import Function, needs_compiler

pytestmark = needs_compiler
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(3, 4))


def normal(*shape, dtype=np.float64):
    return RNG.normal(size=shape).astype(dtype)


def loss(params, x):
    return np.mean(np.tanh(x @ params["w"] + params["b"]) ** 2)


PARAMS = {"w": normal(3, 2), "b": normal(2)}


def oscillator(x, v, steps):
    def step(state, _):
        x, v = state
        return (x + 0.1 * v, v - 0.1 * np.sin(x)), x

    return scan(step, (x, v), None, length=steps)


def newton(a):
    return while_loop(lambda x: np.abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)


def convolved(x, w):
    return np.sum(np.tanh(F.convolution_2d(x, w, stride=1, pad=1)))


def pooled(x):
    return np.sum(F.max_pooling_2d(x, 2) ** 2)


def written_through(x):
    y = np.full_like(x, 0.5)
    part = y[1:]
    np.maximum(-1, part, out=part)
    y[0] = np.dot(x, x)
    return part, y


# fmt: off
PROGRAMS = {
    "gradient":         (grad(loss), PARAMS, normal(5, 3)),
    "value_and_grad":   (value_and_grad(loss), PARAMS, normal(5, 3)),
    "jvp":              (lambda x, v: jvp(np.tanh, (x,), (v,)), normal(7), normal(7)),
    "hessian":          (hessian(lambda x: np.sum(np.exp(x) * x[::-1])), normal(4)),
    "scan":             (lambda x, v: oscillator(x, v, 20), 1.0, 0.5),
    "scan_gradient":    (grad(lambda x: oscillator(x, 0.5 * x, 9)[0][0]), 1.0),
    "fori_loop":        (lambda x: fori_loop(0, 5, lambda k, x: np.sin(x) + k, x), normal(3)),
    "while_loop":       (newton, 7.0),
    "cond":             (lambda x: cond(x > 0, np.exp, np.sin, x), -0.5),
    "vmap":             (vmap(lambda x, y: np.linalg.solve(np.outer(x, x) + np.eye(3), y)), normal(5, 3), normal(5, 3)),
    "float32":          (lambda x, s: np.exp(x) * s, normal(9, dtype=np.float32), np.float32(1.5)),
    "mixed":            (lambda x, n: (x + n, n * 2, x > n), normal(4, dtype=np.float32), np.arange(4)),
    "numbers":          (lambda x, n, b: (x * n, n + 1, np.logical_not(b), x), 1.5, 3, True),
    "scalars":          (lambda a, b, c: (a + 1, b * 2, c * np.uint8(6)), np.int32(-3), np.float32(0.3), np.uint8(7)),
    "small integers":   (lambda a, b, m: (a * 3, b + np.uint8(200), ~m), np.arange(5, dtype=np.int32),
                         np.arange(5, dtype=np.uint8), np.arange(5) % 2 == 0),
    "no axes":          (lambda x: (np.sin(x), x.reshape(1, 1)), np.array(0.7)),
    "no elements":      (lambda x, y: (x * 2, np.sum(x) + y, y[:0]), np.zeros((0, 3)), normal(2)),
    "closed over":      (lambda x: (x @ WEIGHTS, WEIGHTS, 2.5, np.float32(3)), normal(2, 3)),
    "passed on":        (lambda x, y: {"x": x, "twice": (x, x), "y": y, "turned": x.T, "part": x[1:]}, normal(3, 2), 4),
    "checkpoint":       (grad(lambda w: np.sum(checkpoint(lambda w: np.tanh(w @ w) @ w)(w))), normal(90, 90)),
    "written through": (written_through, normal(30_000)),
    "sorted":           (lambda x: (np.sort(x), np.argsort(x, kind="stable"), np.median(x)), normal(20)),
    "picked":           (lambda x, i: x[:, i], normal(200, 100), np.array([3, 1, 99])),
    "picked backwards": (grad(lambda x, i: np.sum(x[:, i] ** 2)), normal(200, 100), np.array([3, 1, 3])),
    "large":            (value_and_grad(lambda x, a: np.sum(np.tanh(a * x))), normal(300, 200), 0.5),
    "large float32":    (lambda x: (np.sum(np.exp(x)), np.max(x), np.prod(x)), normal(70_000, dtype=np.float32)),
    "columns":          (lambda x: np.sum(np.exp(x), 0), normal(2000, 40)),
    "rows":             (lambda x: np.exp(x - np.max(x, 1, keepdims=True)) / np.sum(x, 1)[:, None], normal(1000, 50)),
    "product":          (grad(lambda w, x: np.sum(np.tanh(x @ w))), normal(70, 60), normal(80, 70)),
    "stack":            (lambda x, w: np.tanh(x @ w), normal(40, 20, 15), normal(40, 15, 12)),
    "convolution":      (value_and_grad(convolved, (0, 1)), normal(6, 4, 12, 12), normal(5, 4, 3, 3)),
    "small images":     (value_and_grad(lambda x, w: convolved(x, w) + pooled(x), (0, 1)), normal(1, 2, 4, 4),
                         normal(3, 2, 3, 3)),
    "wide images":      (grad(lambda x, w: np.sum(F.convolution_2d(x, w, stride=2)), (0, 1)), normal(9, 2, 40, 9),
                         normal(3, 2, 4, 3)),
    "pooling":          (grad(pooled), normal(4, 3, 32, 32)),
}
# fmt: on


PARTLY_NUMPY = "small images", "wide images", "checkpoint"
"""Programs of which :func:`jit` leaves a part to NumPy, which is as fast."""


def alike(found, wanted, ulps):
    for one, other in zip(found, flatten(wanted)[0], strict=True):
        other = np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if ulps:
            eps = ulps * np.finfo(one.dtype).eps
            np.testing.assert_allclose(one, other, rtol=eps, atol=eps * np.max(np.abs(other), initial=1))
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_jit_on_this_processor(name, tmp_path):
    fun, *args = PROGRAMS[name]
    found = Function(fun, args, "program", tmp_path, cpu="native")(*args)
    alike(found, jit(fun)(*args), 64 if name in PARTLY_NUMPY else 0)


@pytest.mark.parametrize("name", ["gradient", "scan", "large float32", "product", "convolution"])
def test_results_are_the_same_to_rounding_on_any_processor(name, tmp_path):
    fun, *args = PROGRAMS[name]
    alike(Function(fun, args, "program", tmp_path)(*args), jit(fun)(*args), 64)
