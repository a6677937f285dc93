"""Variables as in Chainer 1: made with a volatile flag, compared by nobody, found in sets and dicts."""

from __future__ import annotations

from typing import Any, NoReturn

from autodiff.chainer.flag import OFF, Flag
from autodiff.facade.settings.volatility import set_volatile, volatile
from autodiff.facade.variables import text
from autodiff.facade.variables import variable as facade
from autodiff.trace.source import at_user_line


class Constructor(type):
    """The type of a class of which all Variables are instances, also those that operations make."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, facade.Variable) if cls is Variable else super().__instancecheck__(instance)


class Variable(facade.Variable, metaclass=Constructor):
    """A Variable of Chainer 1.

    Args:
        data: an array.
        volatile: ON where no graph is wanted, OFF where one is, AUTO where other operands decide; in any spelling.
        name: what the Variable is called in texts.
        grad: a gradient to begin with.

    Raises:
        TypeError: if the data are no array.
    """

    __slots__ = ()

    def __init__(self, data: Any, volatile: Any = OFF, name: str | None = None, grad: Any = None) -> None:
        if data is None:
            raise TypeError(f"a Variable holds an array, got None{at_user_line()}")
        super().__init__(data, name=name, grad=grad)
        set_volatile(self, Flag(volatile).value)


def get_volatile(self: facade.Variable) -> Flag:
    """Whether operations on the Variable build no graph: ON, OFF or AUTO."""
    return Flag(volatile(self))


def length(self: facade.Variable) -> int:
    """How many elements there are: Chainer 7 counts along the first axis."""
    return int(self.size)


def representation(self: facade.Variable) -> str:
    """``<variable NAME>``, without the elements."""
    return text.summary(self)


def short_text(self: facade.Variable) -> str:
    """Its name, or its address."""
    return self.name or f"<var@{id(self):x}>"


def report(self: facade.Variable) -> str:
    """Eight lines that say what it holds."""
    lines = text.report(self).split("\n")
    return "\n".join([*lines[:2], f"- volatile: {get_volatile(self)}", *lines[2:]])


def no_truth(self: facade.Variable, *_: Any) -> NoReturn:
    """Refuse to be compared.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"Variables are neither compared nor true{at_user_line()}; compare their arrays: v.data")


METHODS: dict[str, Any] = {
    "volatile": property(get_volatile, lambda self, flag: set_volatile(self, Flag(flag).value)),
    "__len__": length,
    "__repr__": representation,
    "__str__": short_text,
    "__hash__": object.__hash__,
    "debug_print": report,
    **dict.fromkeys(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__"), no_truth),
}


def install() -> None:
    """Make the Variables of this process behave as in Chainer 1."""
    for name, method in METHODS.items():
        setattr(facade.Variable, name, method)
