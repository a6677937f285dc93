"""A primitive with the operands fixed through which derivatives flow: what one entry of a tape points to.

The parameter names of a derivative rule say what it needs, and nothing else is kept:

====================  =========================================================
name                  what the rule receives
====================  =========================================================
first parameter       the cotangent (or tangent); a tuple, where the primitive has several results
an operand's name     the value of that operand
``out``               the value of the result
``x_spec``            shape and dtype of operand ``x`` (``out_spec``: of the result); no array is kept
``index``             the position of the operand, for primitives with any number of operands
a parameter's name    that parameter of the operation
====================  =========================================================
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from autodiff.trace.operation import Operation
from autodiff.trace.spec import spec_of

Rule = Callable[..., Any]
NUMBERS = (int, float, np.number)


def passing(g: Any) -> Any:
    """The rule of an operand whose derivative is one."""
    return g


class Link:
    """A primitive and the positions of the operands that are differentiated.

    Attributes:
        primitive: the primitive that ran.
        positions: positions of the operands through which derivatives flow.
        arity: how many they are.
        names: what the rules ask for, in the order of the residuals.
        pull: ``pull(g, residuals)`` gives the cotangent of the one operand, or a tuple of one for each; None
            where the cotangent passes unchanged.
        collect: ``collect(values, out, params)`` gives the residuals: None, the one thing kept, or a tuple.
        kept: positions of the operands whose values are kept.
        keeps_out: whether the result is kept.
        runs_again: whether the operation runs again where gradients are Variables, for which all operands are kept.
        partial: whether ``pull`` takes None for those of several results that nothing depends on; otherwise zeros.
    """

    __slots__ = (
        "adds", "adds_selected", "arity", "collect", "elementwise", "keeps_out", "kept", "moves", "names", "positions",
        "primitive", "pull",
    )  # fmt: skip
    special = False
    partial = False
    runs_again = False

    def __init__(self, primitive: Operation, positions: tuple[int, ...]) -> None:
        rules = [rule for position in positions if (rule := primitive.rule(position)) is not None]
        needs = [needed_names(rule) for rule in rules]
        names = list(dict.fromkeys(name for need in needs for name in need if name != "index"))
        self.primitive = primitive
        self.positions = positions
        self.arity = len(positions)
        self.elementwise = primitive.family == "elementwise"
        self.moves = primitive.moves
        self.adds = primitive.adds is not False
        self.adds_selected = primitive.adds == "selected"
        self.names = names
        self.kept = tuple(p for name in names for p in primitive.positions_of(name))
        self.keeps_out = "out" in names
        self.collect = compile_collect(primitive, names)
        if primitive.notes_numbers and len(positions) == 1:
            self.collect = number_at(1 - positions[0])
        self.pull = None if rules == [passing] else compile_pull(rules, needs, names, positions)

    def named(self, residuals: Any) -> dict[str, Any]:
        """The residuals by the names that the rules ask for."""
        return dict(zip(self.names, residuals, strict=True)) if len(self.names) > 1 else {self.names[0]: residuals}


def needed_names(rule: Rule) -> tuple[str, ...]:
    """The names of what a rule needs besides the cotangent."""
    if isinstance(rule, FunctionType) and not rule.__dict__:  # the names of a hundred rules, read when autodiff begins
        code = rule.__code__
        if not code.co_kwonlyargcount and not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            return code.co_varnames[1 : code.co_argcount]
    return tuple(inspect.signature(rule).parameters)[1:]


def compile_collect(primitive: Operation, names: Sequence[str]) -> Callable[[Sequence[Any], Any, Any], Any]:
    """A function that picks the residuals out of an operation's operands, result and parameters."""
    parts = [_residual_expression(primitive, name) for name in names]
    body = "None" if not parts else parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
    return _function(f"lambda values, out, params: {body}", {"spec_of": spec_of})


def number_at(position: int) -> Callable[[Sequence[Any], Any, Any], Any]:
    """A function that picks the operand at a position if it is a plain number."""
    return lambda values, out, params: values[position] if isinstance(values[position], NUMBERS) else None


def _residual_expression(primitive: Operation, name: str) -> str:
    if name == "out":
        return "out"
    if name in primitive.operands:
        return "tuple(values)" if primitive.variadic else f"values[{primitive.operands.index(name)}]"
    if name == "out_spec":
        return "spec_of(out)"
    if name.endswith("_spec") and name.removesuffix("_spec") in primitive.operands:
        if primitive.variadic:
            return "tuple(map(spec_of, values))"
        return f"spec_of(values[{primitive.operands.index(name.removesuffix('_spec'))}])"
    return f"params[{name!r}]"


def compile_pull(
    rules: Sequence[Rule], needs: Sequence[Sequence[str]], names: Sequence[str], positions: Sequence[int]
) -> Callable[[Any, Any], Any]:
    """A function that applies the rules of one link to a cotangent and the residuals."""
    if len(rules) == 1 and needs[0] == tuple(names) and len(names) == 1:
        return rules[0]

    def argument(name: str, position: int) -> str:
        if name == "index":
            return str(position)
        return "r" if len(names) == 1 else f"r[{list(names).index(name)}]"

    calls = [
        f"rule{k}(g{''.join(', ' + argument(name, position) for name in need)})"
        for k, (need, position) in enumerate(zip(needs, positions, strict=True))
    ]
    body = calls[0] if len(calls) == 1 else f"({', '.join(calls)})"
    scope = {f"rule{k}": rule for k, rule in enumerate(rules)}
    return _function(f"lambda g, r: {body}", scope)


def _function(source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """The function that a line of source says, under a file name that no error text shows as the user's."""
    return eval(compile(source, "<autodiff link>", "eval"), scope)  # type: ignore[no-any-return]
