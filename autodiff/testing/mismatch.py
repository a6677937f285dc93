"""What a broken law raises: which law, by how much, and the lines of Python that show it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from autodiff.testing.literal import literal


class Violation(AssertionError):
    """A law found something wrong. `check_laws` adds the law and the reproduction and raises `GradientMismatch`."""


class Undecided(AssertionError):
    """No numerical derivative was accurate enough to judge by: the arguments lie at a kink, or fun is not double."""


class GradientMismatch(AssertionError):
    """A derivative, or what belongs to it, is not what a law says.

    Attributes:
        law: the name of the law.
        detail: what differs, by how much and where.
        arguments: the arguments at which it does.
    """

    def __init__(self, law: str, statement: str, detail: str, name: str, fun: Callable[..., Any], arguments: Any) -> None:
        self.law = law
        self.detail = detail
        self.arguments = arguments
        super().__init__(
            f"{name} breaks the law {law!r}: {statement}\n{detail}\n"
            f"To see it again, with {called(fun)}:\n{_reproduction(law, arguments)}"
        )


def called(fun: Callable[..., Any]) -> str:
    """The function's own name and, for Python functions, where it is written."""
    code = getattr(fun, "__code__", None)
    name = getattr(fun, "__qualname__", None) or repr(fun)
    return f"fun = {name}" + (f" from {Path(code.co_filename).name}:{code.co_firstlineno}" if code else "")


def _reproduction(law: str, arguments: Any) -> str:
    return (
        "    import numpy as np\n"
        "    from autodiff.testing import check_laws\n"
        f"    args = {literal(arguments)}\n"
        f"    check_laws(fun, args, only=({law!r},))"
    )
