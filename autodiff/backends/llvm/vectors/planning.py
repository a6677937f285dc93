"""From a loop to what it does in a round."""

from __future__ import annotations

from math import inf

from autodiff.backends.language import tree
from autodiff.backends.language.conversion import converted
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.names import names_in
from autodiff.backends.language.polynomials import polynomial
from autodiff.backends.language.tree import Binary, Call, Convert, Expression, Name
from autodiff.backends.language.types import STORED
from autodiff.backends.llvm.vectors.conflicts import conflict
from autodiff.backends.llvm.vectors.survey import Loop
from autodiff.backends.llvm.vectors.translation import Translation
from autodiff.backends.llvm.vectors.tree import Accumulate, Assign, Plan, Statement, Store

NO_SUM = "{} passes from round to round, and is no sum"
REDUCTIONS = ("reduce_add", "reduce_multiply", "reduce_maximum", "reduce_minimum")
SIGNS = {"+": "reduce_add", "*": "reduce_multiply", "|": "|", "&": "&"}
EXTREMES = ("maximum", "minimum")


def planned(loop: Loop) -> Plan:
    """What a loop does.

    Raises:
        Unsuited: if it cannot be printed.
    """
    return _Planning(loop).plan()


class _Planning:
    def __init__(self, loop: Loop) -> None:
        self.loop, self.node = loop, loop.node
        if self.node.step != 1:
            raise Unsuited("it does not go over a range in steps of one")
        self.variable, self.start, self.stop = self.node.name, self.node.start, self.node.stop
        self.length = length_of(self.start, self.stop, loop)
        self.assigned = loop.uses.assigned(*self.node.body)
        self.accumulators: dict[str, str] = {}
        self.round = f"round of {self.variable}"
        self.carried = self.names_carried()
        self.translation = Translation(loop, self.variable, self.round)

    def plan(self) -> Plan:
        statements = [self.statement(each) for each in self.node.body]
        left = (self.assigned | {self.variable}) & (self.loop.after - self.accumulators.keys())
        if left:
            raise Unsuited(f"{min(left)} is read after it")
        bounds = {**self.loop.bounds, self.round: self.reach()}
        length = inf if self.length is None else self.length
        reason = conflict(self.translation.accesses, self.round, length, bounds)
        if reason:
            raise Unsuited(reason)
        given = {**self.translation.given, **{name: self.type(name) for name in self.accumulators}}
        results = tuple(name for name in self.accumulators if name in self.loop.after)
        if not results and not any(isinstance(each, Store) for each in statements):
            raise Unsuited("it does nothing")
        return Plan(
            self.variable,
            self.start,
            self.stop,
            self.length,
            tuple(statements),
            given,
            self.accumulators,
            results,
            tuple(each.line for each in self.node.body),
        )

    def reach(self) -> tuple[float, float]:
        start, stop = (polynomial(each, self.loop.values) for each in (self.start, self.stop))
        low = -inf if start is None else start.interval(self.loop.bounds)[0]
        high = inf if stop is None else stop.interval(self.loop.bounds)[1] - 1
        return low, high

    def type(self, name: str) -> str:
        return str(self.loop.types[name])

    def names_carried(self) -> set[str]:
        """The names that a round reads of the one before."""
        seen: set[str] = set()
        found: set[str] = set()
        for statement in self.node.body:
            use = self.loop.uses.of(statement)
            found |= (use.reads & self.assigned) - seen
            seen |= use.assigned
        return found

    # Statements.

    def statement(self, node: tree.Statement) -> Statement:
        carried = self.loop.uses.reads(node) & self.carried
        match node:
            case tree.Let((name,), (value,)) if name in self.carried:
                return self.accumulation(name, value)
            case _ if carried:
                raise Unsuited(NO_SUM.format(min(carried)))
            case tree.Let((name,), (value,)) if name != self.variable:
                return Assign(*self.translation.assign(name, value))
            case tree.Store(element, Name(base, kind), index, value):
                found = self.translation.node(value)
                place, number = self.translation.access(base, kind, index, STORED[element], stores=True)
                return Store(place, STORED[element], number, found)
        raise Unsuited(f"it has {str(node)!r}")

    def accumulation(self, name: str, value: Expression) -> Accumulate:
        """``name = reduce_add(name, value)`` and its like."""
        match value:
            case Call(kind, (Name(own), term)) if own == name and kind in REDUCTIONS:
                return self.accumulate(name, kind, term)
            case Call(kind, (Name(own), term)) if own == name and kind in EXTREMES:
                return self.accumulate(name, f"reduce_{kind}", term, exact=True)
            case Convert(Binary(sign, Name(own) | Convert(Name(own)), term), kind) if own == name and sign in SIGNS:
                if kind == self.type(name):  # it drops the upper bits
                    return self.accumulate(name, SIGNS[sign], narrowed(term, kind), exact=True)
            case Binary(sign, Name(own), term) if own == name and sign in SIGNS:
                return self.accumulate(name, SIGNS[sign], term, exact=True)
        raise Unsuited(NO_SUM.format(name))

    def accumulate(self, name: str, kind: str, term: Expression, exact: bool = False) -> Accumulate:
        """An accumulation; an exact one does not depend on the order."""
        type_ = self.type(name)
        if self.accumulators.setdefault(name, kind) != kind or names_in(term) & self.carried:
            raise Unsuited(NO_SUM.format(name))
        if exact and type_ in ("f4", "f8"):
            raise Unsuited(f"the order of the sum {name} is fixed")
        if type_ == "b1" and kind in ("reduce_add", "reduce_multiply"):
            raise Unsuited(f"{name} is a sum of booleans")
        value = self.translation.node(term)
        if value.type != type_:
            raise Unsuited(f"{name} and what is added to it have the types {type_} and {value.type}")
        return Accumulate(name, kind, value)


def narrowed(term: Expression, type_: str) -> Expression:
    """A term of a sum of which only the lower bits count, in fewer bits."""
    if isinstance(term, Convert) and term.operand.type == type_:
        return term.operand
    return converted(term, type_)


def length_of(start: Expression, stop: Expression, loop: Loop) -> int | None:
    """How many rounds a loop has, where that is known."""
    first, last = polynomial(start, loop.values), polynomial(stop, loop.values)
    if first is None or last is None:
        return None
    length = (last - first).number
    return None if length is None else max(length, 0)
