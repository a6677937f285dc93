"""A second interpreter that answers questions: one JSON line each, over a pipe."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent


class InterpreterError(Exception):
    """The other interpreter could not do what was asked; the text is its own."""


class WrongAnswerError(InterpreterError):
    """It computed something wrong."""


class Interpreter:
    """Starts `python -m MODULE ARGUMENTS` and passes questions on.

    Args:
        name: whom error texts speak of.
        command: the program and its arguments.
        variables: added to the environment.

    Raises:
        InterpreterError: if it is not ready; the text says why.
    """

    def __init__(self, name: str, command: Sequence[str], variables: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(variables or {})},
            bufsize=0,
        )
        self._received = b""
        try:
            self.hear()
        except InterpreterError:
            self.close()
            raise

    def ask(self, call: str, seconds: float | None = None, **arguments: Any) -> Any:
        """What the call returns over there; after so many seconds without an answer it is an error."""
        self.send(call, **arguments)
        return self.hear(seconds)

    def send(self, call: str, **arguments: Any) -> None:
        """Ask, and go on; `hear` takes the answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"call": call, **arguments}).encode() + b"\n")
        except BrokenPipeError:
            raise InterpreterError(self.ended()) from None

    def hear(self, seconds: float | None = None) -> Any:
        """The answer to the oldest question that has none."""
        line = self._line(seconds)
        if not line:
            raise InterpreterError(self.ended())
        answer = json.loads(line)
        if "wrong" in answer:
            raise WrongAnswerError(answer["wrong"])
        if "failed" in answer:
            raise InterpreterError(answer["failed"])
        return answer["result"]

    def ended(self) -> str:
        """What is said of an interpreter that is gone."""
        return f"the interpreter for {self.name} ended without an answer"

    def close(self) -> None:
        """End the other interpreter, by force if it does not listen."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def stop(self) -> None:
        """End it at once, whatever it is doing."""
        self._process.kill()
        self.close()

    def _line(self, seconds: float | None) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._received:
                if not selector.select(seconds):
                    raise InterpreterError(f"no answer from {self.name} within {seconds:.0f} seconds")
                part = os.read(stdout.fileno(), 1 << 16)
                if not part:
                    return b""
                self._received += part
        line, _, self._received = self._received.partition(b"\n")
        return line
