"""Variables and Parameters."""

from autodiff.facade.conversion import as_array, as_variable
from autodiff.facade.node import VariableNode
from autodiff.facade.parameter import Parameter
from autodiff.facade.variable import Variable

__all__ = ["Parameter", "Variable", "VariableNode", "as_array", "as_variable", "variable_repr", "variable_str"]


def variable_repr(var: Variable) -> str:
    """``variable([...])``, as ``repr`` prints it."""
    return repr(var)


def variable_str(var: Variable) -> str:
    """``variable([...])``, as ``str`` prints it."""
    return str(var)
