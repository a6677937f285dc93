"""Files that are there as a whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """A context with a temporary path, whose file becomes that of ``path`` at the end if nothing was raised.

    An interrupted program thus leaves the file of before, never half of a new one.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(os.path.join(folder, "log")) as temporary:
    ...         _ = open(temporary, "w").close()
    ...     os.listdir(folder)
    ['log']
    """
    folder, name = os.path.split(path)
    with tempfile.TemporaryDirectory(prefix=f"tmp{name}", dir=folder or ".") as temporary:
        inside = os.path.join(temporary, name)
        yield inside
        os.replace(inside, path)
