"""CasADi: its own machine for expressions, and the C that it writes."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import casadi
import numpy as np

from benchmarks.contest.peers.peer import Peer
from benchmarks.contest.work import Work

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Program, Row

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class Casadi(Peer):
    """The expression's own machine, bound to the memory of arguments and results."""

    name = "casadi"
    distribution = "casadi"

    def work(self, program: Program, row: Row, inputs: tuple[Any, ...]) -> Work:
        function = self.compiled(program.casadi(casadi, row))
        buffer, call = function.buffer()
        arguments = [np.array(value, dtype=float, order="F") for value in inputs]
        results = [np.zeros(function.size_out(k), order="F") for k in range(function.n_out())]
        for k, argument in enumerate(arguments):
            buffer.set_arg(k, memoryview(argument.reshape(-1, order="F")))
        for k, result in enumerate(results):
            buffer.set_res(k, memoryview(result.reshape(-1, order="F")))
        shown = [squeezed(result) for result in results]
        self.alive = (function, buffer, arguments, results)

        def run() -> Any:
            call()
            return shown

        return Work(run)

    def compiled(self, function: Any) -> Any:
        """The function as it is run."""
        return function


class CompiledCasadi(Casadi):
    """The same as C, compiled with optimization for this processor."""

    name = "casadi, C"

    def compiled(self, function: Any) -> Any:
        compiler = shutil.which("cc")
        if compiler is None:
            raise FileNotFoundError("cc is not on the path")
        folder = Path(tempfile.mkdtemp())
        generator = casadi.CodeGenerator("f.c")
        generator.add(function)
        generator.generate(f"{folder}/")
        subprocess.run([compiler, *FLAGS, folder / "f.c", "-o", folder / "f.so", "-lm"], check=True)
        found = casadi.external("f", str(folder / "f.so"))
        shutil.rmtree(folder)
        return found


def squeezed(result: Any) -> Any:
    """A result without the axes that are there because everything is a matrix."""
    if result.size == 1:
        return result[0, 0:1].reshape(())
    return result[:, 0] if result.shape[1] == 1 else result
