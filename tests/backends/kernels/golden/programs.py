"""The programs whose kernels are written down beside this file; lines of this file stand in those texts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff import jit, scan, value_and_grad, vjp
from autodiff.trace.spec import spec


def elementwise(x, a, b):
    return np.sum(np.tanh(a * x + b) / (1 + np.exp(-x)) + np.log1p(np.exp(-(x**2))))


def cross_entropy(scores, labels):
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(len(labels)), labels])


def layer_norm(x, scale, shift):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * scale + shift


def layer_norm_backwards(x, scale, shift, g):
    return vjp(layer_norm, x, scale, shift)[1](g)


def mlp(layers, x, y):
    for weights, bias in layers[:-1]:
        x = np.maximum(x @ weights + bias, 0)
    weights, bias = layers[-1]
    return np.mean((x @ weights + bias - y) ** 2)


def damped(state, force):
    place, speed = state
    speed = speed + 0.1 * (force - np.sin(place) - 0.2 * speed)
    place = place + 0.1 * speed
    return (place, speed), place


def pendulum(state, forces):
    return np.sum(scan(damped, state, forces)[1] ** 2)


def numbers_and_matrices(x):
    return np.linalg.inv(x @ x.T + np.eye(len(x))) * 2 + np.sort(x, axis=0)[:, :1]


F32 = np.float32
LARGE = spec((200_000,), F32), 2.0, 1.0
SCORES = spec((256, 1000), F32), spec((256,), np.int64)
ROWS = spec((1024, 256), F32), spec((256,), F32), spec((256,), F32)
LAYERS = [(spec((8, 16), F32), spec((16,), F32)), (spec((16, 3), F32), spec((3,), F32))]
BATCH = LAYERS, spec((32, 8), F32), spec((32, 3), F32)
STEPS = (spec((2,), np.float64), spec((2,), np.float64)), spec((50, 2), np.float64)

# fmt: off
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise":            (jit(elementwise), LARGE),
    "elementwise_gradient":   (jit(value_and_grad(elementwise)), LARGE),
    "cross_entropy":          (jit(cross_entropy), SCORES),
    "cross_entropy_gradient": (jit(value_and_grad(cross_entropy)), SCORES),
    "layer_norm":             (jit(layer_norm), ROWS),
    "layer_norm_gradient":    (jit(layer_norm_backwards), (*ROWS, ROWS[0])),
    "mlp":                    (jit(mlp), BATCH),
    "mlp_gradient":           (jit(value_and_grad(mlp)), BATCH),
    "pendulum":               (jit(pendulum), STEPS),
    "pendulum_gradient":      (jit(value_and_grad(pendulum)), STEPS),
    "numbers_and_matrices":   (jit(numbers_and_matrices), (spec((4, 3), np.float64),)),
}
# fmt: on


def printed(name: str) -> str:
    """All that a program prints: what is run, the function that runs it, and its kernels."""
    function, arguments = PROGRAMS[name]
    jitted: Any = function
    parts = jitted.schedule(*arguments), jitted.source(*arguments), jitted.kernels(*arguments)
    return "\n\n".join(str(part).strip() for part in parts) + "\n"
