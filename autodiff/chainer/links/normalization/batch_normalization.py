"""The link of batch normalization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff.chainer.functions.normalization.batch_normalization import (
    batch_normalization,
    fixed_batch_normalization,
)
from autodiff.chainer.initializers import generate_array
from autodiff.chainer.link import Link
from autodiff.chainer.links.initial import typed
from autodiff.chainer.utils.argument import parse_kwargs
from autodiff.facade import Parameter, Variable
from autodiff.facade.settings.configuration import config, get_dtype
from autodiff.trace.source import at_user_line

TEST = "test= is gone; use chainer.using_config('train', value)"


class BatchNormalization(Link):
    """gamma (x - mean) / sqrt(var + eps) + beta, with mean and variance over the batch.

    While ``chainer.config.train`` is False, running means and variances take their place.

    Args:
        size: the shape of gamma: usually the number of channels; None to learn it from the first x.
        decay: how much of the running values remains at each step.
        eps: added to the variance.
        dtype: the dtype of gamma, beta and running values; that of ``chainer.config.dtype`` if None.
        use_gamma: whether to scale.
        use_beta: whether to shift.
        initial_gamma: an initializer, a number or an array; ones if None.
        initial_beta: the same for beta; zeros if None.
        axis: over which axes to average, in ascending order; by default the first one, and all behind those that gamma
            has. Needed where ``size`` is None.
        initial_avg_mean: the same for the running mean; zeros if None.
        initial_avg_var: the same for the running variance; ones if None.

    Attributes:
        gamma: the scales; None without them.
        beta: the shifts; None without them.
        avg_mean: the running mean.
        avg_var: the running variance.
        N: how many batches were used to finetune.

    Raises:
        RuntimeError: if neither ``size`` nor ``axis`` is given.

    Source: S. Ioffe and C. Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift, 2015.

    >>> link = BatchNormalization(1)
    >>> link(np.array([[1.0], [3.0]], np.float32)).array.round(3)
    array([[-1.],
           [ 1.]], dtype=float32)
    >>> link.avg_mean
    array([0.2], dtype=float32)
    """

    gamma: Parameter | None = None
    beta: Parameter | None = None
    avg_mean: Any = None
    avg_var: Any = None

    def __init__(
        self,
        size: Any = None,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        axis: Any = None,
        initial_avg_mean: Any = None,
        initial_avg_var: Any = None,
    ) -> None:
        super().__init__()
        if size is None and axis is None:
            raise RuntimeError(f"size or axis is required{at_user_line()}: the number of channels, or what to average")
        self._highprec_dtype = get_dtype(dtype, map_mixed16=np.float32)
        self._initial_avg_mean = 0 if initial_avg_mean is None else initial_avg_mean
        self._initial_avg_var = 1 if initial_avg_var is None else initial_avg_var
        self.N, self.decay, self.eps = 0, decay, eps
        self.axis = (axis,) if isinstance(axis, (int, np.integer)) else axis
        with self.init_scope():
            if use_gamma:
                self.gamma = Parameter(typed(1 if initial_gamma is None else initial_gamma, self._highprec_dtype))
            if use_beta:
                self.beta = Parameter(typed(0 if initial_beta is None else initial_beta, self._highprec_dtype))
        self.avg_mean = self.avg_var = None
        for name in ("avg_mean", "avg_var", "N"):
            self.register_persistent(name)
        if size is not None:
            self._initialize_params(size)

    def _initialize_params(self, shape: Any) -> None:
        self.avg_mean = self._running(self._initial_avg_mean, shape)
        self.avg_var = self._running(self._initial_avg_var, shape)
        for parameter in (self.gamma, self.beta):
            if parameter is not None:
                parameter.initialize(shape)

    def _running(self, initial: Any, shape: Any) -> Any:
        return generate_array(typed(initial, self._highprec_dtype), shape, self.xp, device=self.device)

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        yield "size", None if self.avg_mean is None else self.avg_mean.shape[0]
        yield "decay", self.decay
        yield "eps", self.eps
        yield "dtype", self._highprec_dtype
        yield "use_gamma", self.gamma is not None
        yield "use_beta", self.beta is not None

    def start_finetuning(self) -> None:
        """Begin to average over all batches that come with ``finetune=True``."""
        self.N = 0

    def forward(self, x: Any, **kwargs: Any) -> Variable:
        """An array like x.

        Args:
            x: floats, with the batch as the first axis.
            kwargs: ``finetune`` = False: whether the running values become the mean over all batches since
                :meth:`start_finetuning`, instead of following with ``decay``.
        """
        (finetune,) = parse_kwargs(kwargs, ("finetune", False), test=TEST)
        self._await_size(x)
        gamma, beta = self._scale_and_shift()
        if not config.train:
            return fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps, axis=self.axis)
        running = {} if config.in_recomputing else self._followed(finetune)
        return batch_normalization(x, gamma, beta, eps=self.eps, axis=self.axis, **running)

    def _await_size(self, x: Any) -> None:
        if self.avg_mean is None:
            self._initialize_params(tuple(length for k, length in enumerate(x.shape) if k not in self.axis))

    def _scale_and_shift(self) -> tuple[Any, Any]:
        like = self.avg_mean
        gamma = self.xp.ones(like.shape, self._highprec_dtype) if self.gamma is None else self.gamma
        beta = self.xp.zeros(like.shape, self._highprec_dtype) if self.beta is None else self.beta
        return gamma, beta

    def _followed(self, finetune: bool) -> dict[str, Any]:
        """The running values, and how much of them remains."""
        if finetune:
            self.N += 1
        decay = 1 - 1 / self.N if finetune else self.decay
        return {"running_mean": self.avg_mean, "running_var": self.avg_var, "decay": decay}
