"""Variables and Parameters."""

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
