"""What a broken law raises: which law, by how much, and the lines of Python that show it again."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis.errors import HypothesisException

from autodiff.testing.draws.literal import imports_of, literal
from autodiff.trace.errors import ConcretizationError

DIFFERENT = "two calls with the same arguments gave different results"
"""Why a law that is broken once may hold the next time."""


class Violation(AssertionError):
    """A law found something wrong; `judge` makes a `GradientMismatch` of it."""


class Undecided(AssertionError):
    """No numerical derivative was accurate enough to judge by: a kink, a pole, or no double precision."""


class Unstaged(Undecided):
    """The function looks at values, so that it cannot be recorded by shapes alone."""


@dataclass(frozen=True)
class Subject:
    """The function under test, what to call it, its arguments, and the derivatives that came with it."""

    fun: Callable[..., Any]
    args: Sequence[Any]
    title: str
    others: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The function's own name and, for Python functions, where it is written; so for the derivatives."""
        return " and ".join(
            [place_of(self.fun), *(f"{name} = {place_of(other)}" for name, other in self.others.items())]
        )


class GradientMismatch(AssertionError):
    """A derivative, or what belongs to it, is not what a law says.

    Attributes:
        law: the name of the law.
        statement: the law in words.
        detail: what differs, by how much and where.
        arguments: the arguments at which it does.
        program: a file that shows it again, where the function can be imported or its text is at hand.
    """

    def __init__(self, law: str, statement: str, detail: str, subject: Subject, call: str) -> None:
        self.law = law
        self.statement = statement
        self.detail = detail
        self.arguments = tuple(subject.args)
        self.program = program_text(subject, call)
        self.subject, self.call = subject, call
        super().__init__(
            f"{subject.title} breaks the law {law!r}: {statement}\n{detail}\n"
            f"To see it again, with fun = {subject.origin}:\n"
            "    import numpy as np\n"
            f"    from autodiff.testing import {call.partition('(')[0]}\n"
            f"    args = {literal(self.arguments)}\n"
            f"    {call}"
        )

    def with_cause(self, cause: str) -> GradientMismatch:
        """The same, with a line that says why, unless it has that one."""
        if cause in self.detail:
            return self
        return GradientMismatch(
            self.law, self.statement, f"{self.detail}\n  because    {cause}", self.subject, self.call
        )


def judge(
    law: str, statement: str, check: Callable[[], None], subject: Subject, call: str, *, staged: bool = True
) -> Undecided | None:
    """Run one check: None where it passes, the reason where it cannot be decided.

    Where the function need not be `staged`, a check that asks for its recording by shapes is not decided.

    Raises:
        GradientMismatch: the check found a violation, or raised something else.
    """
    cause: Exception | None = None
    try:
        check()
    except Undecided as reason:
        return reason
    except HypothesisException:  # how `assume` inside of fun speaks to hypothesis
        raise
    except Violation as violation:
        detail = str(violation)
    except Exception as error:
        if isinstance(error, ConcretizationError) and not staged:
            return Unstaged(str(error))
        detail, cause = f"  raised     {type(error).__name__}: {error}", error
    else:
        return None
    raise GradientMismatch(law, statement, detail, subject, call) from cause


def name_of(fun: Callable[..., Any]) -> str:
    """The function's own name."""
    return str(getattr(fun, "__qualname__", None) or getattr(fun, "__name__", repr(fun)))


def program_text(subject: Subject, call: str) -> str:
    """A file that shows a broken law again: imports, the function, the arguments, the call."""
    checks = f"from autodiff.testing import {call.partition('(')[0]}"
    lines = ["import numpy as np", checks, *imports_of(tuple(subject.args)), *source_of(subject.fun)]
    for name, other in subject.others.items():
        lines += source_of(other, name)
    return "\n".join([*lines, f"args = {literal(tuple(subject.args))}", call, ""])


def source_of(fun: Callable[..., Any], wanted: str = "fun") -> list[str]:
    """Lines that bind a name to the function: its import where it can be imported, its text, or where it is."""
    module, name = getattr(fun, "__module__", None), str(getattr(fun, "__name__", ""))
    found = sys.modules.get(module or "")
    if (
        module != "__main__" and found is not None and getattr(found, name, None) is fun
    ):  # a script is imported by nobody
        return [f"from {module} import {name}" + ("" if name == wanted else f" as {wanted}")]
    try:
        text = textwrap.dedent(inspect.getsource(fun) if inspect.isfunction(fun) else "")
    except OSError:
        text = ""
    if not text:  # an object, as functions with rules of their own are
        return [f"{wanted} = ...  # {place_of(fun)}"]
    if text.startswith("@"):  # the decorator that made it a test
        text = text[text.index("def ") :]
    if text.startswith("def "):
        return [text.rstrip()] + ([] if name == wanted else [f"{wanted} = {name}"])
    return [f"# {wanted} is written in: {text.strip()}", f"{wanted} = ..."]


def place_of(fun: Callable[..., Any]) -> str:
    """The function's own name and, for Python functions, where it is written; what else wraps one is called so."""
    inner = inspect.unwrap(fun)
    code = getattr(inner, "__code__", None)
    place = name_of(fun) + (f" from {Path(code.co_filename).name}:{code.co_firstlineno}" if code else "")
    return place if inner is fun or inspect.isfunction(fun) else f"{type(fun).__name__} of {place}"
