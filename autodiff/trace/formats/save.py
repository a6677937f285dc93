"""Tapes as JSON text: saved by one program, loaded by another. Nothing that is loaded is ever run as code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from autodiff.trace.errors import described
from autodiff.trace.formats.encoding import (
    DECODERS,
    ENCODERS,
    Classes,
    Json,
    brief,
    class_name,
    damage,
    decode,
    decode_array,
    decode_number,
    decode_spec,
    decode_structure,
    encode,
    encode_array,
    encode_spec,
    encode_structure,
    fields,
    integer,
    items,
    text,
)
from autodiff.trace.formats.opening import opened
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.source import at_user_line
from autodiff.trace.tape import Equation, Literal, Operand, Tape, TapeError, check_tape

FORMAT = "autodiff tape"
VERSION = 1

DEEPEST = 200
"""How deep the data may be nested: a body of a loop or branch takes five to seven levels, a part of a tree two."""

TOO_DEEP = "the tape is nested too deep to be saved or loaded"

LINE = re.compile(r"([^\x00-\x1f\x7f\u2028\u2029]{1,1000}:[0-9]{1,9})?")
"""The line of a user's file, or nothing."""


def save_tape(tape: Tape, path: str | PathLike[str]) -> None:
    """Write a tape to a file, as JSON. Calls of compiled functions are written as the operations of these.

    Args:
        tape: a tape whose parameters are numbers, texts, dtypes, tuples of these, and tapes.
        path: the file, which is replaced.

    Raises:
        TypeError: if it is no tape.
        TapeError: if a parameter is a function, as the rules of ``custom_vjp`` and ``custom_jvp`` are, or the tape is
            nested too deep.
    """
    if not isinstance(tape, Tape):
        raise TypeError(
            f"save_tape: {described(tape)}{at_user_line()} is no tape; write save_tape(make_tape(f)(x), path)"
        )
    Path(path).write_text(tape_to_json(tape), encoding="utf-8")


def load_tape(path: str | PathLike[str], classes: Iterable[type] = ()) -> Tape:
    """Read a tape from a file, and check it: see :func:`check_tape`.

    Nothing that is loaded is ever run as code. What a tape computes when it runs, and how long that takes, is up to who
    wrote it.

    Args:
        path: a file that :func:`save_tape` wrote.
        classes: the named tuples, dataclasses and registered classes among its arguments and results.

    Raises:
        TapeError: if the file holds no tape, or one that does not hold together, or needs a class or primitive that is
            not there.
    """
    try:
        written = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise TapeError("this is no saved tape") from None
    return tape_from_json(written, classes)


def tape_to_json(tape: Tape) -> str:
    """A tape as JSON text."""
    try:
        data = {"format": FORMAT, "version": VERSION, "tape": encode_tape(opened(tape))}
        check_depth(data)
        return json.dumps(data, allow_nan=False)
    except RecursionError:
        raise TapeError(TOO_DEEP) from None


def tape_from_json(written: str, classes: Iterable[type] = ()) -> Tape:
    """The tape that :func:`tape_to_json` wrote down; see :func:`load_tape`."""
    try:
        data = json.loads(written, parse_constant=no_number)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise TapeError("this is no saved tape")
        _, version, content = fields(data, "format", "version", "tape")
        if version != VERSION:
            raise TapeError(f"the tape was saved in version {version}; this program reads version {VERSION}")
        check_depth(data)
        tape = decode_tape(content, {class_name(kind): kind for kind in classes})
    except RecursionError:
        raise TapeError(TOO_DEEP) from None
    except ValueError as error:  # of JSON
        raise error if isinstance(error, TapeError) else damage(f"{type(error).__name__}: {error}") from error
    check_tape(tape)
    return tape


def no_number(name: str) -> None:
    """Refuse NaN and infinities: JSON has none, and they are written by their bits."""
    raise damage(f"{name} is no number")


def check_depth(data: Json) -> None:
    """Refuse what is nested deeper than programs are: others would fail later, where they run."""
    level, depth = [data], 0
    while level:
        if depth > DEEPEST:
            raise TapeError(TOO_DEEP)
        parts = [part for part in level if isinstance(part, (dict, list))]
        level = [inner for part in parts for inner in (part.values() if isinstance(part, dict) else part)]
        depth += 1


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
    inputs, equations, outputs, constants, arguments, results = fields(
        data, "inputs", "equations", "outputs", "constants", "arguments", "results"
    )
    return Tape(
        tuple(map(decode_spec, items(inputs))),
        tuple(decode_equation(equation, classes) for equation in items(equations)),
        tuple(map(decode_operand, items(outputs))),
        tuple(map(decode_array, items(constants))),
        None if arguments is None else decode_structure(arguments, classes),
        None if results is None else decode_structure(results, classes),
    )


def encode_equation(equation: Equation) -> Json:
    """One operation as JSON data."""
    if equation.primitive.params is None:
        raise TapeError(made_by_compiler(equation.primitive.name))
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
        "source": equation.source if LINE.fullmatch(equation.source) else "",
    }


def decode_equation(data: Json, classes: Classes) -> Equation:
    """The operation of JSON data."""
    named, operands, params, results, specs, source = fields(
        data, "primitive", "operands", "params", "results", "specs", "source"
    )
    name = text(named)
    if name not in PRIMITIVES:
        raise TapeError(f"no primitive is named {name!r}; import the module that defines it before loading the tape")
    if PRIMITIVES[name].params is None:
        raise TapeError(made_by_compiler(name))
    if not LINE.fullmatch(text(source)):
        raise damage(f"{brief(source)} is no line of a file")
    if not isinstance(params, dict):
        raise damage(f"{brief(params)} are no parameters")
    return Equation(
        PRIMITIVES[name],
        tuple(map(decode_operand, items(operands))),
        tuple(sorted((key, decode(value, classes)) for key, value in params.items())),
        tuple(map(integer, items(results))),
        tuple(map(decode_spec, items(specs))),
        source,
    )


def made_by_compiler(name: str) -> str:
    """The text about an operation that no file holds."""
    return (
        f"{name} holds what is in no file: what a compiler made for one machine, or an object of this process; save "
        "the tape before it is compiled, and keep functions of sparse matrices and filters out of it"
    )


def encode_operand(operand: Operand) -> Json:
    """A slot as an integer, a literal as an object."""
    return operand if isinstance(operand, int) else {"literal": encode(operand.value)}


def decode_operand(data: Json) -> Operand:
    """A slot or a literal."""
    if type(data) is int:
        return data
    (number,) = fields(data, "literal")
    return Literal(decode_number(number))


ENCODERS[Tape] = lambda tape: {"tape": encode_tape(tape)}
DECODERS["tape"] = decode_tape
