"""Batch normalization over the batches of all processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.functions.normalization.batch_normalization import (
    as_dtype,
    averaged_axes,
    conditions,
    fixed_batch_normalization,
    moments_are_known,
    scaled,
    update,
)
from autodiff.chainer.functions.sums import means_along
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.distributed import all_reduce
from autodiff.facade import Variable
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line


class MultiNodeBatchNormalization(BatchNormalization):
    """Batch normalization with the mean and variance over the batches of all processes, which have one length.

    Args:
        size: the number of channels, or the shape of gamma.
        comm: the communicator.
        decay: how much of the running values remains at each step.
        eps: added to the variance.
        dtype: the dtype of gamma, beta and running values.
        use_gamma: whether to scale.
        use_beta: whether to shift.
        initial_gamma: an initializer, a number or an array; ones if None.
        initial_beta: the same for beta; zeros if None.
        communication_backend: ``"mpi"``, ``"nccl"`` or ``"auto"``; messages go through MPI.

    Raises:
        ValueError: if ``communication_backend`` is another one.
    """

    def __init__(
        self,
        size: Any,
        comm: Any,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        communication_backend: str = "auto",
    ) -> None:
        if communication_backend not in ("mpi", "nccl", "auto"):
            raise ValueError(f"MultiNodeBatchNormalization does not support {communication_backend}{at_user_line()}")
        super().__init__(size, decay, eps, dtype, use_gamma, use_beta, initial_gamma, initial_beta, initial_avg_var=0)
        self.comm = comm

    def forward(self, x: Any, finetune: bool = False) -> Variable:  # type: ignore[override]
        """An array like x, normalized over all processes while ``chainer.config.train`` is set."""
        gamma, beta = self._scale_and_shift()
        if not config.train:
            return fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps)
        running = {} if config.in_recomputing else self._followed(finetune)
        axes = averaged_axes(None, x.ndim, gamma.ndim)
        moments: list[Any] = []
        comm, eps = self.comm.comm, self.eps

        def normalized(x: Any, gamma: Any, beta: Any) -> Any:
            wide = as_dtype(x, np.promote_types(x.dtype, gamma.dtype))
            mean = all_reduce(means_along(wide, axes), op="mean", comm=comm)
            centered = wide - mean
            var = all_reduce(means_along(np.square(centered), axes), op="mean", comm=comm)
            moments[:] = mean, var
            return scaled(centered, var, gamma, beta, eps, x.dtype)

        y = apply("MultiNodeBatchNormalization", normalized, (x, gamma, beta), check=conditions(axes), noted=moments)
        if running and moments_are_known(y, moments):
            count = x.size // gamma.size
            update(running["running_mean"], moments[0], running["decay"])
            update(running["running_var"], moments[1], running["decay"], count / max(count - 1, 1))
        return y  # type: ignore[no-any-return]
