"""What expressions of a kernel give, and whether what they read is there."""

from __future__ import annotations

from collections.abc import Sequence

from autodiff.backends.language import tree
from autodiff.backends.language.polynomials import Polynomial, constant
from autodiff.backends.language.tree import Expression
from autodiff.backends.language.types import SIZES, UNSIGNED
from autodiff.backends.verifier import numbers
from autodiff.backends.verifier.facts import Facts
from autodiff.backends.verifier.launch import Array, Launch
from autodiff.backends.verifier.memory import KEPT, Memory
from autodiff.backends.verifier.numbers import any_of, compared, either
from autodiff.backends.verifier.values import OTHER, RANGES, UNKNOWN, Address, Number, Truth, Value

EXTREMES = {"min": "min", "max": "max", "minimum": "min", "maximum": "max"}
WIDE = ("i8", UNSIGNED)


class Expressions:
    """Follows expressions at one place of a kernel after another.

    Args:
        launch: how the kernel is run.

    Attributes:
        names: what names stand for at the place.
        facts: what is known of numbers there.
        memory: notes what is read and written.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.names: dict[str, Value] = {}
        self.facts = Facts()
        self.memory = Memory(launch)

    def value(self, node: Expression) -> Value:
        """Any expression."""
        match node:
            case tree.Name(name):
                return self.names.get(name, OTHER)
            case tree.Number(number, type_):
                return UNKNOWN if type_ == "b1" else Number(constant(int(number))) if type_ in RANGES else OTHER
            case tree.Array(_, word):
                return self.word(word)
            case tree.Shifted(base, offset):
                return self.shifted(self.value(base), self.number(offset))
            case tree.Load(_, base, index, type_):
                return self.load(type_, base, index)
            case tree.Convert(operand, type_):
                return self.converted(type_, self.value(operand))
            case tree.Unary(sign, operand):
                return self.unary(sign, self.value(operand))
            case tree.Binary(sign, left, right):
                return self.binary(sign, self.value(left), self.value(right))
            case tree.Compare(sign, left, right):
                return self.comparison(sign, self.value(left), self.value(right))
            case tree.Conditions(every, operands):
                return self.several(every, operands)
            case tree.Choice(test, body, orelse):
                return self.choice(test, body, orelse)
            case tree.Call(name, operands):
                return self.call(name, operands)
        raise TypeError(f"no expression of a kernel: {node!r}")

    def number(self, node: Expression) -> Polynomial | None:
        """An expression as a whole number; None if it is none."""
        return self.as_number(self.value(node))

    def as_number(self, value: Value) -> Polynomial | None:
        if isinstance(value, Truth):
            return self.facts.between("truth", 0, 1)
        return value.value if isinstance(value, Number) else None

    def unary(self, sign: str, operand: Value) -> Value:
        if sign == "not" and isinstance(operand, Truth):
            return Truth("not", parts=(operand,))
        if sign == "negative" and isinstance(operand, Number):
            return Number(numbers.MINUS * operand.value)
        return OTHER

    def binary(self, sign: str, left: Value, right: Value) -> Value:
        if isinstance(left, Truth) and isinstance(right, Truth) and sign in ("&", "|"):
            return Truth("and" if sign == "&" else "or", parts=(left, right))
        first, second = self.as_number(left), self.as_number(right)
        if first is None or second is None:
            return OTHER
        match sign:
            case "+":
                return Number(first + second)
            case "-":
                return Number(first - second)
            case "*":
                return Number(first * second)
            case "//":
                return Number(numbers.quotient(self.facts, first, second))
            case "%":
                return Number(numbers.remainder(self.facts, first, second))
        return any_of(self.facts, "i8")

    def comparison(self, sign: str, left: Value, right: Value) -> Truth:
        if isinstance(left, Number) and isinstance(right, Number):
            return compared(self.facts, sign, left.value, right.value)
        return UNKNOWN

    def several(self, all_: bool, operands: Sequence[Expression]) -> Truth:
        """Conditions of which each is looked at only if those before it do not decide."""
        around, found = self.facts, []
        self.facts = around.inside()
        for operand in operands:
            value = self.value(operand)
            found.append(value if isinstance(value, Truth) else UNKNOWN)
            numbers.note(self.facts, found[-1], all_)
        self.facts = around
        return Truth("and" if all_ else "or", parts=tuple(found))

    def choice(self, test: Expression, body: Expression, orelse: Expression) -> Value:
        """One expression or another; only the one is looked at."""
        truth, around = self.truth(test), self.facts
        known = numbers.decided(around, truth)
        if known is not None:
            return self.value(body if known else orelse)
        found = []
        for node, holds in ((body, True), (orelse, False)):
            self.facts = around.inside()
            numbers.note(self.facts, truth, holds)
            found.append((self.facts, self.value(node)))
        self.facts = around
        return either(around, *found)

    def truth(self, node: Expression) -> Truth:
        """An expression as a condition."""
        value = self.value(node)
        return value if isinstance(value, Truth) else UNKNOWN

    # Functions.

    def call(self, name: str, operands: Sequence[Expression]) -> Value:
        match name, operands:
            case "word" | "real64" | "real32", (_, tree.Number(int(word))):
                return self.word(word)
            case "where", (test, first, second):
                return self.selected(self.truth(test), self.value(first), self.value(second))
        values = [self.value(operand) for operand in operands]
        if not all(isinstance(value, Number) for value in values):
            return OTHER
        if name in EXTREMES:
            low, high = (value.value for value in values if isinstance(value, Number))
            return Number(numbers.extreme(self.facts, EXTREMES[name], (low, high)))
        return any_of(self.facts, "i8")

    def word(self, word: int) -> Value:
        """A word of the block."""
        found = self.launch.words.get(word)
        if isinstance(found, Array):
            return Address(word, constant(0))
        if isinstance(found, int):
            return Number(constant(found))
        return any_of(self.facts, found) if found in RANGES else OTHER

    def shifted(self, address: Value, count: Polynomial | None) -> Value:
        if isinstance(address, Address) and count is not None:
            return Address(address.word, address.offset + count)
        return OTHER

    def selected(self, truth: Truth, first: Value, second: Value) -> Value:
        """One of two values that were both computed."""
        known = numbers.decided(self.facts, truth)
        if known is not None:
            return first if known else second
        yes, no = self.facts.inside(), self.facts.inside()
        numbers.note(yes, truth, True)
        numbers.note(no, truth, False)
        if isinstance(first, Truth) and isinstance(second, Number):
            first = Number(self.facts.between("truth", 0, 1))
        return either(self.facts, (yes, first), (no, second))

    def converted(self, type_: str, value: Value) -> Value:
        """A number in another type."""
        if type_ == "b1":
            return value if isinstance(value, Truth) else UNKNOWN
        number = self.as_number(value)
        if type_ not in (*RANGES, *WIDE):
            return OTHER
        if number is None:
            return any_of(self.facts, type_)
        if type_ in WIDE:
            return Number(number)
        low, high = RANGES[type_]
        fits = low <= self.facts.lowest(number) and self.facts.highest(number) <= high
        return Number(number) if fits else any_of(self.facts, type_)

    def load(self, type_: str, address: Expression, index: Expression) -> Value:
        place = self.access(type_, address, index, stores=False)
        if type_ == "b1":
            return UNKNOWN
        if type_ not in RANGES:
            return OTHER
        low, high = RANGES[type_]
        if place is not None and self.is_own(place):
            least, most = self.memory.kept_in(self.facts, place.word, place.offset, SIZES[type_])
            return Number(self.facts.between(KEPT, max(low, least), min(high, most)))
        return Number(self.facts.between("loaded", low, high))

    def store(self, type_: str, address: Expression, index: Expression, value: Expression) -> None:
        number = self.number(value)
        place = self.access(type_, address, index, stores=True)
        if place is not None and type_ in RANGES and self.is_own(place):
            known = self.facts.between("any", *RANGES[type_]) if number is None else number
            self.memory.keep(self.facts, place.word, place.offset, SIZES[type_], known)

    def is_own(self, place: Address) -> bool:
        """Whether nothing but the kernel writes to a place."""
        array = self.launch.words[place.word]
        return isinstance(array, Array) and array.made

    def access(self, type_: str, address: Expression, index: Expression, stores: bool) -> Address | None:
        """Note that an element is read or written; where it is."""
        place, number = self.value(address), self.number(index)
        if not isinstance(place, Address) or number is None:
            self.memory.fault("nothing is known of where this is")
            return None
        found = Address(place.word, place.offset + number * constant(SIZES[type_]))
        self.memory.touch(self.facts, found.word, found.offset, SIZES[type_], type_, stores)
        return found
