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
                if parameter.array is not None and not finite(parameter):
                    raise RuntimeError(
                        f"Kill the process since parameters in optimizer '{name}' diverge. R.I.P. "
                        f"({path} is not finite in iteration {trainer.updater.iteration})"
                    )


def finite(parameter: Any) -> bool:
    """Whether all elements of a parameter are numbers."""
    with parameter.device.create_context():
        return bool(parameter.xp.isfinite(parameter.array).all())
