"""Functions that are one operation each: called on a Variable directly, which costs a tenth of a composition."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from autodiff.chainer.backend import get_array_module
from autodiff.chainer.functions.conditions import floating
from autodiff.facade.graph.applying import apply
from autodiff.facade.settings.current import on_gpu_of
from autodiff.facade.variables.fast_path import unary
from autodiff.facade.variables.variable import Variable
from autodiff.ops.elementwise import cast
from autodiff.trace.primitive import Primitive
from autodiff.trace.traced import Traced


def short(primitive: Primitive) -> Callable[[Any], Any]:
    """An operation on one array, with the short way for Variables."""
    on_variable = unary(primitive, primitive.evaluate, primitive)
    return lambda x: on_variable(x) if isinstance(x, Variable) else primitive(x)


def direct(label: str, function: Callable[[Any], Any], x: Any, check: Callable[[Any], Any] = floating) -> Variable:
    """A function of one array that is one operation, whose label in graphs is the given one."""
    if isinstance(x, Variable):
        conditions = check(x)
        if conditions is True or (type(conditions) is tuple and all(conditions)):
            return function(x)
    return apply(label, function, (x,), check)


@cache
def special_operations() -> Any:
    """Operations that are SciPy's special functions, imported when the first of them is called: that takes a while."""
    return import_module("autodiff.ops.special.gamma")


@cache
def special_operation(name: str) -> Callable[[Any], Any]:
    """An operation that is a function of SciPy, by its name."""
    return short(getattr(special_operations(), name))


def special(label: str, name: str, x: Any, check: Callable[[Any], Any] = floating) -> Variable:
    """The same for functions of SciPy, which know no half precision."""
    function = special_operation(name)
    if getattr(x, "dtype", None) != np.float16:
        return direct(label, function, x, check)
    return apply(label, lambda x: cast(function(cast(x, dtype=np.float32)), dtype=np.float16), (x,), check)


def constant(function: Callable[[Any], Any], x: Any) -> Variable:
    """A function without a derivative: its result is a root of the graph, through which no gradient flows."""
    if isinstance(x, Variable):
        x = x.array
    elif isinstance(x, Traced):
        return function(x)
    with on_gpu_of("a function without a derivative", (x,)):
        return Variable(get_array_module(x).asarray(function(x)), requires_grad=False)
