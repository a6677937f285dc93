"""Record the losses that Chainer gives for the programs of the time of Chainer 3, under the number of its version.

Run from the top of the repository, with Python 3.9, NumPy 1.19 and chainer 7.8.1, and again with Python 3.6, NumPy 1.16
and chainer 3.5.0: ``python -m tests.chainer.programs.record_version_three``.
"""

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FILE = FOLDER / "losses_version_three.json"
SCRIPT = FOLDER / "version_three.py"


if __name__ == "__main__":
    import chainer

    recorded = json.loads(FILE.read_text()) if FILE.exists() else {}
    found = recorded[chainer.__version__] = {}
    command = [sys.executable, "-W", "ignore", str(SCRIPT)]
    found.update(json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    blocks = []
    for version, losses in sorted(recorded.items()):
        lines = [f"  {json.dumps(name)}: {json.dumps(values)}" for name, values in losses.items()]
        blocks.append(f" {json.dumps(version)}: {{\n" + ",\n".join(lines) + "\n }")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n")
    print(f"{len(found)} programs of Chainer {chainer.__version__}")  # noqa: T201 - a command prints
