"""Optimizers that average gradients over all processes."""

from __future__ import annotations

import sys
from threading import Thread
from typing import Any

import numpy as np

from autodiff.distributed.communicator import Communicator
from autodiff.distributed.data_parallel import packed_sum
from autodiff.trace.source import at_user_line


def create_multi_node_optimizer(
    actual_optimizer: Any, communicator: Any, double_buffering: bool = False, zero_fill: bool = True
) -> Any:
    """An optimizer that averages gradients over all processes before it updates.

    The first call of ``update``, and each after parameters were added or initialized, gives the parameters of process 0
    to all in place of an update.

    Args:
        actual_optimizer: what updates. All else that is asked of the result reaches it.
        communicator: the communicator.
        double_buffering: whether gradients are averaged while the next ones are computed; updates are those of the
            gradients before.
        zero_fill: whether missing gradients of parameters become zeros.

    Raises:
        ValueError: if ``double_buffering`` is asked of a communicator other than ``"pure_nccl"``.
    """
    if double_buffering and communicator.name != "pure_nccl":
        raise ValueError(f"This communicator does not support double buffering{at_user_line()}; 'pure_nccl' does")
    kind = _DoubleBufferingOptimizer if double_buffering else _MultiNodeOptimizer
    return kind(actual_optimizer, communicator, zero_fill)


class _MultiNodeOptimizer:
    """What :func:`create_multi_node_optimizer` makes."""

    def __init__(self, actual_optimizer: Any, communicator: Any, zero_fill: bool) -> None:
        own = {"communicator": communicator, "actual_optimizer": actual_optimizer, "zero_fill": zero_fill}
        self.__dict__.update(own, target_params=[])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["actual_optimizer"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.actual_optimizer, name, value)

    def setup(self, link: Any) -> Any:
        """Use the optimizer for a link."""
        self.actual_optimizer.setup(link)
        return self

    def update(self, lossfun: Any = None, *args: Any, **kwds: Any) -> None:
        """Compute gradients, if there is a loss function, average them, and update."""
        target = self.target
        if lossfun is not None:
            loss = lossfun(*args, **kwds)
            if getattr(self, "_use_cleargrads", True):
                target.cleargrads()
            else:
                target.zerograds()
            loss.backward(loss_scale=self.actual_optimizer._loss_scale)
            del loss
        if self.is_changed(target):
            self.broadcast(target)
        else:
            self.step(target, *args, **kwds)

    def is_changed(self, target: Any) -> bool:
        """Whether parameters were added or initialized since this was asked last."""
        now = [(name, parameter.array is not None) for name, parameter in sorted(target.namedparams())]
        before = self.__dict__["target_params"]
        self.__dict__["target_params"] = now
        return bool(now != before)

    def broadcast(self, target: Any) -> None:
        """Give the parameters of process 0 to all."""
        self.communicator.bcast_data(target)

    def step(self, target: Any, *args: Any, **kwds: Any) -> None:
        """Average gradients, and update."""
        self.communicator.multi_node_mean_grad(target, self.zero_fill)
        self.actual_optimizer.update(None, *args, **kwds)


class _DoubleBufferingOptimizer(_MultiNodeOptimizer):
    """The same, one step behind: gradients are averaged by a thread, over a communicator of its own."""

    def __init__(self, actual_optimizer: Any, communicator: Any, zero_fill: bool) -> None:
        super().__init__(actual_optimizer, communicator, zero_fill)
        self.__dict__.update(apart=communicator.comm.split(0), sending=None)

    def broadcast(self, target: Any) -> None:
        self.wait()
        super().broadcast(target)

    def step(self, target: Any, *args: Any, **kwds: Any) -> None:
        found = [p for _, p in sorted(target.namedparams()) if p.array is not None]
        if not self.zero_fill:
            found = [parameter for parameter in found if parameter.grad is not None]
        own = [np.zeros_like(p.array) if p.grad is None else np.array(p.grad) for p in found]
        before = self.wait()
        dtype = self.communicator.get_config().get("allreduce_grad_dtype")
        self.__dict__["sending"] = Sending(found, own, dtype, self.__dict__["apart"])
        if before is not None:
            for parameter, mean in zip(before.params, before.means, strict=True):
                parameter.grad = mean
            self.actual_optimizer.update(None, *args, **kwds)

    def wait(self) -> Sending | None:
        """The gradients that are on their way, once they are there."""
        sending: Sending | None = self.__dict__["sending"]
        self.__dict__["sending"] = None
        if sending is not None:
            sending.finish()
        return sending


class Sending:
    """Gradients on their way: a thread averages them, where MPI allows it.

    Args:
        params: whose they are.
        gradients: of this process; nobody else has the arrays.
        dtype: in which they are sent.
        comm: a communicator that nobody else uses.
    """

    def __init__(self, params: list[Any], gradients: list[Any], dtype: Any, comm: Communicator) -> None:
        self.params, self.gradients, self.dtype, self.comm = params, gradients, dtype, comm
        self.means: list[Any] = []
        self.error: BaseException | None = None
        mpi = sys.modules.get("mpi4py.MPI")
        self.thread = Thread(target=self.run, daemon=True)
        if mpi is not None and mpi.Query_thread() < mpi.THREAD_MULTIPLE:
            self.run()
        else:
            self.thread.start()

    def run(self) -> None:
        try:
            self.means = packed_sum([gradient / self.comm.size for gradient in self.gradients], self.dtype, self.comm)
        except BaseException as error:
            self.error = error

    def finish(self) -> None:
        """Wait until they are there.

        Raises:
            BaseException: what the thread has raised.
        """
        if self.thread.ident is not None:
            self.thread.join()
        if self.error is not None:
            raise self.error
