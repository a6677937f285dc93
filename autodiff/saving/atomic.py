"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4


@contextmanager
def replacing(path: Path) -> Iterator[Any]:
    """A new file, open for writing, that takes the place of another one when the block ends without an error.

    It is written beside the other, and is on the disk before it is renamed: whoever reads finds the old file or the new
    one, also after the power was cut.

    Args:
        path: the file, which may not exist yet.
    """
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with open(beside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
