"""Runs programs under ``python -m autodiff.chainer``, as their users do: in processes of their own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[3]
SECONDS = 120


def run(*arguments, cwd=None, check=True, **environment):
    """What ``python -m autodiff.chainer ARGUMENTS`` printed: output and errors; its exit code too unless checked."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("AUTODIFF_CHAINER")}
    found |= {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default", **environment}
    done = subprocess.run(
        [sys.executable, "-m", "autodiff.chainer", *map(str, arguments)],
        cwd=cwd,
        env=found,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout, done.stderr
    return done.stdout, done.stderr, done.returncode


def written(folder, name, source):
    """A program in a file."""
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source))
    return path
