"""Record the attributes that objects of Chainer 7.8.1 have; needs Python 3.9, NumPy below 1.24, chainer 7.8.1.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.instances.record``.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.chainer.instances.table import GROUPS, states

FILE = Path(__file__).parent / "attributes.json"


if __name__ == "__main__":
    blocks, count = [], 0
    for name in GROUPS:
        found = states(name)
        count += sum(len(attributes) for attributes in found.values())
        lines = [f"  {json.dumps(label)}: {json.dumps(attributes)}" for label, attributes in found.items()]
        blocks.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n")
    print(f"{count} attributes")  # noqa: T201 - a command prints
