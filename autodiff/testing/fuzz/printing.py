"""Programs as Python text, plain or with every value handed to a watcher."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

import autodiff
from autodiff.scipy import special
from autodiff.testing.fuzz.program import Function, Line, Program, names_in

Watch = Callable[[int, Any], Any]

IMPORTS = "import numpy as np\nimport autodiff\nfrom autodiff.scipy import special\n"
"""What the text of a program needs."""

DOUBLE = {"np.float32": "np.float64", "np.complex64": "np.complex128"}
"""The dtypes that are written in a program, and those of its run in double precision."""


def printed(program: Program) -> str:
    """The program as Python text, without imports and closed-over arrays.

    >>> from autodiff.testing.fuzz.generate import generate
    >>> printed(generate(0)).startswith("def f(x0")
    True
    """
    return "\n".join(function_text(program.main)) + "\n"


def function_text(function: Function, indent: str = "") -> list[str]:
    """The lines of a function."""
    written = [f"{indent}def {function.name}({', '.join(function.parameters)}):"]
    for line in function.lines:
        for body in line.bodies:
            written += function_text(body, indent + "    ")
        written.append(f"{indent}    {line.text}")
    return [*written, f"{indent}    return {', '.join(function.results)}"]


def function_of(program: Program, constants: tuple[Any, ...]) -> Callable[..., Any]:
    """The program as a function that closes over the given arrays."""
    return _made(printed(program), program, constants, {})


def eager_function_of(program: Program, constants: tuple[Any, ...]) -> Callable[..., Any]:
    """The same without compiled functions inside."""
    return _made(uncompiled(printed(program)), program, constants, {})


def uncompiled(text: str) -> str:
    """Text that calls functions themselves where it called what jit makes of them."""
    return text.replace("autodiff.jit(", "(")


def watched_function_of(
    program: Program, constants: tuple[Any, ...], watch: Watch, stir: Watch, echo: Watch, double: bool
) -> Callable[..., Any]:
    """The program with watchers, and without compiled functions inside.

    Args:
        program: the program.
        constants: the arrays that it closes over.
        watch: called with the number of a statement and each value that it makes; what it returns takes its place.
        stir: likewise, with the operands whose elements a statement mixes, before it runs.
        echo: likewise, with all operands of a statement that rounds.
        double: whether the dtypes that the program names are doubled.
    """
    text = uncompiled("\n".join(_watched_text(program.main, "", count())) + "\n")
    if double:
        text = re.sub(r"np\.(float32|complex64)\b", lambda found: DOUBLE[found[0]], text)
    return _made(text, program, constants, {"watch": watch, "stir": stir, "echo": echo, "var": var, "std": std})


def _watched_text(function: Function, indent: str, numbers: Any) -> list[str]:
    written = [f"{indent}def {function.name}({', '.join(function.parameters)}):"]
    inner = indent + "    "
    for line in function.lines:
        for body in line.bodies:
            written += _watched_text(body, inner, numbers)
        number = next(numbers)
        stirred = line
        for name in sorted(names_in(line.text) - set(line.makes)) if line.kind == "rounds" and line.makes else ():
            call = "stir" if name in line.mixes else "echo"
            written.append(f"{inner}{name}_ = {call}({number}, {name})")
            stirred = _reading(stirred, name)
        written.append(inner + re.sub(r"np\.(var|std)\(", rf"\1(watch, {number}, ", stirred.text))
        if line.kind != "view":
            written += [f"{inner}{name} = watch({number}, {name})" for name in line.makes]
    return [*written, f"{indent}    return {', '.join(function.results)}"]


def var(watch: Watch, number: int, x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance around a mean that was rounded, whose derivative is 2 (x - mean) / n, as rules have it.

    A shift of all elements would say nothing of that. The last term is zero; its second derivative is not.
    """
    mean = np.mean(x, axis=axis, keepdims=True)
    apart, nothing = x - autodiff.stop_gradient(watch(number, mean)), mean - autodiff.stop_gradient(mean)
    squares = np.mean(apart * apart, axis=axis, keepdims=keepdims) - np.mean(nothing * nothing, axis, keepdims=keepdims)
    count = x.size / max(mean.size, 1)
    return squares * (count / (count - ddof))


def std(watch: Watch, number: int, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Its square root."""
    return np.sqrt(var(watch, number, x, axis, keepdims=keepdims))


def _reading(line: Line, name: str) -> Line:
    """The statement, reading the stirred operand; what stands left of the equals sign stays."""
    left, equals, right = line.text.partition(" = ")
    return Line(left + equals + re.sub(rf"\b{name}\b", f"{name}_", right), line.makes, line.changes, line.kind)


def _made(text: str, program: Program, constants: tuple[Any, ...], scope: dict[str, Any]) -> Callable[..., Any]:
    known = {"np": np, "autodiff": autodiff, "special": special, **scope}
    known |= {one.name: value for one, value in zip(program.constants, constants, strict=True)}
    exec(compile(text, "<fuzz>", "exec"), known)
    made: Callable[..., Any] = known[program.main.name]
    return made
