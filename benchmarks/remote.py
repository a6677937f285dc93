"""An entrant in a second interpreter: the same calls, spoken in lines over a pipe."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.case import Case
from benchmarks.verify import WrongGradientError

ROOT = Path(__file__).resolve().parent.parent


class RemoteError(Exception):
    """The other interpreter could not do what was asked; the text is its own."""


class Remote:
    """Starts `python -m benchmarks.worker NAME` with another Python and passes every call on."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            self._hear()
        except RemoteError:
            self.close()
            raise

    def describe(self) -> dict[str, Any]:
        """As `Entrant.describe`; so the others."""
        described: dict[str, Any] = self._ask("describe")
        return described

    def prepare(self, case: Case) -> int | None:
        """Inputs are made over there."""
        operations: int | None = self._ask("prepare", case=asdict(case))
        return operations

    def verify(self) -> None:
        """Checked with the other interpreter's NumPy."""
        self._ask("verify")

    def sample(self) -> tuple[float, float, bool]:
        """Timed over there; the pipe is not in the figure."""
        forward, total, interrupted = self._ask("sample")
        return forward, total, interrupted

    def release(self) -> None:
        """Let go of the inputs."""
        self._ask("release")

    def close(self) -> None:
        """End the other interpreter."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def _ask(self, call: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        print(json.dumps({"call": call, **arguments}), file=self._process.stdin, flush=True)
        return self._hear()

    def _hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RemoteError(f"the interpreter for {self.name} ended without an answer")
        answer = json.loads(line)
        if "wrong" in answer:
            raise WrongGradientError(answer["wrong"])
        if "failed" in answer:
            raise RemoteError(answer["failed"])
        return answer["result"]
