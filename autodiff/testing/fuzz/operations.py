"""Operations of users in random programs: how a call reads, and what it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import inf
from typing import Any

import numpy as np

from autodiff.facade.variables.variable import Variable
from autodiff.testing.draws.domains import Domain, real
from autodiff.testing.fuzz.grammar.template import Template
from autodiff.trace.primitive import Primitive
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten, map_tree

Function = Callable[..., Any]
Named = tuple[str, Function]

GAPS = "pqr"
"""What stands for the operands in the text of a call."""

TAKEN = re.compile(r"[xcvag]\d+|f|np|autodiff|special|watch|keep|pair|tape|args")
"""Names that programs give to something else."""


@dataclass(frozen=True)
class Operation:
    """A function of a user, with a derivative of its own, that random programs shall call.

    Attributes:
        fun: function of one to three arrays: a function with a rule by `custom_vjp` or `custom_jvp`, a `Primitive`, or
            any function that calls some.
        domain: where its operands lie: one for all, or one for each. Programs bring their values there.
        arity: how many operands it takes; by default as many as domains are given, or as its signature says.
        text: how a call reads, with {name} for the function and {p}, {q}, {r} for the operands, whose shapes broadcast
            together: `"{name}({p}, {p}.T)"` where others are wanted. By default a plain call.

    Raises:
        ValueError: the number of operands is not known, or not between 1 and 3.

    >>> from autodiff.testing import domains
    >>> Operation(np.log, domains.positive).template("log").text
    'log(np.abs({p}) + 0.05)'
    """

    fun: Function
    domain: Domain | Sequence[Domain] = real
    arity: int = 0
    text: str = ""

    def __post_init__(self) -> None:
        count = self.arity or (arity_of(self.fun) if isinstance(self.domain, Domain) else len(self.domain))
        if not 1 <= count <= len(GAPS):
            raise ValueError(
                f"{own_name(self.fun)} takes {count or 'an unknown number of'} operands; give arity=, from 1 to "
                f"{len(GAPS)}, and a function that fixes all else"
            )
        object.__setattr__(self, "arity", count)

    def template(self, name: str) -> Template:
        """The call by a name, as a statement with gaps."""
        domains = [self.domain] * self.arity if isinstance(self.domain, Domain) else list(self.domain)
        operands = [within(*pair) for pair in zip(domains, GAPS, strict=False)]
        call = self.text.replace("{name}", name) or f"{name}({', '.join(operands)})"
        return Template(call, ("f",) * self.arity)


def named(operations: Iterable[Operation | Function]) -> dict[str, Operation]:
    """The operations by the names that they have in programs."""
    found: dict[str, Operation] = {}
    for place, one in enumerate(operations):
        operation = one if isinstance(one, Operation) else Operation(one)
        name = own_name(operation.fun)
        if returns_variables(operation):
            operation = replace(operation, fun=on_arrays(operation.fun))
        if not name.isidentifier() or TAKEN.fullmatch(name) or name in found:
            name = f"operation{place}"
        found[name] = operation
    return found


def returns_variables(operation: Operation) -> bool:
    """Whether it makes Variables of arrays, as a FunctionNode does."""
    try:
        with np.errstate(all="ignore"):
            found = operation.fun(*(np.ones(3) for _ in range(operation.arity)))
    except Exception:  # it takes other arrays
        return False
    return any(isinstance(leaf, Variable) for leaf in flatten(found)[0])


def on_arrays(fun: Function) -> Function:
    """The function that returns arrays where it got arrays."""

    @wraps(fun)
    def called(*args: Any) -> Any:
        found = fun(*args)
        if any(isinstance(arg, Traced) for arg in args):
            return found
        return map_tree(lambda leaf: leaf.array if isinstance(leaf, Variable) else leaf, found)

    return called


def own_name(fun: Function) -> str:
    """A function's own name."""
    return str(getattr(fun, "__name__", None) or getattr(fun, "name", None) or type(fun).__name__)


def arity_of(fun: Function) -> int:
    """How many operands a function must be given; 0 where that is not known."""
    if isinstance(fun, Primitive):
        return 0 if fun.variadic else len(fun.operands)
    if isinstance(fun, np.ufunc):
        return fun.nin
    try:
        parameters = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return 0
    fixed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in fixed and one.default is inspect.Parameter.empty for one in parameters)


def within(domain: Domain, gap: str) -> str:
    """An expression that brings any number into a domain; of one with points to avoid it takes the part above them."""
    operand = f"{{{gap}}}"
    low, high = max((domain.low, *domain.avoid)), domain.high
    if low == -inf and high == inf:
        return operand
    if high == inf:
        return f"np.abs({operand}) + {low + domain.margin:.6g}"
    if low == -inf:
        return f"{high - domain.margin:.6g} - np.abs({operand})"
    return f"{(low + high) / 2:.6g} + {(high - low) / 2 - domain.margin:.6g} * np.tanh({operand})"
