"""``python -m autodiff script.py``: a program, and the modules beside it, rewritten and run as Python runs them."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType

from autodiff.programs.calls import NAMES
from autodiff.programs.compiling import compiled
from autodiff.programs.importing import Folder


def run_script(path: str, arguments: Sequence[str]) -> None:
    """Run a file as ``__main__``.

    Args:
        path: the file.
        arguments: what it finds behind its own name in ``sys.argv``.
    """
    folder = os.path.dirname(os.path.realpath(path))
    sys.path[: 0 if sys.flags.safe_path else 1] = [folder]
    sys.argv = [path, *arguments]
    run(os.path.abspath(path), folder, None)


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module as ``__main__``, as ``python -m`` does.

    Args:
        name: its name; of a package its ``__main__`` runs.
        arguments: what it finds behind its own name in ``sys.argv``.

    Raises:
        ModuleNotFoundError: if there is no such module with a source.
    """
    sys.path[: 0 if sys.flags.safe_path else 1] = [os.getcwd()]
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or not (spec.origin or "").endswith(".py"):
        raise ModuleNotFoundError(f"there is no module {name!r} with a source that could run", name=name)
    sys.argv = [str(spec.origin), *arguments]
    run(str(spec.origin), os.path.dirname(str(spec.origin)), spec)


def run(file: str, folder: str, spec: ModuleSpec | None) -> None:
    """Run a file as ``__main__``, with modules in its folder rewritten too."""
    sys.meta_path.insert(0, Folder(folder))
    sys.excepthook = show_error
    module = ModuleType("__main__")
    module.__file__, module.__spec__ = file, spec
    module.__package__ = None if spec is None else spec.parent
    module.__dict__.update(NAMES, __builtins__=builtins)
    sys.modules["__main__"] = module
    with io.open_code(file) as opened:
        code = compiled(opened.read(), file)
    exec(code, module.__dict__)


def show_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that the program did not catch, from the program's own first line on, as Python does."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != main:
        first = first.tb_next
    sys.__excepthook__(kind, error.with_traceback(first or trace), first or trace)
