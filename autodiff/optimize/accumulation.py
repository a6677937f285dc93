"""Gradients of several small batches that make one update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from autodiff.optimize.numbers import ZERO, as_dtype, beside, like_state, zeros, zeros_tree
from autodiff.optimize.transformation import with_extra
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.trees.tree import map_tree
from autodiff.transforms.control.cond import cond


class MultiStepsState(NamedTuple):
    """How many gradients were gathered since the last update, how many updates there were, and what was gathered."""

    mini_step: Any
    gradient_step: Any
    inner_opt_state: Any
    acc_grads: Any


class MultiSteps:
    """A transformation that gathers k gradients and then updates by their mean, or sum; in between updates are zero.

    Args:
        opt: the transformation that updates.
        every_k_schedule: how many gradients make an update: a number, or a function of how many updates there were.
        use_grad_mean: whether it is their mean; otherwise their sum.

    Raises:
        ValueError: if the number is not positive.

    >>> import numpy as np
    >>> from autodiff import optimize
    >>> optimizer = MultiSteps(optimize.sgd(1.0), every_k_schedule=2)
    >>> state = optimizer.init(np.zeros(1))
    >>> for gradient in (1.0, 3.0):
    ...     updates, state = optimizer.update(np.array([gradient]), state)
    ...     print(updates, optimizer.has_updated(state))
    [0.] False
    [-2.] True
    """

    def __init__(self, opt: Any, every_k_schedule: int | Callable[[Any], Any], use_grad_mean: bool = True) -> None:
        if not callable(every_k_schedule) and every_k_schedule < 1:
            raise ValueError(
                f"MultiSteps: an update takes one gradient at least, not {every_k_schedule}{at_user_line()}"
            )
        self.opt = opt
        self.inner_update = with_extra(opt.update)
        self.every_k_schedule = every_k_schedule
        self.use_grad_mean = use_grad_mean

    def init(self, params: Any) -> MultiStepsState:
        """The state before the first gradient."""
        return MultiStepsState(ZERO, ZERO, self.opt.init(params), zeros_tree(params))

    def update(self, updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, MultiStepsState]:
        """The update by the gathered gradients where there are enough of them; zeros otherwise."""
        k = self.every_k_schedule
        enough = k(state.gradient_step) if callable(k) else k
        gathered = map_tree(lambda u, a: like_state(self.gather(u, a, state.mini_step), a), updates, state.acc_grads)

        def step() -> tuple[Any, Any, Any, Any, Any]:
            found, inner = self.inner_update(gathered, state.inner_opt_state, params, **extra)
            found = map_tree(lambda u, g: as_dtype(u, spec_of(g).dtype), found, gathered)
            return found, inner, map_tree(zeros, gathered), ZERO, state.gradient_step + 1

        def wait() -> tuple[Any, Any, Any, Any, Any]:
            return map_tree(zeros, gathered), state.inner_opt_state, gathered, state.mini_step + 1, state.gradient_step

        found, inner, gathered, mini_step, gradient_step = cond(state.mini_step + 1 >= enough, step, wait)
        return found, MultiStepsState(mini_step, gradient_step, inner, gathered)

    def gather(self, update: Any, gathered: Any, count: Any) -> Any:
        """What is gathered with one gradient more."""
        if self.use_grad_mean:
            return gathered + (update - gathered) / beside(count + 1.0, gathered)
        return gathered + update

    def has_updated(self, state: MultiStepsState) -> Any:
        """Whether the last gradient made an update."""
        return (state.mini_step == 0) & (state.gradient_step > 0)
