"""Handwritten digits learned by several processes, and by one with the same batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff
from autodiff import optimize
from autodiff.distributed.communicator import world
from autodiff.distributed.data_parallel import check_equal, data_parallel

BATCH, EPOCHS, HIDDEN = 120, 6, 64


def loss(params: Any, x: Any, y: Any) -> Any:
    """The mean cross entropy of a network with one hidden layer."""
    scores = np.tanh(x @ params["W1"] + params["b1"]) @ params["W2"] + params["b2"]
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - np.sum(shifted * y, axis=1))


def digits() -> tuple[Any, Any]:
    """Images of 8 x 8 pixels as rows, and what they show as rows of zeros and a one."""
    try:
        from sklearn.datasets import load_digits  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError("the demo needs scikit-learn: pip install 'autodiff[demo,mpi]'") from None
    images, labels = load_digits(return_X_y=True)
    return images / 16.0, np.eye(10)[labels]


def first_params() -> dict[str, Any]:
    """The same parameters in all processes."""
    rng = np.random.default_rng(0)
    return {
        "W1": rng.normal(0, 0.1, (64, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "W2": rng.normal(0, 0.1, (HIDDEN, 10)),
        "b2": np.zeros(10),
    }


def trained(step: Callable[..., Any], epochs: int) -> tuple[Any, list[float], float]:
    """The parameters after all epochs, the loss of each batch, and how many seconds it took.

    Args:
        step: gives the loss and the gradient of parameters and a batch.
        epochs: how many.
    """
    x, y = digits()
    optimizer = optimize.adam(3e-3)
    params = first_params()
    state, losses, rng = optimizer.init(params), [], np.random.default_rng(1)
    step(params, x[:BATCH], y[:BATCH])  # compiled before the clock runs
    begun = time.perf_counter()
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for first in range(0, len(x) - BATCH + 1, BATCH):
            chosen = order[first : first + BATCH]
            value, gradient = step(params, x[chosen], y[chosen])
            updates, state = optimizer.update(gradient, state, params)
            params = optimize.apply_updates(params, updates)
            losses.append(float(value))
    return params, losses, time.perf_counter() - begun


def demo(epochs: int = EPOCHS) -> tuple[list[float], float]:
    """Train with all processes, and alone, and say how they differ.

    Args:
        epochs: how many.

    Returns:
        the losses of the batches, and the largest difference of a parameter or a loss from those of one process.
    """
    comm = world()
    alone = autodiff.jit(autodiff.value_and_grad(loss))
    params, losses, seconds = trained(data_parallel(alone), epochs)
    check_equal(params, comm)
    wanted, curve, _ = trained(alone, epochs)
    apart = [np.max(np.abs(params[name] - wanted[name])) for name in params]
    apart.append(np.max(np.abs(np.subtract(losses, curve))))
    if comm.rank == 0:
        print(f"{comm.size} processes, batches of {BATCH}: {BATCH // comm.size} examples to each")
        for epoch, part in enumerate(np.array_split(losses, epochs), 1):
            print(f"epoch {epoch}: mean loss {np.mean(part):.4f}")
        print(f"{1e3 * seconds / len(losses):.2f} ms a step")
        print(f"largest difference from one process: {max(apart):.1e}")
    return losses, float(max(apart))
