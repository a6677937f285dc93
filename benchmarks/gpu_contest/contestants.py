"""The processes of all libraries: started at the same time, started again in the background where one was stopped."""

from __future__ import annotations

import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from benchmarks.gpu_contest.worker import STANDIN
from benchmarks.interpreter import Interpreter, InterpreterError

if TYPE_CHECKING:
    from collections.abc import Sequence

MODULE = "benchmarks.gpu_contest.worker"
MEMORY = 0.9  # of the device's, for all libraries together


def settings(standin: bool, memory: float) -> dict[str, str]:
    """The environment of all: no memory taken before it is needed. How products round is set for each row."""
    return {
        "CUPY_TF32": "0",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "XLA_PYTHON_CLIENT_MEM_FRACTION": f"{memory:.3f}",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TORCHINDUCTOR_COMPILE_THREADS": str(max(1, (os.cpu_count() or 1) // 4)),
        **({"JAX_PLATFORMS": "cpu"} if standin else {}),
    }


class Contestants:
    """Those who could be started are `present`; `absent` has the others' reasons."""

    def __init__(self, names: Sequence[str], standin: bool) -> None:
        self.standin, self.memory = standin, MEMORY / max(1, len(names))
        self.present: dict[str, Interpreter] = {}
        self.absent: dict[str, str] = {}
        self._pool = ThreadPoolExecutor(max_workers=max(1, len(names)))
        self._starting: dict[str, Future[Interpreter]] = {}
        for name in names:
            self._start(name)

    def arrived(self, seconds: float | None) -> None:
        """Take those in who are ready; wait so long for the others, who stay away until the next time."""
        for name, future in list(self._starting.items()):
            try:
                self.present[name] = future.result(seconds)
            except TimeoutError:
                self.absent[name] = "not started in time"
                continue
            except InterpreterError as error:
                self.absent[name] = str(error)
            else:
                self.absent.pop(name, None)
            del self._starting[name]

    def restart(self, name: str) -> None:
        """Stop one that does not answer, or whose device is lost to it; it comes back when it is ready."""
        self.present.pop(name).stop()
        self.absent[name] = "is being started again"
        self._start(name)

    def close(self) -> None:
        """End them all."""
        self.arrived(0.0)
        for future in self._starting.values():
            future.add_done_callback(ended)
        for interpreter in self.present.values():
            interpreter.close()
        self._pool.shutdown(wait=True)

    def describe(self) -> dict[str, Any]:
        """Versions and settings."""
        return {name: interpreter.ask("describe", 30.0) for name, interpreter in self.present.items()}

    def _start(self, name: str) -> None:
        self._starting[name] = self._pool.submit(started, name, self.memory, self.standin)


def started(name: str, memory: float, standin: bool) -> Interpreter:
    """A process of its own for one library."""
    command = [sys.executable, "-m", MODULE, name, f"{memory:.3f}", *([STANDIN] if standin else [])]
    return Interpreter(name, command, settings(standin, memory))


def ended(future: Future[Interpreter]) -> None:
    """End one that was ready too late."""
    if future.exception() is None:
        future.result().close()
