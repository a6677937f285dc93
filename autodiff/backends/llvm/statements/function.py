"""Statements of a kernel as instructions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from autodiff.backends.language.functions import PROCEDURES
from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.names import changing
from autodiff.backends.language.numpy_loops import LOOPS
from autodiff.backends.language.reading import literal
from autodiff.backends.language.tree import (
    Call,
    Expression,
    For,
    If,
    Leave,
    Let,
    Name,
    Run,
    Statement,
    Store,
    While,
    expressions,
    statements,
)
from autodiff.backends.language.tree import Function as Kernel
from autodiff.backends.language.types import Pointer
from autodiff.backends.llvm.products.machine import Machine
from autodiff.backends.llvm.statements.builder import Builder
from autodiff.backends.llvm.statements.builder import Function as Code
from autodiff.backends.llvm.statements.checked import CheckedBuilder
from autodiff.backends.llvm.statements.expressions import Expressions
from autodiff.backends.llvm.statements.repeats import Repeat, plans_once, repeats_in
from autodiff.backends.llvm.vectors.choice import form_of, straight_of
from autodiff.backends.llvm.vectors.loops import Printer as Vectors
from autodiff.backends.llvm.vectors.tree import Plan
from autodiff.backends.native.checks import MEMORY, Checks

WORD = "i8"

WRITTEN_OUT = 96
"""So many calls of functions of mathematics on single elements are written out. A call of a function takes a nanosecond
or two more, and a kernel of hundreds of them a tenth of the time to compile."""


PAIRS = (("sin", "cos"), ("sin_near", "cos_near"))
"""Functions that a call computes together, in the time of one: gradients need one where the function has the other."""

ADDRESSES = [k for k, kind in enumerate(PROCEDURES["multiply_matrices"]) if kind == "a"]
"""Which arguments of a product of small matrices are addresses; the others are numbers in the text."""

REPEATED = 8
"""So many products of the same sizes in a text are calls of one function: LLVM takes longer than proportionally to the
number of loops in one function, and dozens of products are hundreds of loops."""


def products_in(kernel: Kernel) -> Counter[str]:
    """How often a kernel has each product of small matrices."""
    found = (each for each in statements(kernel.body) if isinstance(each, Run))
    return Counter(product_name(each.name, each.operands) for each in found if is_product(each.name))


def is_product(name: str) -> bool:
    """Whether a procedure is a product of small matrices."""
    return name.startswith("multiply_matrices_")


def product_name(name: str, operands: Sequence[Expression]) -> str:
    """A product of small matrices by its sizes and strides."""
    numbers = [literal(each) for k, each in enumerate(operands) if k not in ADDRESSES]
    return "_".join((name, *(f"m{-number}" if number < 0 else str(number) for number in numbers)))


def functions_in(kernel: Kernel) -> dict[str, list[str]]:
    """Of what a kernel takes each function of mathematics."""
    found: dict[str, list[str]] = {}
    for node in expressions(*statements(kernel.body)):
        if isinstance(node, Call) and node.name in FUNCTIONS:
            found.setdefault(node.name, []).append(" ".join(map(str, node.operands)))
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
        kernel: what it does.
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
        kernel: Kernel,
        plans: Mapping[For, Plan],
        machine: Machine,
        fused: bool,
        checks: Checks | None = None,
    ) -> None:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        code = Code(kernel.name, [ir.IntType(64)] * len(kernel.parameters))
        self.start = Builder(module, code, code.append_basic_block("entry"))  # the places of names on the stack
        first = code.append_basic_block("first")
        builder = Builder(module, code, first) if checks is None else CheckedBuilder(module, code, first, checks)
        super().__init__(builder, machine, fused)
        self.code, self.plans, self.types = code, plans, kernel.types
        called = functions_in(kernel)
        self.paired = pairs_in(called)
        self.shared: dict[tuple[str, str], Code] = {}
        self.many = sum(map(len, called.values())) > WRITTEN_OUT
        self.pairs: dict[Any, Any] = {}  # what calls for two functions gave, by operands
        self.products: dict[str, Code | None] = {}
        if checks is None:
            self.products = {name: None for name, count in products_in(kernel).items() if count >= REPEATED}
        self.repeats: dict[For, Repeat] = {} if checks is not None else repeats_in(kernel, plans)
        self.loops: dict[str, Code] = {}  # by what repeated loops do
        self.straight = straight_of(plans_once(plans, self.repeats), machine)
        self.changing = changing(kernel)
        self.places: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.leaving: list[tuple[Any, Any]] = []  # where `break` and `continue` go
        for name, value in zip(kernel.parameters, code.args, strict=True):
            self.assign(name, value)
        self.block_of(kernel.body)
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
        code = Code(f"{name}_{type_}", [element] * count, element, own=True, pure=True)
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
        code = Code(f"{'_'.join(pair)}_{type_}", [element], both, own=True, pure=True)
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
        products = [code for code in self.products.values() if code is not None]
        return [*self.shared.values(), *products, *self.loops.values()]

    def procedure(self, name: str, operands: Sequence[Expression]) -> None:
        """Run what a name stands for; a product of which there are many by a call."""
        key = product_name(name, operands) if self.products and is_product(name) else ""
        if key not in self.products:
            super().procedure(name, operands)
            return
        code = self.products[key]
        if code is None:
            code = self.products[key] = self.shared_product(key, name, operands)
        self.builder.call_own(code, [self.value(operands[k]) for k in ADDRESSES])

    def shared_product(self, key: str, name: str, operands: Sequence[Expression]) -> Code:
        """A product of matrices at three addresses that is written once."""
        code = Code(key, [self.word] * len(ADDRESSES), own=True)
        before, values = self.builder, self.values
        self.builder = Builder(before.module, code, code.append_basic_block("entry"))
        names = [Name(f"matrix{k}", WORD) for k in ADDRESSES]
        self.values = {each.name: arg for each, arg in zip(names, code.args, strict=True)}
        addresses = iter(names)
        super().procedure(name, [next(addresses) if k in ADDRESSES else each for k, each in enumerate(operands)])
        self.builder.ret_void()
        self.builder, self.values = before, values
        return code

    # Names.

    def variable(self, name: str) -> Any:
        return self.values[name] if name in self.values else self.builder.load(self.places[name])

    def assign(self, name: str, value: Any) -> None:
        """Give a name a value."""
        if name not in self.changing:
            self.values[name] = self.confined(name, value)
            return
        if name not in self.places:
            self.places[name] = self.start.alloca(self.held(name))
        self.builder.store(value, self.places[name])

    def confined(self, name: str, value: Any) -> Any:
        """A value that gets a name; where accesses are checked, an address of a part of the memory to work in."""
        if isinstance(self.builder, CheckedBuilder):
            return self.builder.enter(name, value, lambda: self.variable(MEMORY))
        return value

    # Statements.

    def block_of(self, block: Sequence[Statement]) -> None:
        """Statements, up to one that leaves; what is known of names in them is not known after them."""
        before = dict(self.values)
        for statement in block:
            if not self.ended:
                self.statement(statement)
        self.values = before

    def statement(self, node: Statement) -> None:
        """Any statement."""
        self.builder.line = node.line
        match node:
            case Let(names, values):
                for name, value in zip(names, [self.value(each) for each in values], strict=True):
                    self.assign(name, value)
            case Store(element, base, index, value):
                self.store(element, base, index, value)
            case Run(name, operands):
                self.run(name, operands)
            case For() if node in self.repeats:
                self.repeated(node, self.repeats[node])
            case For():
                self.loop(node)
            case While(test, body):
                self.repeat(test, body)
            case If(test, body, orelse):
                self.branch(test, body, orelse)
            case Leave("return"):
                self.builder.ret_void()
            case Leave(how):
                self.builder.branch(self.leaving[-1][how == "continue"])

    def run(self, name: str, operands: Sequence[Expression]) -> None:
        """A procedure."""
        if name == "call_out":
            self.call_out(operands)
        elif name == "philox_float64":
            self.philox(operands)
        elif name in LOOPS:
            self.numpy_loop(name, operands)
        else:
            self.procedure(name, operands)

    # Branches and loops.

    def blocks(self, *names: str) -> list[Any]:
        return [self.code.append_basic_block(name) for name in names]

    def branch(self, test: Expression, body: Sequence[Statement], orelse: Sequence[Statement]) -> None:
        """One body or another."""
        condition = self.value(test)
        yes, no, end = self.blocks("if", "else", "endif")
        self.builder.cbranch(condition, yes, no)
        for block, inner in ((yes, body), (no, orelse)):
            self.builder.position_at_end(block)
            self.block_of(inner)
            if not self.ended:
                self.builder.branch(end)
        self.builder.position_at_end(end)

    def repeat(self, test: Expression, body: Sequence[Statement]) -> None:
        """A body as long as a test holds."""
        head, inside, end = self.blocks("while", "body", "done")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.value(test), inside, end)
        self.inside(inside, body, end, head)
        if not self.ended:
            self.builder.branch(head)
        self.builder.position_at_end(end)

    def inside(self, block: Any, body: Sequence[Statement], end: Any, following: Any) -> None:
        """The body of a loop."""
        self.builder.position_at_end(block)
        self.leaving.append((end, following))
        self.block_of(body)
        self.leaving.pop()

    def repeated(self, node: For, repeat: Repeat) -> None:
        """A loop of which there are many, as a call."""
        code = self.loops.get(repeat.key)
        if code is None:
            code = self.loops[repeat.key] = self.loop_function(node, repeat)
        if repeat.result and repeat.result not in self.places:  # it has no value before
            self.places[repeat.result] = self.start.alloca(self.held(repeat.result))
        found = self.builder.call_own(code, [self.variable(name) for name in repeat.given])
        if repeat.result:
            self.assign(repeat.result, found)

    def loop_function(self, node: For, repeat: Repeat) -> Code:
        """A loop as a function of the names that it reads."""
        given = [self.held(name) for name in repeat.given]
        code = Code(f"loop_{len(self.loops)}", given, self.held(repeat.result) if repeat.result else None, own=True)
        before = self.code, self.start, self.builder, self.values, self.places, self.leaving, self.pairs
        self.code, self.values, self.places, self.leaving, self.pairs = code, {}, {}, [], {}
        self.start = Builder(self.builder.module, code, code.append_basic_block("entry"))
        first = code.append_basic_block("first")
        self.builder = Builder(self.builder.module, code, first)
        for name, value in zip(repeat.given, code.args, strict=True):
            self.assign(name, value)
        self.loop(node)
        if repeat.result:
            self.builder.ret(self.variable(repeat.result))
        else:
            self.builder.ret_void()
        self.start.branch(first)
        self.code, self.start, self.builder, self.values, self.places, self.leaving, self.pairs = before
        return code

    def held(self, name: str) -> Any:
        """The type of what a name holds, as LLVM knows it."""
        type_ = self.types[name]
        return self.word if isinstance(type_, Pointer) else self.element(type_)

    def loop(self, node: For) -> None:
        """A loop over a range of numbers."""
        plan = self.plans.get(node)
        if plan is not None:
            self.vectors(plan)
            return
        start, stop, step = self.value(node.start), self.value(node.stop), node.step
        entry = self.builder.block
        head, inside, following, end = self.blocks("for", "body", "next", "done")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        number = self.builder.phi(self.word)
        number.add_incoming(start, entry)
        self.builder.cbranch(self.builder.icmp_signed("<" if step > 0 else ">", number, stop), inside, end)
        self.builder.position_at_end(inside)
        before = dict(self.values)
        self.assign(node.name, number)
        self.inside(inside, node.body, end, following)
        self.values = before
        if not self.ended:
            self.builder.branch(following)
        self.builder.position_at_end(following)
        number.add_incoming(self.builder.add(number, self.word(step), flags=("nsw",)), following)
        self.builder.branch(head)
        self.builder.position_at_end(end)

    def vectors(self, plan: Plan) -> None:
        """A loop as vectors."""
        given = {name: self.variable(name) for name in plan.given}
        start, stop = self.value(plan.start), self.value(plan.stop)
        printer = Vectors(self.builder, form_of(plan, self.machine, self.straight), self.fused, plan, given)
        for name, value in zip(plan.results, printer.print(start, stop), strict=True):
            self.assign(name, value)
