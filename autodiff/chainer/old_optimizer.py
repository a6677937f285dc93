"""What optimizers could do in Chainer 1: the same is done by links and hooks today."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from autodiff.chainer.optimizer_hooks.gradient_clipping import GradientClipping, gradient_norm
from autodiff.chainer.optimizer_hooks.weight_decay import WeightDecay


def old_spelling(name: str, remedy: str) -> None:
    """Warn the caller of an old method."""
    warnings.warn(f"optimizer.{name}() is deprecated; use {remedy}", DeprecationWarning, stacklevel=3)


class OldSpellings:
    """The methods of Chainer 1 that work on the gradients of the target."""

    target: Any

    def zero_grads(self) -> None:
        """Make all gradients zeros. Deprecated: use ``target.cleargrads()``."""
        old_spelling("zero_grads", "target.cleargrads()")
        for param in self.target.params(False):
            param.grad = param.xp.zeros_like(param.array)

    def compute_grads_norm(self) -> float:
        """The Euclidean norm of all gradients together. Deprecated: the hook GradientClipping computes it."""
        old_spelling("compute_grads_norm", "the hook optimizer_hooks.GradientClipping")
        return gradient_norm(self.target.params(False))

    def clip_grads(self, maxnorm: float) -> None:
        """Scale all gradients so that their norm is at most ``maxnorm``. Deprecated: use a hook."""
        old_spelling("clip_grads", "the hook optimizer_hooks.GradientClipping")
        GradientClipping(maxnorm)(self)

    def weight_decay(self, decay: float) -> None:
        """Add ``decay`` times the parameter to each gradient. Deprecated: use a hook."""
        old_spelling("weight_decay", "the hook optimizer_hooks.WeightDecay")
        for param in self.target.params():
            WeightDecay(decay)(param.update_rule, param)

    def accumulate_grads(self, grads: Iterable[Any]) -> None:
        """Add arrays, in the order of ``target.params()``, to the gradients. Deprecated: use ``target.addgrads``."""
        old_spelling("accumulate_grads", "target.addgrads(link)")
        for param, grad in zip(self.target.params(), grads):
            param.grad = param.grad + param.xp.asarray(grad)
