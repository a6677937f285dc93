"""Folders for a while."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def tempdir(**kwargs: Any) -> Iterator[str]:
    """A new folder, which is removed with all that is in it at the end of the ``with`` block.

    Args:
        kwargs: ``ignore_errors``: whether a failure to remove it is ignored. Others are those of ``tempfile.mkdtemp``.

    >>> import os
    >>> with tempdir() as folder:
    ...     os.path.isdir(folder)
    True
    >>> os.path.exists(folder)
    False
    """
    ignore_errors = kwargs.pop("ignore_errors", False)
    folder = tempfile.mkdtemp(**kwargs)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=ignore_errors)
