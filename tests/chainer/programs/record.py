"""Record the losses that Chainer 7.8.1 gives for every program; needs Python 3.9, NumPy 1.23, chainer 7.8.1.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.programs.record``.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from tests.chainer.programs.table import PROGRAMS

FILE = Path(__file__).parent / "losses.json"
FAMILIES = (
    "adversaries",
    "companions",
    "images",
    "libraries",
    "machinery",
    "parts",
    "repositories",
    "scenes",
    "studies",
    "texts",
)

for family in FAMILIES:
    import_module(f"tests.chainer.programs.{family}")


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(run())}" for name, run in PROGRAMS.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} programs")  # noqa: T201 - a command prints
