"""How old programs are run, in this process and in those that it starts."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from autodiff.chainer.running import (
    function_classes,
    names,
    numpy_names,
    pillow_names,
    python_names,
    single_elements,
)
from autodiff.chainer.running.errors import show_warning
from autodiff.chainer.running.v1 import install as v1
from autodiff.running.script import compiled

SHIMS = str(Path(__file__).parent / "shims")
"""A folder in which ``chainer``, ``chainerx`` and ``chainermn`` can be found by processes that know nothing yet."""

ROOT = str(Path(__file__).parents[3])
"""The folder that autodiff is in."""

COMPAT, ALIASES = "AUTODIFF_CHAINER_COMPAT", "AUTODIFF_CHAINER_NUMPY_NAMES"


class Setting(NamedTuple):
    """What the user asked for.

    Attributes:
        compat: ``"v1"`` to accept what Chainer 1 had and Chainer 7 refuses; None otherwise.
        numpy_names: whether NumPy, and Python's own library, get back the names that they have no more, and the ways
            that old programs rely on.
    """

    compat: str | None = None
    numpy_names: bool = True

    @classmethod
    def inherited(cls) -> Setting:
        """The setting of the process that started this one."""
        return cls(os.environ.get(COMPAT) or None, os.environ.get(ALIASES, "1") == "1")

    def bequeath(self) -> None:
        """Let processes that this one starts, in whatever way, have the same setting.

        They find ``chainer`` in the folder of shims, and take the setting over when they first import it.
        """
        os.environ[COMPAT] = self.compat or ""
        os.environ[ALIASES] = "1" if self.numpy_names else "0"
        wanted = [SHIMS, *([] if ROOT in sys.path[1:] else [ROOT])]  # a checkout, found only as the current folder
        before = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path not in wanted]
        os.environ["PYTHONPATH"] = os.pathsep.join([*wanted, *before])
        sys.path[1:1] = [path for path in wanted if path not in sys.path[1:]]  # multiprocessing hands the list on

    def enter(self) -> None:
        """Make this process such that old programs run."""
        names.install()
        function_classes.install()
        if self.numpy_names:
            numpy_names.restore()
            python_names.restore()
            pillow_names.restore()
            names.SCIPY.install()
            single_elements.install()
            warnings.showwarning = show_warning
        if self.compat == "v1":
            v1.install()

    def code_of(self, file: str) -> CodeType:
        """The code in the program's file; from now on modules beside it are compiled in the same way."""
        self.cover(Path(file).resolve().parent)
        return single_elements.compiled_with_calls(file) if self.numpy_names else compiled(file)

    def cover(self, folder: Path) -> None:
        """Let the modules in a folder, which are the program's, be compiled so that old calls mean what they meant."""
        if self.numpy_names:
            single_elements.install(str(folder))
