"""Functions whose tapes the tests of this folder read, with arguments."""

from typing import Any, NamedTuple

import numpy as np

from autodiff import checkpoint, custom_jvp, grad, hessian, jacrev, vmap

X = np.array([0.3, -0.8, 1.1])
BIG = np.arange(100.0).reshape(100, 1)


class Point(NamedTuple):
    x: Any
    y: Any


cubed = custom_jvp(lambda x: x**3)
cubed.defjvp(lambda primals, tangents: (cubed(primals[0]), 3 * primals[0] ** 2 * tangents[0]))


def buffer_in_a_loop(x: Any) -> Any:
    buffer = np.ones(3)
    y = x * 0
    for k in range(3):
        buffer[:] = k
        y = y + x * buffer
    return y


def nested(x: Any) -> Any:
    return np.sum(np.exp(x[1:]) * checkpoint(np.tanh)(x)[0])


FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "elementwise": (lambda x: np.sin(x) * 2.0, (X,)),
    "scalars": (lambda x, y: x * y + np.float32(2), (2.0, np.float32(3))),
    "weak": (lambda a, b: a * b * X.astype(np.float32) * 2, (2.0, 3.0)),
    "specials": (lambda x: np.maximum(x, -0.0) + np.nan * np.float32(np.inf) - np.inf, (X,)),
    "complex": (lambda z: z * (1 - 2j) * np.complex64(1j), (X + 1j,)),
    "comparisons": (lambda x: np.where(x > 0.1, x, True), (X,)),
    "integers": (lambda n: n * np.arange(3) + np.int8(2), (np.array([1, 2, 3]),)),
    "indexing": (lambda x: x[None, ::-1, None, 1:] * x[..., 0], (np.arange(6.0).reshape(2, 3),)),
    "arranging": (lambda x: x.reshape(3, 1).T + np.broadcast_to(np.sum(x), (2, 1, 3)), (X,)),
    "gathering": (lambda x: x[np.array([0, 0, 2])] * x[x.shape[0] - 1], (X,)),
    "types": (lambda x: x.astype(np.float32) + x.astype(">f8"), (X,)),
    "constants": (lambda x: x * BIG, (X,)),
    "buffer": (buffer_in_a_loop, (X,)),
    "trees": (
        lambda p, y: {"a": [p["w"].x * y, None], "b": (p["v"], 2.0)},
        ({"w": Point(X, 1.0), "v": (1.0, X)}, X),
    ),
    "nothing": (lambda x: x, (X,)),
    "empty": (lambda x: x * 2, (np.zeros((0, 2)),)),
    "checkpoint": (checkpoint(nested), (X,)),
    "rule": (lambda x: cubed(x) + 1, (X,)),
    "grad": (grad(checkpoint(nested)), (X,)),
    "jacobian": (jacrev(lambda x: np.sin(x) * np.sum(x)), (X,)),
    "hessian": (hessian(lambda x: np.sum(np.logaddexp(x, 0.0))), (X,)),
    "batch": (vmap(grad(lambda x: np.tanh(x) * x)), (X,)),
}  # fmt: skip
