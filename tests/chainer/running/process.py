"""Runs programs under ``python -m autodiff.chainer``, as their users do: in processes of their own."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]
SECONDS = 180


def run(*arguments, cwd=None, check=True, **environment):
    """What ``python -m autodiff.chainer ARGUMENTS`` printed: output and errors; its exit code too unless checked."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("AUTODIFF_CHAINER")}
    process = subprocess.Popen(
        [sys.executable, "-m", "autodiff.chainer", *map(str, arguments)],
        cwd=cwd,
        env=found | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default", **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=SECONDS)
    finally:
        end_all(process.pid)
    if check:
        assert process.returncode == 0, out + err
        return out, err
    return out, err, process.returncode


def end_all(session):
    """End what is left of a process and of those that it started."""
    try:
        os.killpg(session, signal.SIGKILL)
    except ProcessLookupError:
        return


def written(folder, name, source):
    """A program in a file."""
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source))
    return path
