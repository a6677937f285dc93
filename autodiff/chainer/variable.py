"""Variables and Parameters."""

from __future__ import annotations

from typing import Any

from autodiff.facade.graph.node import VariableNode
from autodiff.facade.variables.conversion import as_array, as_variable
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import Variable

__all__ = ["Parameter", "Variable", "VariableNode", "as_array", "as_variable", "variable_repr", "variable_str"]


def variable_repr(var: Variable) -> str:
    """``variable([...])``, as ``repr`` prints it."""
    return repr(var)


def variable_str(var: Variable) -> str:
    """``variable([...])``, as ``str`` prints it."""
    return str(var)


# What pickles of Chainer's call by name, with the arguments that they hold.


def _create_variable(data: Any, name: str | None, grad: Any, requires_grad: bool, device: Any) -> Variable:
    variable = Variable(data, name=name, grad=grad, requires_grad=requires_grad)
    variable.to_device(device)
    return variable


def _recover_parameter(data: Any, name: str | None, grad: Any, *others: Any) -> Parameter:
    if len(others) == 2:  # a pickle of Chainer 2 to 5: it knows no devices
        others = (*others, "@numpy")
    *grad_valid, initializer, update_rule, device = others  # those of Chainer 6 do not say grad_valid
    parameter = Parameter(initializer, name=name)
    parameter.array, parameter.update_rule = data, update_rule
    if data is not None or grad_valid != [False]:
        parameter.grad = grad
    parameter.to_device(device)
    return parameter
