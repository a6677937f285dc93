"""Tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TextIO


def print_table(head: Sequence[str], rows: Iterable[Sequence[Any]], file: TextIO) -> None:
    """Print rows with columns of equal width, aligned at their right.

    >>> import sys
    >>> print_table(("Name", "Count"), [("exp", 2)], sys.stdout)
    Name  Count
     exp      2
    """
    texts = [tuple(head), *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        file.write("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + "\n")
    file.flush()
