"""Random changes: of JSON data at its joints, and of bytes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Path = tuple[Any, ...]

NUMBERS = [0, 1, -1, 2, 3, 7, 64, 65, 255, 256, 10**6, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**70, -(2**63), 0.0, 0.5]
DTYPES = [
    "<f8",
    "<f4",
    "<f2",
    ">f8",
    "<i8",
    "<i4",
    "|i1",
    "|u1",
    "<u8",
    "|b1",
    "<c16",
    "<c8",
    "|O",
    "|V8",
    "<U4",
    "<M8[s]",
]
NAMES = [
    "array", "scalar", "python", "tuple", "list", "dict", "*", "left", "right", "L", "U", "stable", "float", "tape",
    "axes", "axis", "shape", "dtype", "key", "length", "out", "where", "x=print(1)#", "__import__('os').abort()",
    "__class__", "ij,jk->ik", "i,i->", "sum", "multiply", "reshape", "gather", "scan", "slice_of", "jit", "custom_vjp",
    "file.py:1", "file.py:1\nprint(1)", "", "None", "\x00", "é" * 3,
]  # fmt: skip
OTHERS: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [1],
    {"tuple": []},
    {"tuple": [1, 2]},
    {"ellipsis": None},
    {"literal": 1.0},
]


def places(data: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of everything inside of JSON data."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def at(data: Any, path: Path) -> Any:
    """What stands at a path."""
    for key in path:
        data = data[key]
    return data


def changed(data: Any, random: Random, foreign: Callable[[], Any]) -> Any:
    """A copy of JSON data with one to three changes.

    Args:
        data: the data.
        random: decides.
        foreign: gives other data, of which parts are taken.
    """
    data = copy.deepcopy(data)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        paths = list(places(data))
        if paths:
            change(data, random.choice(paths), random, foreign)
    return data


def change(data: Any, path: Path, random: Random, foreign: Callable[[], Any]) -> None:
    """Change what stands at a path."""
    holder, key = at(data, path[:-1]), path[-1]
    value = holder[key]
    kinds = ["replace", "replace", "near", "near", "delete", "repeat", "swap", "rename", "splice", "wrap", "other"]
    match random.choice(kinds):
        case "replace":
            holder[key] = replacement(value, random)
        case "near":
            holder[key] = near(value, random)
        case "delete":
            del holder[key]
        case "repeat" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(value))
        case "swap" if isinstance(holder, list):
            other = random.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case "rename" if isinstance(holder, dict):
            holder[random.choice(NAMES)] = holder.pop(key)
        case "splice":
            source = foreign()
            paths = [own for own in places(source) if own[-1:] == path[-1:]] or list(places(source))
            if paths:
                holder[key] = copy.deepcopy(at(source, random.choice(paths)))
        case "wrap":
            holder[key] = random.choice([[value], {"tuple": [value]}, {"literal": value}, {"scalar": value}])
        case _:
            holder[key] = copy.deepcopy(random.choice(OTHERS))


def replacement(value: Any, random: Random) -> Any:
    """Something else of the same kind."""
    if isinstance(value, str):
        return random.choice(DTYPES if value[:1] in ("<", ">", "|") else NAMES)
    return copy.deepcopy(random.choice(NUMBERS if isinstance(value, (int, float)) else OTHERS))


def near(value: Any, random: Random) -> Any:
    """Something that is almost the same."""
    if isinstance(value, bool) or value is None:
        return random.choice([True, False, None])
    if isinstance(value, (int, float)):
        return random.choice([value + 1, value - 1, -value, value * 2, value // 2])
    if isinstance(value, str):
        cut = random.randrange(len(value) + 1)
        return random.choice([value[:cut], value[:cut] + random.choice("A1<f8\x01'\"=") + value[cut:], value + value])
    if isinstance(value, list) and value:
        return random.choice([value[:-1], value[1:], value + value[:1], value[::-1]])
    return value


def changed_bytes(data: bytes, random: Random) -> bytes:
    """Bytes with one to three changes."""
    found = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 3])):
        place = random.randrange(len(found) + 1)
        count = random.choice([1, 1, 2, 4, 8, 64])
        match random.choice(["flip", "set", "delete", "insert", "repeat", "cut", "number"]):
            case "flip" if place < len(found):
                found[place] ^= 1 << random.randrange(8)
            case "set" if place < len(found):
                found[place] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
            case "delete":
                del found[place : place + count]
            case "insert":
                found[place:place] = random.randbytes(count)
            case "repeat":
                found[place:place] = found[place : place + count]
            case "cut":
                del found[place:]
            case _:
                found[place : place + 4] = random.choice([2**31 - 1, 2**32 - 1, 0, 10**6]).to_bytes(4, "little")
    return bytes(found)
