"""Tables of text, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence

UNITS = ("", "k", "M", "G", "T", "P")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: frozenset[int] = frozenset((0,))) -> str:
    """Columns of text.

    Args:
        head: what stands above the columns.
        rows: the cells.
        left: the columns that are aligned on the left; the others are numbers.
    """
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]

    def written(line: Sequence[str]) -> str:
        cells = [
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join([written(head), "  ".join("-" * width for width in widths), *map(written, rows)])


def short(number: float, unit: str = "") -> str:
    """A number with three digits: ``12.3 M``.

    >>> short(12_345_678, "B"), short(3), short(0)
    ('12.3 MB', '3', '0')
    """
    scale = 0
    while abs(number) >= 999.5 and scale < len(UNITS) - 1:
        number, scale = number / 1000, scale + 1
    digits = f"{number:.3g}" if number != int(number) or abs(number) >= 1000 else f"{int(number)}"
    suffix = UNITS[scale] + unit
    return f"{digits} {suffix}" if suffix else digits


def seconds(nanoseconds: float) -> str:
    """A time with three digits.

    >>> seconds(1234.0), seconds(2.5e9)
    ('1.23 us', '2.5 s')
    """
    for limit, unit in ((1e3, "ns"), (1e6, "us"), (1e9, "ms")):
        if nanoseconds < limit * 0.9995:
            return f"{nanoseconds / limit * 1e3:.3g} {unit}"
    return f"{nanoseconds / 1e9:.3g} s"
