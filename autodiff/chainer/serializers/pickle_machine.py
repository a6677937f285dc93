"""The stack machine that follows the instructions of a pickle.

It knows numbers, texts, lists, tuples, dicts, sets, and the few names under which NumPy writes arrays down.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from autodiff.chainer.serializers.pickled_arrays import (
    DTYPE,
    ENCODE,
    NAMES,
    NDARRAY,
    RECONSTRUCT,
    Name,
    Unfinished,
    array_of,
    as_text,
    dtype_of,
    refusal,
)
from autodiff.trace.source import at_user_line

KEYS = 10_000
"""The most keys of dicts and members of sets that are no texts: those of numbers can be made to collide."""

DIGITS = 2048
"""The most bytes of an int."""


class Machine:
    """The stack machine.

    Args:
        texts_are_bytes: whether Python 2's texts are bytes.
    """

    def __init__(self, texts_are_bytes: bool) -> None:
        self.texts_are_bytes = texts_are_bytes
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.keys = 0

    def result(self) -> Any:
        """What is left at the end, if it is one object."""
        if len(self.stack) != 1:
            raise refusal("it does not leave one object")
        return self.stack[0]

    def step(self, name: str, argument: Any) -> None:
        """Follow one instruction."""
        if name in PLAIN:
            self.stack.append(PLAIN[name](argument))
        elif name in PYTHON_2:
            data = argument.encode("latin1")
            self.stack.append(data if self.texts_are_bytes else data.decode("ascii"))
        elif name in ACTIONS:
            ACTIONS[name](self, argument)
        elif name not in IGNORED:
            raise refusal(f"it has the instruction {name}")

    def since_mark(self) -> list[Any]:
        """What was put on the stack since the last mark, taken off it."""
        mark = self.marks.pop()
        found = self.stack[mark:]
        del self.stack[mark:]
        return found

    def top(self, count: int) -> list[Any]:
        """The last objects, taken off the stack."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise refusal("it takes more than there is")
        found = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return found

    # Containers.

    def extend(self, found: list[Any]) -> None:
        """Append to the list that is on top."""
        target = self.stack[-1]
        if type(target) is not list:
            raise refusal(f"it appends to a {type(target).__name__}")
        target.extend(found)

    def put_items(self, found: list[Any]) -> None:
        """Put keys and values, one after the other, into the dict that is on top."""
        target = self.stack[-1]
        if type(target) is not dict or len(found) % 2:
            raise refusal(f"it sets items of a {type(target).__name__}")
        self.count_keys(found[::2])
        target.update(zip(found[::2], found[1::2], strict=True))

    def add_members(self, found: list[Any]) -> None:
        """Put members into the set that is on top."""
        target = self.stack[-1]
        if type(target) is not set:
            raise refusal(f"it adds to a {type(target).__name__}")
        self.count_keys(found)
        target.update(found)

    def as_set(self, found: list[Any]) -> frozenset[Any]:
        self.count_keys(found)
        return frozenset(found)

    def as_dict(self, found: list[Any]) -> dict[Any, Any]:
        self.stack.append({})
        self.put_items(found)
        made: dict[Any, Any] = self.stack.pop()
        return made

    def count_keys(self, keys: list[Any]) -> None:
        """Refuse too many keys that are no texts."""
        self.keys += sum(type(key) not in (str, bytes) for key in keys)
        if self.keys > KEYS:
            raise refusal(f"more than {KEYS} keys are no texts")

    # The memo.

    def memoize(self, place: int | None) -> None:
        """Take note of the object on top."""
        place = len(self.memo) if place is None else place
        found = self.stack[-1]
        if type(found) is Unfinished:
            found.places.append(place)
        self.memo[place] = found

    # Names, and what they make.

    def name(self, module: Any, name: Any) -> None:
        """Put a name on the stack."""
        found = NAMES.get(Name(module, name)) if type(module) is type(name) is str else None
        if found is None:
            raise pickle.UnpicklingError(
                f"the file wants to load {module}.{name}{at_user_line()}, which could run any code; if you trust the "
                "file, use load_npz(file, obj, allow_pickle=True)"
            )
        self.stack.append(found)

    def reduce(self) -> None:
        """What stands for the call of a function."""
        function, arguments = self.top(2)
        if type(arguments) is not tuple:
            raise refusal("it calls something with no tuple of arguments")
        if function is RECONSTRUCT and arguments and arguments[0] is NDARRAY:
            self.stack.append(Unfinished())
        elif function is DTYPE and arguments:
            self.stack.append(Unfinished(as_text(arguments[0])))
        elif function is ENCODE and len(arguments) == 2 and arguments[1] in ("latin1", "latin-1"):
            self.stack.append(as_text(arguments[0]).encode("latin1"))
        else:
            raise refusal("it calls something that makes no array")

    def build(self) -> None:
        """The array or dtype of which all is known now, in the place of the unfinished one."""
        found, state = self.top(2)
        if type(found) is not Unfinished or type(state) is not tuple:
            raise refusal("it changes an object that is finished")
        made = array_of(state) if found.code is None else dtype_of(found.code, state)
        for place in found.places:
            if self.memo.get(place) is found:
                self.memo[place] = made
        self.stack.append(made)


def as_int(argument: Any) -> int:
    """An int, which is not too long."""
    if argument.bit_length() > 8 * DIGITS:
        raise refusal(f"an int of more than {DIGITS} bytes")
    return int(argument) if type(argument) is not bool else argument


PLAIN: dict[str, Callable[[Any], Any]] = {
    "NONE": lambda argument: None,
    "NEWTRUE": lambda argument: True,
    "NEWFALSE": lambda argument: False,
    "EMPTY_LIST": lambda argument: [],
    "EMPTY_TUPLE": lambda argument: (),
    "EMPTY_DICT": lambda argument: {},
    "EMPTY_SET": lambda argument: set(),
    **dict.fromkeys(("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"), as_int),
    **dict.fromkeys(("FLOAT", "BINFLOAT"), float),
    **dict.fromkeys(("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"), str),
    **dict.fromkeys(("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"), bytes),
}
"""Instructions that put an object on the stack."""

PYTHON_2 = ("STRING", "BINSTRING", "SHORT_BINSTRING")
IGNORED = ("PROTO", "FRAME", "STOP")

ACTIONS: dict[str, Callable[[Machine, Any], object]] = {
    "MARK": lambda m, argument: m.marks.append(len(m.stack)),
    "POP": lambda m, argument: m.top(1),
    "POP_MARK": lambda m, argument: m.since_mark(),
    "DUP": lambda m, argument: m.stack.append(m.stack[-1]),
    "APPEND": lambda m, argument: m.extend(m.top(1)),
    "APPENDS": lambda m, argument: m.extend(m.since_mark()),
    "LIST": lambda m, argument: m.stack.append(m.since_mark()),
    "TUPLE": lambda m, argument: m.stack.append(tuple(m.since_mark())),
    "TUPLE1": lambda m, argument: m.stack.append(tuple(m.top(1))),
    "TUPLE2": lambda m, argument: m.stack.append(tuple(m.top(2))),
    "TUPLE3": lambda m, argument: m.stack.append(tuple(m.top(3))),
    "DICT": lambda m, argument: m.stack.append(m.as_dict(m.since_mark())),
    "SETITEM": lambda m, argument: m.put_items(m.top(2)),
    "SETITEMS": lambda m, argument: m.put_items(m.since_mark()),
    "ADDITEMS": lambda m, argument: m.add_members(m.since_mark()),
    "FROZENSET": lambda m, argument: m.stack.append(m.as_set(m.since_mark())),
    "MEMOIZE": lambda m, argument: m.memoize(None),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), lambda m, argument: m.memoize(argument)),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), lambda m, argument: m.stack.append(m.memo[argument])),
    "GLOBAL": lambda m, argument: m.name(*argument.split(" ", 1)),
    "STACK_GLOBAL": lambda m, argument: m.name(*m.top(2)),
    "REDUCE": lambda m, argument: m.reduce(),
    "BUILD": lambda m, argument: m.build(),
}
"""Instructions that do something else."""
