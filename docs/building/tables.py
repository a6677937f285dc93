"""Tables of figures: where and when they were measured, rows, times with units."""

from __future__ import annotations

from typing import Any

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def made(run: dict[str, Any], threads: int) -> str:
    """When and where a run was made."""
    where = run["environment"]
    return (
        f"Measured on {where['date']}: {where['processor']}, {where['cores']} cores, {where['system']}, "
        f"{where['python']}, {threads} thread{'s' if threads > 1 else ''}"
    )


def head(titles: list[str]) -> list[str]:
    """The lines above the rows of a Markdown table."""
    return [row_of(titles), "|---" * len(titles) + "|"]


def in_figures(rows: list[str]) -> list[str]:
    """A table whose first column stays in sight while the others scroll, on a phone too."""
    return [":::{container} figures", "", *rows, "", ":::"]


def row_of(texts: list[str]) -> str:
    """Texts as a row of a Markdown table."""
    return f"| {' | '.join(texts)} |"


def time_text(seconds: float | None) -> str:
    """A time with three digits and its unit; nothing where there is none."""
    if seconds is None:
        return ""
    rounded = float(f"{seconds:.3g}")  # before the unit is chosen: 999.8 us are 1 ms
    scale, unit = next(((scale, unit) for scale, unit in UNITS if rounded >= scale), UNITS[-1])
    return f"{rounded / scale:.3g} {unit}"
