"""The C header of an exported program, and the names in it."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autodiff.backends.compiling import ALLOWED
from autodiff.backends.export.driver import messages, workspace_size
from autodiff.backends.export.steps import Program
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec

C_TYPES = {
    "float64": "double", "float32": "float", "int64": "int64_t", "int32": "int32_t", "uint8": "uint8_t", "bool": "bool",
}  # fmt: skip

KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast
    consteval constexpr constinit continue default delete do double dynamic_cast else enum explicit export extern false
    float for friend goto if inline int linux long mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unix
    unsigned using virtual void volatile wchar_t while xor xor_eq NULL size_t int64_t int32_t uint8_t
    """.split()  # noqa: SIM905 - a list of words is read more easily than one of strings
)
"""Words that are no names in C or C++, and those that headers and compilers take."""

NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Parameter:
    """An argument of the C function.

    Attributes:
        name: in C.
        path: how the Python function has it, as ``params['w']``.
        spec: shape and dtype; numbers are passed by value.
    """

    name: str
    path: str
    spec: Spec

    @property
    def size(self) -> str:
        """Its type, and its shape if it is an array."""
        shape = f"[{', '.join(map(str, self.spec.shape))}]" if self.spec.kind == "array" else ""
        return C_TYPES[self.spec.dtype.name] + shape


def checked_name(name: object) -> str:
    """A name that the function may have.

    Raises:
        TypeError: if it is no text.
        ValueError: if it is no name in C and C++, or that of a function of C's libraries.
    """
    if not isinstance(name, str):
        raise TypeError(f"export: the name must be a str, got {type(name).__name__}{at_user_line()}")
    if not NAME.fullmatch(name) or name in KEYWORDS:
        raise ValueError(
            f"export: {name!r} is no name of a C function{at_user_line()}; take ASCII letters, digits and underscores, "
            "a letter first, and no keyword of C or C++"
        )
    if is_taken(name):
        raise ValueError(f"export: {name!r} is a function of C's own libraries{at_user_line()}; take another name")
    return name


def is_taken(name: str) -> bool:
    """Whether C's libraries have a function of this name."""
    return name == "main" or name in ALLOWED or (os.name == "posix" and hasattr(ctypes.CDLL(None), name))


def parameters(paths: Iterable[tuple[str, Spec]], taken: set[str]) -> tuple[Parameter, ...]:
    """Arguments with names that are made of their paths, each another one.

    Args:
        paths: with specs.
        taken: names that are in use; those of the arguments are added.
    """
    found = []
    for path, own in paths:
        stem = re.sub("[^A-Za-z0-9]+", "_", path).strip("_") or "x"
        stem = stem if stem[0].isalpha() else f"x{stem}"
        number, name = 1, stem
        while name in taken or name in KEYWORDS:
            number += 1
            name = f"{stem}_{number}"
        taken.add(name)
        found.append(Parameter(name, path, own))
    return tuple(found)


def header_text(
    name: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter], program: Program, origin: str
) -> str:
    """The header.

    Args:
        name: of the function.
        inputs: what it takes.
        outputs: what it fills.
        program: the program.
        origin: what was exported, by what, and for which processor.
    """
    upper, size = name.upper(), workspace_size(program)
    width = max(len(each.name) for each in (*inputs, *outputs))
    columns = max(len(each.size) for each in (*inputs, *outputs))

    def listed(given: Sequence[Parameter]) -> list[str]:
        return [f" *   {each.name:{width}}  {each.size:{columns}}  {comment(each.path)}" for each in given]

    workspace = (
        f"{upper}_WORKSPACE_SIZE bytes to work in, of any alignment, which no other call uses meanwhile."
        if size
        else "not used, may be NULL."
    )
    least = f"{upper}_AT_LEAST"
    taken = [*(argument(each, least, "const ") for each in inputs), *(argument(each, least, "") for each in outputs)]
    return "\n".join(
        [
            f"/* {comment(origin)} */",
            f"#ifndef {upper}_H",
            f"#define {upper}_H",
            "",
            "#include <stdbool.h>",
            "#include <stddef.h>",
            "#include <stdint.h>",
            "",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            "/* So that compilers of C warn of arrays that are too small. */",
            "#if defined(__cplusplus) || defined(_MSC_VER)",
            f"#define {least}(n) n",
            "#else",
            f"#define {least}(n) static n",
            "#endif",
            "",
            f"#define {upper}_WORKSPACE_SIZE {size}",
            "",
            "/* Arrays lie row by row (C order), without gaps, and those that are filled share no memory with others.",
            " * The function keeps nothing and allocates nothing: any number of threads may call it.",
            " *",
            " * Takes:",
            *listed(inputs),
            " * Fills:",
            *listed(outputs),
            f" * workspace: {workspace}",
            " *",
            " * Returns 0, or what is wrong; then what it fills may hold anything:",
            *(f" *   {code}  {comment(text)}" for code, text in enumerate(messages(program)) if code),
            " */",
            f"int {name}(",
            *(f"    {each}," for each in taken),
            "    void *workspace);",
            "",
            f"/* {upper}_WORKSPACE_SIZE of the code that is linked. */",
            f"size_t {name}_workspace_size(void);",
            "",
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
            "",
        ]
    )


def argument(own: Parameter, least: str, const: str) -> str:
    """An argument as it is declared."""
    kind = C_TYPES[own.spec.dtype.name]
    if own.spec.kind != "array" and const:
        return f"{kind} {own.name}"
    return f"{const}{kind} {own.name}[{least}({own.spec.size})]" if own.spec.size else f"{const}{kind} *{own.name}"


def comment(text: str) -> str:
    """Any text so that it stands in a comment and does not end it."""
    return text.encode("unicode_escape").decode("ascii").replace("*/", "* /").replace("/*", "/ *")
