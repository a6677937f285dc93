"""Parameters, arrays and structures of trees as JSON: numbers keep their types and bits."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import TapeError
from autodiff.trace.tree import LEAF, NOTHING, Structure

CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
Json = Any
Classes = dict[str, type]


def encode_spec(s: Spec) -> Json:
    """A spec as shape, dtype and kind."""
    return [list(s.shape), encode_dtype(s.dtype), s.kind]


def decode_spec(data: Json) -> Spec:
    """The spec of a shape, dtype and kind."""
    shape, dtype, kind = data
    if kind not in ("array", "scalar", "python"):
        raise TapeError(f"the saved tape is damaged: there is no kind {kind!r}")
    return spec(tuple(map(int, shape)), np.dtype(dtype), kind)


def encode_dtype(dtype: np.dtype[Any]) -> str:
    """A dtype by its NumPy code, byte order included."""
    if dtype.hasobject or np.dtype(dtype.str) != dtype:
        raise TapeError(f"the dtype {dtype} cannot be saved")
    return dtype.str


def encode_array(array: Any) -> Json:
    """An array as dtype, shape and bytes."""
    array = np.asarray(array)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": encode_dtype(array.dtype), "shape": list(array.shape), "data": data}


def decode_array(data: Json) -> Any:
    """The array of a dtype, shape and bytes; it cannot be written to."""
    flat = np.frombuffer(base64.b64decode(data["data"], validate=True), np.dtype(data["dtype"]))
    return flat.reshape([int(length) for length in data["shape"]])


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
    if not isinstance(data, dict):
        return data
    ((tag, content),) = data.items()
    return DECODERS[tag](content, classes)


ENCODERS: dict[type, Callable[[Any], Json]] = {
    complex: lambda value: {"complex": [encode(value.real), encode(value.imag)]},
    tuple: lambda value: {"tuple": [encode(part) for part in value]},
    type(Ellipsis): lambda value: {"ellipsis": None},
    Spec: lambda value: {"spec": encode_spec(value)},
}

DECODERS: dict[str, Callable[[Json, Classes], Any]] = {
    "float": lambda data, classes: struct.unpack("<d", bytes.fromhex(data))[0],
    "complex": lambda data, classes: complex(*(decode(part, classes) for part in data)),
    "tuple": lambda data, classes: tuple(decode(part, classes) for part in data),
    "ellipsis": lambda data, classes: Ellipsis,
    "dtype": lambda data, classes: np.dtype(data),
    "scalar": lambda data, classes: decode_array(data)[()],
    "spec": lambda data, classes: decode_spec(data),
}


def encode_structure(structure: Structure) -> Json:
    """The structure of a tree; classes by their names."""
    if structure == LEAF:
        return "*"
    if structure == NOTHING:
        return None
    assert structure.kind is not None
    named = {own: name for name, own in CONTAINERS.items()}
    return {
        "kind": named.get(structure.kind) or class_name(structure.kind),
        "extra": encode(structure.extra),
        "children": [encode_structure(child) for child in structure.children],
    }


def decode_structure(data: Json, classes: Classes) -> Structure:
    """The structure that was written down."""
    if data == "*":
        return LEAF
    if data is None:
        return NOTHING
    name = data["kind"]
    kind = CONTAINERS.get(name) or classes.get(name)
    if kind is None:
        raise TapeError(f"the saved tape needs the class {name}; load it with classes=[{name.rpartition('.')[2]}]")
    children = tuple(decode_structure(child, classes) for child in data["children"])
    return Structure(kind, decode(data["extra"], classes), children)


def class_name(kind: type) -> str:
    """A class as saved tapes refer to it."""
    return f"{kind.__module__}.{kind.__qualname__}"
