"""Runs a script, or a module, as Python itself would."""

from __future__ import annotations

import builtins
import io
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType


def compiled(file: str) -> CodeType:
    """The code in a file."""
    with io.open_code(file) as opened:
        return compile(opened.read(), file, "exec", dont_inherit=True)


def run_script(
    path: str, arguments: Sequence[str], again: str, variable: str, code_of: Callable[[str], CodeType] = compiled
) -> None:
    """Run a file as ``__main__``; processes that it starts can import it again.

    Args:
        path: the file.
        arguments: what the script finds behind its own name in ``sys.argv``.
        again: the module that multiprocessing runs in the processes that it starts.
        variable: of the environment, by which that module finds the file.
        code_of: compiles a file.
    """
    file = os.path.abspath(path)
    module = ModuleType("__main__")
    module.__file__ = os.environ[variable] = file
    module.__spec__ = ModuleSpec(again, None)
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    sys.argv = [path, *arguments]
    put_first(str(Path(path).resolve().parent))
    exec(code_of(file), module.__dict__)


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module as ``__main__``, as ``python -m`` does.

    Args:
        name: its name.
        arguments: what it finds behind its own name in ``sys.argv``.
    """
    sys.argv = [name, *arguments]
    put_first(os.getcwd())
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def put_first(folder: str) -> None:
    """Look for modules in this folder first: in place of the one that ``python -m`` has put there, if it has."""
    sys.path[: 0 if sys.flags.safe_path else 1] = [folder]


def from_first_line(trace: TracebackType | None, runners: Sequence[str]) -> TracebackType | None:
    """Where an error came by, without the files that run the program."""
    behind = (__file__, runpy.run_module.__code__.co_filename, *runners)
    while trace is not None and trace.tb_frame.f_code.co_filename in behind:
        trace = trace.tb_next
    return trace
