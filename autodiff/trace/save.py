"""Tapes as JSON text: saved by one program, loaded by another. Nothing that is loaded is ever run as code."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.spec import Spec, spec
from autodiff.trace.tape import Equation, Literal, Operand, Tape, TapeError, check_tape
from autodiff.trace.tree import LEAF, NOTHING, Structure

FORMAT = "autodiff tape"
VERSION = 1
CONTAINERS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
Json = Any


def save_tape(tape: Tape, path: str | PathLike[str]) -> None:
    """Write a tape to a file, as JSON.

    Args:
        tape: a tape whose parameters are numbers, texts, dtypes, tuples of these, and tapes.
        path: the file, which is replaced.

    Raises:
        TapeError: if a parameter is a function, as the rules of ``custom_vjp`` and ``custom_jvp`` are.
    """
    Path(path).write_text(tape_to_json(tape), encoding="utf-8")


def load_tape(path: str | PathLike[str], classes: Iterable[type] = ()) -> Tape:
    """Read a tape from a file, and check it.

    Args:
        path: a file that :func:`save_tape` wrote.
        classes: the named tuples, dataclasses and registered classes among its arguments and results.

    Raises:
        TapeError: if the file holds no tape, or one that does not hold together, or needs a class or primitive that is
            not there.
    """
    return tape_from_json(Path(path).read_text(encoding="utf-8"), classes)


def tape_to_json(tape: Tape) -> str:
    """A tape as JSON text."""
    return json.dumps({"format": FORMAT, "version": VERSION, "tape": encode_tape(tape)}, indent=1, allow_nan=False)


def tape_from_json(text: str, classes: Iterable[type] = ()) -> Tape:
    """The tape that :func:`tape_to_json` wrote down; see :func:`load_tape`."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise TapeError("this is no saved tape")
        if data["version"] != VERSION:
            raise TapeError(f"the tape was saved in version {data['version']}; this program reads version {VERSION}")
        tape = decode_tape(data["tape"], {class_name(kind): kind for kind in classes})
        check_tape(tape)
    except TapeError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error) as error:
        raise TapeError(f"the saved tape is damaged: {type(error).__name__}: {error}") from error
    return tape


def encode_tape(tape: Tape) -> Json:
    return {
        "inputs": [encode_spec(s) for s in tape.inputs],
        "equations": [encode_equation(equation) for equation in tape.equations],
        "outputs": [encode_operand(out) for out in tape.outputs],
        "constants": [encode_array(array) for array in tape.constants],
        "arguments": None if tape.arguments is None else encode_structure(tape.arguments),
        "results": None if tape.results is None else encode_structure(tape.results),
    }


def decode_tape(data: Json, classes: dict[str, type]) -> Tape:
    return Tape(
        tuple(map(decode_spec, data["inputs"])),
        tuple(decode_equation(equation, classes) for equation in data["equations"]),
        tuple(map(decode_operand, data["outputs"])),
        tuple(map(decode_array, data["constants"])),
        None if data["arguments"] is None else decode_structure(data["arguments"], classes),
        None if data["results"] is None else decode_structure(data["results"], classes),
    )


def encode_equation(equation: Equation) -> Json:
    params = {}
    for name, value in equation.params:
        try:
            params[name] = encode(value)
        except TapeError as error:
            raise TapeError(f"the parameter {name} of {equation.primitive.name} cannot be saved: {error}") from None
    return {
        "primitive": equation.primitive.name,
        "operands": [encode_operand(operand) for operand in equation.operands],
        "params": params,
        "results": list(equation.results),
        "specs": [encode_spec(s) for s in equation.specs],
        "source": equation.source,
    }


def decode_equation(data: Json, classes: dict[str, type]) -> Equation:
    name = data["primitive"]
    if name not in PRIMITIVES:
        raise TapeError(f"no primitive is named {name!r}; import the module that defines it before loading the tape")
    return Equation(
        PRIMITIVES[name],
        tuple(map(decode_operand, data["operands"])),
        tuple((key, decode(value, classes)) for key, value in data["params"].items()),
        tuple(map(int, data["results"])),
        tuple(map(decode_spec, data["specs"])),
        str(data["source"]),
    )


def encode_operand(operand: Operand) -> Json:
    return operand if isinstance(operand, int) else {"literal": encode(operand.value)}


def decode_operand(data: Json) -> Operand:
    return data if isinstance(data, int) else Literal(decode(data["literal"], {}))


def encode_spec(s: Spec) -> Json:
    return [list(s.shape), encode_dtype(s.dtype), s.kind]


def decode_spec(data: Json) -> Spec:
    shape, dtype, kind = data
    if kind not in ("array", "scalar", "python"):
        raise TapeError(f"the saved tape is damaged: there is no kind {kind!r}")
    return spec(tuple(map(int, shape)), np.dtype(dtype), kind)


def encode_dtype(dtype: np.dtype[Any]) -> str:
    if dtype.hasobject or np.dtype(dtype.str) != dtype:
        raise TapeError(f"the dtype {dtype} cannot be saved")
    return dtype.str


def encode_array(array: Any) -> Json:
    array = np.asarray(array)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
    return {"dtype": encode_dtype(array.dtype), "shape": list(array.shape), "data": data}


def decode_array(data: Json) -> Any:
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


def decode(data: Json, classes: dict[str, type]) -> Any:
    if not isinstance(data, dict):
        return data
    ((tag, content),) = data.items()
    return DECODERS[tag](content, classes)


ENCODERS: dict[type, Callable[[Any], Json]] = {
    complex: lambda value: {"complex": [encode(value.real), encode(value.imag)]},
    tuple: lambda value: {"tuple": [encode(part) for part in value]},
    type(Ellipsis): lambda value: {"ellipsis": None},
    Spec: lambda value: {"spec": encode_spec(value)},
    Tape: lambda value: {"tape": encode_tape(value)},
}

DECODERS: dict[str, Callable[[Json, dict[str, type]], Any]] = {
    "float": lambda data, classes: struct.unpack("<d", bytes.fromhex(data))[0],
    "complex": lambda data, classes: complex(*(decode(part, classes) for part in data)),
    "tuple": lambda data, classes: tuple(decode(part, classes) for part in data),
    "ellipsis": lambda data, classes: Ellipsis,
    "dtype": lambda data, classes: np.dtype(data),
    "scalar": lambda data, classes: decode_array(data)[()],
    "spec": lambda data, classes: decode_spec(data),
    "tape": decode_tape,
}


def encode_structure(structure: Structure) -> Json:
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


def decode_structure(data: Json, classes: dict[str, type]) -> Structure:
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
    return f"{kind.__module__}.{kind.__qualname__}"
