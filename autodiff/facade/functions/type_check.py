"""Conditions on operands that can say what they are: ``x.shape[1] == W.shape[1]``.

A check is run on plain shapes and dtypes first, where every condition is simply true or false. Only if one is false it
is run again on expressions, which remember how they were written, to say which one and why.
"""

from __future__ import annotations

import inspect
import math
import operator
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from autodiff.facade.functions.invalid import InvalidType
from autodiff.facade.settings.configuration import config
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of

ATOM, POWER, SIGN, PRODUCT, SUM, SHIFT, AND, XOR, OR, COMPARISON = 8, 7, 6, 5, 4, 3, 2, 1, 0, -1
"""How tightly operators bind, for the parentheses."""


class Expr:
    """An expression that can be evaluated and printed.

    Args:
        text: how it is printed.
        value: computes its value.
        priority: how tightly its outermost operator binds.
    """

    def __init__(self, text: str, value: Callable[[], Any], priority: int = ATOM) -> None:
        self._text, self._value, self.priority = text, value, priority

    def eval(self) -> Any:
        """The value."""
        return self._value()

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __bool__(self) -> NoReturn:
        raise RuntimeError(
            f"the expression {self} has no truth value{at_user_line()}; give it to type_check.expect, or the value of "
            "type_check.eval to Python"
        )

    def __getattr__(self, name: str) -> Expr:
        if name.startswith("__"):
            raise AttributeError(name)
        return Expr(f"{within(self, ATOM)}.{name}", lambda: getattr(self.eval(), name))

    def __getitem__(self, key: Any) -> Expr:
        return Expr(f"{within(self, ATOM)}[{key_text(key)}]", lambda: self.eval()[evaluated(key)])

    def __call__(self, *arguments: Any) -> Expr:
        text = ", ".join(map(written, arguments))
        return Expr(f"{within(self, ATOM)}({text})", lambda: self.eval()(*map(evaluated, arguments)))

    __hash__ = object.__hash__


class Testable(Expr):
    """A condition.

    Args:
        text: how it is printed.
        sides: the two sides that are compared.
        holds: the comparison.
        otherwise: the sign of the opposite comparison.
    """

    __test__ = False  # no test class, whatever its name begins with

    def __init__(self, text: str, sides: tuple[Any, Any], holds: Callable[[Any, Any], Any], otherwise: str) -> None:
        super().__init__(text, lambda: holds(*map(evaluated, sides)), COMPARISON)
        self._sides, self._otherwise = sides, otherwise

    def expect(self) -> None:
        """See that it holds.

        Raises:
            InvalidType: if it does not.
        """
        if not self.eval():
            left, right = map(evaluated, self._sides)
            raise InvalidType(str(self), f"{left} {self._otherwise} {right}")


def evaluated(value: Any) -> Any:
    """The value of an expression, and of those in lists and tuples; anything else is its own."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(evaluated, value)) if type(value) in (list, tuple) else value
    return value.eval() if isinstance(value, Expr) else value


def within(value: Any, priority: int) -> str:
    """The text of an operand beside an operator that binds as tightly as given."""
    return f"({value})" if isinstance(value, Expr) and value.priority < priority else str(value)


def written(value: Any) -> str:
    """A value as a program writes it, where expressions may stand in lists and tuples."""
    if type(value) in (list, tuple):
        inner = ", ".join(map(written, value))
        return f"[{inner}]" if type(value) is list else f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value) if isinstance(value, str) else str(value)


def key_text(key: Any) -> str:
    """An index as it is written."""
    if isinstance(key, tuple):
        return ", ".join(map(key_text, key))
    if isinstance(key, slice):
        ends = [":".join("" if end is None else str(end) for end in (key.start, key.stop))]
        return ":".join([*ends, *([] if key.step is None else [str(key.step)])])
    return "..." if key is Ellipsis else written(key)


def arithmetic(
    sign: str, compute: Callable[[Any, Any], Any], priority: int, reflected: bool
) -> Callable[[Expr, Any], Expr]:
    """A method for a binary operator; powers alone are grouped from the right."""
    from_right = priority == POWER

    def method(self: Expr, other: Any) -> Expr:
        left, right = (other, self) if reflected else (self, other)
        text = f"{within(left, priority + from_right)} {sign} {within(right, priority + (not from_right))}"
        return Expr(text, lambda: compute(evaluated(left), evaluated(right)), priority)

    return method


def of_one(sign: str, compute: Callable[[Any], Any]) -> Callable[[Expr], Expr]:
    """A method for an operator before its operand."""
    return lambda self: Expr(f"{sign}{within(self, SIGN)}", lambda: compute(self.eval()), SIGN)


def comparison(sign: str, holds: Callable[[Any, Any], Any], opposite: str) -> Callable[[Expr, Any], Testable]:
    """A method for a comparison."""

    def method(self: Expr, other: Any) -> Testable:
        text = f"{within(self, COMPARISON + 1)} {sign} {within(other, COMPARISON + 1)}"
        return Testable(text, (self, other), holds, opposite)

    return method


for _name, _sign, _priority in (
    ("add", "+", SUM), ("sub", "-", SUM), ("mul", "*", PRODUCT), ("truediv", "/", PRODUCT),
    ("floordiv", "//", PRODUCT), ("mod", "%", PRODUCT), ("pow", "**", POWER), ("lshift", "<<", SHIFT),
    ("rshift", ">>", SHIFT), ("and", "&", AND), ("xor", "^", XOR), ("or", "|", OR),
):  # fmt: skip
    _compute = getattr(operator, f"__{_name}__")
    setattr(Expr, f"__{_name}__", arithmetic(_sign, _compute, _priority, reflected=False))
    setattr(Expr, f"__r{_name}__", arithmetic(_sign, _compute, _priority, reflected=True))
for _name, _sign in (("neg", "-"), ("pos", "+"), ("invert", "~")):
    setattr(Expr, f"__{_name}__", of_one(_sign, getattr(operator, f"__{_name}__")))
for _name, _sign, _opposite in (
    ("eq", "==", "!="), ("ne", "!=", "=="), ("lt", "<", ">="), ("le", "<=", ">"), ("gt", ">", "<="), ("ge", ">=", "<"),
):  # fmt: skip
    setattr(Expr, f"__{_name}__", comparison(_sign, getattr(operator, _name), _opposite))


class Variable(Expr):
    """A value with a name.

    Args:
        value: the value.
        name: how it is printed.
    """

    def __init__(self, value: Any, name: str) -> None:
        super().__init__(name, lambda: value)
        self.value, self.name = value, name

    def __str__(self) -> str:
        return self.name  # which may be changed later

    __repr__ = __str__


class TypeInfo:
    """Shape and dtype of an operand.

    Args:
        shape: the lengths of the axes.
        dtype: the type of the elements.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return int(np.prod(self.shape, dtype=int))


class TypeInfoTuple(tuple[Expr, ...]):
    """The operands of a function, as expressions."""

    name: str

    def size(self) -> Variable:
        """How many there are."""
        return Variable(len(self), f"{self.name}.size")


class LightTypeInfoTuple(tuple[Any, ...]):
    """The operands of a function, as plain shapes and dtypes."""

    def size(self) -> int:
        """How many there are."""
        return len(self)


class LightMode(threading.local):
    """While it is entered, conditions are simply true or false."""

    active = False

    def __enter__(self) -> None:
        self.active = True

    def __exit__(self, *_: object) -> None:
        self.active = False


light_mode = LightMode()


def in_light_mode() -> bool:
    """Whether conditions are simply true or false now."""
    return light_mode.active


def info_of(value: Any) -> Any:
    """Shape and dtype of an operand, None if it is None."""
    return None if value is None else spec_of(value)


def get_light_types(data: Iterable[Any], *, shapes: Sequence[Any] | None = None) -> LightTypeInfoTuple:
    """The operands as plain shapes and dtypes."""
    values = list(data)
    if shapes is None:
        return LightTypeInfoTuple(map(info_of, values))
    return LightTypeInfoTuple(
        TypeInfo(value.shape if shape is None else shape, value.dtype)
        for value, shape in zip(values, shapes, strict=True)
    )


def get_types(
    data: Iterable[Any], name: str, accept_none: bool, *, shapes: Sequence[Any] | None = None
) -> TypeInfoTuple:
    """The operands as expressions called ``name[0]``, ``name[1]``, ...

    Raises:
        ValueError: if one is None and ``accept_none`` is not set.
    """
    values = list(data)
    types = []
    for position, value in enumerate(values):
        if value is None and not accept_none:
            raise ValueError(f"operand {position} is None{at_user_line()}; an array is needed")
        shape = None if shapes is None else shapes[position]
        info = None if value is None else TypeInfo(value.shape if shape is None else shape, value.dtype)
        types.append(Variable(info, f"{name}[{position}]"))
    found = TypeInfoTuple(types)
    found.name = name
    return found


def argname(in_types: Any, names: Sequence[str]) -> None:
    """Give the operands the names of the function's arguments.

    Raises:
        InvalidType: if there are more or fewer operands than names.
    """
    expect(in_types.size() == len(names))
    if isinstance(in_types, TypeInfoTuple):
        for variable, name in zip(in_types, names, strict=True):
            variable.name = name  # type: ignore[attr-defined]


_argname = argname


def expect(*conditions: Any) -> None:
    """See that all conditions hold.

    Args:
        conditions: comparisons of expressions; truth values in light mode.

    Raises:
        InvalidType: if one does not hold; its text says which, and the values of both sides.

    >>> shape = make_variable((2, 3), "x.shape")
    >>> expect(shape[0] == 2)
    >>> expect(shape[1] + 1 == 5)
    Traceback (most recent call last):
        ...
    autodiff.facade.functions.invalid.InvalidType: Expect: x.shape[1] + 1 == 5
    Actual: 4 != 5
    """
    for condition in conditions:
        if isinstance(condition, Testable):
            condition.expect()
        elif not condition:
            raise InvalidType("a condition that holds", "it does not hold")


def expect_broadcast_shapes(*shapes: Any) -> None:
    """See that arrays of these shapes can be combined element by element.

    Raises:
        InvalidType: if they cannot.
    """
    try:
        np.broadcast_shapes(*map(evaluated, shapes))
    except ValueError:
        lines = "".join(f"\n{shape} = {evaluated(shape)}" for shape in shapes)
        text = f"cannot broadcast inputs of the following shapes:{lines}"
        raise InvalidType("shapes that can be broadcast", lines.strip(), text) from None


def eval(exp: Any) -> Any:
    """The value of an expression; anything else is its own."""
    return evaluated(exp)


def make_variable(value: Any, name: str) -> Any:
    """A value with a name; the value itself in light mode."""
    return value if in_light_mode() else Variable(value, name)


def prod(xs: Any) -> Any:
    """The product of lengths: an expression if there is one among them."""
    if not isinstance(xs, Expr) and not any(isinstance(x, Expr) for x in xs):
        return math.prod(xs)
    return Expr(f"prod({written(xs)})", lambda: math.prod(evaluated(xs)))


def same_types(*arrays: Any) -> bool:
    """Whether all are arrays of one kind: of NumPy, or of CuPy."""
    modules = {type(array).__module__.partition(".")[0] if hasattr(array, "dtype") else None for array in arrays}
    return len(modules) < 2 and None not in modules and not any(isinstance(array, np.generic) for array in arrays)


def check_operands(label: str, check: Callable[[Any], Any], values: Sequence[Any]) -> None:
    """Run a check of operands: ``check(in_types)`` calls :func:`expect`.

    Raises:
        InvalidType: if a condition does not hold.
    """
    if not config.type_check:
        return
    with light_mode:
        found = violation(check, get_light_types(values))
    if found is not None:
        found = violation(check, get_types(values, "in_types", True)) or found
        raise found.performed_in(label)


def violation(check: Callable[[Any], Any], in_types: Any) -> InvalidType | None:
    """The error that a check raises, if any."""
    try:
        check(in_types)
    except InvalidType as error:
        return error
    except IndexError:  # of an axis that is not there: as an expression an earlier condition says so
        if not in_light_mode():
            raise
        return InvalidType("a condition that holds", "it does not hold")
    return None


def check_conditions(label: str, check: Callable[..., Any], values: Sequence[Any]) -> None:
    """The same for ``check(x, W, ...)``, which returns one condition or a tuple of them, however it is configured.

    The operands have the names of its parameters.
    """
    specs = [None if value is None else spec_of(value) for value in values]
    try:
        conditions = check(*specs)
    except IndexError:  # of an axis that is not there: an earlier condition says so
        conditions = False
    if conditions is True or (type(conditions) is tuple and all(conditions)):
        return
    try:
        found = check(*map(Variable, specs, parameter_names(check, len(values))))
        expect(*(found if type(found) is tuple else (found,)))
        raise InvalidType("a condition that holds", "it does not hold")
    except InvalidType as error:
        raise error.performed_in(label) from None


def parameter_names(check: Callable[..., Any], count: int) -> list[str]:
    """What a check calls its operands; those of ``*xs`` are ``in_types[0]``, ..."""
    parameters = inspect.signature(check).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL]
    return names + [f"in_types[{position}]" for position in range(len(names), count)]
