"""Optimizers: they set up an update rule for each parameter of a link, and have them update."""

from __future__ import annotations

import warnings
from typing import Any

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.hookable import Hooks
from autodiff.chainer.hyperparameter import Hyperparameter, HyperparameterProxy
from autodiff.chainer.link import Link
from autodiff.chainer.loss_scaling import LossScaling
from autodiff.chainer.moved_hooks import (
    GradientClipping,
    GradientHardClipping,
    GradientNoise,
    Lasso,
    WeightDecay,
    make_deprecation_message,
)
from autodiff.chainer.old_optimizer import OldSpellings
from autodiff.chainer.optimizer_hooks.gradient_clipping import sum_of_squares
from autodiff.chainer.update_rule import UpdateRule
from autodiff.facade import Variable
from autodiff.trace.source import at_user_line

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientMethod",
    "GradientNoise",
    "Hyperparameter",
    "HyperparameterProxy",
    "Lasso",
    "Optimizer",
    "UpdateRule",
    "WeightDecay",
    "make_deprecation_message",
]


_Hookable = _OptimizerHookable = Hooks  # the names in pickles of Chainer's
_sum_sqnorm = sum_of_squares  # the name by which programs that log the norm of gradients know it


class Optimizer(LossScaling, OldSpellings):
    """What all optimizers can do. Subclasses define :meth:`update`.

    Attributes:
        target: the link whose parameters are trained.
        t: how many updates there were.
        epoch: how many epochs there were, as counted by :meth:`new_epoch`.
        use_auto_new_epoch: whether an updater, and nobody else, calls :meth:`new_epoch`.
    """

    target: Any = None
    t = 0
    epoch = 0
    use_auto_new_epoch = False
    _hookable: Hooks | None = None

    def setup(self, link: Any) -> Any:
        """Take a link as the target, and begin at ``t = 0`` without hooks.

        Returns:
            The optimizer itself.

        Raises:
            TypeError: if it is no link.
        """
        if not isinstance(link, Link):
            raise TypeError(f"optimization target must be a link, got {type(link).__name__}{at_user_line()}")
        self.target = link
        self.t = 0
        self.epoch = 0
        self._hookable = Hooks()
        return self

    def update(self, lossfun: Any = None, *args: Any, **kwds: Any) -> None:
        """Change the parameters, by the gradients they have or by those of ``lossfun(*args, **kwds)``."""
        raise NotImplementedError(f"{type(self).__name__} must define update(self, lossfun=None, *args, **kwds)")

    def new_epoch(self, auto: bool = False) -> None:
        """Count an epoch.

        Args:
            auto: whether it is an updater that calls.

        Raises:
            RuntimeError: if :attr:`use_auto_new_epoch` says that somebody else does.
        """
        if auto and not self.use_auto_new_epoch:
            raise RuntimeError(
                f"invalid new_epoch call with auto=True{at_user_line()}.\n"
                "Fix the updater to set optimizer.use_auto_new_epoch = True."
            )
        if self.use_auto_new_epoch and not auto:
            raise RuntimeError(
                f"duplicated new_epoch with the updater{at_user_line()}.\n"
                "Pass auto_new_epoch=False to the updater or stop calling new_epoch outside the updater."
            )
        self.epoch += 1

    # Hooks.

    def add_hook(self, hook: Any, name: str | None = None, timing: str = "auto") -> None:
        """Call ``hook(optimizer)`` at every update, or ``hook(rule, param)`` for each parameter.

        Args:
            hook: the function; it is called for each parameter if its attribute ``call_for_each_param`` is true.
            name: what it is called; its attribute ``name``, or the name of the function, if None.
            timing: ``"pre"`` or ``"post"`` the update; ``"auto"`` takes the attribute ``timing`` of the hook, or pre.

        Raises:
            RuntimeError: before :meth:`setup`.
            TypeError: if it is not callable.
            ValueError: for a wrong timing, and if there is no name.
            KeyError: if there is one of that name.
        """
        self._set_up_hooks().add(hook, name, timing)

    def remove_hook(self, name: str) -> None:
        """Forget a hook.

        Raises:
            KeyError: if there is none of that name.
        """
        self._set_up_hooks().remove(name)

    def call_hooks(self, timing: str = "pre") -> None:
        """Call all hooks of that timing."""
        for hook in self._set_up_hooks().at(timing):
            self.call_hook(hook)

    def call_hook(self, hook: Any) -> None:
        """Call one hook, for each parameter if it wants that."""
        if getattr(hook, "call_for_each_param", False):
            for param in self._set_up_target().params():
                with param.device.create_context():
                    hook(param.update_rule, param)
        else:
            hook(self)

    def _set_up_hooks(self) -> Hooks:
        self._set_up_target()
        if self._hookable is None:  # set up by a subclass that sets `target` itself
            self._hookable = Hooks()
        return self._hookable

    def _set_up_target(self) -> Any:
        if self.target is None:
            raise RuntimeError(f"Optimizer is not set up{at_user_line()}. Call `setup` method.")
        return self.target

    def serialize(self, serializer: Any) -> None:
        """Read or write ``t``, ``epoch`` and what each parameter's update rule holds, but not the target itself."""
        self.t = serializer("t", self.t)
        self.epoch = serializer("epoch", self.epoch)
        for name, param in self._set_up_target().namedparams():
            rule = param.update_rule
            if rule is not None:
                rule.serialize(serializer[name])


class GradientMethod(Optimizer):
    """An optimizer that changes each parameter by its gradient alone.

    Subclasses define :meth:`create_update_rule`.
    """

    _use_fp32_update = False
    _use_cleargrads = True

    def __init__(self) -> None:
        super().__init__()
        self.hyperparam = Hyperparameter()

    def setup(self, link: Any) -> Any:
        """Take a link as the target, and give each parameter its update rule."""
        super().setup(link)
        for param in link.params():
            param.update_rule = self.create_update_rule()
            if self._use_fp32_update and param.update_rule is not None:
                param.update_rule.use_fp32_update()
        return self

    def create_update_rule(self) -> Any:
        """A new update rule for one parameter, which inherits from ``self.hyperparam``."""
        raise NotImplementedError(f"{type(self).__name__} must define create_update_rule(self)")

    def update(self, lossfun: Any = None, *args: Any, **kwds: Any) -> None:
        """Change all parameters in place, by the gradients they have or by those of a loss.

        Args:
            lossfun: a function that returns the loss; then all gradients are cleared and computed from it.
            *args: passed on to it.
            **kwds: passed on to it.
        """
        self._set_up_target()
        if lossfun is not None:
            self._compute_gradients(lossfun(*args, **kwds))
        self.reallocate_cleared_grads()
        self.check_nan_in_grads()
        self.call_hooks("pre")
        self.t += 1
        if self.is_safe_to_update():
            self._update_parameters()
        self.reallocate_cleared_grads()
        self.call_hooks("post")
        self.update_loss_scale()

    def call_hook(self, hook: Any) -> None:
        """Call one hook; gradients that it clears are zero for those that come after it."""
        super().call_hook(hook)
        self.reallocate_cleared_grads()

    def _update_parameters(self) -> None:
        """Change all parameters by the gradients that they have."""
        for param in self.target.params():
            param.update()

    def _compute_gradients(self, loss: Any) -> None:
        """Backpropagate; the graph is gone when this returns, if nobody else refers to the loss."""
        if self._use_cleargrads:
            self.target.cleargrads()
        else:
            self.target.zerograds()
        if not isinstance(loss, Variable):
            raise TypeError(f"the loss function must return a Variable, got {type(loss).__name__}{at_user_line()}")
        loss.backward(loss_scale=self._loss_scale)

    def reallocate_cleared_grads(self) -> None:
        """Make zeros the gradients that are None."""
        for _, param in self._set_up_target().namedparams(False):
            if param.grad is None:
                with param.device.create_context():
                    param.grad = get_array_module(param.array).zeros_like(param.array)

    def use_cleargrads(self, use: bool = True) -> None:
        """Whether :meth:`update` clears gradients or makes them zeros. Deprecated: clearing costs nothing."""
        warnings.warn("GradientMethod.use_cleargrads is deprecated.", DeprecationWarning, stacklevel=2)
        self._use_cleargrads = use

    def use_fp32_update(self, flag: bool = True) -> None:
        """Whether float16 parameters are updated through float32 copies of them."""
        self._use_fp32_update = flag
        for param in () if self.target is None else self.target.params():
            if param.update_rule is not None:
                param.update_rule.use_fp32_update(flag)
