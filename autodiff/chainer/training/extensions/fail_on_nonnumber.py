"""An end to training that has diverged."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.training.extension import Extension


class FailOnNonNumber(Extension):
    """Raises when a parameter has become NaN or infinite.

    Raises:
        RuntimeError: naming the optimizer and the parameter.
    """

    def __call__(self, trainer: Any) -> None:
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            for path, parameter in optimizer.target.namedparams():
                array = parameter.array
                if array is not None and not parameter.xp.isfinite(array).all():
                    raise RuntimeError(
                        f"Kill the process since parameters in optimizer '{name}' diverge. R.I.P. "
                        f"({path} is not finite in iteration {trainer.updater.iteration})"
                    )
