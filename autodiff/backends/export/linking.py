"""Shared libraries, by the C compiler of the system."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from autodiff.backends.export.steps import ExportError

COMPILERS = ("cc", "gcc", "clang")
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def link(code: bytes, path: Path) -> None:
    """Write a shared library of object code.

    Raises:
        ExportError: if there is no compiler, or it fails.
    """
    command = shlex.split(os.environ.get("CC", "")) or [next(filter(shutil.which, COMPILERS), "")]
    if not shutil.which(command[0]):
        raise ExportError(
            "export: a shared library is linked by the C compiler of the system, and there is none "
            f"({', '.join(COMPILERS)}, or what CC names in the environment); install one, or write the object file, "
            "library=False"
        )
    with TemporaryDirectory() as folder:
        given = Path(folder, "program.o")
        given.write_bytes(code)
        done = subprocess.run(
            [*command, "-shared", "-o", str(path), str(given), "-lm"], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise ExportError(f"export: {' '.join(command)} cannot link {path.name}: {done.stderr.strip()}")
