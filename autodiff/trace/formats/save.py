"""Tapes as JSON text: saved by one program, loaded by another. Nothing that is loaded is ever run as code."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from autodiff.trace.formats.encoding import (
    DECODERS,
    ENCODERS,
    Classes,
    Json,
    class_name,
    decode,
    decode_array,
    decode_spec,
    decode_structure,
    encode,
    encode_array,
    encode_spec,
    encode_structure,
)
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.tape import Equation, Literal, Operand, Tape, TapeError, check_tape

FORMAT = "autodiff tape"
VERSION = 1


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
    return json.dumps({"format": FORMAT, "version": VERSION, "tape": encode_tape(tape)}, allow_nan=False)


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
    """A tape as JSON data."""
    return {
        "inputs": [encode_spec(s) for s in tape.inputs],
        "equations": [encode_equation(equation) for equation in tape.equations],
        "outputs": [encode_operand(out) for out in tape.outputs],
        "constants": [encode_array(array) for array in tape.constants],
        "arguments": None if tape.arguments is None else encode_structure(tape.arguments),
        "results": None if tape.results is None else encode_structure(tape.results),
    }


def decode_tape(data: Json, classes: Classes) -> Tape:
    """The tape of JSON data, unchecked."""
    return Tape(
        tuple(map(decode_spec, data["inputs"])),
        tuple(decode_equation(equation, classes) for equation in data["equations"]),
        tuple(map(decode_operand, data["outputs"])),
        tuple(map(decode_array, data["constants"])),
        None if data["arguments"] is None else decode_structure(data["arguments"], classes),
        None if data["results"] is None else decode_structure(data["results"], classes),
    )


def encode_equation(equation: Equation) -> Json:
    """One operation as JSON data."""
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


def decode_equation(data: Json, classes: Classes) -> Equation:
    """The operation of JSON data."""
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
    """A slot as an integer, a literal as an object."""
    return operand if isinstance(operand, int) else {"literal": encode(operand.value)}


def decode_operand(data: Json) -> Operand:
    """A slot or a literal."""
    return data if isinstance(data, int) else Literal(decode(data["literal"], {}))


ENCODERS[Tape] = lambda tape: {"tape": encode_tape(tape)}
DECODERS["tape"] = decode_tape
