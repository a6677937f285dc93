"""One program for each kind of kernel, of library call and of graph, under jit, against NumPy in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff.backends.cupy.libraries.copies import in_order
from autodiff.backends.gpu import require
from autodiff.scipy import special
from autodiff.testing.gpu.contacts.comparing import compared
from autodiff.testing.gpu.contacts.library import brain_float
from autodiff.testing.gpu.item import FaultError, Given, Item, Said, check

REPLAYED = 8
"""Calls after which a program has been captured and replayed, where that pays."""


def normal(*shape: int) -> Any:
    """Normal numbers of float32."""
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def whole(high: int, *shape: int) -> Any:
    """Whole numbers, of which some come again."""
    return np.random.default_rng(high).integers(0, high, shape)


def cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean over rows."""
    return -np.mean(np.take_along_axis(special.log_softmax(logits, axis=1), labels[:, None], 1))


def elementwise(given: Given) -> Said:
    """One kernel, of a length that fits no block."""
    return compared(lambda x: np.tanh(x) * 2, normal(1003))[0]


def total(given: Given) -> Said:
    """A sum whose last block adds up what the others have found."""
    return compared(lambda x: np.sum(np.exp(-x * x)), normal(given.size(1_000_003, 20_003)), calls=3)[0]


def columns(given: Given) -> Said:
    """A sum over axis 0 of more columns than a grid has blocks along y."""
    return compared(lambda x: np.sum(x, axis=0), normal(2, given.size(10_000_000, 10_000)))[0]


def rows(given: Given) -> Said:
    """Rows that stay on chip."""
    return compared(lambda x: special.softmax(x, axis=1), normal(65, 1003))[0]


def wide_rows(given: Given) -> Said:
    """Rows as long as the words of a language model."""
    labels = whole(given.size(32_000, 3200), 16)
    return compared(autodiff.value_and_grad(cross_entropy), normal(16, given.size(32_000, 3200)), labels)[0]


def staged_rows(given: Given) -> Said:
    """Rows that blocks keep in shared memory, which they must ask for."""
    labels = whole(12_500, 256)
    return compared(autodiff.value_and_grad(cross_entropy), normal(256, 12_500), labels)[0]


def copies(given: Given) -> Said:
    """Arrays that lie otherwise are copied in C order: parts of rows, windows, turned axes."""
    cupy, x = require(), normal(96, 8, 4, 64)
    there = cupy.asarray(x)
    shown: dict[str, Callable[[Any], Any]] = {
        "words of 16 bytes": lambda x: x.transpose(0, 2, 1, 3),
        "elements": lambda x: x[:, 1:, :, 1:-2],
        "turned in tiles": lambda x: x.reshape(768, 256).T,
        "backwards": lambda x: x[::-1, ..., ::-1],
    }
    for name, view in shown.items():
        check(np.array_equal(in_order(view(there)).get(), view(x)), f"{name}: other numbers")
    return f"{len(shown)} layouts"


def layer_norm(given: Given) -> Said:
    """Sums along rows one way, two the other, and sums over rows."""

    def loss(x: Any, gain: Any) -> Any:
        centred = x - np.mean(x, axis=1, keepdims=True)
        scaled = centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True) + 1e-5) * gain
        return np.sum(np.sin(scaled))

    return compared(autodiff.grad(loss, (0, 1)), normal(63, 99), normal(99), tolerance=1e-4)[0]


def scan(given: Given) -> Said:
    """Cumulative sums of rows that many blocks share."""
    return compared(lambda x: np.cumsum(x, axis=1), normal(3, given.size(70_001, 7001)), tolerance=1e-4)[0]


def scatter(given: Given) -> Said:
    """Rows are sorted by place and added there."""

    def gradient(x: Any, places: Any) -> Any:
        return autodiff.grad(lambda z: np.sum(z[places] ** 2))(x)

    return compared(gradient, normal(given.size(3000, 300), 33), whole(300, 9000), tolerance=1e-4)[0]


def product(given: Given) -> Said:
    """A dense layer and its gradients."""
    loss = autodiff.grad(lambda x, w, b: np.sum(np.maximum(x @ w + b, 0) ** 2), (0, 1, 2))
    return compared(loss, normal(65, 70), normal(70, 33) / 8, normal(33), tolerance=1e-4)[0]


def broadcast_product(given: Given) -> Said:
    """A stack of rows times one matrix."""
    return compared(lambda x, w: x @ w, normal(16, 10, 64), normal(64, 64))[0]


def attention(given: Given) -> Said:
    """Scores, softmax and their product, with gradients."""

    def loss(q: Any, k: Any, v: Any) -> Any:
        return np.sum((special.softmax(q @ np.swapaxes(k, -1, -2) / 4, axis=-1) @ v) ** 2)

    return compared(
        autodiff.grad(loss, (0, 1, 2)), normal(3, 37, 16), normal(3, 39, 16), normal(3, 39, 16), tolerance=1e-4
    )[0]


def graph_of_kernels(given: Given) -> Said:
    """Many kernels, replayed as one launch."""

    def many(x: Any) -> Any:
        return tuple(np.cumsum(np.sin(x * k), 0) for k in range(9))

    return replayed(*compared(many, normal(33, 77), calls=REPLAYED, tolerance=1e-4))


def graph_of_products(given: Given) -> Said:
    """Calls of cuBLAS, replayed."""

    def many(x: Any, *weights: Any) -> Any:
        return tuple(np.tanh(x @ weight) for weight in weights)

    return replayed(*compared(many, normal(64, 64), *(normal(64, 64) / 8 for _ in range(9)), calls=REPLAYED))


def replayed(error: float, run: Any, there: list[Any]) -> Said:
    """What explain says of the graph."""
    lines = [line for line in str(run.explain(*there)).splitlines() if "graph" in line.lower()]
    return {"error": error, "graph": lines[0].strip() if lines else "not mentioned"}


def donated(given: Given) -> Said:
    """A training step that takes its own results, as a loop does."""
    cupy = require()

    def step(w: Any, x: Any, y: Any) -> Any:
        loss, gradient = autodiff.value_and_grad(lambda w: np.mean((np.tanh(x @ w) - y) ** 2))(w)
        return w - 0.1 * gradient, loss

    w, x, y = normal(20, 3), normal(40, 20), normal(40, 3)
    run, there = autodiff.jit(step, donate_argnums=0), [cupy.asarray(each) for each in (w, x, y)]
    wide = [each.astype(np.float64) for each in (w, x, y)]
    for _ in range(REPLAYED + 4):
        there[0], loss = run(*there)
        wide[0], right = step(*wide)
    error = abs(float(loss) - float(right)) / abs(float(right))
    check(error <= 1e-4, f"the loss is off by {error:.3g}")
    np.testing.assert_allclose(there[0].get(), wide[0], rtol=1e-3, atol=1e-4)
    return error


def out_of_range(given: Given) -> Said:
    """An index that is out of range is an IndexError."""
    x, places = require().asarray(normal(5)), require().asarray(np.array([7]))
    try:
        found = autodiff.jit(lambda x, i: x[i])(x, places)
        found.get()
        autodiff.jit(lambda x, i: x[i])(x, places)
    except IndexError as error:
        return str(error).splitlines()[0]
    raise FaultError("index 7 of 5 elements was no error")


def halves(given: Given) -> Said:
    """Loss and gradient in float16."""
    return of_sixteen_bits(np.float16)


def brain_floats(given: Given) -> Said:
    """Loss and gradient in bfloat16."""
    return of_sixteen_bits(brain_float())


def of_sixteen_bits(kind: Any) -> Said:
    """The error, and that the gradient keeps its dtype."""
    both = autodiff.value_and_grad(cross_entropy)
    error, run, there = compared(both, normal(64, 1000), whole(1000, 64), tolerance=2e-2, kind=kind)
    gradient = run(*there)[1]
    check(gradient.dtype == kind, f"the gradient is {gradient.dtype}")
    return error


def precisions(given: Given) -> Said:
    """Products with factors rounded to TF32 and to bfloat16: coarser, and not by more than that."""
    cupy, x, y = require(), normal(256, 256), normal(256, 256)
    right, errors = x.astype(np.float64) @ y, {}
    allowed = {"highest": 1e-5, "high": 2e-3, "medium": 2e-2}
    try:
        for level, most in allowed.items():
            autodiff.set_matmul_precision(level)
            found = autodiff.jit(lambda x, y: x @ y)(cupy.asarray(x), cupy.asarray(y)).get()
            errors[level] = float(np.max(np.abs(found - right)) / np.max(np.abs(right)))
            check(errors[level] <= most, f"{level}: off by {errors[level]:.3g}, allowed {most:.3g}")
    finally:
        autodiff.set_matmul_precision("highest")
    return errors


def drawn(given: Given) -> Said:
    """Random numbers are those of the CPU."""
    state = np.asarray(autodiff.random.state(3))
    return compared(lambda s: autodiff.random.normal(s, (1001,), np.float32)[0], state)[0]


def inverses(given: Given) -> Said:
    """cuSOLVER, and its error for a singular matrix."""
    error = compared(np.linalg.inv, normal(4, 6, 6) + 6 * np.eye(6, dtype=np.float32), tolerance=1e-3)[0]
    try:
        autodiff.jit(np.linalg.inv)(require().zeros((3, 3), np.float32))
    except np.linalg.LinAlgError:
        return error
    raise FaultError("a singular matrix was no error")


def other_batch(given: Given) -> Said:
    """The last batch of an epoch: another size, mostly the same kernels."""
    loss = autodiff.value_and_grad(lambda w, x: np.mean(np.tanh(x @ w) ** 2))
    w = normal(30, 20)
    return [compared(loss, w, normal(rows, 30))[0] for rows in (64, 63)]


ITEMS: dict[str, Item] = {
    "elementwise kernel": elementwise,
    "total, last block": total,
    "softmax rows": rows,
    "product and its gradients": product,
    "scatter by sorting": scatter,
    "graph of kernels": graph_of_kernels,
    "graph of products": graph_of_products,
    "training step, donated": donated,
    "cross-entropy, wide": wide_rows,
    "rows in shared memory": staged_rows,
    "copies in C order": copies,
    "layer normalisation": layer_norm,
    "attention": attention,
    "scan with carry": scan,
    "stack times a matrix": broadcast_product,
    "sum of 10 million columns": columns,
    "index out of range": out_of_range,
    "float16": halves,
    "bfloat16": brain_floats,
    "TF32 and bfloat16 products": precisions,
    "random numbers": drawn,
    "inverses by cuSOLVER": inverses,
    "last batch of another size": other_batch,
}
