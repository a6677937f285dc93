"""Parameters, arrays and structures of trees as JSON: numbers keep their types and bits.

What is read is taken for nothing but data: every part must have the form in which it is written here.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from autodiff.trace.spec import Spec, is_number, sound_shape, sound_spec, spec
from autodiff.trace.tape import TapeError
from autodiff.trace.trees.containers import check_container, is_registered
from autodiff.trace.trees.fields import Fields, declared
from autodiff.trace.trees.tree import LEAF, NOTHING, TreeDef

CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
CODE = re.compile(r"[<>|][biufc][0-9]{1,2}")
"""The dtypes of numbers, as NumPy writes them."""

Json = Any
Classes = dict[str, type]


# The parts of JSON.


def damage(reason: str) -> TapeError:
    """The error about a file that is not as it was written."""
    return TapeError(f"the saved tape is damaged: {reason}")


def fields(data: Json, *names: str) -> list[Json]:
    """The values of an object with these names."""
    if not isinstance(data, dict) or data.keys() != set(names):
        raise damage(f"{brief(data)} is no object with {', '.join(names)}")
    return [data[name] for name in names]


def items(data: Json) -> list[Json]:
    """The parts of a list."""
    if not isinstance(data, list):
        raise damage(f"{brief(data)} is no list")
    return data


def integer(data: Json) -> int:
    """An integer."""
    if type(data) is not int:
        raise damage(f"{brief(data)} is no integer")
    return data


def text(data: Json) -> str:
    """A text."""
    if not isinstance(data, str):
        raise damage(f"{brief(data)} is no text")
    return data


def brief(data: Json) -> str:
    """What was found, as errors show it."""
    if isinstance(data, dict):
        return f"an object with {', '.join(sorted(data)) or 'nothing'}"[:80]
    return "a list" if isinstance(data, list) else repr(data)[:80]


# Specs, dtypes, arrays.


def encode_spec(s: Spec) -> Json:
    """A spec as shape, dtype and kind."""
    return [list(s.shape), encode_dtype(s.dtype), s.kind]


def decode_spec(data: Json) -> Spec:
    """The spec of a shape, dtype and kind."""
    if len(items(data)) != 3:
        raise damage(f"a spec has three parts, and not {len(data)}")
    shape, dtype, kind = decode_shape(data[0]), decode_dtype(data[1]), data[2]
    if kind not in ("array", "scalar", "python"):
        raise damage(f"there is no kind {kind!r}")
    if not sound_spec(Spec(shape, dtype, kind)):
        raise damage(f"there are no values of kind {kind}, shape {shape} and dtype {dtype}")
    return spec(shape, dtype, kind)


def decode_shape(data: Json) -> tuple[int, ...]:
    """A shape."""
    shape = tuple(map(integer, items(data)))
    if not sound_shape(shape):
        raise damage(f"there is no array of shape {shape}")
    return shape


def encode_dtype(dtype: np.dtype[Any]) -> str:
    """A dtype by its NumPy code, byte order included."""
    if not is_number(dtype) or np.dtype(dtype.str) != dtype:
        raise TapeError(f"the dtype {dtype} cannot be saved")
    return dtype.str


def decode_dtype(data: Json) -> np.dtype[Any]:
    """The dtype of a code."""
    code = text(data)
    try:
        found = np.dtype(code) if CODE.fullmatch(code) else None
    except TypeError:
        found = None
    if found is None or found.str != code:
        raise damage(f"{code[:80]!r} is no dtype of numbers")
    return found


def encode_array(array: Any) -> Json:
    """An array as dtype, shape and bytes."""
    array = np.asarray(array)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": encode_dtype(array.dtype), "shape": list(array.shape), "data": data}


def decode_array(data: Json) -> Any:
    """The array of a dtype, shape and bytes; it cannot be written to."""
    code, lengths, written = fields(data, "dtype", "shape", "data")
    dtype, shape = decode_dtype(code), decode_shape(lengths)
    wanted = prod(shape) * dtype.itemsize
    content = text(written)
    if len(content) != -(-wanted // 3) * 4:
        raise damage(f"an array of shape {shape} and dtype {dtype} has {wanted} bytes, and not {len(content) // 4 * 3}")
    try:
        found = base64.b64decode(content, validate=True)
    except ValueError as error:
        raise damage(f"the bytes of an array: {error}") from None
    if len(found) != wanted:
        raise damage(f"an array of shape {shape} and dtype {dtype} has {wanted} bytes, and not {len(found)}")
    return np.frombuffer(found, dtype).reshape(shape)


# Parameters and numbers.


def encode(value: Any) -> Json:
    """A parameter or literal. Numbers keep their types and bits."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": struct.pack("<d", value).hex()}
    if kind in ENCODERS:
        return ENCODERS[kind](value)
    if isinstance(value, np.dtype):
        return {"dtype": encode_dtype(value)}
    if isinstance(value, np.generic):
        return {"scalar": encode_array(value)}
    raise TapeError(f"it holds a {kind.__name__}, which is neither a number, a text, a dtype, nor a tape")


def decode(data: Json, classes: Classes) -> Any:
    """What :func:`encode` wrote down."""
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if not isinstance(data, dict) or len(data) != 1 or next(iter(data)) not in DECODERS:
        raise damage(f"{brief(data)} is no value")
    ((tag, content),) = data.items()
    return DECODERS[tag](content, classes)


def decode_number(data: Json) -> Any:
    """A number of Python or NumPy."""
    if isinstance(data, (bool, int, float)):
        return data
    if not isinstance(data, dict) or not data.keys() <= {"float", "complex", "scalar"}:
        raise damage(f"{brief(data)} is no number")
    return decode(data, {})


def decode_float(data: Json) -> float:
    """A float by its bits."""
    try:
        (found,) = struct.unpack("<d", bytes.fromhex(text(data)))
    except (ValueError, struct.error):
        raise damage(f"{brief(data)} are not the bits of a float") from None
    return float(found)


def decode_complex(data: Json) -> complex:
    """A complex number by its parts."""
    parts = [decode_number(part) for part in items(data)]
    if len(parts) != 2 or not all(type(part) is float for part in parts):
        raise damage("a complex number has two parts, each of which is a float")
    return complex(*parts)


def decode_scalar(data: Json) -> Any:
    """A number of NumPy."""
    found = decode_array(data)
    if found.shape:
        raise damage(f"an array of shape {found.shape} is no number")
    return found[()]


ENCODERS: dict[type, Callable[[Any], Json]] = {
    complex: lambda value: {"complex": [encode(value.real), encode(value.imag)]},
    tuple: lambda value: {"tuple": [encode(part) for part in value]},
    type(Ellipsis): lambda value: {"ellipsis": None},
}

DECODERS: dict[str, Callable[[Json, Classes], Any]] = {
    "float": lambda data, classes: decode_float(data),
    "complex": lambda data, classes: decode_complex(data),
    "tuple": lambda data, classes: tuple(decode(part, classes) for part in items(data)),
    "ellipsis": lambda data, classes: Ellipsis,
    "dtype": lambda data, classes: decode_dtype(data),
    "scalar": lambda data, classes: decode_scalar(data),
}


# Structures of trees.


def encode_structure(structure: TreeDef) -> Json:
    """The structure of a tree; classes by their names."""
    if structure == LEAF:
        return "*"
    if structure == NOTHING:
        return None
    assert structure.kind is not None
    named = {own: name for name, own in CONTAINERS.items()}
    return {
        "kind": named.get(structure.kind) or class_name(structure.kind),
        "extra": encode_extra(structure.extra),
        "children": [encode_structure(child) for child in structure.children],
    }


def decode_structure(data: Json, classes: Classes) -> TreeDef:
    """The structure that was written down."""
    if data == "*":
        return LEAF
    if data is None:
        return NOTHING
    named, written, parts = fields(data, "kind", "extra", "children")
    name = text(named)
    kind = CONTAINERS.get(name) or classes.get(name)
    if kind is None:
        raise TapeError(f"the saved tape needs the class {name}; load it with classes=[{name.rpartition('.')[2]}]")
    children = tuple(decode_structure(child, classes) for child in items(parts))
    extra = decode_extra(kind, written)
    if kind is dict and not (type(extra) is tuple and all(map(is_key, extra))):
        raise damage("the keys of a dictionary are texts, numbers, None, and tuples of these")
    try:
        check_container(kind, extra, len(children))
    except (ValueError, TypeError) as error:
        raise damage(str(error)) from None
    return TreeDef(kind, extra, children)


def encode_extra(extra: Any) -> Json:
    """What it takes to build a container again; static fields of dataclasses beside the names of the others."""
    if not isinstance(extra, Fields):
        return encode(extra)
    return encode((extra.names, extra.static) if extra.static else extra.names)


def decode_extra(kind: type, data: Json) -> Any:
    """The same, from what was written down; unchecked but for its form."""
    extra = decode(data, {})
    own = None if is_registered(kind) else declared(kind)
    if own is None:
        return extra
    names, static = extra if own.static and type(extra) is tuple and len(extra) == 2 else (extra, ())
    if type(static) is not tuple or not all(type(pair) is tuple and len(pair) == 2 for pair in static):
        raise damage(f"the static fields of {kind.__name__} are pairs of a name and a value")
    return Fields(names, static)


def is_key(value: Any) -> bool:
    """Whether it can be the key of a dictionary in a saved tape."""
    if type(value) is tuple:
        return all(map(is_key, value))
    return value is None or isinstance(value, (bool, int, float, complex, str, np.generic))


def class_name(kind: type) -> str:
    """A class as saved tapes refer to it."""
    return f"{kind.__module__}.{kind.__qualname__}"
