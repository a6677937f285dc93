"""Runs a script, or a module, as Python itself would."""

from __future__ import annotations

import io
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType


def run_script(path: str, arguments: Sequence[str]) -> None:
    """Run a file as ``__main__``; processes that it starts can import it again.

    Args:
        path: the file.
        arguments: what the script finds behind its own name in ``sys.argv``.

    Raises:
        FileNotFoundError: if there is no such file.
    """
    file = Path(path)
    with io.open_code(str(file)) as opened:
        code = compile(opened.read(), path, "exec")
    module = ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    sys.argv = [path, *arguments]
    put_first(str(file.resolve().parent))
    exec(code, module.__dict__)


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module as ``__main__``, as ``python -m`` does.

    Args:
        name: its name.
        arguments: what it finds behind its own name in ``sys.argv``.
    """
    sys.argv = [name, *arguments]
    put_first("")
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def put_first(folder: str) -> None:
    """Look for modules in this folder first: in place of the one that ``python -m`` has put there, if it has."""
    sys.path[: 0 if sys.flags.safe_path else 1] = [folder]
