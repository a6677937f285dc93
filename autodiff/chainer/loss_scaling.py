"""Scaling of the loss, so that small float16 gradients are not rounded to zero."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.trace.source import at_user_line

LARGEST = 65504.0


def all_finite(param: Any) -> bool:
    """Whether a parameter's gradient holds neither infinities nor NaN."""
    with param.device.create_context():
        return bool(get_array_module(param.grad).isfinite(param.grad).all())


class LossScaling:
    """The part of an optimizer that scales the loss by a number, which update rules take out of gradients again."""

    target: Any
    t: int
    _loss_scale: float | None = None
    _loss_scale_max = LARGEST
    _loss_scaling_is_dynamic = False
    _loss_scaling_multiplier = 1.0
    _loss_scaling_isnan = False
    _loss_scaling_isnan_ever = False

    def loss_scaling(self, interval: int = 1000, scale: float | None = None) -> None:
        """Scale the loss.

        Args:
            interval: after about how many updates without an infinite gradient the scale doubles.
            scale: a fixed scale; None for one that grows while all gradients are finite and halves when one is not.

        Raises:
            TypeError: if the scale is no number.
            ValueError: if the interval is less than 1, or the scale not positive.
        """
        if interval < 1:
            raise ValueError(f"interval must be greater than or equal to 1. Actual: {interval}{at_user_line()}")
        if scale is not None:
            self.set_loss_scale(scale)
            self._loss_scaling_is_dynamic = False
            return
        self._loss_scale = 1.0
        self._loss_scaling_is_dynamic = True
        self._loss_scaling_multiplier = 2.0 ** (1.0 / interval)
        self._loss_scaling_isnan = self._loss_scaling_isnan_ever = False

    def set_loss_scale(self, loss_scale: float | None) -> None:
        """Scale the loss by this number, from which a scale that changes goes on; None lets the scale change.

        Raises:
            TypeError: if the scale is no number.
            ValueError: if it is not positive.
        """
        if loss_scale is None:
            self.loss_scaling()
            return
        if isinstance(loss_scale, str):
            raise TypeError(f"loss_scale must be a positive number, got the text {loss_scale!r}{at_user_line()}")
        if not loss_scale > 0:
            raise ValueError(f"loss_scale must be a positive number. Actual: {loss_scale}{at_user_line()}")
        self._loss_scale = loss_scale

    def check_nan_in_grads(self) -> None:
        """Find out whether a gradient is not finite, where the scale depends on it."""
        self._loss_scaling_isnan = False
        if not self._loss_scaling_is_dynamic:
            return
        for name, param in self.target.namedparams():
            if param.grad is not None and not all_finite(param):
                self._loss_scaling_isnan = self._loss_scaling_isnan_ever = True
                warnings.warn(
                    f"Non finite number found in param.grad of {name} (iteration: {self.t}, loss_scale: "
                    f"{self._loss_scale})",
                    stacklevel=3,
                )

    def is_safe_to_update(self) -> bool:
        """Whether :meth:`check_nan_in_grads` found only finite gradients."""
        return not self._loss_scaling_isnan

    def update_loss_scale(self) -> None:
        """Let the scale grow, quickly before the first gradient that was not finite; or halve it after one."""
        if not self._loss_scaling_is_dynamic or self._loss_scale is None:
            return
        if self._loss_scaling_isnan:
            factor = 0.5
        else:
            factor = self._loss_scaling_multiplier if self._loss_scaling_isnan_ever else 2.0
        self._loss_scale = min(max(self._loss_scale * factor, 1.0), self._loss_scale_max)
