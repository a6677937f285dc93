"""Statements of a kernel's text as instructions."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from autodiff.backends.numba.checks import MEMORY, Checks
from autodiff.backends.numba.mathematics.names import FUNCTIONS
from autodiff.backends.numba.numpy_loops import LOOPS
from autodiff.backends.numba.products.machine import Machine
from autodiff.backends.numba.statements.builder import Builder
from autodiff.backends.numba.statements.builder import Function as Code
from autodiff.backends.numba.statements.checked import CheckedBuilder
from autodiff.backends.numba.statements.expressions import Expressions, Typed, literal
from autodiff.backends.numba.statements.procedures import PROCEDURES
from autodiff.backends.numba.statements.scopes import changing
from autodiff.backends.numba.vectors.choice import form_of
from autodiff.backends.numba.vectors.elements import STORED, Pointer, Type, types_of_names
from autodiff.backends.numba.vectors.loops import Printer as Vectors
from autodiff.backends.numba.vectors.translation import first_line
from autodiff.backends.numba.vectors.tree import Plan, Unsuited

WORD = "i8"

WRITTEN_OUT = 96
"""So many calls of functions of mathematics on single elements are written out. A call of a function takes a nanosecond
or two more, and a kernel of hundreds of them a tenth of the time to compile."""


PAIRS = (("sin", "cos"), ("sin_near", "cos_near"))
"""Functions that a call computes together, in the time of one: gradients need one where the function has the other."""

ADDRESSES = [k for k, kind in enumerate(PROCEDURES["multiply_matrices"][0]) if kind == "a"]
"""Which arguments of a product of small matrices are addresses; the others are numbers in the text."""

REPEATED = 8
"""So many products of the same sizes in a text are calls of one function: LLVM takes longer than proportionally to the
number of loops in one function, and dozens of products are hundreds of loops."""


def products_in(definition: ast.FunctionDef) -> Counter[str]:
    """How often a text has each product of small matrices."""
    calls = (node for node in ast.walk(definition) if isinstance(node, ast.Call))
    return Counter(
        product_name(node.func.id, node.args)
        for node in calls
        if isinstance(node.func, ast.Name) and node.func.id.startswith("multiply_matrices_")
    )


def product_name(name: str, operands: list[ast.expr]) -> str:
    """A product of small matrices by its sizes and strides."""
    numbers = [literal(each) for k, each in enumerate(operands) if k not in ADDRESSES]
    return "_".join((name, *(f"m{-number}" if number < 0 else str(number) for number in numbers)))


def functions_in(definition: ast.FunctionDef) -> dict[str, list[str]]:
    """Of what a text takes each function of mathematics."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(definition):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            found.setdefault(node.func.id, []).append(" ".join(map(ast.unparse, node.args)))
    return found


def pairs_in(called: Mapping[str, list[str]]) -> dict[str, tuple[str, str]]:
    """The pairs of functions that a text mostly takes of the same numbers, by each of the two."""
    found = {}
    for pair in PAIRS:
        one, other = (called.get(name, []) for name in pair)
        if 2 * len(set(one) & set(other)) >= max(len(one), len(other), 1):
            found.update(dict.fromkeys(pair, pair))
    return found


class Function(Expressions):
    """Prints a function of whole numbers that returns nothing.

    Args:
        module: of llvmlite, for metadata and the functions that are called.
        definition: its text.
        plans: of the loops that are printed as vectors.
        machine: for which processor.
        fused: whether it has a fused multiply-add.
        checks: what is known of its block, where each access to memory is checked.

    Raises:
        Unsuited: if the text has something that is not known here.
    """

    def __init__(
        self,
        module: Any,
        definition: ast.FunctionDef,
        plans: Mapping[ast.AST, Plan],
        machine: Machine,
        fused: bool,
        checks: Checks | None = None,
    ) -> None:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        parameters = [each.arg for each in definition.args.args]
        code = Code(definition.name, [ir.IntType(64)] * len(parameters))
        self.start = Builder(module, code, code.append_basic_block("entry"))  # the places of names on the stack
        first = code.append_basic_block("first")
        builder = Builder(module, code, first) if checks is None else CheckedBuilder(module, code, first, checks)
        super().__init__(builder, machine, fused)
        self.code, self.plans = code, plans
        called = functions_in(definition)
        self.paired = pairs_in(called)
        self.shared: dict[tuple[str, str], Code] = {}
        self.many = sum(map(len, called.values())) > WRITTEN_OUT
        self.pairs: dict[Any, Any] = {}  # what calls for two functions gave, by operands
        self.products: dict[str, Code | None] = {}
        if checks is None:
            self.products = {name: None for name, count in products_in(definition).items() if count >= REPEATED}
        self.types = types_of_names(definition)
        self.changing = changing(definition)
        self.places: dict[str, Any] = {}
        self.values: dict[str, Typed] = {}
        self.leaving: list[tuple[Any, Any]] = []  # where `break` and `continue` go
        for name, value in zip(parameters, code.args):
            self.assign(name, (value, WORD))
        self.block_of(definition.body)
        if not self.ended:
            self.builder.ret_void()
        self.start.branch(first)

    @property
    def ended(self) -> bool:
        """Whether what follows is never reached."""
        return bool(self.builder.block.is_terminated)

    def operation(self, name: str, type_: str, given: str, operands: list[Any]) -> Any:
        """An operation on single elements; of a function that many are calls of, or of two at once, a call."""
        if name in self.paired:
            return self.one_of_two(name, type_, operands[0])
        if not self.many or name not in FUNCTIONS:
            return super().operation(name, type_, given, operands)
        found = self.shared.get((name, type_))
        if found is None:
            found = self.shared[name, type_] = self.shared_function(name, type_, len(operands))
        return self.builder.call_own(found, operands)

    def shared_function(self, name: str, type_: str, count: int) -> Code:
        """A function of mathematics that is written once."""
        element = self.element(type_)
        code = Code(f"{name}_{type_}", [element] * count, element, own=True)
        before, self.builder = self.builder, Builder(self.builder.module, code, code.append_basic_block("entry"))
        self.builder.ret(super().operation(name, type_, type_, list(code.args)))
        self.builder = before
        return code

    def one_of_two(self, name: str, type_: str, operand: Any) -> Any:
        """A function that is computed together with another one, of which a call may be there in this block."""
        pair = self.paired[name]
        key = pair, type_, operand.get_reference(), self.builder.block
        if key not in self.pairs:
            found = self.shared.get(("_".join(pair), type_))
            if found is None:
                found = self.shared["_".join(pair), type_] = self.shared_pair(pair, type_)
            self.pairs[key] = self.builder.call_own(found, [operand])
        return self.builder.extract_element(self.pairs[key], self.number_of(pair.index(name)))

    def shared_pair(self, pair: tuple[str, str], type_: str) -> Code:
        """Two functions of mathematics that are written once, as a vector of both results."""
        element = self.element(type_)
        both = self.ir.VectorType(element, 2)
        code = Code(f"{'_'.join(pair)}_{type_}", [element], both, own=True)
        before, self.builder = self.builder, Builder(self.builder.module, code, code.append_basic_block("entry"))
        found = self.ir.Constant(both, self.ir.Undefined)
        for place, name in enumerate(pair):
            value = super().operation(name, type_, type_, list(code.args))
            found = self.builder.insert_element(found, value, self.number_of(place))
        self.builder.ret(found)
        self.builder = before
        return code

    def number_of(self, place: int) -> Any:
        """The number of a lane."""
        return self.ir.Constant(self.word, place)

    @property
    def functions(self) -> list[Code]:
        """The functions that it calls."""
        return [*self.shared.values(), *(code for code in self.products.values() if code is not None)]

    def procedure(self, name: str, operands: list[ast.expr]) -> bool:
        """Run what a name stands for; a product of which there are many by a call."""
        if not self.products or (key := product_name(name, operands)) not in self.products:
            return super().procedure(name, operands)
        code = self.products[key]
        if code is None:
            code = self.products[key] = self.shared_product(key, name, operands)
        self.builder.call_own(code, [self.address(operands[k])[0] for k in ADDRESSES])
        return True

    def shared_product(self, key: str, name: str, operands: list[ast.expr]) -> Code:
        """A product of matrices at three addresses that is written once."""
        code = Code(key, [self.word] * len(ADDRESSES), own=True)
        before, values = self.builder, self.values
        self.builder = Builder(before.module, code, code.append_basic_block("entry"))
        names = [ast.Name(f"matrix{k}") for k in ADDRESSES]
        self.values = {each.id: (arg, WORD) for each, arg in zip(names, code.args, strict=True)}
        addresses = iter(names)
        super().procedure(name, [next(addresses) if k in ADDRESSES else each for k, each in enumerate(operands)])
        self.builder.ret_void()
        self.builder, self.values = before, values
        return code

    # Names.

    def variable(self, name: str) -> Typed:
        if name in self.values:
            return self.values[name]
        if name in self.places:
            return self.builder.load(self.places[name]), self.type_of(name)
        if name in ("inf", "nan") and name not in self.types:
            return self.number(float(name))
        raise Unsuited(f"nothing is known of {name}")

    def type_of(self, name: str) -> Type:
        found = self.types.get(name)
        if found is None:
            raise Unsuited(f"the type of {name} is not known")
        return found

    def assign(self, name: str, typed: Typed) -> None:
        """Give a name a value."""
        if name not in self.changing:
            self.values[name] = self.confined(name, typed)
            return
        value, type_ = typed
        if type_ != self.type_of(name):
            raise Unsuited(f"{name} is no {self.types[name]} where it is assigned")
        if name not in self.places:
            element = self.word if isinstance(type_, Pointer) else self.element(type_)
            self.places[name] = self.start.alloca(element)
        self.builder.store(value, self.places[name])

    def confined(self, name: str, typed: Typed) -> Typed:
        """A value that gets a name; where accesses are checked, an address of a part of the memory to work in."""
        if isinstance(self.builder, CheckedBuilder):
            return self.builder.enter(name, typed[0], lambda: self.variable(MEMORY)[0]), typed[1]
        return typed

    # Statements.

    def block_of(self, statements: Sequence[ast.stmt]) -> None:
        """Statements, up to one that leaves; what is known of names in them is not known after them."""
        before = dict(self.values)
        for statement in statements:
            if not self.ended:
                self.statement(statement)
        self.values = before

    def statement(self, node: ast.stmt) -> None:
        """Any statement."""
        self.builder.line = node.lineno
        match node:
            case ast.Assign([ast.Name(name)], value):
                self.assign(name, self.value(value))
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                for target, typed in zip(targets, [self.value(each) for each in values]):
                    self.assign(self.name_of(target), typed)
            case ast.AugAssign(ast.Name(name) as target, sign, value):
                old = ast.copy_location(ast.Name(name, ast.Load()), target)
                self.assign(name, self.value(ast.copy_location(ast.BinOp(old, sign, value), node)))
            case ast.Expr(ast.Call(ast.Name(name), operands, [])):
                self.run(node, name, operands)
            case ast.For(orelse=[]):
                self.loop(node)
            case ast.While(test, body, []):
                self.repeat(test, body)
            case ast.If(test, body, orelse):
                self.branch(test, body, orelse)
            case ast.Break() | ast.Continue():
                self.builder.branch(self.leaving[-1][isinstance(node, ast.Continue)])
            case ast.Return(None):
                self.builder.ret_void()
            case ast.Pass() | ast.Expr(ast.Constant(str())):
                pass
            case _:
                raise Unsuited(f"it has {first_line(node)!r}")

    def name_of(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            raise Unsuited(f"it assigns to {first_line(node)!r}")
        return node.id

    def run(self, node: ast.stmt, name: str, operands: list[ast.expr]) -> None:
        """A function that gives nothing."""
        if name.startswith("store_") and name.removeprefix("store_") in STORED and len(operands) == 3:
            self.store(name.removeprefix("store_"), operands)
        elif name == "call_out" and len(operands) == 5:
            self.call_out(operands)
        elif name == "philox_float64" and len(operands) == 3:
            self.philox(operands)
        elif name in LOOPS:
            self.numpy_loop(name, operands)
        elif not self.procedure(name, operands):
            raise Unsuited(f"it has {first_line(node)!r}")

    # Branches and loops.

    def blocks(self, *names: str) -> list[Any]:
        return [self.code.append_basic_block(name) for name in names]

    def branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        """One body or another."""
        condition = self.as_type(test, "b1")
        yes, no, end = self.blocks("if", "else", "endif")
        self.builder.cbranch(condition, yes, no)
        for block, statements in ((yes, body), (no, orelse)):
            self.builder.position_at_end(block)
            self.block_of(statements)
            if not self.ended:
                self.builder.branch(end)
        self.builder.position_at_end(end)

    def repeat(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        """A body as long as a test holds."""
        head, inside, end = self.blocks("while", "body", "done")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.as_type(test, "b1"), inside, end)
        self.inside(inside, body, end, head)
        if not self.ended:
            self.builder.branch(head)
        self.builder.position_at_end(end)

    def inside(self, block: Any, body: Sequence[ast.stmt], end: Any, following: Any) -> None:
        """The body of a loop."""
        self.builder.position_at_end(block)
        self.leaving.append((end, following))
        self.block_of(body)
        self.leaving.pop()

    def loop(self, node: ast.For) -> None:
        """A loop over a range of numbers."""
        plan = self.plans.get(node)
        if plan is not None:
            self.vectors(plan)
            return
        name = self.name_of(node.target)
        start, stop, step = self.range_of(node.iter)
        entry = self.builder.block
        head, inside, following, end = self.blocks("for", "body", "next", "done")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        number = self.builder.phi(self.word)
        number.add_incoming(start, entry)
        self.builder.cbranch(self.builder.icmp_signed("<" if step > 0 else ">", number, stop), inside, end)
        self.builder.position_at_end(inside)
        before = dict(self.values)
        self.assign(name, (number, WORD))
        self.inside(inside, node.body, end, following)
        self.values = before
        if not self.ended:
            self.builder.branch(following)
        self.builder.position_at_end(following)
        number.add_incoming(self.builder.add(number, self.word(step), flags=("nsw",)), following)
        self.builder.branch(head)
        self.builder.position_at_end(end)

    def range_of(self, node: ast.expr) -> tuple[Any, Any, int]:
        """Where a loop starts, where it stops, and its step."""
        match node:
            case ast.Call(ast.Name("range"), [stop], []):
                return self.word(0), self.as_type(stop, WORD), 1
            case ast.Call(ast.Name("range"), [start, stop], []):
                return self.as_type(start, WORD), self.as_type(stop, WORD), 1
            case ast.Call(ast.Name("range"), [start, stop, step], []) if literal(step):
                return self.as_type(start, WORD), self.as_type(stop, WORD), literal(step)
        raise Unsuited(f"it goes over {first_line(node)!r}")

    def vectors(self, plan: Plan) -> None:
        """A loop as vectors."""
        given = {}
        for name, wanted in plan.given.items():
            given[name], found = self.variable(name)
            if found != wanted:
                raise Unsuited(f"{name} is no {wanted}")
        start, stop = self.as_type(plan.start, WORD), self.as_type(plan.stop, WORD)
        printer = Vectors(self.builder, form_of(plan, self.machine), self.fused, plan, given)
        for name, value in zip(plan.results, printer.print(start, stop), strict=True):
            self.assign(name, (value, plan.given[name]))
