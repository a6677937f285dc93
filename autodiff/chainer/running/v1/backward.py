"""``backward()`` as in Chainer 1: no gradients are left behind, and leaves add in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autodiff.facade import backward as facade
from autodiff.facade.graph.unchain import operand_nodes
from autodiff.facade.variables.gradient import accumulate, check_inside
from autodiff.facade.variables.variable import Variable


def backward(
    self: Variable,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> None:
    """Compute the gradients of all leaves that it depends on, and add them to what the leaves have.

    It starts from ``grad``, which it keeps, or from 1 if there is only one element. A leaf is left as it is.

    Args:
        self: where to start.
        retain_grad: whether intermediate Variables get their gradients too; they lose what they have otherwise.
        enable_double_backprop: as in Chainer 7, and so is the next one: optimizers use them.
        loss_scale: a factor for the automatic 1.
    """
    if self.creator is None:
        return
    if self.grad is None and self.size == 1:
        self.grad = self.xp.full_like(self.array, 1 if loss_scale is None else loss_scale)
    grad = self.grad
    for intermediate in between(self):
        intermediate.grad = None
    facade.backward(self, retain_grad, enable_double_backprop, loss_scale)
    self.grad = grad


def between(variable: Variable) -> Iterator[Variable]:
    """The Variables of the graph that are neither its leaves nor the given one."""
    waiting, seen = operand_nodes(variable.node), set()
    while waiting:
        node = waiting.pop()
        if node.link is None or id(node) in seen:
            continue
        seen.add(id(node))
        waiting.extend(operand_nodes(node))
        found = node.get_variable_or_none() if hasattr(node, "get_variable_or_none") else None
        if found is not None:
            yield found


def accumulate_in_place(variable: Variable, g: Any, loss_scale: float | None) -> None:
    """Add an array to the array of a leaf's gradient."""
    before = variable._grad
    if before is None or not before.flags.writeable:
        accumulate(variable, g, loss_scale)
        return
    check_inside(g, variable)
    before += g
    variable._grad_var = None
    if loss_scale is not None:
        variable._loss_scale = loss_scale


def install() -> None:
    """Let the Variables of this process compute gradients as in Chainer 1."""
    Variable.backward = backward  # type: ignore[method-assign]
    facade.accumulate = accumulate_in_place  # type: ignore[attr-defined]
