"""Programs of all kinds of kernels, run in a process that checks each access (``AUTODIFF_CHECK_KERNELS=1``).

What each of them and its gradient gives is compared with what NumPy gives, and to the bit with what kernels give that
check nothing. A line is printed for each program: its name, which kernels were checked, and what is wrong.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodiff import fori_loop, grad, jit, scan, while_loop
from autodiff.backends import checked
from autodiff.backends.kernels.checked import CheckedKernel
from autodiff.backends.kernels.windows import pooling
from autodiff.chainer import functions as F

Program = tuple[Callable[[Any], Any], Any]
RNG = np.random.default_rng(13)


def numbers(*shape: int, dtype: Any = np.float64) -> Any:
    return RNG.standard_normal(shape).astype(dtype)


PICKS, ROWS, WEIGHTS = RNG.integers(-9, 9, 37), RNG.integers(0, 3000, 5000), numbers(37)
COLUMNS = RNG.integers(-130, 130, 70)
IMAGE, FILTERS = numbers(2, 5, 14, 13), numbers(16, 5, 3, 3)


def flow(u: Any) -> Any:
    """A stencil in a loop."""

    def step(_: Any, v: Any) -> Any:
        inner = v[1:-1] + 0.1 * (v[2:] - 2 * v[1:-1] + v[:-2])
        return np.concatenate([v[:1], inner, v[-1:]])

    return fori_loop(0, 5, step, u)


def recurrence(x: Any) -> Any:
    return scan(lambda c, xk: (np.tanh(0.9 * c + xk), c * xk), 0.1, x)[1]


def newton(x: Any) -> Any:
    return fori_loop(0, 4, lambda _, y: 0.5 * (y + (1 + x * x) / y), np.ones_like(x) * 2)


def halved(x: Any) -> Any:
    return while_loop(lambda y: np.sum(y * y) > 1.0, lambda y: y * 0.5, x, max_steps=20)


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def distances(x: Any) -> Any:
    return np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1) + 0.5)


def layers(x: Any) -> Any:
    for weights in (numbers_of(11, 7), numbers_of(7, 3)):
        x = np.tanh(x @ weights)
    return x


def numbers_of(*shape: int) -> Any:
    return np.sin(np.arange(float(np.prod(shape)))).reshape(shape)


def solved(x: Any) -> Any:
    a = x.T @ x + np.eye(3)
    return np.linalg.solve(a, x[0]) + np.linalg.det(a)


def pooled(x: Any) -> Any:
    return plain(F.max_pooling_2d(x, 3, 2))[:, :, 1:] * 2 + plain(F.average_pooling_2d(x, 3, 2))


def plain(x: Any) -> Any:
    """What Chainer's functions return has an array, unless it is traced."""
    return getattr(x, "array", x)


# fmt: off
PROGRAMS: dict[str, Program] = {
    "a chain":                   (lambda x: np.tanh(x) * np.exp(-x) + np.log1p(x * x),               numbers(100_001)),
    "a chain of float32":        (lambda x: np.sin(x) / (1 + x * x) - np.sqrt(np.abs(x)),            numbers(131, dtype=np.float32)),
    "one element":               (lambda x: np.exp(x) * 3,                                           numbers(1)),
    "rows: softmax":             (softmax,                                                           numbers(301, 333)),
    "rows: softmax of many":     (softmax,                                                           numbers(130, 10)),
    "a stencil":                 (lambda x: np.tanh(x[:-2] - 2 * x[1:-1] + x[2:]),                   numbers(45)),
    "a stencil in a loop":       (flow,                                                              numbers(33)),
    "a scan":                    (recurrence,                                                        numbers(37)),
    "a loop":                    (newton,                                                            numbers(23)),
    "a loop that ends by itself": (halved,                                                           numbers(21)),
    "cumsum":                    (lambda x: np.cumsum(np.exp(x)) * x,                                numbers(39)),
    "cumsum of columns":         (lambda x: np.cumsum(x, axis=0) * x,                                 numbers(7, 9)),
    "small products":            (layers,                                                            numbers(6, 11)),
    "a stack of products":       (lambda x: np.tanh(x @ x.swapaxes(-1, -2)) @ x,                     numbers(901, 7, 9)),
    "a large product":           (lambda x: (x * 2) @ x.T,                                           numbers(131, 140)),
    "distances":                 (distances,                                                         numbers(13, 3)),
    "a gather":                  (lambda x: np.exp(x[PICKS]) * WEIGHTS,                              numbers(9)),
    "a gather of rows":          (lambda x: x[ROWS],                                                 numbers(3000, 33)),
    "a gather of columns":       (lambda x: np.exp(np.sin(x[:, COLUMNS])),                           numbers(1300, 130)),
    "a gather of pairs":         (lambda x: x[PICKS, PICKS[::-1]] * WEIGHTS,                         numbers(9, 9)),
    "every other element":       (lambda x: x[::2] * x[1::2] + x[::-2],                              numbers(74)),
    "reversed and turned":       (lambda x: np.sin(x[::-1].T) * x.T,                                 numbers(7, 11)),
    "sorted":                    (lambda x: np.sort(np.sin(x)) * WEIGHTS,                            numbers(37)),
    "sorted by others":          (lambda x: x[np.argsort(x * x)] * WEIGHTS,                          numbers(37)),
    "extremes":                  (lambda x: np.max(x, axis=1) + np.argmin(x, axis=1) * x[:, 0],      numbers(9, 7)),
    "booleans":                  (lambda x: np.where((x > 0.3) ^ (x < -0.5), x, 0) * np.any(x > 1, axis=0), numbers(3, 7)),
    "joined":                    (lambda x: np.concatenate([x[3:], np.stack([x, x * x])[1, :5], x[:1]]), numbers(19)),
    "convolve":                  (lambda x: np.convolve(x, x[:5]),                                   numbers(29)),
    "small matrices":            (solved,                                                            numbers(5, 3)),
    "pooling":                   (pooled,                                                            IMAGE),
    "convolutions":              (lambda x: np.tanh(plain(F.convolution_2d(x, FILTERS, pad=1))),     IMAGE),
}
# fmt: on


def with_gradient(fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What a function gives, and the gradient of its sum, no two elements of which have one weight."""

    def loss(x: Any) -> Any:
        out = fun(x)
        return np.sum(out * np.cos(np.arange(float(np.size(out))).reshape(np.shape(out))))

    return lambda x: (fun(x), grad(loss)(x))


def booleans(x: Any) -> Any:
    return x[1:] > x[:-1], np.isnan(x), np.all(x < 3)


def compared(fun: Callable[[Any], Any], x: Any) -> Iterator[str]:
    """What a program gives in another way than NumPy, or than kernels that check nothing."""
    with np.errstate(all="ignore"):
        wanted = fun(x)
    checked.CHECKED = True
    found = jit(fun)(x)
    checked.CHECKED = False
    plain = jit(fun)(x)
    for one, other, numpy in zip(found, plain, wanted, strict=True):
        one, other, numpy = map(np.asarray, (one, other, numpy))
        if one.tobytes() != other.tobytes():
            yield "other bits than without checks"
        scale = np.max(np.abs(numpy.astype(float)), initial=1)
        if one.dtype != numpy.dtype or not np.allclose(one, numpy, 0, scale * (1e-11 if one.itemsize > 4 else 1e-4)):
            yield "not what NumPy gives"


def main() -> None:
    """Run all programs."""
    warnings.simplefilter("error")
    assert checked.CHECKED
    pooling.FEW = 0
    kinds: list[str] = []
    bound = CheckedKernel.bound

    def noted(self: CheckedKernel, **options: Any) -> Any:
        kinds.append(self.name)
        return bound(self, **options)

    CheckedKernel.bound = noted  # type: ignore[method-assign]
    programs = {name: (with_gradient(fun), x) for name, (fun, x) in PROGRAMS.items()}
    programs["booleans of an odd length"] = booleans, numbers(45)
    for name, (fun, x) in programs.items():
        kinds.clear()
        wrong = list(compared(fun, x))
        sys.stdout.write(f"{name}: {', '.join(dict.fromkeys(kinds))}; {', '.join(wrong) or 'as it should be'}\n")


if __name__ == "__main__":
    main()
