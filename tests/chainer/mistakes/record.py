"""Record what Chainer 7.8.1 raises for every mistake; needs Python 3.9, NumPy below 1.24, chainer 7.8.1, h5py, pillow.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.mistakes.record``.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chainer.mistakes import using  # noqa: F401 - enters its mistakes
from tests.chainer.mistakes.table import MISTAKES

FILE = Path(__file__).parent / "raised.json"


def raised(mistake: Callable[[], Any]) -> tuple[str, str]:
    """The class and the text of the error that a mistake raises; two empty texts if there is none."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            mistake()
        except Exception as error:
            return type(error).__name__, str(error.args[0]) if isinstance(error, KeyError) else str(error)
    return "", ""


if __name__ == "__main__":
    lines = [f" {json.dumps(name)}: {json.dumps(raised(mistake))}" for name, mistake in MISTAKES.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} mistakes")  # noqa: T201 - a command prints
