"""The stateful face: Variables over the same tape."""

from autodiff.facade import (  # noqa: F401 - these complete the Variable
    backward,
    copying,
    methods,
    operators,
    placement,
    recording,
    refusals,
)
from autodiff.facade.conversion import as_array, as_variable
from autodiff.facade.invalid import InvalidType
from autodiff.facade.mode import force_backprop_mode, no_backprop_mode
from autodiff.facade.node import VariableNode
from autodiff.facade.parameter import Parameter
from autodiff.facade.variable import Variable

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
