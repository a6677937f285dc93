"""The other processes of data parallel training: each has a copy of the model on a GPU of its own.

The first process sends a word, and every other one follows it:

``update``: the parameters are broadcast, and gradients are computed of the next minibatch; the worker answers, and
waits for ``go``, upon which gradients are averaged.
``initialise``: the same minibatch is run through the model once, so that parameters without a shape get one.
``finalize``: the process ends.

An answer is empty, or says what went wrong. Nobody enters NCCL before everybody is known to come, since it waits for
ever.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from autodiff.chainer.backend import get_device, using_device
from autodiff.chainer.reporter import Reporter
from autodiff.chainer.training.conversion import called, converted
from autodiff.chainer.training.updaters.communicator import Communicator
from autodiff.facade.settings.configuration import config, using_config
from autodiff.facade.settings.mode import force_backprop_mode, no_backprop_mode
from autodiff.facade.variables.variable import Variable
from autodiff.trace.source import at_user_line


class Share:
    """One process's share of the work: its part of the data, on its GPU.

    Args:
        model: the model, which is the loss function.
        iterator: gives its minibatches.
        converter: makes arrays of a minibatch.
        device: its GPU.
    """

    def __init__(self, model: Any, iterator: Any, converter: Callable[..., Any], device: Any) -> None:
        self.model, self.iterator, self.converter, self.device = model, iterator, converter, device
        self.arrays: Any = None

    def initialise(self) -> None:
        """Run the model once on the next minibatch, so that all parameters get their arrays."""
        self.arrays = converted(self.converter, self.iterator.next(), self.device)
        with no_backprop_mode(), using_config("train", False):
            called(self.model, self.arrays)

    def compute_gradients(self, loss_scale: float | None) -> None:
        """Compute the gradients of the next minibatch."""
        arrays, self.arrays = self.arrays, None
        if arrays is None:
            arrays = converted(self.converter, self.iterator.next(), self.device)
        with force_backprop_mode():
            loss = called(self.model, arrays)
        if not isinstance(loss, Variable):
            raise TypeError(f"the loss function must return a Variable, got {type(loss).__name__}{at_user_line()}")
        self.model.cleargrads()
        loss.backward(loss_scale=loss_scale)

    def is_initialised(self) -> bool:
        """Whether all parameters have arrays."""
        return all(param.array is not None for param in self.model.params())

    def parameters(self) -> list[Any]:
        """The arrays of all parameters, in an order that is everybody's."""
        return [param.array for param in self.in_order()]

    def gradients(self) -> list[Any]:
        """Their gradients; zeros where there is none."""
        for param in self.in_order():
            if param.grad is None:
                param.grad = param.xp.zeros_like(param.array)
        return [param.grad for param in self.in_order()]

    def in_order(self) -> Iterator[Any]:
        """All parameters by their names."""
        return (param for _, param in sorted(self.model.namedparams(), key=lambda pair: pair[0]))


def serve(pipe: Any, payload: bytes, rank: int, size: int, device: str) -> None:
    """Be one of the other processes, until the first one says it is over.

    Args:
        pipe: the connection to the first process.
        payload: the configuration's dtype; model, iterator and converter, pickled before; and all of it pickled.
        rank: the number of this process.
        size: how many there are.
        device: its GPU.
    """
    try:
        with using_device(device):
            shares = opened(payload, device)
            told(pipe, "")
            follow(pipe, *shares, rank, size)
    except EOFError:  # the first process is gone
        return
    except Exception:
        with suppress(EOFError):
            told(pipe, traceback.format_exc())


def opened(payload: bytes, device: str) -> tuple[Share, Reporter]:
    """The share of this process, on its GPU, and a reporter to which its model reports in vain."""
    config.dtype, parts = pickle.loads(payload)
    model, iterator, converter = pickle.loads(parts)
    model.to_device(device)
    reporter = Reporter()
    reporter.add_observer("main", model)
    reporter.add_observers("main", model.namedlinks(skipself=True))
    return Share(model, iterator, converter, get_device(device)), reporter


def follow(pipe: Any, share: Share, reporter: Reporter, rank: int, size: int) -> None:
    """Do what the first process asks for."""
    communicator = Communicator(size, pipe.recv(), rank)
    while True:
        word, loss_scale = pipe.recv()
        if word == "finalize":
            share.iterator.finalize()
            communicator.close()
            return
        with reporter, reporter.scope({}):
            if word == "initialise":
                told(pipe, tried(share.initialise))
                continue
            communicator.broadcast(share.parameters())
            told(pipe, tried(lambda: share.compute_gradients(loss_scale)))  # noqa: B023 - called at once
        pipe.recv()  # or the connection is closed, since another process failed
        communicator.average(share.gradients())


def told(pipe: Any, text: str) -> None:
    """Answer the first process.

    Raises:
        EOFError: if it is gone.
    """
    try:
        pipe.send(text)
    except BrokenPipeError:
        raise EOFError from None


def tried(action: Callable[[], None]) -> str:
    """What went wrong in an action; empty if nothing did."""
    try:
        action()
    except Exception:
        return traceback.format_exc()
    return ""
