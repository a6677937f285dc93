"""Record the creators of Chainer 7.8.1: their classes, labels, and the attributes that programs read.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.recorded.record_creators``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.chainer.recorded.creators import CREATORS, attributes, creator_of

FILE = Path(__file__).parent / "data" / "creators.json"


def record(name: str) -> dict[str, Any]:
    """What the creator of a call shows."""
    creator, _ = creator_of(name)
    return {"class": type(creator).__name__, "label": creator.label, "attributes": attributes(creator)}


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(record(name))}" for name in CREATORS]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} creators")  # noqa: T201 - a command prints
