"""The stateful face: Variables over the same tape."""

from autodiff.facade.functions.invalid import InvalidType
from autodiff.facade.graph import (  # noqa: F401 - these complete the Variable
    backward,
    copying,
    recording,
)
from autodiff.facade.graph.node import VariableNode
from autodiff.facade.settings.mode import force_backprop_mode, no_backprop_mode
from autodiff.facade.variables import (  # noqa: F401 - these complete the Variable
    methods,
    operators,
    placement,
    refusals,
)
from autodiff.facade.variables.conversion import as_array, as_variable
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import Variable

__all__ = [
    "InvalidType",
    "Parameter",
    "Variable",
    "VariableNode",
    "as_array",
    "as_variable",
    "force_backprop_mode",
    "no_backprop_mode",
]
