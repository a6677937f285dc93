"""Starts programs as several processes."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def mpiexec():
    """The launcher beside this Python, or on the path; the test is skipped without it."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install 'autodiff[mpi]'")
    beside = Path(sys.executable).parent / "mpiexec"
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        pytest.skip("there is no mpiexec: pip install 'autodiff[mpi]'")
    return found


def launch(count, module, *args, seconds=120):
    """The result of a module run by so many processes, with how many seconds it took."""
    return launch_command(count, [sys.executable, "-m", f"tests.distributed.programs.{module}", *args], seconds)


def launch_command(count, command, seconds=120):
    """The result of a command run by so many processes, with how many seconds it took."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    begun = time.monotonic()
    done = subprocess.run(
        [mpiexec(), "-n", str(count), *command],
        capture_output=True,
        text=True,
        timeout=seconds,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "AUTODIFF_NUM_THREADS": "1"},
    )
    done.seconds = time.monotonic() - begun
    return done
