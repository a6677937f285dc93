"""The programs by name: each is small, seeds NumPy's generator, and gives the losses of its first ten updates.

They are written in the style of Chainer's examples and of programs of its users, and are run by two interpreters: one
where Chainer 7.8.1 runs, which records, and ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.chainer.recorded.names import namespace as chainer

STEPS = 10
PROGRAMS: dict[str, Callable[[], list[float]]] = {}


def program(function: Callable[[], list[Any]]) -> Callable[[], list[float]]:
    """Enter a program in the table."""

    def run() -> list[float]:
        np.random.seed(0)  # noqa: NPY002 - as programs do
        with chainer.using_config("train", True):
            return [float(loss.array if isinstance(loss, chainer.Variable) else loss) for loss in function()]

    PROGRAMS[function.__name__] = run
    return function


def updates(optimizer: Any, loss_of: Callable[[], Any]) -> list[Any]:
    """The losses of ten updates by the chain of calls that most programs have."""
    losses = []
    for _ in range(STEPS):
        loss = loss_of()
        optimizer.target.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss)
    return losses


def normal(*shape: int) -> Any:
    """Random numbers in single precision."""
    return np.random.standard_normal(shape).astype(np.float32)  # noqa: NPY002


def integers(high: int, *shape: int) -> Any:
    """Random integers."""
    return np.random.randint(0, high, shape).astype(np.int32)  # noqa: NPY002
