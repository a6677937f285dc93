"""Conditions on the inputs of functions: see :mod:`autodiff.facade.type_check`."""

from autodiff.facade.invalid import InvalidType
from autodiff.facade.type_check import (
    Expr,
    LightMode,
    LightTypeInfoTuple,
    Testable,
    TypeInfo,
    TypeInfoTuple,
    Variable,
    _argname,
    argname,
    eval,  # noqa: A004 - the name that users know
    expect,
    expect_broadcast_shapes,
    get_light_types,
    get_types,
    in_light_mode,
    light_mode,
    make_variable,
    prod,
    same_types,
)

__all__ = [
    "Expr",
    "InvalidType",
    "LightMode",
    "LightTypeInfoTuple",
    "Testable",
    "TypeInfo",
    "TypeInfoTuple",
    "Variable",
    "_argname",
    "argname",
    "eval",
    "expect",
    "expect_broadcast_shapes",
    "get_light_types",
    "get_types",
    "in_light_mode",
    "light_mode",
    "make_variable",
    "prod",
    "same_types",
]
