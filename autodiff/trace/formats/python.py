"""A tape as Python: a module that computes the same without recording anything."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from autodiff.trace.formats.save import tape_to_json
from autodiff.trace.formats.spelling import SPELLED, numpy_name
from autodiff.trace.formats.text import identifier
from autodiff.trace.formats.written import name_source, number_source, value_source
from autodiff.trace.primitive import Primitive
from autodiff.trace.spec import Spec
from autodiff.trace.tape import Equation, Operand, Tape, TapeError, check_tape, operand_specs
from autodiff.trace.tape_call import TapeCall
from autodiff.trace.trees.tree import TreeDef, paths

MANY = 64
"""Arrays with more elements are written down as bytes."""


def tape_python(tape: Tape, name: str = "tape") -> str:
    """A tape as the text of a Python module.

    Args:
        tape: any tape.
        name: the name of its function.

    Returns:
        the text; executed, it defines a function of the same arguments with the same results. Operations are written
        as NumPy's where there is one, others as calls of autodiff's primitives by name. Derivative rules that a tape
        carries are left out.

    Raises:
        TapeError: if the tape does not hold together (:func:`check_tape`), or a parameter cannot be written down.

    >>> import numpy as np
    >>> from autodiff import make_tape
    >>> print(tape_python(make_tape(lambda x: np.sin(x) * 2.0)(1.0)))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def tape(a):
        b = np.sin(a)
        c = np.multiply(b, 2.0)
        return c
    <BLANKLINE>
    """
    check_tape(tape)
    module = Module()
    module.function(name, tape)
    return module.text()


class Module:
    """The module while it is written.

    Attributes:
        imports: import lines besides that of NumPy.
        constants: lines that define arrays.
        functions: the functions, inner ones first.
    """

    def __init__(self) -> None:
        self.imports: dict[str, None] = {}
        self.constants: list[str] = []
        self.functions: list[str] = []
        self.calls = 0

    def text(self) -> str:
        heads = ["\n".join(["import numpy as np", *sorted(self.imports)])]
        if self.constants:
            heads.append("\n".join(self.constants))
        return "\n\n".join(heads) + "\n\n\n" + "\n\n\n".join(self.functions) + "\n"

    def function(self, name: str, tape: Tape) -> None:
        """Write the function of a tape, and before it those of the tapes that it calls."""
        given = len(tape.inputs) - len(tape.constants)
        names = [identifier(k) for k in range(len(tape.specs))]
        for k, array in enumerate(tape.constants, given):
            names[k] = f"constant_{len(self.constants) + 1}"
            self.constants.append(f"{names[k]} = {self.array(array)}")
        arguments, unpacking = parameters(tape.arguments, names[:given])
        lines = [f"def {name_source(name)}({', '.join(arguments)}):", *(f"    {line}" for line in unpacking)]
        known = list(tape.inputs)
        for equation in tape.equations:
            lines.append(f"    {self.equation(equation, names, known)}")
            known.extend(equation.specs)
        outs = [operand_source(out, names) for out in tape.outputs]
        lines.append(f"    return {result_source(tape.results, outs)}")
        self.functions.append("\n".join(lines))

    def array(self, array: Any) -> str:
        """An array: element by element, or as bytes if they are many."""
        array = np.asarray(array)
        dtype = value_source(array.dtype)
        if array.size <= MANY and array.dtype.kind in "biufc":
            written = f"np.array([{', '.join(map(number_source, array.ravel().tolist()))}], dtype={dtype})"
        else:
            self.imports["import base64"] = None
            data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
            written = f'np.frombuffer(base64.b64decode("{data}"), dtype={dtype})'
        return written if array.ndim == 1 else f"{written}.reshape({array.shape})"

    def equation(self, equation: Equation, names: list[str], known: list[Spec]) -> str:
        """One operation as an assignment."""
        operands = [operand_source(operand, names) for operand in equation.operands]
        specs = operand_specs(equation.operands, known)
        call = self.call(equation, operands, specs)
        targets = [names[slot] for slot in equation.results]
        if isinstance(equation.primitive.spec(*specs, **dict(equation.params)), tuple):
            return f"{tuple_source(targets)} = {call}"
        operator = equation.specs[0].kind == "python" and equation.primitive.operator is not None
        return f"{targets[0]} = {call}" + (".item()" if operator else "")  # NumPy's function gives a number of its own

    def call(self, equation: Equation, operands: list[str], specs: list[Spec]) -> str:
        primitive, params = equation.primitive, dict(equation.params)
        if isinstance(primitive, TapeCall):
            self.calls += 1
            name = f"{primitive.name}_{self.calls}"
            self.function(name, params["tape"])
            return f"{name}({', '.join(operands)})"
        if primitive.name in SPELLED:
            return SPELLED[primitive.name](operands, specs, params)
        keywords = [f"{name_source(name)}={self.parameter(primitive, name, value)}" for name, value in equation.params]
        return f"{self.callee(primitive)}({', '.join(operands + keywords)})"

    def callee(self, primitive: Primitive) -> str:
        """The function that a primitive is: one of NumPy's, or itself by its name."""
        found = numpy_name(primitive.evaluate)
        if found:
            return found
        self.imports["import autodiff  # noqa: F401 - defines the primitives"] = None
        self.imports["from autodiff.trace.primitive import PRIMITIVES"] = None
        return f"PRIMITIVES[{json.dumps(primitive.name)}]"

    def parameter(self, primitive: Primitive, name: str, value: Any) -> str:
        if isinstance(value, Tape):
            self.imports["from autodiff.trace.formats.save import tape_from_json"] = None
            return f"tape_from_json({tape_to_json(value)!r})"
        if isinstance(value, tuple):
            return tuple_source([self.parameter(primitive, name, part) for part in value])
        written = value_source(value)
        if written is None:
            raise TapeError(
                f"the parameter {name} of {primitive.name} is a {type(value).__name__}, which cannot be written as "
                "source"
            )
        return written


def operand_source(operand: Operand, names: list[str]) -> str:
    """An operand: a variable, or a number."""
    return names[operand] if isinstance(operand, int) else number_source(operand.value)


def parameters(arguments: TreeDef | None, names: list[str]) -> tuple[list[str], list[str]]:
    """The parameters of the function, and the lines that take trees among them apart."""
    if arguments is None or arguments.kind is not tuple or arguments.count != len(names):
        return names, []
    found: list[str] = []
    lines: list[str] = []
    first = 0
    for k, child in enumerate(arguments.children, 1):
        own = names[first : first + child.count]
        first += child.count
        if child.kind is None:
            found.extend(own)
            continue
        found.append(f"argument_{k}")
        steps = paths(child.unflatten(own))
        lines.extend(f"{name} = argument_{k}{step}" for name, step in zip(own, steps, strict=True))
    return found, lines


def result_source(results: TreeDef | None, outs: list[str]) -> str:
    """The result: tuples, lists and dictionaries as they were, other containers as one tuple of their leaves."""
    if results is None:
        return tuple_source(outs)
    remaining = iter(outs)

    def written(structure: TreeDef) -> str:
        if structure.kind is None:
            return next(remaining)
        parts = [written(child) for child in structure.children]
        if structure.kind is dict:
            keys = map(key_source, structure.extra)
            return "{" + ", ".join(f"{key}: {part}" for key, part in zip(keys, parts, strict=True)) + "}"
        if structure.kind is list:
            return f"[{', '.join(parts)}]"
        return "None" if structure.kind is type(None) else tuple_source(parts)

    return written(results)


def key_source(key: Any) -> str:
    """A key of a dictionary.

    Raises:
        TapeError: if it is neither a number, a text, None nor a tuple of these.
    """
    written = tuple_source(list(map(key_source, key))) if type(key) is tuple else value_source(key)
    if written is None:
        raise TapeError(f"the key {key!r} of a dictionary cannot be written as source")
    return written


def tuple_source(parts: list[str]) -> str:
    """A tuple of expressions."""
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
