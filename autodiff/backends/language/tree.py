"""The nodes of kernels: typed, never changed, and printed as the text that they are read from.

Operands of an operation have its type: where Python would convert them, a `Convert` stands. Expressions are equal where
their texts are; statements are what they are at their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, ClassVar

from autodiff.backends.language.types import UNSIGNED, Pointer, Type

# fmt: off
CHOICE, OR, AND, NOT, COMPARISON, ATOM = 0, 1, 2, 3, 4, 12
LEVELS = {
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "negative": 11,
    "not": NOT,
}
"""How strongly signs bind, as in Python."""
# fmt: on


class Expression:
    """What has a value, of a type."""

    __slots__ = ()

    if TYPE_CHECKING:  # a field of most; what stands in a base class would be its default

        @property
        def type(self) -> Type: ...

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it is made of."""
        return ()

    @property
    def level(self) -> int:
        """How strongly it binds."""
        return ATOM

    def inside(self, level: int) -> str:
        """Its text inside of what binds so strongly."""
        return str(self) if self.level >= level else f"({self})"


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number in the text."""

    value: float
    type: str

    def __str__(self) -> str:
        own = natural(self.value) == self.type
        text = repr(self.value) if isfinite(self.value) else repr(float(self.value))
        return text if own else f"{self.type}({text})"

    @property
    def level(self) -> int:
        return LEVELS["negative"] if str(self).startswith("-") else ATOM


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """What was assigned to a name, or given to the kernel."""

    name: str
    type: Type

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Array(Expression):
    """The address of the array of a word of the block."""

    block: Expression
    word: int

    def __str__(self) -> str:
        return f"pointer({self.block}, {self.word})"

    @property
    def type(self) -> Pointer:
        return Pointer(self.word)

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.block,)


@dataclass(frozen=True, slots=True)
class Shifted(Expression):
    """The address so many bytes further."""

    base: Expression
    offset: Expression

    def __str__(self) -> str:
        return f"shifted({self.base}, {self.offset})"

    @property
    def type(self) -> Type:
        return self.base.type

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.base, self.offset


@dataclass(frozen=True, slots=True)
class Load(Expression):
    """An element of an array.

    Attributes:
        element: how it is stored, such as ``float64``.
        base: the address of the array.
        index: a whole number, in elements.
        type: of the value.
    """

    element: str
    base: Expression
    index: Expression
    type: str

    def __str__(self) -> str:
        return f"load_{self.element}({self.base}, {self.index})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.base, self.index


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A number as one of another type."""

    operand: Expression
    type: str

    def __str__(self) -> str:
        return str(self.operand) if self.type == UNSIGNED else f"{self.type}({self.operand})"

    @property
    def level(self) -> int:
        return self.operand.level if self.type == UNSIGNED else ATOM

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """``negative`` or ``not`` of an operand of its type."""

    sign: str
    operand: Expression
    type: str

    def __str__(self) -> str:
        return f"{'-' if self.sign == 'negative' else 'not '}{self.operand.inside(self.level)}"

    @property
    def level(self) -> int:
        return LEVELS[self.sign]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """An operation on two operands of its type."""

    sign: str
    left: Expression
    right: Expression
    type: str

    def __str__(self) -> str:
        return f"{self.left.inside(self.level)} {self.sign} {self.right.inside(self.level + 1)}"

    @property
    def level(self) -> int:
        return LEVELS[self.sign]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """A comparison of two operands of one type."""

    sign: str
    left: Expression
    right: Expression
    type: ClassVar[Type] = "b1"
    level: ClassVar[int] = COMPARISON

    def __str__(self) -> str:
        return f"{self.left.inside(COMPARISON + 1)} {self.sign} {self.right.inside(COMPARISON + 1)}"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Conditions(Expression):
    """Whether all conditions hold, or any: one is looked at only if those before it do not decide."""

    every: bool
    operands: tuple[Expression, ...]
    type: ClassVar[Type] = "b1"

    def __str__(self) -> str:
        return (" and " if self.every else " or ").join(each.inside(self.level + 1) for each in self.operands)

    @property
    def level(self) -> int:
        return AND if self.every else OR

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Choice(Expression):
    """One of two values; the other is not looked at."""

    test: Expression
    body: Expression
    orelse: Expression
    level: ClassVar[int] = CHOICE

    def __str__(self) -> str:
        return f"{self.body.inside(OR)} if {self.test.inside(OR)} else {self.orelse}"

    @property
    def type(self) -> Type:
        return self.body.type

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.test, self.body, self.orelse


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of single elements, a selection, or a word of the block as a number."""

    name: str
    operands: tuple[Expression, ...]
    type: Type

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.operands))})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands


class Statement:
    """What a kernel does at a place.

    Attributes:
        line: of the text.
    """

    __slots__ = ()
    line: int

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it looks at itself; those of statements in it are theirs."""
        return ()

    @property
    def blocks(self) -> tuple[tuple[Statement, ...], ...]:
        """The statements in it."""
        return ()

    def lines(self, other: Mapping[Statement, str]) -> Iterator[str]:
        """Its text, with other lines in place of some statements."""
        yield str(self)
        for block in self.blocks:
            yield from indented(block, other)


@dataclass(frozen=True, slots=True, eq=False)
class Let(Statement):
    """Names get values, all at once."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]
    line: int

    def __str__(self) -> str:
        return f"{', '.join(self.names)} = {', '.join(map(str, self.values))}"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.values


@dataclass(frozen=True, slots=True, eq=False)
class Store(Statement):
    """An element of an array gets a value.

    Attributes:
        element: how it is stored, such as ``float64``.
        base: the address of the array.
        index: a whole number, in elements.
        value: of the type that is stored.
    """

    element: str
    base: Expression
    index: Expression
    value: Expression
    line: int

    def __str__(self) -> str:
        return f"store_{self.element}({self.base}, {self.index}, {self.value})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.base, self.index, self.value


@dataclass(frozen=True, slots=True, eq=False)
class Run(Statement):
    """A procedure does its work: a product of matrices, a call of Python."""

    name: str
    operands: tuple[Expression, ...]
    line: int

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.operands))})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.operands


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    """Statements for all numbers from one to another."""

    name: str
    start: Expression
    stop: Expression
    step: int
    body: tuple[Statement, ...]
    line: int

    def __str__(self) -> str:
        start = f"{self.start}, " if self.step != 1 or str(self.start) != "0" else ""
        return f"for {self.name} in range({start}{self.stop}{f', {self.step}' if self.step != 1 else ''}):"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.start, self.stop

    @property
    def blocks(self) -> tuple[tuple[Statement, ...], ...]:
        return (self.body,)


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    """Statements as long as a condition holds."""

    test: Expression
    body: tuple[Statement, ...]
    line: int

    def __str__(self) -> str:
        return f"while {self.test}:"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.test,)

    @property
    def blocks(self) -> tuple[tuple[Statement, ...], ...]:
        return (self.body,)


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """Some statements or others."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    line: int

    def __str__(self) -> str:
        return f"if {self.test}:"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.test,)

    @property
    def blocks(self) -> tuple[tuple[Statement, ...], ...]:
        return self.body, self.orelse

    def lines(self, other: Mapping[Statement, str]) -> Iterator[str]:
        yield str(self)
        yield from indented(self.body, other)
        if self.orelse:
            yield "else:"
            yield from indented(self.orelse, other)


@dataclass(frozen=True, slots=True, eq=False)
class Leave(Statement):
    """``break``, ``continue`` or ``return``."""

    how: str
    line: int

    def __str__(self) -> str:
        return self.how


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A kernel.

    Attributes:
        name: of the function.
        parameters: whole numbers.
        body: its statements.
        types: of all names.
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    types: Mapping[str, Type]

    def __str__(self) -> str:
        return self.text({})

    def text(self, other: Mapping[Statement, str]) -> str:
        """Its text, with other lines in place of some statements."""
        head = f"def {self.name}({', '.join(self.parameters)}):"
        return "\n".join([head, *indented(self.body, other), ""])


def indented(block: Sequence[Statement], other: Mapping[Statement, str]) -> Iterator[str]:
    """The lines of a block."""
    if not block:
        yield "    pass"
    for statement in block:
        for line in [other[statement]] if statement in other else statement.lines(other):
            yield f"    {line}"


def natural(value: float) -> str:
    """The type of a number that is written without one."""
    return "b1" if isinstance(value, bool) else "i8" if isinstance(value, int) else "f8"


def expressions(*roots: Expression | Statement) -> Iterator[Expression]:
    """All expressions of some, and of statements without those in them."""
    waiting = [part for root in reversed(roots) for part in ([root] if isinstance(root, Expression) else root.parts)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.parts))


def statements(block: Sequence[Statement]) -> Iterator[Statement]:
    """All statements of a block, in the order of the text."""
    for statement in block:
        yield statement
        for inner in statement.blocks:
            yield from statements(inner)
