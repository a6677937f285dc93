"""Record the losses that Chainer 1.24 gives for the scripts of its time; needs Python 3.9, NumPy 1.23, chainer 1.24.0.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.programs.record_version_one``.
Chainer 1.24 builds CuPy when it is installed; its folder ``chainer`` alone, in ``PYTHONPATH``, does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FILE = FOLDER / "losses_version_one.json"
SCRIPTS = ("version_one", "version_one_training")


if __name__ == "__main__":
    found = {}
    for script in SCRIPTS:
        command = [sys.executable, "-W", "ignore", str(FOLDER / f"{script}.py")]
        found.update(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))
    lines = [f" {json.dumps(name)}: {json.dumps(losses)}" for name, losses in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} programs")  # noqa: T201 - a command prints
