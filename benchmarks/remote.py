"""An entrant in a second interpreter: the same calls, spoken in lines over a pipe."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.interpreter import Interpreter, InterpreterError, WrongAnswerError
from benchmarks.verify import WrongGradientError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.case import Case

RemoteError = InterpreterError


class Remote:
    """Starts `python -m benchmarks.worker NAME` with another Python and passes every call on."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        self._interpreter = Interpreter(name, [python, "-m", "benchmarks.worker", name])

    def describe(self) -> dict[str, Any]:
        """As `Entrant.describe`; so the others."""
        described: dict[str, Any] = self._interpreter.ask("describe")
        return described

    def prepare(self, case: Case) -> int | None:
        """Inputs are made over there."""
        operations: int | None = self._interpreter.ask("prepare", case=asdict(case))
        return operations

    def verify(self) -> None:
        """Checked with the other interpreter's NumPy."""
        with wrong_gradients():
            self._interpreter.ask("verify")

    def sample(self) -> tuple[float, float, bool]:
        """Timed over there; the pipe is not in the figure."""
        forward, total, interrupted = self._interpreter.ask("sample")
        return forward, total, interrupted

    def release(self) -> None:
        """Let go of the inputs."""
        self._interpreter.ask("release")

    def close(self) -> None:
        """End the other interpreter."""
        self._interpreter.close()


@contextmanager
def wrong_gradients() -> Iterator[None]:
    """A wrong answer of the other interpreter is a wrong gradient of this run."""
    try:
        yield
    except WrongAnswerError as error:
        raise WrongGradientError(str(error)) from None
