"""``fit``: the loop over epochs and batches, with a progress bar, a history, early stopping and checkpoints."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autodiff.optimize.stopping import EarlyStopping
from autodiff.saving import load, save
from autodiff.saving.formats import path_of
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line
from autodiff.tree import leaves, names, structure

History = dict[str, list[float]]
Batches = Iterable[Any] | Callable[[int], Iterable[Any]]


class Fit(NamedTuple):
    """What :func:`fit` returns.

    Attributes:
        state: the last state, or the best one after early stopping.
        history: for each number its values, one for each epoch.
    """

    state: Any
    history: History


def fit(
    step: Callable[[Any, Any], tuple[Any, Any]],
    state: Any,
    batches: Batches,
    *,
    epochs: int = 1,
    validate: Callable[[Any], Any] | None = None,
    early_stopping: EarlyStopping | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Fit:
    """``state, metrics = step(state, batch)`` for all batches, as often as there are epochs.

    Args:
        step: a function of the state, such as the pair of parameters and an optimizer's state, and of a batch; usually
            one of ``jit``. Metrics are a number, which is called ``loss``, or a dict of numbers.
        state: the first state, a tree.
        batches: what is gone through in each epoch, or a function of the epoch's number, from 0 on, that gives it.
        epochs: how many there are at most.
        validate: called with the state after each epoch; its number, which is called ``validation``, or its dict of
            numbers is part of the history.
        early_stopping: when to end before that.
        checkpoint: a file, ``.npz`` or ``.safetensors``, to which the state is saved after each epoch. Where it is
            there already, training goes on from it, up to ``epochs`` epochs altogether.
        progress: whether to show a bar, for which tqdm is needed; where it is installed if None.

    Returns:
        the last state, or the best one, and the history: means over the batches of each epoch.

    Raises:
        ValueError: if there are no batches, or they cannot be gone through again; if ``step`` returns a
            state of another structure; or if the checkpoint does not fit, or is no name of a file of trees.
        FileNotFoundError: if there is no folder for the checkpoint.
        TypeError: if ``step`` does not return a pair, a metric is no single number, a function of batches does not take
            the epoch's number, or an option is of another type.
        KeyError: if early stopping looks at a number that is not in the history.
        ModuleNotFoundError: if a bar is asked for and tqdm is not installed.

    >>> import numpy as np
    >>> import autodiff
    >>> from autodiff import optimize
    >>> optimizer = optimize.sgd(0.1)
    >>> @autodiff.jit
    ... def step(state, batch):
    ...     w, memory = state
    ...     x, y = batch
    ...     loss, gradient = autodiff.value_and_grad(lambda w: np.mean((w * x - y) ** 2))(w)
    ...     updates, memory = optimizer.update(gradient, memory, w)
    ...     return (optimize.apply_updates(w, updates), memory), loss
    >>> x = np.linspace(0.0, 1.0, 8)
    >>> batches = [(x[:4], 3 * x[:4]), (x[4:], 3 * x[4:])]
    >>> (w, _), history = fit(step, (0.0, optimizer.init(0.0)), batches, epochs=60, progress=False)
    >>> round(float(w), 2), len(history["loss"])
    (3.0, 60)
    """
    check_options(epochs, early_stopping)
    best, history, done = state, History(), 0
    path = None if checkpoint is None else path_of(checkpoint, "fit")
    if path is not None and path.exists():
        state, best, history, done = resumed(path, state)
    for epoch in range(done, epochs):
        if early_stopping is not None and epoch and early_stopping.ends(history):
            break
        shown = bar(batches_of(batches, epoch, epochs), f"epoch {epoch + 1}/{epochs}", progress)
        state, metrics = run_epoch(step, state, shown)
        metrics |= {} if validate is None else numbers(validate(state), "validation")
        for name, value in metrics.items():
            history.setdefault(name, []).append(value)
        if early_stopping is None or early_stopping.is_best(history):
            best = state
        if path is not None:
            save(path, {"state": state, "best": best, "epoch": epoch + 1, "history": arrays(history)})
    restored = early_stopping is not None and early_stopping.restore_best
    return Fit(best if restored else state, history)


def run_epoch(step: Callable[[Any, Any], Any], state: Any, batches: Iterable[Any]) -> tuple[Any, dict[str, float]]:
    """The state after all batches, and the means of the metrics.

    Raises:
        TypeError: if ``step`` does not return a pair.
        ValueError: if there is no batch.
    """
    totals: dict[str, float] = {}
    counts: Counter[str] = Counter()
    count = 0
    for batch in batches:
        found = step(state, batch)
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError(f"fit: step must return (state, metrics), got {type(found).__name__}{at_user_line()}")
        if not count and structure(found[0]) != structure(state):
            raise ValueError(
                f"fit: the state was {structure(state)}, and step returned {structure(found[0])} for it"
                f"{at_user_line()}; return (state, metrics), in this order, and a state like the one that is given"
            )
        state, metrics = found
        count += 1
        for name, value in numbers(metrics, "loss").items():
            totals[name] = totals.get(name, 0.0) + value
            counts[name] += 1  # a metric may be measured in some batches only
        if hasattr(batches, "set_postfix"):
            batches.set_postfix({name: f"{total / counts[name]:.4g}" for name, total in totals.items()}, refresh=False)
    if not count:
        raise ValueError(f"fit: there are no batches{at_user_line()}")
    return state, {name: total / counts[name] for name, total in totals.items()}


def check_options(epochs: Any, early_stopping: Any) -> None:
    """Refuse options of another type before anything is trained."""
    if not isinstance(epochs, int | np.integer) or epochs < 0:
        shown = epochs if isinstance(epochs, int) else described(epochs)
        raise TypeError(f"fit: epochs is a whole number that is not negative, got {shown}{at_user_line()}")
    if not isinstance(early_stopping, EarlyStopping | None):
        raise TypeError(
            f"fit: early_stopping is {described(early_stopping)}{at_user_line()}; "
            "give optimize.EarlyStopping('loss', patience=5)"
        )


def numbers(metrics: Any, alone: str) -> dict[str, float]:
    """Metrics as plain numbers by their names.

    Raises:
        TypeError: if one is an array.
    """
    named = metrics if isinstance(metrics, Mapping) else {} if metrics is None else {alone: metrics}
    for name, value in named.items():
        if np.size(value) != 1:
            raise TypeError(
                f"fit: the metric {name} is {described(value)}{at_user_line()}; a metric is one number: take its mean"
            )
    return {str(name): float(np.reshape(value, ())) for name, value in named.items()}


def batches_of(batches: Batches, epoch: int, epochs: int) -> Iterable[Any]:
    """The batches of an epoch.

    Raises:
        ValueError: if they are an iterator, which ends with the first of several epochs.
    """
    if callable(batches) and not isinstance(batches, Iterable):
        check_takes_epoch(batches)
        return batches(epoch)
    if epochs > 1 and isinstance(batches, Iterator):
        raise ValueError(
            f"fit: batches are a {type(batches).__name__}{at_user_line()}, which ends with the first epoch; give a "
            "list, or a function of the epoch's number"
        )
    return batches


def check_takes_epoch(batches: Callable[..., Any]) -> None:
    """Refuse a function that cannot be called with a number.

    Raises:
        TypeError: saying what it is called with.
    """
    try:
        taken = signature(batches)
    except ValueError:  # written in C, without a signature: calling it tells
        return
    try:
        taken.bind(0)
    except TypeError:
        name = getattr(batches, "__name__", type(batches).__name__)
        raise TypeError(
            f"fit: batches, {name}{taken}, is called with the epoch's number{at_user_line()}; write it as a function "
            "of one argument, or give the batches themselves as a list"
        ) from None


def bar(batches: Iterable[Any], text: str, progress: bool | None) -> Iterable[Any]:
    """Batches that show a bar while they are gone through.

    Raises:
        ModuleNotFoundError: if a bar is asked for and tqdm is not installed.
    """
    if progress is False:
        return batches
    try:
        tqdm = importlib.import_module("tqdm").tqdm
    except ModuleNotFoundError:
        if progress:
            raise ModuleNotFoundError("a progress bar needs tqdm; install it, or give progress=False") from None
        return batches
    return tqdm(batches, desc=text, leave=True)  # type: ignore[no-any-return]


def arrays(history: History) -> dict[str, Any]:
    """The history as arrays, which files hold."""
    return {name: np.array(values) for name, values in history.items()}


def resumed(path: Path, state: Any) -> tuple[Any, Any, History, int]:
    """State, best state, history and number of epochs of a checkpoint."""
    found = load(path, {"state": state, "best": state, "epoch": 0}, strict=False)
    rest = load(path).get("history", {})
    history = {name: leaf.tolist() for name, leaf in zip(names(rest), leaves(rest), strict=True)}
    return found["state"], found["best"], history, found["epoch"]
