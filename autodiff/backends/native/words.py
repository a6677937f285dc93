"""A small compiler, for the launcher and the pool of threads: Python text in which every value is a 64-bit integer.

Numba takes half a second for them, this a few milliseconds; and they are about addresses and atomic words, which Numba
does not know. The text has functions, of which ``kernel`` can be called from outside; assignments, ``if``, ``while``,
``for ... in range(n)`` and ``return``; arithmetic, comparisons (1 or 0), ``and`` and ``or``; the functions of
:mod:`~autodiff.backends.native.system`, and ``stack(n)``, the address of ``n`` words that live as long as the call.
Numbers have names where the text begins with ``NAME = 1``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.loading import ENTRY, target
from autodiff.backends.native.system import FUNCTIONS, integer
from autodiff.trace.syntax import parse

# fmt: off
OPERATORS: dict[type, str] = {  # LLVM's names
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv",  # of numbers that are not negative
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.LShift: "shl", ast.RShift: "ashr",
}
COMPARISONS: dict[type, str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}
# fmt: on


def compile_words(text: str) -> bytes:
    """The object code of a text.

    Raises:
        KernelError: if the text has something that is not part of the language.
    """
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra
    from llvmlite import ir  # noqa: PLC0415

    machine = target().create_target_machine(opt=2, reloc="pic", jit=True)
    printed = ir.Module(name=ENTRY)
    printed.triple = target().triple
    names: dict[str, Any] = {}
    for statement in parse(text).body:
        if isinstance(statement, ast.FunctionDef):
            Function(printed, statement, names)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            names[statement.targets[0].id] = integer(64)(ast.literal_eval(statement.value))
        else:
            raise refusal(statement)
    module = llvm.parse_assembly(str(printed))
    module.verify()
    optimize(module, machine)
    return bytes(machine.emit_object(module))


def optimize(module: Any, machine: Any) -> None:
    """What makes such code fast: LLVM's own list of passes takes ten times as long and makes it no faster."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))


def refusal(node: ast.AST) -> KernelError:
    """The error for what is not part of the language."""
    return KernelError(f"native code knows integers only, not `{ast.unparse(node)}`")


class Function:
    """A function, printed when this is made.

    Args:
        module: llvmlite's, to which it is added.
        definition: what it does.
        names: the numbers and functions that are known; it adds itself.
    """

    def __init__(self, module: Any, definition: ast.FunctionDef, names: dict[str, Any]) -> None:
        from llvmlite import ir  # noqa: PLC0415 - an optional extra

        word = integer(64)
        parameters = [each.arg for each in definition.args.args]
        self.code = ir.Function(module, ir.FunctionType(word, [word] * len(parameters)), definition.name)
        if definition.name != ENTRY:
            self.code.linkage = "internal"
            self.code.attributes.add("alwaysinline")  # to call it would take a table of addresses, which nobody has
        self.start = ir.IRBuilder(self.code.append_basic_block())  # what is there once for a call
        self.builder = ir.IRBuilder(self.code.append_basic_block())
        first = self.builder.block
        self.names = names
        self.variables: dict[str, Any] = {}
        for name, value in zip(parameters, self.code.args):
            self.assign(name, value)
        self.body(definition.body)
        if not self.builder.block.is_terminated:
            self.builder.ret(word(0))
        self.start.branch(first)
        names[definition.name] = self.code

    def assign(self, name: str, value: Any) -> None:
        """Give a variable a value."""
        if name not in self.variables:
            self.variables[name] = self.start.alloca(integer(64))
        self.builder.store(value, self.variables[name])

    # Statements.

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Statements, up to one that returns."""
        for statement in statements:
            if self.builder.block.is_terminated:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        """Any statement."""
        match node:
            case ast.Expr(ast.Constant(str())):
                pass
            case ast.Expr(call):
                self.value(call)
            case ast.Assign([ast.Name(name)], value):
                self.assign(name, self.value(value))
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                for name_node, value in zip(names, [self.value(each) for each in values]):
                    self.assign(ast.unparse(name_node), value)
            case ast.AugAssign(ast.Name(name), operator, value):
                old = ast.Name(name, ast.Load())
                self.assign(name, self.value(ast.BinOp(old, operator, value)))
            case ast.If(test, then, otherwise):
                self.branch(test, then, otherwise)
            case ast.While(test, body):
                self.loop(lambda: self.value(test), body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), [end]), body):
                self.count(name, end, body)
            case ast.Return(value):
                self.builder.ret(integer(64)(0) if value is None else self.value(value))
            case _:
                raise refusal(node)

    def branch(self, test: ast.expr, then: Sequence[ast.stmt], otherwise: Sequence[ast.stmt]) -> None:
        """One body or another."""
        yes, no, end = (self.code.append_basic_block() for _ in range(3))
        self.builder.cbranch(self.truth(self.value(test)), yes, no)
        for block, statements in ((yes, then), (no, otherwise)):
            self.builder.position_at_end(block)
            self.body(statements)
            if not self.builder.block.is_terminated:
                self.builder.branch(end)
        self.builder.position_at_end(end)

    def loop(self, test: Callable[[], Any], body: Sequence[ast.stmt], after: Callable[[], None] = lambda: None) -> None:
        """A body as long as a test holds."""
        head, inside, end = (self.code.append_basic_block() for _ in range(3))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.truth(test()), inside, end)
        self.builder.position_at_end(inside)
        self.body(body)
        if not self.builder.block.is_terminated:
            after()
            self.builder.branch(head)
        self.builder.position_at_end(end)

    def count(self, name: str, end: ast.expr, body: Sequence[ast.stmt]) -> None:
        """A body for each number below an end."""
        last, one = self.value(end), integer(64)(1)
        self.assign(name, integer(64)(0))

        def now() -> Any:
            return self.builder.load(self.variables[name])

        def test() -> Any:
            return self.number(self.builder.icmp_signed("<", now(), last))

        self.loop(test, body, lambda: self.assign(name, self.builder.add(now(), one)))

    # Expressions.

    def value(self, node: ast.expr) -> Any:
        """Any expression."""
        match node:
            case ast.Constant(int(number)):
                return integer(64)(int(number))
            case ast.Name(name) if name in self.variables:
                return self.builder.load(self.variables[name])
            case ast.Name(name) if name in self.names:
                return self.names[name]
            case ast.UnaryOp(ast.USub(), operand):
                return self.builder.neg(self.value(operand))
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                return getattr(self.builder, OPERATORS[type(operator)])(self.value(left), self.value(right))
            case ast.Compare(left, [comparison], [right]) if type(comparison) in COMPARISONS:
                sign = COMPARISONS[type(comparison)]
                return self.number(self.builder.icmp_signed(sign, self.value(left), self.value(right)))
            case ast.BoolOp(operator, operands):
                return self.both_or_either(isinstance(operator, ast.And), operands)
            case ast.Call(ast.Name("stack"), [size]):
                return self.builder.ptrtoint(self.start.alloca(integer(64), self.value(size)), integer(64))
            case ast.Call(ast.Name(name), args) if name in FUNCTIONS or name in self.names:
                values = [self.value(each) for each in args]
                if name in FUNCTIONS:
                    return FUNCTIONS[name](self.builder, *values)
                return self.builder.call(self.names[name], values)
            case _:
                raise refusal(node)

    def both_or_either(self, both: bool, operands: Sequence[ast.expr]) -> Any:
        """The value of ``and`` or ``or``: what follows is only looked at if it matters."""
        result, end = self.start.alloca(integer(64)), self.code.append_basic_block()
        for operand in operands:
            found = self.value(operand)
            self.builder.store(self.number(self.truth(found)), result)
            following = self.code.append_basic_block()
            self.builder.cbranch(self.truth(found), *((following, end) if both else (end, following)))
            self.builder.position_at_end(following)
        self.builder.branch(end)
        self.builder.position_at_end(end)
        return self.builder.load(result)

    def truth(self, value: Any) -> Any:
        """Whether a number is not zero."""
        return self.builder.icmp_signed("!=", value, integer(64)(0))

    def number(self, truth: Any) -> Any:
        """1 or 0."""
        return self.builder.zext(truth, integer(64))
