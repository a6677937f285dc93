"""Record what becomes of each test of the suite by Chainer 7.8.1; needs Python 3.9, NumPy 1.23, SciPy 1.10, pytest.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.testing.record``.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.chainer.testing.suite import outcomes

FILE = Path(__file__).parent / "outcomes.json"


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(outcome)}" for name, outcome in sorted(outcomes().items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} tests")  # noqa: T201 - a command prints
