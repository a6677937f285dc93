"""What is differentiated: each function in NumPy and in PyTorch, and the shapes of its arguments.

Small arrays show what a call costs, large ones what happens to memory. Functions return a scalar or an array; arrays
are multiplied by weights and added up, in each library in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL, MATRIX, VECTOR = (10, 10), (10, 10), (10,)


class Row(NamedTuple):
    """A function.

    Attributes:
        name: of the row.
        ours: in NumPy.
        theirs: in PyTorch, whose module is the first argument.
        shapes: of the arguments; the first one is differentiated.
        positive: whether they are positive.
    """

    name: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = (SMALL,)
    positive: bool = False


def heat(u: Any) -> Any:
    """Ten steps of a stencil."""
    for _ in range(10):
        u = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def variation(np: Any, a: Any) -> Any:
    """The total variation of an image."""
    return np.sqrt((a[1:, :-1] - a[:-1, :-1]) ** 2 + (a[:-1, 1:] - a[:-1, :-1]) ** 2 + 1e-3)


def pairs(np: Any, x: Any) -> Any:
    """A function of all distances."""
    return 1 / (1 + np.sum((x[:, None] - x[None]) ** 2, -1))


# fmt: off
SMALL_ROWS = (
    Row("norm", np.linalg.norm, lambda t, x: t.linalg.norm(x)),
    Row("cumsum", lambda x: np.cumsum(x, 1), lambda t, x: t.cumsum(x, 1)),
    Row("max over an axis", lambda x: np.max(x, axis=1), lambda t, x: t.amax(x, 1)),
    Row("mean over an axis", lambda x: np.mean(x, axis=1), lambda t, x: t.mean(x, 1)),
    Row("sum", np.sum, lambda t, x: t.sum(x)),
    Row("sort", lambda x: np.sort(x, axis=1), lambda t, x: t.sort(x, 1)[0]),
    Row("stack", lambda x, y: np.stack([x, y]), lambda t, x, y: t.stack([x, y]), (SMALL, SMALL)),
    Row("concatenate", lambda x, y: np.concatenate([x, y]), lambda t, x, y: t.cat([x, y]), (SMALL, SMALL)),
    Row("slice", lambda x: x[1:, ::2], lambda t, x: x[1:, ::2]),
    Row("index", lambda x: x[3], lambda t, x: x[3]),
    Row("where", lambda x, y: np.where(y > 0, x, y), lambda t, x, y: t.where(y > 0, x, y), (SMALL, SMALL)),
    Row("logsumexp by hand", lambda x: np.log(np.sum(np.exp(x - np.max(x)))),
        lambda t, x: t.log(t.sum(t.exp(x - t.max(x))))),
    Row("matmul", lambda x, y: x @ y, lambda t, x, y: x @ y, (MATRIX, MATRIX)),
    Row("layer", lambda w, x, b: np.tanh(x @ w + b), lambda t, w, x, b: t.tanh(x @ w + b), (MATRIX, MATRIX, VECTOR)),
    Row("einsum", lambda x, y: np.einsum("ij,kj->ik", x, y), lambda t, x, y: t.einsum("ij,kj->ik", x, y),
        (MATRIX, MATRIX)),
    Row("solve", lambda a, b: np.linalg.solve(a, b), lambda t, a, b: t.linalg.solve(a, b), (MATRIX, VECTOR)),
    Row("slogdet", lambda a: np.linalg.slogdet(a)[1], lambda t, a: t.linalg.slogdet(a)[1], (MATRIX,)),
    Row("transpose and reshape", lambda x: x.T.reshape(4, 25), lambda t, x: x.T.reshape(4, 25)),
    Row("variance", lambda x: np.var(x, axis=0), lambda t, x: t.var(x, 0, unbiased=False)),
    Row("clip", lambda x: np.clip(x, -0.5, 0.5), lambda t, x: t.clamp(x, -0.5, 0.5)),
    Row("power", lambda x: x**3, lambda t, x: x**3),
    Row("quotient", lambda x, y: x / y, lambda t, x, y: x / y, (SMALL, SMALL), True),
    Row("polynomial of a number", lambda x: 3 * x**2 + 2 * x + 1, lambda t, x: 3 * x**2 + 2 * x + 1, ((),)),
)

LARGE_ROWS = (
    Row("elementwise, 2e5", lambda u: np.tanh(u) * u + np.exp(-u * u), lambda t, u: t.tanh(u) * u + t.exp(-u * u),
        ((200_000,),)),
    Row("product with a plain array, 1e6", lambda u, v: u * v, lambda t, u, v: u * v, ((1_000_000,), (1_000_000,))),
    Row("total variation, 512x512", lambda a: variation(np, a), variation, ((512, 512),)),
    Row("10 stencils, 1e5", heat, lambda t, u: heat(u), ((100_000,),)),
    Row("distances, 300 points", lambda x: pairs(np, x), pairs, ((300, 3),)),
    Row("logsumexp of rows, 2000x200", lambda x: np.log(np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)), 1)),
        lambda t, x: t.log(t.sum(t.exp(x - t.amax(x, 1, keepdim=True)), 1)), ((2000, 200),)),
    Row("least squares, 20000x50", lambda w, x, y: (x @ w - y) ** 2, lambda t, w, x, y: (x @ w - y) ** 2,
        ((50,), (20_000, 50), (20_000,))),
    Row("three products, 300x300", lambda a: np.tanh(a @ a.T @ a), lambda t, a: t.tanh(a @ a.T @ a), ((300, 300),)),
)
# fmt: on
