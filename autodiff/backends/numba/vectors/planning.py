"""From the text of a loop to what it does in a round."""

from __future__ import annotations

import ast
from math import inf

from autodiff.backends.numba.vectors.conflicts import conflict
from autodiff.backends.numba.vectors.elements import SIZES, STORED
from autodiff.backends.numba.vectors.polynomials import polynomial
from autodiff.backends.numba.vectors.survey import Loop
from autodiff.backends.numba.vectors.translation import Translation, cast, first_line
from autodiff.backends.numba.vectors.tree import Accumulate, Assign, Plan, Statement, Store, Unsuited

NO_SUM = "{} passes from round to round, and is no sum"
REDUCTIONS = ("reduce_add", "reduce_multiply", "reduce_maximum", "reduce_minimum")
SIGNS = {ast.Add: "reduce_add", ast.Mult: "reduce_multiply", ast.BitOr: "|", ast.BitAnd: "&"}


def planned(loop: Loop) -> Plan:
    """What a loop does.

    Raises:
        Unsuited: if it cannot be printed.
    """
    return _Planning(loop).plan()


class _Planning:
    def __init__(self, loop: Loop) -> None:
        self.loop, self.node = loop, loop.node
        if not isinstance(self.node.target, ast.Name):
            raise Unsuited("its variable is no name")
        self.variable = self.node.target.id
        self.start, self.stop = limits(self.node)
        self.length = length_of(self.start, self.stop, loop)
        self.reads, self.writes = loop.names.reads, loop.names.writes
        self.assigned = self.writes(*self.node.body)
        self.accumulators: dict[str, str] = {}
        self.round = f"round of {self.variable}"
        self.carried = self.names_carried()
        self.translation = Translation(loop, self.variable, self.round)

    def plan(self) -> Plan:
        statements = [self.statement(each) for each in self.node.body]
        left = (self.assigned | {self.variable}) & self.loop.after - self.accumulators.keys()
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
            tuple(each.lineno for each in self.node.body),
        )

    def reach(self) -> tuple[float, float]:
        start, stop = (polynomial(each, self.loop.values) for each in (self.start, self.stop))
        low = -inf if start is None else start.interval(self.loop.bounds)[0]
        high = inf if stop is None else stop.interval(self.loop.bounds)[1] - 1
        return low, high

    def type(self, name: str) -> str:
        found = self.loop.types.get(name)
        if not isinstance(found, str):
            raise Unsuited(f"the type of {name} is not known")
        return found

    def names_carried(self) -> set[str]:
        """The names that a round reads of the one before."""
        seen: set[str] = set()
        found: set[str] = set()
        for statement in self.node.body:
            read = self.reads(statement)
            if isinstance(statement, ast.AugAssign):
                read = read | self.writes(statement)
            found |= (read & self.assigned) - seen
            seen |= self.writes(statement)
        return found

    # Statements.

    def statement(self, node: ast.stmt) -> Statement:
        match node:
            case ast.Assign([ast.Name(name)], value) if name in self.carried:
                return self.accumulation(name, value)
            case ast.AugAssign(ast.Name(name), sign, value) if name in self.carried and type(sign) in SIGNS:
                return self.accumulate(name, SIGNS[type(sign)], value, exact=True)
            case _ if self.reads(node) & self.carried:
                raise Unsuited(NO_SUM.format(min(self.reads(node) & self.carried)))
            case ast.Assign([ast.Name(name)], value) if name != self.variable:
                return Assign(*self.translation.assign(name, value))
            case ast.Expr(ast.Call(ast.Name(name), [ast.Name(base), index, value], [])) if name.startswith("store_"):
                return self.store(STORED.get(name.removeprefix("store_"), ""), base, index, value)
        raise Unsuited(f"it has {first_line(node)!r}")

    def accumulation(self, name: str, value: ast.expr) -> Accumulate:
        """``name = reduce_add(name, value)`` and its like."""
        match value:
            case ast.Call(ast.Name(kind), [ast.Name(own), term], []) if own == name and kind in REDUCTIONS:
                return self.accumulate(name, kind, term)
            case ast.Call(ast.Name("maximum" | "minimum" as kind), [ast.Name(own), term], []) if own == name:
                return self.accumulate(name, f"reduce_{kind}", term, exact=True)
            case ast.Call(ast.Name(kind), [ast.BinOp(ast.Name(own), sign, term)], []):
                if own == name and kind == self.type(name) and type(sign) in SIGNS:
                    return self.accumulate(name, SIGNS[type(sign)], term, exact=True, wraps=True)
            case ast.BinOp(ast.Name(own), sign, term) if own == name and type(sign) in SIGNS:
                return self.accumulate(name, SIGNS[type(sign)], term, exact=True)
        raise Unsuited(NO_SUM.format(name))

    def accumulate(self, name: str, kind: str, term: ast.expr, exact: bool = False, wraps: bool = False) -> Accumulate:
        """An accumulation; an exact one does not depend on the order, one that wraps drops the upper bits."""
        type_ = self.type(name)
        if self.accumulators.setdefault(name, kind) != kind or self.reads(term) & self.carried:
            raise Unsuited(NO_SUM.format(name))
        if exact and type_ in ("f4", "f8"):
            raise Unsuited(f"the order of the sum {name} is fixed")
        if type_ == "b1" and kind in ("reduce_add", "reduce_multiply"):
            raise Unsuited(f"{name} is a sum of booleans")
        value = self.translation.node(term)
        if (wraps or type_ == "i8") and value.type in ("b1", "u1", "i4", "i8", "u8") and type_ != "b1":
            value = cast(value, type_)
        if value.type != type_:
            raise Unsuited(f"{name} and what is added to it have the types {type_} and {value.type}")
        return Accumulate(name, kind, value)

    def store(self, type_: str, base: str, index: ast.expr, value: ast.expr) -> Store:
        found = self.translation.node(value)
        if type_ not in SIZES or found.type == "u8":
            raise Unsuited(f"it stores {found.type}")
        place, node = self.translation.access(base, index, type_, stores=True)
        return Store(place, type_, node, cast(found, type_))


def limits(node: ast.For) -> tuple[ast.expr, ast.expr]:
    """The first number of a loop, and the one after the last."""
    match node.iter:
        case ast.Call(ast.Name("range"), [stop], []) if not node.orelse:
            return ast.Constant(0), stop
        case ast.Call(ast.Name("range"), [start, stop], []) if not node.orelse:
            return start, stop
    raise Unsuited("it does not go over a range in steps of one")


def length_of(start: ast.expr, stop: ast.expr, loop: Loop) -> int | None:
    """How many rounds a loop has, where that is known."""
    first, last = polynomial(start, loop.values), polynomial(stop, loop.values)
    if first is None or last is None:
        return None
    length = (last - first).number
    return None if length is None else max(length, 0)
