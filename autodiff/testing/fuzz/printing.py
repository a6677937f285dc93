"""Programs as Python text, plain or with every value handed to a watcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

import autodiff
from autodiff.scipy import special
from autodiff.testing.fuzz.program import Function, Program

Watch = Callable[[int, Any], Any]

IMPORTS = "import numpy as np\nimport autodiff\nfrom autodiff.scipy import special\n"
"""What the text of a program needs."""


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


class Everywhere:
    """The package, with branches all of which run before one is taken, and loops of at least one step."""

    def __getattr__(self, name: str) -> Any:
        return getattr(autodiff, name)

    def cond(self, pred: Any, one: Callable[..., Any], other: Callable[..., Any], *operands: Any) -> Any:
        one(*operands)
        other(*operands)
        return autodiff.cond(pred, one, other, *operands)

    def switch(self, index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
        for branch in branches:
            branch(*operands)
        return autodiff.switch(index, branches, *operands)

    def fori_loop(self, lower: Any, upper: Any, body: Callable[..., Any], init: Any) -> Any:
        body(lower, init)
        return autodiff.fori_loop(lower, upper, body, init)

    def while_loop(self, condition: Callable[..., Any], body: Callable[..., Any], init: Any, **options: Any) -> Any:
        body(init)
        return autodiff.while_loop(condition, body, init, **options)


def everywhere_function_of(program: Program, constants: tuple[Any, ...]) -> Callable[..., Any]:
    """The program without compiled functions inside, whose functions all run, as they do when it is recorded."""
    return _made(uncompiled(printed(program)), program, constants, {"autodiff": Everywhere()})


def uncompiled(text: str) -> str:
    """Text that calls functions themselves where it called what jit makes of them."""
    return text.replace("autodiff.jit(", "(")


def watched_function_of(program: Program, constants: tuple[Any, ...], watch: Watch) -> Callable[..., Any]:
    """The program with a watcher, and without compiled or checkpointed functions inside.

    Args:
        program: the program.
        constants: the arrays that it closes over.
        watch: called with the number of a statement and each value that it makes; what it returns takes its place.
    """
    text = uncompiled("\n".join(_watched_text(program.main, "", count())) + "\n")
    text = text.replace("autodiff.checkpoint(", "(").replace(", checkpoint=2", "")
    return _made(text, program, constants, {"watch": watch})


def _watched_text(function: Function, indent: str, numbers: Any) -> list[str]:
    written = [f"{indent}def {function.name}({', '.join(function.parameters)}):"]
    inner = indent + "    "
    for line in function.lines:
        for body in line.bodies:
            written += _watched_text(body, inner, numbers)
        number = next(numbers)
        written.append(inner + line.text)
        if line.kind != "view":
            written += [f"{inner}{name} = watch({number}, {name})" for name in line.makes]
    return [*written, f"{indent}    return {', '.join(function.results)}"]


def _made(text: str, program: Program, constants: tuple[Any, ...], scope: dict[str, Any]) -> Callable[..., Any]:
    known = {"np": np, "autodiff": autodiff, "special": special, **scope}
    known |= dict(program.operations)
    known |= {one.name: value for one, value in zip(program.constants, constants, strict=True)}
    exec(compile(text, "<fuzz>", "exec"), known)
    made: Callable[..., Any] = known[program.main.name]
    return made
