"""Errors as one line that can stand in a table."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Type and first line, without the file that Python adds to import errors: figures travel, paths stay."""
    first, *_ = f"{type(error).__name__}: {error}".splitlines()
    return first.partition(" (/")[0].partition(" (unknown location)")[0]
