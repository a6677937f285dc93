"""The call path of one signature, printed: it looks at nothing that is not there, and builds nothing but the key.

A call of ``f(x, {"w": w, "b": b})`` with arrays ``x`` and ``w`` and a float ``b`` runs::

    def call(self, args, kwargs):
        try:
            if not (
                len(args) == 2
                and not kwargs
                and type(x0 := args[0]) is ndarray
                and type(x1 := args[1]) is dict
                and len(x1) == 2
                and type(x2 := x1["b"]) is float
                and type(x3 := x1["w"]) is ndarray
            ):
                return self.otherwise(args, kwargs)
        except (AttributeError, LookupError):
            return self.otherwise(args, kwargs)
        state = now.shared or surrounding_state()
        details = (
            x0.shape,
            x0.dtype,
            x3.shape,
            x3.dtype,
        )
        last = signature.last
        if state is not last.state or details != last.details:
            last = signature.find(state, details)
            if last is None:
                return self.otherwise(args, kwargs)
        outs = last.run(
            (
                x0,
                x2,
                x3,
            )
        )
        return outs[0] if last.rebuild is None else last.rebuild(outs)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.trace.surroundings import now, surrounding_state
from autodiff.trace.tape import strict
from autodiff.trace.trees.containers import is_registered
from autodiff.trace.trees.fields import Fields
from autodiff.trace.trees.tree import READABLE, TreeDef
from autodiff.transforms.jit.rebuilding import MANY, named
from autodiff.transforms.jit.signatures import Signature, is_array_class

Call = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
FILE = "<autodiff call>"


def call_path(signature: Signature[Any]) -> Call | None:
    """The call path of a signature; None if it is too large, or of containers that only their class can take apart."""
    if signature.key.structure.count > MANY or signature.key.structure.depth > READABLE:
        return None
    try:
        printer = printer_of(signature)
    except Unprintable:
        return None
    exec(compile(printer.source(), FILE, "exec"), printer.scope)
    return printer.scope["call"]  # type: ignore[no-any-return]


def printer_of(signature: Signature[Any]) -> Printer:
    """What prints the call path of a signature.

    Raises:
        Unprintable: if there is none.
    """
    printer = Printer(signature)
    printer.arguments()
    return printer


class Unprintable(Exception):
    """A container that only general code takes apart."""


@dataclass
class Printer:
    """Prints the call path of a signature.

    Attributes:
        signature: the signature.
        scope: what the text refers to.
        conditions: what must hold of the arguments.
        leaves: the names of the leaves.
        count: how many names have been given.
    """

    signature: Signature[Any]
    scope: dict[str, Any] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    count: int = 0

    def __post_init__(self) -> None:
        self.scope.update(
            signature=self.signature,
            now=now,
            surrounding_state=surrounding_state,
            static_of=static_of,
            ndarray=np.ndarray,
        )

    def arguments(self) -> None:
        """Take the arguments apart."""
        positional, named_ones = self.signature.key.structure.children
        static = self.signature.static
        by_position = {place for place in static if isinstance(place, int)}
        by_name = [place for place in static if isinstance(place, str)]
        count = len(by_position) + len(positional.children)
        self.conditions.append(f"len(args) == {count}")
        keywords = len(by_name) + len(named_ones.children)
        self.conditions.append(f"len(kwargs) == {keywords}" if keywords else "not kwargs")
        for place, expected in self.signature.key.static:
            self.static(f"args[{place}]" if isinstance(place, int) else f"kwargs[{place!r}]", static[place], expected)
        for n, part in zip((n for n in range(count) if n not in by_position), positional.children, strict=True):
            self.part(f"args[{n}]", part)
        for name, part in zip(named_ones.extra, named_ones.children, strict=True):
            self.part(f"kwargs[{name!r}]", part)

    def static(self, place: str, value: Any, expected: Any) -> None:
        """A static argument: the very object, or an equal one."""
        at = self.name()
        self.scope[f"value_{at}"], self.scope[f"key_{at}"] = value, expected
        self.conditions.append(f"(({at} := {place}) is value_{at} or static_of({at}) == key_{at})")

    def part(self, place: str, structure: TreeDef) -> None:
        """A part of the arguments."""
        kind, children = structure.kind, structure.children
        if kind is None:
            self.leaf(place)
            return
        if kind is type(None):
            self.conditions.append(f"{place} is None")
            return
        steps = self.steps(structure)
        at = self.name()
        self.conditions.append(f"type({at} := {place}) is {self.type_name(kind)}")
        if kind in (tuple, list, dict):
            self.conditions.append(f"len({at}) == {len(children)}")
        if kind is dict and int in map(type, structure.extra):  # True and 1.0 are equal keys
            self.conditions.append(f"all(type(key) is int or type(key) is str for key in {at})")
        for name, value in structure.extra.static if isinstance(structure.extra, Fields) else ():
            self.static(f"{at}.{name}", value, static_of(value))
        for step, child in zip(steps, children, strict=True):
            self.part(f"{at}{step}", child)

    def steps(self, structure: TreeDef) -> list[str]:
        """How the children of a container are reached."""
        kind, extra, count = structure.kind, structure.extra, len(structure.children)
        assert kind is not None
        if is_registered(kind):
            raise Unprintable
        if kind is dict:
            if {*map(type, extra)} - {str, int}:
                raise Unprintable
            return [f"[{named(key, self.scope)}]" for key in in_order(extra)]
        if issubclass(kind, (tuple, list)):
            return [f"[{k}]" for k in range(count)]
        if not isinstance(extra, Fields) or not all(map(str.isidentifier, extra.names)):
            raise Unprintable
        return [f".{name}" for name in extra.names]

    def leaf(self, place: str) -> None:
        """A leaf."""
        kind = self.signature.key.kinds[len(self.leaves)]
        if isinstance(kind, np.dtype):
            if kind.kind not in "biufc":
                raise Unprintable
            kind = kind.type
        at = self.name()
        self.conditions.append(f"type({at} := {place}) is {self.type_name(kind)}")
        self.leaves.append(at)

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"x{self.count - 1}"

    def type_name(self, kind: type) -> str:
        """The name of a class."""
        if kind.__module__ == "builtins" and kind in (bool, int, float, complex, tuple, list, dict):
            return kind.__name__
        return "ndarray" if kind is np.ndarray else named(kind, self.scope)

    def source(self) -> str:
        """The text."""
        kinds = self.signature.key.kinds
        arrays = [at for at, kind in zip(self.leaves, kinds, strict=True) if is_array_class(kind)]
        details = "".join(
            f"{at}.shape, {at}.dtype, " + ("" if kind is np.ndarray else f"{at}.device.id, ")
            for at, kind in zip(self.leaves, kinds, strict=True)
            if is_array_class(kind)
        )
        lines = [
            "def call(self, args, kwargs):",
            "    try:",
            "        if not (",
            *(f"            {'and ' if n else ''}{condition}" for n, condition in enumerate(self.conditions)),
            "        ):",
            "            return self.otherwise(args, kwargs)",
            "    except (AttributeError, LookupError):",
            "        return self.otherwise(args, kwargs)",
            "    state = now.shared or surrounding_state()",
            f"    details = ({details})" if arrays else "",
            "    last = signature.last",
            f"    if state is not last.state{' or details != last.details' if arrays else ''}:",
            f"        last = signature.find(state, {'details' if arrays else '()'})",
            "        if last is None:",
            "            return self.otherwise(args, kwargs)",
            f"    outs = last.run(({''.join(f'{at}, ' for at in self.leaves)}))",
            "    return outs[0] if last.rebuild is None else last.rebuild(outs)",
        ]
        return "\n".join(line for line in lines if line) + "\n"


def in_order(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys of a dictionary, whose order does not matter where they can be sorted.

    Raises:
        Unprintable: where the order of insertion tells trees apart.
    """
    try:
        sorted(keys)
    except TypeError:
        raise Unprintable from None
    return keys


def static_of(value: Any) -> Any:
    """A static argument as keys have it: with its type, which tells 1 and True apart."""
    return type(value), strict(value)
