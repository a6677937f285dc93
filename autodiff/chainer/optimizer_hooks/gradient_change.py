"""What hooks that change the gradient of one parameter have in common."""

from __future__ import annotations

from typing import Any

from autodiff.chainer.hyperparameter import weak


class GradientChange:
    """A hook called before the update of each parameter. Subclasses define :meth:`changed`.

    The gradient becomes a new array, so that arrays that share memory with it stay as they are. Where the loss is
    scaled, so is what a hook adds and compares with: the update is what it would be without a scale.
    """

    timing = "pre"
    call_for_each_param = True

    def __call__(self, rule: Any, param: Any) -> None:
        if param.array is not None and param.grad is not None:
            scale = 1.0 if param._loss_scale is None else param._loss_scale
            changed = self.changed(param.array, param.grad, weak(scale), rule)
            param.grad = param.xp.asarray(changed)  # NumPy makes numbers of arrays without axes

    def changed(self, array: Any, grad: Any, scale: float, rule: Any) -> Any:
        """The new gradient.

        Args:
            array: the parameter.
            grad: its gradient, ``scale`` times too large.
            scale: the loss scale.
            rule: the update rule.
        """
        raise NotImplementedError(f"{type(self).__name__} must define changed(self, array, grad, scale, rule)")
