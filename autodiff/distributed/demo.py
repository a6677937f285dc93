"""Handwritten digits learned by several processes, and by one with the same batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import autodiff
from autodiff import optimize
from autodiff.distributed.communicator import world
from autodiff.distributed.data_parallel import check_equal, data_parallel
from autodiff.distributed.events import Event, record_events

BATCH, EPOCHS, HIDDEN = 120, 6, 64
PARTS, COLORS = ("compute", "wait", "transfer"), ("C0", "0.8", "C1")


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


class Training(NamedTuple):
    """What came of a training.

    Attributes:
        params: after all epochs.
        losses: of each batch.
        times: a row for each step: the seconds that this process computed, waited for others, and moved bytes.
    """

    params: Any
    losses: list[float]
    times: Any


def trained(step: Callable[..., Any], epochs: int) -> Training:
    """Train for some epochs.

    Args:
        step: gives the loss and the gradient of parameters and a batch.
        epochs: how many.
    """
    x, y = digits()
    optimizer = optimize.adam(3e-3)
    params = first_params()
    state, losses, times, rng = optimizer.init(params), [], [], np.random.default_rng(1)
    step(params, x[:BATCH], y[:BATCH])  # compiled before the clock runs
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for first in range(0, len(x) - BATCH + 1, BATCH):
            chosen = order[first : first + BATCH]
            begun = time.perf_counter()
            with record_events() as events:
                value, gradient = step(params, x[chosen], y[chosen])
            updates, state = optimizer.update(gradient, state, params)
            params = optimize.apply_updates(params, updates)
            times.append(split_time(events, time.perf_counter() - begun))
            losses.append(float(value))
    return Training(params, losses, np.array(times))


def split_time(events: Sequence[Event], whole: float) -> tuple[float, float, float]:
    """The seconds of a step in which a process computed, waited for the others, and moved bytes.

    >>> split_time([Event("all_reduce", 8, 2, 1.0, 1.25, 1.5)], 2.0)
    (1.5, 0.25, 0.25)
    """
    blocking = [event for event in events if not event.overlapped]  # the others end in an event of waiting for them
    waited = sum(event.met - event.begun for event in blocking)
    moved = sum(event.done - event.met for event in blocking)
    return whole - waited - moved, waited, moved


def demo(epochs: int = EPOCHS, picture: str | None = None) -> tuple[list[float], float]:
    """Train with all processes, and alone, and say how they differ.

    Args:
        epochs: how many.
        picture: a file for a picture of the losses and of where the time goes; none if None.

    Returns:
        the losses of the batches, and the largest difference of a parameter or a loss from those of one process.
    """
    comm = world()
    alone = autodiff.jit(autodiff.value_and_grad(loss))
    ours = trained(data_parallel(alone), epochs)
    check_equal(ours.params, comm)
    one = trained(alone, epochs)
    apart = [np.max(np.abs(ours.params[name] - one.params[name])) for name in one.params]
    apart.append(np.max(np.abs(np.subtract(ours.losses, one.losses))))
    means = comm.gather_objects(ours.times.mean(axis=0))
    if comm.rank == 0:
        print(f"{comm.size} processes, batches of {BATCH}: {BATCH // comm.size} examples to each")
        for epoch, part in enumerate(np.array_split(ours.losses, epochs), 1):
            print(f"epoch {epoch}: mean loss {np.mean(part):.4f}")
        split = ", ".join(f"{word} {1e3 * part:.2f} ms" for word, part in zip(PARTS, means[0], strict=True))
        print(f"{1e3 * sum(means[0]):.2f} ms a step in process 0: {split}")
        print(f"largest difference from one process: {max(apart):.1e}")
        if picture is not None:
            draw(picture, ours, one, means)
    return ours.losses, float(max(apart))


def draw(path: str, ours: Training, one: Training, means: Sequence[Any]) -> None:
    """A picture of the losses beside those of one process, of each step's time, and of the mean of each process."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise ModuleNotFoundError("the picture needs matplotlib: pip install 'autodiff[demo,mpi]'") from None
    figure = Figure(figsize=(12, 4), layout="constrained")
    curve, steps, ranks = figure.subplots(1, 3)
    curve.plot(one.losses, color="0.75", linewidth=5, label="one process")
    curve.plot(ours.losses, color="C3", linewidth=1, label=f"{len(means)} processes")
    curve.set(title="Loss of each batch", xlabel="step")
    curve.legend()
    steps.stackplot(range(len(ours.times)), 1e3 * ours.times.T, labels=PARTS, colors=COLORS)
    steps.set(title="Time of each step in process 0", xlabel="step", ylabel="ms")
    steps.legend()
    below = np.zeros(len(means))
    for word, color, part in zip(PARTS, COLORS, 1e3 * np.transpose(means), strict=True):
        ranks.bar(range(len(means)), part, bottom=below, color=color, label=word)
        below += part
    ranks.set(title="Mean time of a step", xlabel="process", ylabel="ms", xticks=range(len(means)))
    figure.savefig(path)
    print(f"picture: {path}")
