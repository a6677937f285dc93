"""Volatile Variables, which Chainer 1 had: operands decide whether a graph is built.

A Variable is volatile, not volatile, or adapts to what it meets: True, False and None here. None of this is looked at
unless :func:`switch_on` was called, after which every operation goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from autodiff.facade.graph.node import VariableNode
from autodiff.facade.settings.configuration import config, deviations
from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    from autodiff.facade.variables.variable import Variable

SWITCH = "volatility"


def switch_on() -> None:
    """Let operands decide from now on, in all threads."""
    deviations.add(SWITCH)


def volatile(variable: Variable) -> bool | None:
    """Whether a Variable is volatile; None if it adapts."""
    return variable.__dict__.get("_volatile")


def set_volatile(variable: Variable, value: bool | None) -> None:
    """Make a Variable volatile, or not, or let it adapt."""
    variable.__dict__["_volatile"] = value


def together(flags: Iterable[bool | None]) -> bool | None:
    """What operands of these kinds make of the result.

    Raises:
        ValueError: if one is volatile and another is not.

    >>> together([None, True, None])
    True
    """
    found = {flag for flag in flags if flag is not None}
    if len(found) == 2:
        raise ValueError(
            f"volatile Variables and others meet{at_user_line()}: ON and OFF flags cannot be mixed; make all inputs "
            "volatile, or none, or the one that serves both 'auto'"
        )
    return found.pop() if found else None


def of_operands(entries: Sequence[Any]) -> bool | None:
    """What nodes and constants make of their result: constants adapt."""
    variables = (entry.get_variable_or_none() for entry in entries if type(entry) is VariableNode)
    return together(volatile(variable) for variable in variables if variable is not None)


def builds_graph(entries: Sequence[Any]) -> bool:
    """Whether the graph of an operation on nodes and constants is built in this thread."""
    flag = of_operands(entries) if SWITCH in deviations else None
    return bool(config.enable_backprop) if flag is None else not flag


def inherit(results: Iterable[Variable], entries: Sequence[Any]) -> None:
    """Make the results of an operation what its operands make of them."""
    flag = of_operands(entries) if SWITCH in deviations else None
    if flag is not None:
        for variable in results:
            set_volatile(variable, flag)
