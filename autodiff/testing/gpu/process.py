"""A process that runs items, seen from outside: asked, waited for as long as agreed, ended with all its children."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any

from autodiff.testing.gpu.item import Said
from autodiff.testing.gpu.stages import CHECKOUT

WORKER = "autodiff.testing.gpu.worker"
START = 120.0
"""Seconds until a process must have named its items: importing CuPy and making a context takes some."""
TAIL = 3000
"""So many letters of what a process printed are kept where it ends by itself."""

RIGHT, FAILED, CRASHED, TOO_LONG, LEFT_OUT = "right", "failed", "crashed", "too long", "left out"
WRONG = (FAILED, CRASHED, TOO_LONG)


@dataclass
class Answer:
    """How an item ended.

    Attributes:
        outcome: in one word or two.
        text: of what went wrong, or why it was left out.
        said: what the item returned.
        seconds: that it took.
        trace: the lines of Python where it failed.
    """

    outcome: str
    text: str = ""
    said: Said = None
    seconds: float = 0.0
    trace: str = ""

    def plain(self) -> dict[str, Any]:
        """What is written of it."""
        return {key: value for key, value in asdict(self).items() if value not in ("", None)}


class NoDeviceError(Exception):
    """autodiff finds no GPU; the text says why."""


class StartError(Exception):
    """A process did not come as far as naming its items; the text is the end of what it printed."""


class Worker:
    """One process, and the first line that it said.

    Args:
        module: whose items it runs.
        standin: whether they run on the stand-in for CuPy.

    Raises:
        NoDeviceError: if it finds no GPU.
        StartError: if it does not start.
    """

    def __init__(self, module: str, standin: bool) -> None:
        self.printed = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        command = [sys.executable, "-m", WORKER, module, *(["--stand-in"] if standin else [])]
        self.process = subprocess.Popen(
            command,
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.printed,
            env={**os.environ, "PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            bufsize=0,
        )
        self.received = b""
        first = self.line(START)
        if first is None or "no device" in first:
            text = self.stop()
            if first is None:
                raise StartError(text or "it said nothing")
            raise NoDeviceError(first["no device"])
        self.device: dict[str, Any] = first["device"]
        self.names: list[str] = first["names"]

    def ask(self, name: str, seconds: float) -> Answer:
        """Run an item. A process that says nothing in time, or ended, is of no more use."""
        begin = monotonic()
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps({"item": name, "seconds": seconds}).encode() + b"\n")
        try:
            found = self.line(seconds)
        except TimeoutError:
            text = f"no answer within {seconds:.0f} s. {self.stop()}".rstrip()
            return Answer(TOO_LONG, text, seconds=round(monotonic() - begin, 3))
        took = round(monotonic() - begin, 3)
        if found is None:
            text = self.stop()
            return Answer(CRASHED, f"its process ended {self.status()}. {text}".rstrip(), seconds=took)
        if "said" in found:
            return Answer(RIGHT, said=found["said"], seconds=took)
        if "left out" in found:
            return Answer(LEFT_OUT, found["left out"], seconds=took)
        return Answer(FAILED, found["failed"], seconds=took, trace=found["trace"])

    def stop(self) -> str:
        """End it and its children; the end of what it printed."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        if self.printed.closed:
            return ""
        self.printed.seek(0, os.SEEK_END)
        self.printed.seek(max(0, self.printed.tell() - TAIL))
        text = self.printed.read().decode(errors="replace").strip()
        self.printed.close()
        return text

    def status(self) -> str:
        """How the process ended."""
        code = self.process.returncode
        return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"

    def line(self, seconds: float) -> dict[str, Any] | None:
        """The next line that it says; None if it ended.

        Raises:
            TimeoutError: if it says nothing within so many seconds.
        """
        stdout = self.process.stdout
        assert stdout is not None
        end = monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self.received:
                if not selector.select(max(0.0, end - monotonic())):
                    raise TimeoutError
                part = os.read(stdout.fileno(), 1 << 16)
                if not part:
                    self.process.wait()
                    return None
                self.received += part
        line, _, self.received = self.received.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer
