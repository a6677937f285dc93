"""Runs a script, or a module, as Python itself would."""

from __future__ import annotations

import builtins
import io
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

AGAIN, SCRIPT = "autodiff.chainer.running.again", "AUTODIFF_CHAINER_SCRIPT"


def run_script(path: str, arguments: Sequence[str]) -> None:
    """Run a file as ``__main__``; processes that it starts can import it again.

    Args:
        path: the file.
        arguments: what the script finds behind its own name in ``sys.argv``.
    """
    file = os.path.abspath(path)
    module = ModuleType("__main__")
    module.__file__ = os.environ[SCRIPT] = file
    module.__spec__ = ModuleSpec(AGAIN, None)  # what multiprocessing runs in the processes that it starts
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    sys.argv = [path, *arguments]
    put_first(str(Path(path).resolve().parent))
    exec(compiled(file), module.__dict__)


def compiled(file: str) -> CodeType:
    """The code in a file."""
    with io.open_code(file) as opened:
        return compile(opened.read(), file, "exec", dont_inherit=True)


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


RUNNERS = (__file__, str(Path(__file__).parents[1] / "__main__.py"), runpy.run_module.__code__.co_filename)
"""The files whose code is behind every line of a program."""


BROUGHT_ALONG = ("filelock", "mock", "nose", "protobuf", "six", "typing_extensions")
"""What was installed together with Chainer, so that programs import it without a thought."""


def show_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that the program did not catch, from the program's own first line on, as Python does.

    Args:
        kind: its class.
        error: the error.
        trace: where it came by.
    """
    if isinstance(error, ModuleNotFoundError) and error.name in BROUGHT_ALONG:
        error.add_note(f"Chainer brought {error.name} along and autodiff does not: pip install {error.name}")
    while trace is not None and trace.tb_frame.f_code.co_filename in RUNNERS:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)
