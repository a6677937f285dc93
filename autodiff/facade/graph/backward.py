"""``backward()``: the reader of live tapes, run over the nodes of Variables."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from autodiff.facade.graph.node import VariableNode
from autodiff.facade.graph.pulling import pull_in_this_thread
from autodiff.facade.graph.residuals import arrays, variables
from autodiff.facade.settings.configuration import deviations
from autodiff.facade.settings.current import STAYING, follow, on_gpu_of
from autodiff.facade.settings.mode import Promoting, force_backprop_mode
from autodiff.facade.variables.gradient import Gradients, accumulate, accumulate_variable, set_gradient
from autodiff.facade.variables.variable import Variable
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.transforms.reverse import pulled, read_backwards


class Reading(threading.local):
    """How this thread reads the graph of Variables backwards, for gradients that are arrays."""

    read: Callable[..., dict[Any, Any]] = staticmethod(read_backwards)


reading = Reading()


def backward(
    variable: Variable,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> None:
    """Compute the gradients of all leaves that it depends on, and add them to what the leaves have.

    It starts from ``grad``, or from 1 if there is only one element, and leaves ``grad`` None.

    Args:
        variable: where to start.
        retain_grad: whether intermediate Variables that are still alive get their gradients too.
        enable_double_backprop: whether gradients are Variables with a graph, so that they can be differentiated.
        loss_scale: a factor for the automatic 1; leaves note it, so that optimizers can take it out again.

    Raises:
        DifferentiationError: if there is more than one element and no ``grad``.
    """
    if not variable.requires_grad:
        return
    if variable._grad is None and variable.size == 1:
        variable.grad = initial(variable, loss_scale)
    if variable.node.link is None:
        return
    if variable._grad is None:
        raise DifferentiationError(
            f"backward() from a Variable of shape {variable.shape} needs its gradient{at_user_line()}: set y.grad = "
            "np.ones_like(y.array), or another weight for each element; or reduce it to one number first"
        )
    if variable._grad.shape != variable.shape:  # a gradient given to the constructor was not looked at
        raise ValueError(
            f"the gradient has shape {variable._grad.shape} but the Variable {variable.shape}{at_user_line()}; they "
            "must be equal"
        )
    if enable_double_backprop:
        backward_with_graph(variable, retain_grad, loss_scale)
    else:
        backward_plain(variable, retain_grad, loss_scale)


def initial(variable: Variable, loss_scale: float | None) -> Any:
    """The gradient 1, times the loss scale."""
    array = variable.array
    if array.ndim:
        warnings.warn(
            f"backward() from a Variable of shape {array.shape} took its one element for a number; that is "
            "deprecated: reduce it to shape (), or set its grad",
            DeprecationWarning,
            stacklevel=4,
        )
    with on_gpu_of("backward()", (array,)):
        return np.full_like(array, 1 if loss_scale is None else loss_scale)


def backward_plain(variable: Variable, retain_grad: bool, loss_scale: float | None) -> None:
    """Gradients as arrays."""
    seed, grad_var = variable._grad, variable._grad_var
    visited, gradients = Visited(), Gradients(seed)
    assigned = Assigned(lambda result: gradients.lend(result._grad))
    with np.errstate(all="ignore"):  # infinite derivatives are values like any other: see the conventions
        pull = pull_in_this_thread(graph=False) if deviations else None
        following = follow(pull or pulled)
        with following or STAYING:
            pull = following.pull if following else pull
            leaves = reading.read([(variable.node, seed)], arrays, visited if retain_grad else None, pull, assigned)
        variable._grad = variable._grad_var = None
        if not retain_grad:
            assigned.forget()
        for intermediate, g in visited.found:
            intermediate._grad, intermediate._grad_var = gradients.own(g), None
        for node, g in leaves.items():
            leaf = node.get_variable_or_none()
            if leaf is not None:
                accumulate(leaf, gradients.own(g), loss_scale)
    if retain_grad:
        variable._grad, variable._grad_var = seed, grad_var


def backward_with_graph(variable: Variable, retain_grad: bool, loss_scale: float | None) -> None:
    """Gradients as Variables: the same reader, the same rules, run on Variables."""
    seed = variable.grad_var
    visited, assigned = Visited(), Assigned(lambda result: result.grad_var)
    with ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
        stack.enter_context(Promoting())
        stack.enter_context(force_backprop_mode())
        pull = pull_in_this_thread(graph=True)
        leaves = read_backwards([(variable.node, seed)], variables, visited if retain_grad else None, pull, assigned)
        variable.grad_var = None
        if not retain_grad:
            assigned.forget()
        for intermediate, g in visited.found:
            set_gradient(intermediate, g)
        for node, g in leaves.items():
            leaf = node.get_variable_or_none()
            if leaf is not None:
                accumulate_variable(leaf, g, loss_scale)
    if retain_grad:
        variable.grad_var = seed


class Visited:
    """Collects the Variables that the reader comes by, and their cotangents."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[tuple[Variable, Any]] = []

    def __call__(self, node: Any, g: Any) -> None:
        if type(node) is VariableNode:
            variable = node.get_variable_or_none()
            if variable is not None:
                self.found.append((variable, g))


class Assigned:
    """Gives the gradients that the program has assigned to results of one operation, where it reads that operation.

    They count for results on which nothing else depends.

    Args:
        gradient: gives the gradient of a Variable that has one.
    """

    __slots__ = ("found", "gradient")

    def __init__(self, gradient: Callable[[Variable], Any]) -> None:
        self.gradient = gradient
        self.found: list[tuple[Variable, Any, list[Any], int]] = []

    def __call__(self, whole: Any) -> list[Any]:
        parts: list[Any] = []
        for reference in whole.results:
            node = reference()
            result = None if node is None else node.get_variable_or_none()
            g = None if result is None or result._grad is None else self.gradient(result)
            if result is not None and g is not None:
                self.found.append((result, g, parts, len(parts)))
            parts.append(g)
        return parts

    def forget(self) -> None:
        """As of other Variables between start and leaves, those gradients that counted are None afterwards."""
        for result, g, parts, index in self.found:
            if parts[index] is g:
                result._grad = result._grad_var = None


Variable.backward = backward  # type: ignore[method-assign, assignment]
