"""The link of batch renormalization."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.functions.normalization.batch_normalization import fixed_batch_normalization
from autodiff.chainer.functions.normalization.batch_renormalization import batch_renormalization
from autodiff.chainer.links.normalization.batch_normalization import BatchNormalization
from autodiff.facade import Variable
from autodiff.facade.settings.configuration import config


class BatchRenormalization(BatchNormalization):
    """Batch normalization that is corrected toward the running mean and variance.

    Args:
        size: the shape of gamma: usually the number of channels.
        rmax: the ratio of standard deviations is clipped to between 1 / rmax and rmax.
        dmax: the difference of means in standard deviations is clipped to between -dmax and dmax.
        decay: how much of the running values remains at each step.
        eps: added to the variance.
        dtype: the dtype of gamma, beta and running values; that of ``chainer.config.dtype`` if None.
        use_gamma: whether to scale.
        use_beta: whether to shift.
        initial_gamma: an initializer, a number or an array; ones if None.
        initial_beta: the same for beta; zeros if None.
        initial_avg_mean: the same for the running mean; zeros if None.
        initial_avg_var: the same for the running variance; ones if None.

    Source: S. Ioffe, Batch Renormalization: Towards Reducing Minibatch Dependence in Batch-Normalized Models, 2017.

    >>> import numpy as np
    >>> BatchRenormalization(1, rmax=2, dmax=0.5)(np.array([[1.0], [3.0]], np.float32)).array.round(3)
    array([[-0.5],
           [ 1.5]], dtype=float32)
    """

    def __init__(
        self,
        size: Any,
        rmax: float = 1,
        dmax: float = 0,
        decay: float = 0.9,
        eps: float = 2e-5,
        dtype: Any = None,
        use_gamma: bool = True,
        use_beta: bool = True,
        initial_gamma: Any = None,
        initial_beta: Any = None,
        initial_avg_mean: Any = None,
        initial_avg_var: Any = None,
    ) -> None:
        super().__init__(
            size,
            decay,
            eps,
            dtype,
            use_gamma,
            use_beta,
            initial_gamma,
            initial_beta,
            initial_avg_mean=initial_avg_mean,
            initial_avg_var=initial_avg_var,
        )
        self.rmax, self.dmax = rmax, dmax

    def forward(self, x: Any, finetune: bool = False) -> Variable:  # type: ignore[override]
        """An array like x.

        Args:
            x: floats, with the batch as the first axis.
            finetune: as in :class:`BatchNormalization`.
        """
        gamma, beta = self._scale_and_shift()
        if not config.train:
            return fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps)
        decay = self.decay if config.in_recomputing else self._followed(finetune)["decay"]
        return batch_renormalization(
            x,
            gamma,
            beta,
            self.rmax,
            self.dmax,
            self.eps,
            self.avg_mean,
            self.avg_var,
            decay,
            update_statistics=not config.in_recomputing,
        )
